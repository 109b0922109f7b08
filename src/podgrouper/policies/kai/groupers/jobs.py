"""Jobs and CronJobs: one group for each Job, which starts with one pod unless somebody asks for more.

Parallelism plays no part: most Jobs are queues of work, not gangs.
"""

from collections.abc import Sequence
from dataclasses import replace

from podgrouper.core.fields import annotations
from podgrouper.core.groups import Group, Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import GroupWanted, Kind, Member, Owner, Skip, Want
from podgrouper.core.reasons import Reason
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outcomes import attempted, joined, unplaced
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.texts.names import named_after, valid_name
from podgrouper.policies.kai.values import members_asked

JOB = Kind("batch/v1", "Job")


class JobGrouper(Grouper):
    """One group for the Job, which starts with one pod unless it asks for more.

    Pods that an older KAI gave groups of their own keep them.
    """

    kinds = (JOB,)
    heeds = (keys.MIN_MEMBERS, "searchLegacyGroups")

    def wants(self, scene: Scene) -> Sequence[Want]:
        if not scene.settings.search_legacy_groups:
            return ()
        return [
            GroupWanted(scene.namespace, _old_name(scene, member))
            for member in scene.members
            if not _settled(scene, member)
        ]

    def group(self, scene: Scene) -> Grouping:
        named_as_ever: list[Member] = []
        groups: list[Group] = []
        for member in scene.members:
            old = _old_name(scene, member)
            if old != _own_name(scene) and scene.live_group(old):
                groups.append(replace(default_group(scene, (member,)), name=valid_name(old)))
            else:
                named_as_ever.append(member)
        new = attempted(named_as_ever, lambda: _of_job(scene, named_as_ever))
        return joined((Grouping(tuple(groups)), new))


class CronJobGrouper(Grouper):
    """Every run is a group of its own: that of its Job, to which the CronJob adds nothing."""

    kinds = (Kind("batch/v1", "CronJob"),)
    heeds = (keys.MIN_MEMBERS,)
    reads = Reads(kinds=frozenset({JOB}))

    def group(self, scene: Scene) -> Grouping:
        runs: dict[str, tuple[Owner, list[Member]]] = {}
        astray: list[Member] = []
        for member in scene.members:
            job = next((owner for owner in member.chain.owners if owner.ref.kind == JOB), None)
            if job is None:
                astray.append(member)
            else:
                runs.setdefault(job.ref.uid, (job, []))[1].append(member)
        no_job = Skip(Reason.BAD_VALUE, f"the pod belongs to {scene.owner.ref}, but to no Job of it")
        return joined(
            (unplaced(astray, no_job), *(_run(scene, job, members) for job, members in runs.values()))
        )


def _run(scene: Scene, job: Owner, members: Sequence[Member]) -> Grouping:
    run = replace(scene, owner=job, skipped=())
    return attempted(members, lambda: _of_job(run, members))


def _of_job(scene: Scene, members: Sequence[Member]) -> Grouping:
    if not members:
        return Grouping()
    asked = members_asked(annotations(scene.owner.object), keys.MIN_MEMBERS, str(scene.owner.ref))
    group = default_group(scene, members)
    if asked is None:
        return Grouping((group,))
    origins = {**group.origins, "floor": f"{scene.owner.ref}, annotation {keys.MIN_MEMBERS}"}
    return Grouping((replace(group, floor=asked, origins=origins),))


def _settled(scene: Scene, member: Member) -> bool:
    """The pod is in its Job's group already. So most are, and for them nobody has to look."""
    return member.link is not None and member.link.group == valid_name(_own_name(scene))


def _own_name(scene: Scene) -> str:
    return named_after(scene.owner.ref.name, scene.owner.ref.uid)


def _old_name(scene: Scene, member: Member) -> str:
    return named_after(member.pod.name, scene.owner.ref.uid)
