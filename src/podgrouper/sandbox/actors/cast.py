"""Who acts in a sandbox: the table of all actors."""

from collections.abc import Mapping, Sequence

from podgrouper.core.model import POD, Kind
from podgrouper.memory.builtins import DEPLOYMENT, JOB, REPLICA_SET, STATEFUL_SET
from podgrouper.sandbox.actors import (
    deployments,
    jobs,
    kubelet,
    replicasets,
    statefulsets,
    training,
    workflows,
)
from podgrouper.sandbox.actors.schedulers import GangScheduler
from podgrouper.sandbox.actors.stage import Act, Cast

CONTROLLERS: Mapping[Kind, Sequence[Act]] = {
    DEPLOYMENT: (deployments.act,),
    REPLICA_SET: (replicasets.act,),
    STATEFUL_SET: (statefulsets.act,),
    JOB: (jobs.act,),
    training.PYTORCH_JOB: (training.act,),
    workflows.WORKFLOW: (workflows.act,),
    POD: (jobs.release,),
}


def controllers() -> Cast:
    """Controllers alone: pods are made and taken away, and nobody runs them."""
    return Cast(CONTROLLERS)


def everybody() -> Cast:
    """Controllers, a kubelet for all nodes, and the toy of a gang scheduler."""
    acts = {**CONTROLLERS, POD: (*CONTROLLERS[POD], kubelet.act)}
    return Cast(acts, overseers=(GangScheduler(),))
