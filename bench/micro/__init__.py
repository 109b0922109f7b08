"""What one call costs at each stage of the road: counted in instructions, where that is possible."""
