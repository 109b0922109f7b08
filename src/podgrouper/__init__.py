"""podgrouper turns ordinary Kubernetes pods into gangs."""

__version__ = "0.1.0.dev0"
