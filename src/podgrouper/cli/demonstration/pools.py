"""What there is in the demo: a pool of nodes and a namespace for each profile, and the workloads in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from podgrouper.config.documents import read_documents
from podgrouper.core.model import Json, Kind

NODE = Kind("v1", "Node")
NAMESPACE = Kind("v1", "Namespace")


@dataclass(frozen=True, slots=True)
class Pool:
    """One profile's part of the cluster."""

    profile: str
    scheduler: str
    group: Kind
    link: str
    """The annotation by which a pod names its group."""

    @property
    def namespace(self) -> str:
        return f"demo-{self.profile}"

    def namespace_object(self) -> Json:
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}}

    def node(self, number: int) -> Json:
        """Four GPUs and more processors than anybody asks for."""
        amounts = {"cpu": "16", "memory": "64Gi", "nvidia.com/gpu": "4", "pods": "110"}
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
        return {
            "apiVersion": NODE.api_version,
            "kind": NODE.kind,
            "metadata": {"name": f"{self.profile}-{number}", "labels": {"pool": self.profile}},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": [ready]},
        }

    def workloads(self, file: str) -> Iterator[Json]:
        """The objects of a file as they are for this profile."""
        text = (files(__package__) / "workloads" / f"{file}.yaml").read_text("utf-8")
        filled = Template(text).substitute(profile=self.profile, scheduler=self.scheduler)
        for value in read_documents(filled).values:
            assert isinstance(value, Mapping)
            metadata = value["metadata"]
            assert isinstance(metadata, Mapping)
            yield {**value, "metadata": {"namespace": self.namespace, **metadata}}


POOLS = (
    Pool(
        "volcano",
        "volcano",
        Kind("scheduling.volcano.sh/v1beta1", "PodGroup"),
        "scheduling.k8s.io/group-name",
    ),
    Pool("kai", "kai-scheduler", Kind("scheduling.run.ai/v2alpha2", "PodGroup"), "pod-group-name"),
)
