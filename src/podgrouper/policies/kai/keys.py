"""What labels and annotations are called in KAI's world, each with what it says."""

TOP_OWNER = "kai.scheduler/top-owner-metadata"
GROUP_OF_POD = "pod-group-name"
"""KAI's link on a pod."""
PART_OF_POD = "kai.scheduler/subgroup-name"

PROJECT = "project"
USER = "user"
PRIORITY_CLASS = "priorityClassName"
PREEMPTIBILITY = "kai.scheduler/preemptibility"
PREEMPTION_DELAY = "kai.scheduler/preemption-delay"
STALENESS_GRACE = "kai.scheduler/staleness-grace-period"

TOPOLOGY = "kai.scheduler/topology"
TOPOLOGY_REQUIRED = "kai.scheduler/topology-required-placement"
TOPOLOGY_PREFERRED = "kai.scheduler/topology-preferred-placement"

MIN_MEMBERS = "kai.scheduler/batch-min-member"
SEGMENT_SIZE = "kai.scheduler/segment-size"
SEGMENT_REQUIRED = "kai.scheduler/segment-topology-required-placement"
SEGMENT_PREFERRED = "kai.scheduler/segment-topology-preferred-placement"

SPARK_APP_NAME = "spark-app-name"
SPARK_APP_SELECTOR = "spark-app-selector"
REPLICA_TYPE = "training.kubeflow.org/replica-type"
REPLICA_INDEX = "training.kubeflow.org/replica-index"

JOB_NAME = "training.kubeflow.org/job-name"
JOB_ROLE = "training.kubeflow.org/job-role"

RAY_GROUP = "ray.io/group"
RAY_PRIORITY_CLASS = "ray.io/priority-class-name"

REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
JOB_INDEX = "jobset.sigs.k8s.io/job-index"

LWS_WORKER_INDEX = "leaderworkerset.sigs.k8s.io/worker-index"
LWS_GROUP_INDEX = "leaderworkerset.sigs.k8s.io/group-index"
LWS_SIZE = "leaderworkerset.sigs.k8s.io/size"

POD_GANG = "grove.io/podgang"
GROVE_TOPOLOGY = "grove.io/topology-name"

REVISION = "serving.knative.dev/revision"
MIN_SCALE = "autoscaling.knative.dev/min-scale"
