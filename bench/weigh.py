"""What podgrouper weighs beside so many workloads: `python -m bench.weigh --profile kai job=10000`."""

import argparse
import tempfile
from pathlib import Path

from bench.stub.workloads import PODS
from bench.weighing import Population, Weight, weighed
from podgrouper.config.model import BUILT_IN

REST_SECONDS = 10.0


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--profile", choices=[profile.name for profile in BUILT_IN], required=True)
    arguments.add_argument("crowds", nargs="*", metavar="FORM=WORKLOADS[:SCHEDULER]")
    given = arguments.parse_args()
    population = Population(given.crowds, sum(pods_in(crowd) for crowd in given.crowds))
    with tempfile.TemporaryDirectory() as folder:
        found = weighed(population, given.profile, Path(folder), REST_SECONDS)
    print("start ", told(found.started))
    print("relist", told(found.relisted), found.writes, "writes")


def pods_in(crowd: str) -> int:
    """Those of the profile's own scheduler: of `job=10` a hundred, of `job=10:other` none."""
    form, _, rest = crowd.partition("=")
    return 0 if ":" in rest or form == "old-rollout" else int(rest) * PODS


def told(weight: Weight) -> str:
    return (
        f"{weight.pods} pods, {weight.groups} groups: {weight.rss / 1e6:.1f} MB, private "
        f"{weight.private / 1e6:.1f}, peak {weight.peak / 1e6:.1f}; {weight.cpu:.2f} s of CPU; "
        f"longest stall {weight.stall * 1000:.0f} ms"
    )


if __name__ == "__main__":
    main()
