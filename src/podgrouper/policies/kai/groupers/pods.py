"""Pods that stand for themselves, and Spark applications, whose driver stands for its executors."""

from collections.abc import Sequence
from dataclasses import replace

from podgrouper.core.groups import Group, Grouping
from podgrouper.core.interfaces import WHOLE, Reads
from podgrouper.core.model import POD, Member
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.texts.names import valid_name


class PodGrouper(Grouper):
    """The group of a pod and of the pods that it owns.

    A Spark application names its group itself, so that a driver that is tried again joins the group of the
    first one.
    """

    kinds = (POD,)
    reads = Reads(labels=frozenset({keys.SPARK_APP_NAME, keys.SPARK_APP_SELECTOR}), paths={POD: WHOLE})

    def group(self, scene: Scene) -> Grouping:
        by_application: dict[str, list[Member]] = {}
        for member in scene.members:
            by_application.setdefault(_application(member), []).append(member)
        return Grouping(tuple(_group(scene, name, found) for name, found in by_application.items()))


def _group(scene: Scene, application: str, members: Sequence[Member]) -> Group:
    group = _as_handled(scene, default_group(scene, members))
    return replace(group, name=valid_name(application)) if application else group


def _as_handled(scene: Scene, group: Group) -> Group:
    """KAI never looks again at a bare pod once it is linked, so its link is not among what is copied.

    Where other pods, or owners that may not be read, make it look again, the link is copied.
    """
    pod = scene.owner.ref
    alone = all(placement.pod.uid == pod.uid and not placement.pod.owners for placement in group.placements)
    if not alone:
        return group
    kept = {key: value for key, value in group.annotations.items() if key != keys.GROUP_OF_POD}
    return replace(group, annotations=kept)


def _application(member: Member) -> str:
    labels = member.pod.labels
    named = labels.get(keys.SPARK_APP_NAME) and labels.get(keys.SPARK_APP_SELECTOR)
    return labels[keys.SPARK_APP_SELECTOR] if named else ""
