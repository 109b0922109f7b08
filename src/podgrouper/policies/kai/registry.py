"""All groupers, in the order in which they are asked. A new one is a line here."""

from podgrouper.core.model import Kind
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.groupers.deployments import DeploymentGrouper
from podgrouper.policies.kai.groupers.grove import GroveGrouper
from podgrouper.policies.kai.groupers.jobs import CronJobGrouper, JobGrouper
from podgrouper.policies.kai.groupers.jobset import JobSetGrouper
from podgrouper.policies.kai.groupers.knative import KnativeGrouper
from podgrouper.policies.kai.groupers.lws import LeaderWorkerSetGrouper
from podgrouper.policies.kai.groupers.mpi import MPIGrouper
from podgrouper.policies.kai.groupers.plain import PLAIN, UNKNOWN
from podgrouper.policies.kai.groupers.pods import PodGrouper
from podgrouper.policies.kai.groupers.pytorch import PyTorchGrouper
from podgrouper.policies.kai.groupers.ray import RayGrouper
from podgrouper.policies.kai.groupers.replicas import REPLICATED
from podgrouper.policies.kai.groupers.runai import AmlJobGrouper, RunaiJobGrouper
from podgrouper.policies.kai.settings import ANY_VERSION

GROUPERS: tuple[Grouper, ...] = (
    PodGrouper(),
    DeploymentGrouper(),
    JobGrouper(),
    CronJobGrouper(),
    PyTorchGrouper(),
    MPIGrouper(),
    JobSetGrouper(),
    LeaderWorkerSetGrouper(),
    RayGrouper(),
    GroveGrouper(),
    KnativeGrouper(),
    RunaiJobGrouper(),
    AmlJobGrouper(),
    *REPLICATED,
    *PLAIN,
)


def grouper_of(kind: Kind, groupers: tuple[Grouper, ...]) -> Grouper:
    """The first grouper that names the kind exactly, then the first that names it in any version."""
    for wanted in (kind, in_any_version(kind)):
        found = next((grouper for grouper in groupers if wanted in grouper.kinds), None)
        if found is not None:
            return found
    return UNKNOWN


def in_any_version(kind: Kind) -> Kind:
    """The kind as a rule for all of its versions names it."""
    return Kind(f"{kind.group}/{ANY_VERSION}" if kind.group else ANY_VERSION, kind.kind)
