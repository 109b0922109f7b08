"""The benchmark: the real program beside the least that could do its work, on a real API server."""
