"""What every folder of tests may use."""

pytest_plugins = ("tests.cluster.fixtures",)
