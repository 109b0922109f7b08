"""`python -m bench.micro`: what one call costs, for both profiles."""

from bench.micro.measuring import measured
from podgrouper.config.model import BUILT_IN

if __name__ == "__main__":
    for profile in BUILT_IN:
        for cost in measured(profile):
            print(f"{profile.name:8} {cost.case:24} {cost.value:12.0f} {cost.unit}")
