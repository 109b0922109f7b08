"""What `podgrouper demo` is made of: an embedded API, the controller as a process, a story, a look at it."""
