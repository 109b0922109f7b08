"""The table of families, and the CRDs of their kinds."""

from collections.abc import Iterable, Iterator, Mapping

from podgrouper.core.model import Kind
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.kai import families as of
from tests.cluster.kai.families import Family
from tests.cluster.kai.things import thing

TASKS = Kind("example.com/v1", "Task")
"""A kind that no grouper knows; reading it is a right that `podgrouper rbac` does not ask for."""
KUBEFLOW, RUN_AI, GROVE = "kubeflow.org/v1", "run.ai/v2alpha1", "grove.io/v1alpha1"


def trained(first: str) -> of.Expected:
    return lambda size: [{"": 1 + size, first: 1, "worker": size}]


FAMILIES: Mapping[str, Family] = {
    "bare pods": Family(of.bare, of.one_each),
    "Spark": Family(of.spark, of.one_for_all),
    "an unknown kind": Family(of.below(str(TASKS)), of.one_for_all),
    "TFJob": Family(of.trained(f"{KUBEFLOW} TFJob", "tfReplicaSpecs"), of.all_together),
    "PyTorchJob": Family(
        of.trained(f"{KUBEFLOW} PyTorchJob", "pytorchReplicaSpecs", "master", parts=True), trained("master")
    ),
    "XGBoostJob": Family(of.trained(f"{KUBEFLOW} XGBoostJob", "xgbReplicaSpecs", "master"), of.one_more),
    "JAXJob": Family(of.trained(f"{KUBEFLOW} JAXJob", "jaxReplicaSpecs"), of.all_together),
    "MPIJob of the training operator": Family(
        of.trained(f"{KUBEFLOW} MPIJob", "mpiReplicaSpecs", "launcher"), of.one_more
    ),
    "MPIJob of MPI's operator": Family(of.mpi, of.one_more),
    "Notebook": Family(of.notebook, of.one_for_all),
    "ScheduledWorkflow": Family(
        of.chained("kubeflow.org/v1alpha1 ScheduledWorkflow", "argoproj.io/v1alpha1 Workflow"),
        of.one_for_all,
    ),
    "RayCluster": Family(of.ray(), of.ray_floors),
    "RayCluster v1alpha1": Family(of.ray(version="v1alpha1"), of.ray_floors),
    "RayJob": Family(of.ray("RayJob"), of.ray_floors),
    "RayService": Family(of.ray("RayService", "activeServiceStatus"), of.ray_floors),
    "JobSet": Family(of.job_set(), of.job_set_floors),
    "LeaderWorkerSet": Family(of.leader_worker_set, lambda size: [{"": 2, "leader": 1, "workers": 1}] * size),
    "PodCliqueSet": Family(of.grove(f"{GROVE} PodCliqueSet"), of.grove_floors),
    "PodGangSet": Family(of.grove(f"{GROVE} PodGangSet"), of.grove_floors),
    "Knative": Family(of.knative, lambda _: [{"": 2}]),
    "RunaiJob": Family(of.runai_job, of.one_each),
    "AmlJob": Family(of.aml_job, of.all_together),
    "SPOTRequest": Family(of.below("egx.nvidia.io/v1 SPOTRequest"), of.one_for_all),
    "Seldon": Family(of.deployed("machinelearning.seldon.io/v1 SeldonDeployment"), of.one_for_all),
    "Seldon v1alpha2": Family(
        of.deployed("machinelearning.seldon.io/v1alpha2 SeldonDeployment"), of.one_for_all
    ),
    "KubeVirt": Family(of.below("kubevirt.io/v1 VirtualMachineInstance"), of.one_for_all),
    "DevWorkspace": Family(of.deployed("workspace.devfile.io/v1alpha2 DevWorkspace"), of.one_for_all),
    "PipelineRun": Family(of.chained("tekton.dev/v1 PipelineRun", "tekton.dev/v1 TaskRun"), of.one_for_all),
    "TaskRun": Family(of.below("tekton.dev/v1 TaskRun"), of.one_for_all),
    "Workflow": Family(of.below("argoproj.io/v1alpha1 Workflow"), of.one_each),
    "TrainJob": Family(
        of.job_set(thing("trainer.kubeflow.org/v1alpha1 TrainJob", "above")), of.job_set_floors
    ),
    "TrainingWorkload": Family(
        of.chained(f"{RUN_AI} TrainingWorkload", "run.ai/v1 RunaiJob"), of.one_for_all
    ),
    "InteractiveWorkload": Family(of.below(f"{RUN_AI} InteractiveWorkload"), of.one_each),
    "DynamoGraphDeployment": Family(
        of.grove(f"{GROVE} PodCliqueSet", thing("nvidia.com/v1alpha1 DynamoGraphDeployment", "above")),
        of.grove_floors,
    ),
}


def definitions(families: Iterable[Family]) -> Iterator[Object]:
    """The CRDs of all kinds in there; of several versions the last one is stored."""
    kinds = {made.kind for family in families for made in family.things(1) if "." in made.kind.group}
    by_name: dict[tuple[str, str], list[Kind]] = {}
    for kind in sorted(kinds):
        by_name.setdefault((kind.group, kind.kind), []).append(kind)
    for versions in by_name.values():
        *others, stored = versions
        yield objects.crd(stored, f"{stored.kind.lower()}s", *(kind.version for kind in others))
