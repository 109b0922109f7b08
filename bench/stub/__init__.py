"""An API server that is full of workloads, and holds none of them in memory."""
