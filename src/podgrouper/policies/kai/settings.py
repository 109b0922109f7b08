"""What the kai policy is told from outside, as one value."""

from dataclasses import dataclass, replace

from podgrouper.core.model import Kind
from podgrouper.core.rules import TypeDefault

ANY_VERSION = "*"

SKIP_TOP_OWNER = (
    Kind("argoproj.io/v1alpha1", "Workflow"),
    Kind("trainer.kubeflow.org/v1alpha1", "TrainJob"),
    Kind("run.ai/*", "TrainingWorkload"),
    Kind("run.ai/*", "InteractiveWorkload"),
    Kind("run.ai/*", "DistributedWorkload"),
    Kind("run.ai/*", "InferenceWorkload"),
    Kind("run.ai/*", "DistributedInferenceWorkload"),
    Kind("nvidia.com/*", "DynamoGraphDeployment"),
)
"""Kinds that only wrap another workload: the owner below them is the one that pods belong to."""


@dataclass(frozen=True, slots=True)
class KaiSettings:
    """The choices of one kai profile; the defaults are KAI's own."""

    queue_label_key: str = "kai.scheduler/queue"
    node_pool_label_key: str = "kai.scheduler/node-pool"
    """Empty: node pools play no part."""
    knative_gang_schedule: bool = True
    search_legacy_groups: bool = True
    skip_top_owner: tuple[Kind, ...] = SKIP_TOP_OWNER
    """A version `*` stands for every version."""
    type_defaults: tuple[TypeDefault, ...] = ()
    """In the order of their text: of two for one type the later one counts."""
    default_queue: str = "default-queue"
    """Where nobody names one. Empty: the scheduler's own."""
    only_the_living_count: bool = True
    """A member that succeeded counts no more, and a running gang that lacks members is evicted: floors
    follow what lives."""

    def for_another_scheduler(self) -> "KaiSettings":
        """Without what only KAI's own scheduler, queues and older groups ask for."""
        return replace(self, search_legacy_groups=False, default_queue="", only_the_living_count=False)
