"""What every folder of tests may use."""

from hypothesis import HealthCheck, settings

pytest_plugins = ("tests.cluster.fixtures",)

# How long something takes says nothing on a machine that does other things too. What failed is told in a form
# that replays it.
settings.register_profile(
    "tests", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("tests")
