"""Groupers of one's own: found, loaded and asked in processes of their own, where they hurt nobody else."""
