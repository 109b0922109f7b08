"""The Kubernetes API over a store: a request in, an answer or a watch out. No sockets, no waiting.

The same `Request` values that go to a real server come here, so everything above the transport is
exercised as it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from podgrouper.core.fields import text
from podgrouper.core.model import POD, Json, Kind, Ref
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from podgrouper.memory.builtins import NAMESPACE
from podgrouper.memory.patches import MERGE
from podgrouper.memory.refusals import (
    Refused,
    bad_request,
    no_such_path,
    not_allowed,
    not_found,
    resource_details,
)
from podgrouper.memory.store import Store
from podgrouper.sandbox.bodies import (
    delete_options,
    eviction_options,
    header,
    manager_of,
    object_in,
    patch_in,
)
from podgrouper.sandbox.discovery import document
from podgrouper.sandbox.feeds import Feed
from podgrouper.sandbox.forms import answer, form_of, list_form, object_form, refusal
from podgrouper.sandbox.options import list_options, too_large
from podgrouper.sandbox.pages import Pages
from podgrouper.sandbox.routing import Elsewhere, Route, route
from podgrouper.sandbox.subresources import SUCCESS, deleted, scale_of, scaling, target_of

USER = "sandbox"
"""Whoever asks. There is one user, and what is denied is denied to it."""

Before = Callable[[Request], Answer | None]
"""Sees every request first. An answer of its own takes the place of ours: a fault, a limit, a delay's end."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request that was understood: what it is about, and its query."""

    request: Request
    route: Route
    query: Mapping[str, str]

    @property
    def manager(self) -> str:
        return manager_of(self.request, self.query)

    @property
    def ref(self) -> Ref:
        return Ref(self.route.resource.kind, self.route.namespace, self.route.name)


class Api:
    """Answers requests. `denied` holds (verb, kind) pairs that are refused with 403, for tests."""

    def __init__(self, store: Store, *, before: Before = lambda _: None) -> None:
        self.store = store
        self.denied: set[tuple[str, Kind]] = set()
        self.pages = Pages()
        self._before = before

    def answer(self, request: Request) -> Answer | Feed:
        """Never raises for anything that comes over the wire."""
        early = self._before(request)
        if early is not None:
            return early
        try:
            return self._answer(request)
        except Refused as refused:
            return refusal(refused)

    def _answer(self, request: Request) -> Answer | Feed:
        path, _, extra = request.path.partition("?")
        where = route(path, self.store.catalog)
        if isinstance(where, Elsewhere):
            if where.group_served and len(where.parts) > 2:
                raise no_such_path()
            return document(where.parts, header(request, "accept"), self.store.catalog)
        call = Call(request, where, dict(request.query) if not extra else _read_query(extra))
        if call.query.get("dryRun"):
            raise bad_request("this server does not know dryRun; leave it out")
        verb, respond = _verb(call)
        self._permit(verb, call)
        return respond(self, call)

    def _permit(self, verb: str, call: Call) -> None:
        """Raises `Refused` (403) with the words of RBAC for what is denied."""
        resource = call.route.resource
        if (verb, resource.kind) not in self.denied:
            return
        scope = (
            f'in the namespace "{call.route.namespace}"' if call.route.namespace else "at the cluster scope"
        )
        named = f' "{call.route.name}"' if call.route.name else ""
        message = (
            f'{resource.qualified}{named} is forbidden: User "{USER}" cannot {verb} resource '
            f'"{resource.plural}" in API group "{resource.kind.group}" {scope}'
        )
        raise Refused(403, "Forbidden", message, resource_details(resource, call.route.name))

    def _get(self, call: Call) -> Answer:
        form = form_of(header(call.request, "accept"), of_list=False)
        obj = self.store.get(call.ref.kind, call.route.namespace, call.route.name)
        return answer(200, object_form(obj, form))

    def _list(self, call: Call) -> Answer:
        options = list_options(call.query)
        form = form_of(header(call.request, "accept"), of_list=True)
        if options.version and options.version > self.store.version:
            raise too_large(options.version, self.store.version)
        if options.continue_token:
            objects, metadata = self.pages.next(options.continue_token, options.limit)
        else:
            found = self.store.list(
                call.ref.kind, call.route.namespace, labels=options.labels, fields=options.fields
            )
            objects, metadata = self.pages.first(found, self.store.version, options.limit)
        return answer(200, list_form(call.route.resource, objects, form, metadata))

    def _watch(self, call: Call) -> Feed:
        options = list_options(call.query)
        form = form_of(header(call.request, "accept"), of_list=False)
        return Feed(self.store, call.route.resource, call.route.namespace, options, form)

    def _create(self, call: Call) -> Answer:
        obj = object_in(call.request, call.route.resource, call.route.namespace)
        return answer(201, self.store.create(obj, manager=call.manager))

    def _update(self, call: Call) -> Answer:
        obj = object_in(call.request, call.route.resource, call.route.namespace)
        sent = text(obj, "metadata.name")
        if sent and sent != call.route.name:
            raise bad_request(
                f"the name of the object ({sent}) does not match the name on the URL ({call.route.name})"
            )
        subresource = call.route.subresource
        return answer(200, self.store.update(obj, manager=call.manager, subresource=subresource))

    def _patch(self, call: Call) -> Answer:
        patch = patch_in(call.request)
        content_type = header(call.request, "content-type")
        patched = self.store.patch(
            call.ref, content_type, patch, manager=call.manager, subresource=call.route.subresource
        )
        return answer(200, patched)

    def _delete(self, call: Call) -> Answer:
        options = delete_options(call.request, call.query)
        left = self.store.delete(
            call.ref,
            uid=options.uid,
            version=options.version,
            propagation=options.propagation,
            grace=options.grace,
        )
        resource = call.route.resource
        stays = self.store.find(resource.kind, call.route.namespace, call.route.name) is not None
        if stays or resource.returns_deleted:
            return answer(200, left)
        return answer(200, deleted(left, resource_details(resource, call.route.name)))

    def _delete_all(self, call: Call) -> Answer:
        """Each of a list by itself, and the list as it was."""
        options = list_options(call.query)
        how = delete_options(call.request, call.query)
        kind = call.ref.kind
        found = self.store.list(kind, call.route.namespace, labels=options.labels, fields=options.fields)
        for obj in found:
            ref = Ref(kind, text(obj, "metadata.namespace"), text(obj, "metadata.name"))
            self.store.delete(ref, propagation=how.propagation, grace=how.grace)
        form = form_of(header(call.request, "accept"), of_list=True)
        metadata: Json = {"resourceVersion": str(self.store.version)}
        return answer(200, list_form(call.route.resource, found, form, metadata))

    def _bind(self, call: Call) -> Answer:
        binding = patch_in(call.request)
        node = target_of(binding if isinstance(binding, dict) else {})
        self.store.bind(call.route.namespace, call.route.name, node)
        return answer(201, {**SUCCESS, "code": 201})

    def _evict(self, call: Call) -> Answer:
        """A deletion with the options in the body. There are no budgets here that could forbid it."""
        options = eviction_options(call.request, call.route.name)
        self.store.delete(
            call.ref,
            uid=options.uid,
            version=options.version,
            propagation=options.propagation,
            grace=options.grace,
        )
        return answer(201, {**SUCCESS, "code": 201})

    def _scale(self, call: Call) -> Answer:
        obj = self.store.get(call.ref.kind, call.route.namespace, call.route.name)
        return answer(200, scale_of(obj))

    def _rescale(self, call: Call) -> Answer:
        obj = self.store.get(call.ref.kind, call.route.namespace, call.route.name)
        patch = scaling(obj, patch_in(call.request))
        return answer(
            200, scale_of(self.store.patch(call.ref, MERGE, patch, manager=call.manager, subresource="scale"))
        )


Respond = Callable[[Api, Call], "Answer | Feed"]

_COLLECTION: Mapping[str, tuple[str, Respond]] = {
    "GET": ("list", Api._list),
    "POST": ("create", Api._create),
    "DELETE": ("deletecollection", Api._delete_all),
}
_OBJECT: Mapping[str, tuple[str, Respond]] = {
    "GET": ("get", Api._get),
    "PUT": ("update", Api._update),
    "PATCH": ("patch", Api._patch),
    "DELETE": ("delete", Api._delete),
}
_SUBRESOURCES: Mapping[str, Mapping[str, tuple[str, Respond]]] = {
    "status": {"GET": _OBJECT["GET"], "PUT": _OBJECT["PUT"], "PATCH": _OBJECT["PATCH"]},
    "scale": {"GET": ("get", Api._scale), "PUT": ("update", Api._rescale), "PATCH": ("patch", Api._rescale)},
    "binding": {"POST": ("create", Api._bind)},
    "eviction": {"POST": ("create", Api._evict)},
    "finalize": {"PUT": ("update", Api._update)},
}


def _verb(call: Call) -> tuple[str, Respond]:
    """The verb as roles name it and the function that answers; raises `Refused` (400, 404, 405)."""
    where = call.route
    if where.name:
        table = _subresource(where) if where.subresource else _OBJECT
    elif call.request.method == "GET" and list_options(call.query).watch:
        return "watch", Api._watch
    else:
        table = _COLLECTION
    found = table.get(call.request.method)
    if found is not None:
        return found
    if where.resource.custom and not where.subresource:
        return _without_route(call.request.method)
    raise not_allowed()


def _without_route(method: str) -> tuple[str, Respond]:
    """Custom kinds have one handler for all paths: it creates anywhere, and misses a name."""
    if method == "POST":
        return _COLLECTION["POST"]
    if method in ("PUT", "PATCH"):
        raise bad_request("name must be provided")
    raise not_allowed()


def _subresource(where: Route) -> Mapping[str, tuple[str, Respond]]:
    served = {
        "status": where.resource.status,
        "scale": where.resource.scale,
        "binding": where.resource.binding,
        "eviction": where.resource.kind == POD,
        "finalize": where.resource.kind == NAMESPACE,
    }
    if served.get(where.subresource):
        return _SUBRESOURCES[where.subresource]
    raise not_found(where.resource, where.name) if where.resource.custom else no_such_path()


def _read_query(text: str) -> Mapping[str, str]:
    return dict(parse_qsl(text, keep_blank_values=True))
