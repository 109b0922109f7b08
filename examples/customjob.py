"""CustomJobs of example.com: a gang of `minAvailable` pods, or else of all `replicas`."""

from dataclasses import replace

from podgrouper.groupers import Grouper, Grouping, Kind, Reads, Scene, default_group, members_at

CUSTOM_JOB = Kind("example.com/v1", "CustomJob")
FLOORS = ("spec.minAvailable", "spec.replicas")


class CustomJobGrouper(Grouper):
    """One group; it starts with `minAvailable` pods, or else with all `replicas`."""

    kinds = (CUSTOM_JOB,)
    reads = Reads(paths={CUSTOM_JOB: frozenset(FLOORS)})

    def group(self, scene: Scene) -> Grouping:
        group = default_group(scene, scene.members)
        asked = (members_at(scene.owner, path) for path in FLOORS)
        floor = next((number for number in asked if number and number > 0), group.floor)
        return Grouping((replace(group, floor=floor),))
