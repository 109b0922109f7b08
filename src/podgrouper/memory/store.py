"""A Kubernetes API server's memory: objects, versions, and the rules by which they change.

One sequence of resourceVersions for everything; objects are never changed in place, so whoever holds
one holds a moment. No clock and no randomness of its own: `now` and `uid` come in. What in a real
cluster other programs do (garbage collection, kubelets, controllers) is done by others here too.
"""

from collections.abc import Callable, Iterable, Mapping

from podgrouper.core.fields import being_deleted, items, kind_of, mapping, ref_of, text
from podgrouper.core.model import POD, Json, Kind, Ref
from podgrouper.memory.admission import with_priority
from podgrouper.memory.builtins import NAMESPACE, PRIORITY_CLASS
from podgrouper.memory.catalog import Catalog
from podgrouper.memory.decoding import readable, readable_patch
from podgrouper.memory.definitions import CRD, established, served
from podgrouper.memory.deletion import check_preconditions, check_propagation, dying
from podgrouper.memory.history import Event
from podgrouper.memory.managers import Writer
from podgrouper.memory.naming import ending_from
from podgrouper.memory.patches import form_of, patched
from podgrouper.memory.refusals import (
    Refused,
    already_assigned,
    already_exists,
    bad_request,
    invalid,
    not_found,
    required,
    terminating,
    version_missing,
)
from podgrouper.memory.resources import BUILT_IN, Resource, found_in_file
from podgrouper.memory.selectors import selector
from podgrouper.memory.shelves import Listener, Shelves, place, place_of
from podgrouper.memory.values import frozen
from podgrouper.memory.writing import may_go, newborn, shaped, successor, with_metadata

HISTORY = 100_000
"""Events that are remembered. A watch that resumes from before them must list again."""
_UNKNOWN_WRITER = "unknown"


class Store:
    """Objects of all served kinds. Every refusal is `Refused`, with the status and words of a real server."""

    def __init__(
        self,
        *,
        now: Callable[[], str],
        uid: Callable[[], str],
        resources: Iterable[Resource] = BUILT_IN,
        history: int = HISTORY,
    ) -> None:
        self._now = now
        self._uid = uid
        self.catalog = Catalog(resources)
        self._shelves = Shelves(history)

    @property
    def version(self) -> int:
        """The resourceVersion of the last write."""
        return self._shelves.version

    def events(self, since: int) -> list[Event]:
        """Every write after that version; raises `Refused` (410) when some of them are forgotten."""
        return self._shelves.history.since(since)

    def forget(self, version: int) -> None:
        """Forgets the events up to that version, as a compaction does."""
        self._shelves.history.forget(version)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls back at every write, in order, before the write returns. Gives the way to stop it.

        A listener may write: what that brings about is told after the event at hand.
        """
        return self._shelves.subscribe(listener)

    def get(self, kind: Kind, namespace: str, name: str) -> Json:
        """The object, in the version asked for; raises `Refused` (404)."""
        resource = self.catalog.resource(kind)
        return in_version(self._found(resource, namespace, name), resource)

    def find(self, kind: Kind, namespace: str, name: str) -> Json | None:
        """The object, or None; a kind that is not served has none."""
        resource = self.catalog.find(kind)
        found = self._shelves.of(resource).get(place(resource, namespace, name)) if resource else None
        return in_version(found, resource) if found is not None and resource else None

    def list(
        self, kind: Kind, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> tuple[Json, ...]:
        """All of a kind, or of one namespace of it, that the selectors choose; by namespace, then name."""
        resource = self.catalog.resource(kind)
        wanted = selector(resource, labels, fields)
        return tuple(
            in_version(obj, resource)
            for (where, _), obj in sorted(self._shelves.of(resource).items(), key=lambda entry: entry[0])
            if (not namespace or where == namespace) and wanted.matches(obj)
        )

    def everything(self) -> Iterable[tuple[Resource, Json]]:
        """All objects of all served kinds, once each."""
        once = {resource.storage: resource for resource in reversed(self.catalog.all())}
        for resource in once.values():
            yield from ((resource, obj) for obj in tuple(self._shelves.of(resource).values()))

    def load(self, obj: Json) -> Json:
        """Keeps an object as a file says it, status and identity included; replaces an older namesake.

        What the file leaves out is made up (uid, creationTimestamp, the namespace it lives in); defaults
        are filled in, as a server does with what it reads from its disk. The resourceVersion is always
        ours: one from elsewhere would be younger than all that happens here. Kinds that nobody served
        until now are served from now on.
        """
        body = frozen(obj)
        ref = ref_of(body)
        if not (ref.kind.api_version and ref.kind.kind):
            raise bad_request("an object needs an apiVersion and a kind")
        resource = self.catalog.find(ref.kind) or self._met(ref)
        if not ref.name:
            raise invalid(resource, "", (required("metadata.name", "name or generateName is required"),))
        namespace = (ref.namespace or "default") if resource.namespaced else ""
        self._ensure_namespace(namespace)
        made_up = {
            "namespace": namespace or None,
            "uid": ref.uid or self._uid(),
            "creationTimestamp": text(body, "metadata.creationTimestamp") or self._now(),
        }
        loaded = shaped(with_metadata(body, **made_up), resource)
        if resource.kind == CRD:
            loaded = established(loaded, self._now())
        return self._commit(resource, loaded, self._shelves.of(resource).get((namespace, ref.name)))

    def create(self, obj: Json, *, manager: str = "") -> Json:
        """Raises `Refused`: 404 without its namespace, 409 when the name is taken, 422 with all findings."""
        body = frozen(obj)
        resource = self.catalog.resource(kind_of(body))
        readable(body, resource)
        if text(body, "metadata.resourceVersion"):
            raise Refused(500, "", "resourceVersion should not be set on objects to be created")
        named = self._named(body, resource)
        self._check_namespace(named, resource)
        made = newborn(named, resource, self._uid(), self._writer(manager))
        if resource.kind == POD:
            made = with_priority(made, self.list(PRIORITY_CLASS), resource)
        taken = self._shelves.of(resource).get(place_of(made, resource))
        if taken is not None:
            raise already_exists(resource, ref_of(made).name, dying=being_deleted(taken))
        return self._commit(resource, made, None)

    def update(self, obj: Json, *, manager: str = "", subresource: str = "") -> Json:
        """Replaces an object, on the condition of the resourceVersion in it, if there is one."""
        body = frozen(obj)
        resource = self.catalog.resource(kind_of(body))
        readable(body, resource)
        ref = ref_of(body)
        current = in_version(self._found(resource, ref.namespace, ref.name), resource)
        if not resource.unconditional and not text(body, "metadata.resourceVersion"):
            raise version_missing(resource, ref.name)
        return self._write(resource, current, body, self._writer(manager, subresource))

    def patch(
        self, ref: Ref, content_type: str, patch: object, *, manager: str = "", subresource: str = ""
    ) -> Json:
        """Applies a patch. A uid or resourceVersion inside it is a precondition (422, 409)."""
        resource = self.catalog.resource(ref.kind)
        form = form_of(content_type, custom=resource.custom)
        current = in_version(self._found(resource, ref.namespace, ref.name), resource)
        result = patched(current, form, frozen(patch))
        if not isinstance(result, Mapping):
            raise bad_request("error decoding patch: the result is no object")
        readable_patch(result, resource)
        return self._write(resource, current, result, self._writer(manager, subresource))

    def bind(self, namespace: str, name: str, node: str) -> Json:
        """What a scheduler's POST to `pods/NAME/binding` does: past all rules, and nobody manages it."""
        resource = self.catalog.resource(POD)
        pod = self._found(resource, namespace, name)
        if text(pod, "spec.nodeName") or being_deleted(pod):
            raise already_assigned(pod)
        others = [entry for entry in items(pod, "status.conditions") if entry.get("type") != "PodScheduled"]
        scheduled = {
            "type": "PodScheduled",
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": self._now(),
        }
        bound = {
            **pod,
            "spec": {**mapping(pod, "spec"), "nodeName": node},
            "status": {**mapping(pod, "status"), "conditions": [*others, scheduled]},
        }
        return self._commit(resource, bound, pod)

    def delete(
        self,
        ref: Ref,
        *,
        uid: str = "",
        version: str = "",
        propagation: str = "Background",
        grace: int | None = None,
    ) -> Json:
        """The object as it was last: gone, or marked when something holds it.

        An empty propagation leaves it to the kind, `grace` (seconds) to the pod. Raises `Refused`
        (409) when uid or version are not the object's.
        """
        resource = self.catalog.resource(ref.kind)
        check_propagation(propagation)
        current = self._found(resource, ref.namespace, ref.name)
        check_preconditions(current, resource, uid, version)
        marked = dying(current, resource, propagation, grace, self._now())
        if may_go(marked):
            return in_version(self._remove(resource, marked), resource)
        left = current if marked is current else self._commit(resource, marked, current)
        return in_version(left, resource)

    def _found(self, resource: Resource, namespace: str, name: str) -> Json:
        found = self._shelves.of(resource).get(place(resource, namespace, name))
        if found is None:
            raise not_found(resource, name)
        return found

    def _met(self, ref: Ref) -> Resource:
        """A kind of which a file holds the first object: it says whether such objects have namespaces."""
        resource = found_in_file(ref.kind, namespaced=bool(ref.namespace))
        self.catalog.add(resource)
        return resource

    def _named(self, obj: Json, resource: Resource) -> Json:
        """With a name, made from `generateName` when there is none, and with a namespace only if it may."""
        name, prefix = text(obj, "metadata.name"), text(obj, "metadata.generateName")
        chosen = name or (f"{prefix}{ending_from(self._uid())}" if prefix else "")
        namespace = text(obj, "metadata.namespace") if resource.namespaced else ""
        return with_metadata(obj, name=chosen or None, namespace=namespace or None)

    def _ensure_namespace(self, name: str) -> None:
        """The namespace that a loaded object lives in, if the file forgot it."""
        if name and self.catalog.find(NAMESPACE) and self.find(NAMESPACE, "", name) is None:
            metadata = {"name": name, "labels": {"kubernetes.io/metadata.name": name}}
            spec = {"finalizers": ["kubernetes"]}
            active = {"metadata": metadata, "spec": spec, "status": {"phase": "Active"}}
            self.load({"apiVersion": NAMESPACE.api_version, "kind": NAMESPACE.kind, **active})

    def _check_namespace(self, obj: Json, resource: Resource) -> None:
        if not resource.namespaced:
            return
        ref = ref_of(obj)
        if not ref.namespace:
            raise bad_request("an empty namespace may not be set during creation")
        namespace = self.find(NAMESPACE, "", ref.namespace)
        if namespace is None:
            raise not_found(self.catalog.resource(NAMESPACE), ref.namespace)
        if being_deleted(namespace):
            raise terminating(resource, ref.name, ref.namespace)

    def _writer(self, manager: str, subresource: str = "") -> Writer:
        return Writer(manager or _UNKNOWN_WRITER, self._now(), subresource)

    def _write(self, resource: Resource, current: Json, proposed: Json, writer: Writer) -> Json:
        """Through the rules onto the shelf; equal writes leave everything as it is."""
        made = successor(current, proposed, resource, writer)
        if made is current:
            return current
        if may_go(made):
            self._remove(resource, made)
            return made
        return self._commit(resource, made, current)

    def _commit(self, resource: Resource, obj: Json, previous: Json | None) -> Json:
        return self._keep(resource, with_metadata(obj, resourceVersion=str(self.version + 1)), previous)

    def _keep(self, resource: Resource, obj: Json, previous: Json | None) -> Json:
        if resource.kind == CRD:
            self._serve(obj, previous)
        return self._shelves.keep(resource, obj, previous)

    def _remove(self, resource: Resource, obj: Json) -> Json:
        if resource.kind == CRD:
            for version in served(obj):
                for custom in tuple(self._shelves.of(version).values()):
                    self._shelves.remove(version, custom)
            self._serve({}, obj)
        return self._shelves.remove(resource, obj)

    def _serve(self, definition: Json, previous: Json | None) -> None:
        """Serves what a definition says now, and no longer what it said before."""
        for resource in served(previous or {}):
            self.catalog.withdraw(resource.kind)
        for resource in served(definition):
            self.catalog.add(resource)


def in_version(obj: Json, resource: Resource) -> Json:
    """The same object under the version asked for. There is no conversion but the name."""
    if obj.get("apiVersion") == resource.kind.api_version:
        return obj
    return {**obj, "apiVersion": resource.kind.api_version}
