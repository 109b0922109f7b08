"""What a cluster shows of one workload when everything is done: linked, running, and left alone.

The sample is lived through in a Kubernetes store in memory: its owners and pods are made, podgrouper's own
plan is carried out on it, and a kubelet runs the pods. So a controller that meets it has nothing to write.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from bench.stub.workloads import FORMS, NUMBER, STARTED, owned, running
from podgrouper.config.model import Config
from podgrouper.core.fields import mapping, ref_of, text
from podgrouper.core.model import NAMESPACE, POD, Json
from podgrouper.core.plans import LinkPod
from podgrouper.kube.requests import FIELD_MANAGER
from podgrouper.memory.patches import MERGE
from podgrouper.memory.store import Store
from podgrouper.planning import plan
from podgrouper.sandbox import crds
from podgrouper.sandbox.seeds import seed

NODE = "node-7.example"
SILENT = frozenset({"Namespace", "PriorityClass", "CustomResourceDefinition"})
"""What was there before the workload."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Workloads of one form, alike but for their numbers."""

    form: str
    workloads: int
    scheduler: str


def sample(form: str, namespace: str, scheduler: str, config: Config) -> tuple[Json, ...]:
    """The objects of one workload and its PodGroups, as the API server shows them at rest."""
    uids = list(FORMS).index(form)
    return lived(FORMS[form](namespace, scheduler), config, uids)


def lived(objects: Iterable[Json], config: Config, uids: int = 0) -> tuple[Json, ...]:
    """The same objects, owners first, after they were made, grouped and run; and their PodGroups."""
    store = empty_store(uids)
    born: dict[tuple[str, str], str] = {}
    for obj in objects:
        _ensure_namespace(store, text(obj, "metadata.namespace"))
        made = store.create(owned(obj, born), manager="kube-controller-manager")
        born[text(made, "kind"), text(made, "metadata.name")] = text(made, "metadata.uid")
    _group(store, config)
    _run(store)
    return tuple(obj for resource, obj in store.everything() if resource.kind.kind not in SILENT)


def _ensure_namespace(store: Store, name: str) -> None:
    if store.find(NAMESPACE, "", name) is None:
        store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def empty_store(uids: int = 0) -> Store:
    """With every kind that podgrouper meets. Stores with other `uids` give other ones."""
    numbers = count(1)
    store = Store(now=lambda: STARTED, uid=lambda: f"{NUMBER}-{uids:04}-4000-8000-{next(numbers):012}")
    seed(store)
    crds.install(store)
    return store


def _group(store: Store, config: Config) -> None:
    """Carries out podgrouper's plan, as a controller would whose writes all succeed."""
    planned = plan((obj for _, obj in store.everything()), config)
    for group in planned.pod_groups:
        born = {key: value for key, value in mapping(group, "metadata").items() if key != "uid"}
        store.create({**group, "metadata": born}, manager=FIELD_MANAGER)
    for link in planned.links:
        store.patch(link.pod.ref, MERGE, {"metadata": _link(link)}, manager=FIELD_MANAGER)


def _link(link: LinkPod) -> Json:
    maps = {"annotations": dict(link.patch.annotations), "labels": dict(link.patch.labels)}
    return {name: values for name, values in maps.items() if values}


def _run(store: Store) -> None:
    for pod in store.list(POD):
        ref = ref_of(pod)
        store.bind(ref.namespace, ref.name, NODE)
        store.patch(ref, MERGE, {"status": running()}, manager="kubelet", subresource="status")
