"""Discovery documents, aggregated and classic, from the catalog as it is now."""

from collections.abc import Iterable, Mapping

from podgrouper.core.model import POD, Json
from podgrouper.kube.transport import Answer
from podgrouper.memory.catalog import Catalog
from podgrouper.memory.resources import EVERY_VERB, SUBRESOURCE_VERBS, Resource
from podgrouper.sandbox.forms import answer, encoded, page_not_found

_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
VERSION: Json = {
    "major": "1",
    "minor": "36",
    "gitVersion": "v1.36.0+podgrouper-sandbox",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "",
    "compiler": "",
    "platform": "",
}


def document(parts: tuple[str, ...], accept: str, catalog: Catalog) -> Answer:
    """The answer to a path that belongs to no resource."""
    match parts:
        case ("version",):
            return answer(200, VERSION)
        case ("readyz" | "livez" | "healthz", *_):
            return Answer(200, {"content-type": "text/plain; charset=utf-8"}, b"ok")
        case ("api" | "apis" as root,):
            return _root(root, accept, catalog)
        case ("api", "v1"):
            return _resources("v1", catalog)
        case ("apis", group):
            versions = _versions(catalog).get(group)
            return answer(200, _group(group, versions)) if group and versions else page_not_found()
        case ("apis", group, version):
            return _resources(f"{group}/{version}", catalog)
    return page_not_found()


def _root(root: str, accept: str, catalog: Catalog) -> Answer:
    """`/api` is the core group, `/apis` all others; aggregated when the client knows how to read that."""
    groups = {group: found for group, found in _versions(catalog).items() if (group == "") == (root == "api")}
    for version in ("v2", "v2beta1"):
        form = _AGGREGATED.format(version)
        if form.replace(" ", "") in accept.replace(" ", ""):
            return Answer(200, {"content-type": form}, encoded(_aggregated(groups, version, catalog)))
    if root == "api":
        return answer(200, {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
    listed = [_group(group, found) for group, found in groups.items()]
    return answer(200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed})


def _versions(catalog: Catalog) -> dict[str, list[str]]:
    """Group -> its versions, both in the order in which they came."""
    found: dict[str, list[str]] = {}
    for resource in catalog.all():
        versions = found.setdefault(resource.kind.group, [])
        if resource.kind.version not in versions:
            versions.append(resource.kind.version)
    return found


def _group(group: str, versions: Iterable[str]) -> Json:
    listed = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    return {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": group,
        "versions": listed,
        "preferredVersion": listed[0],
    }


def _resources(api_version: str, catalog: Catalog) -> Answer:
    found = [resource for resource in catalog.all() if resource.kind.api_version == api_version]
    if not found:
        return page_not_found()
    rows = [row for resource in found for row in _classic_rows(resource)]
    document = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": rows}
    return answer(200, document)


def _classic_rows(resource: Resource) -> Iterable[Json]:
    own: dict[str, object] = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind.kind,
        "verbs": EVERY_VERB,
    }
    lists = {"shortNames": resource.short_names, "categories": resource.categories}
    yield own | {key: names for key, names in lists.items() if names}
    for name, kind in _subresources(resource).items():
        yield {
            "name": f"{resource.plural}/{name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            **kind,
            "verbs": _subresource_verbs(name),
        }


def _subresources(resource: Resource) -> Mapping[str, Mapping[str, str]]:
    """Name -> the kind that it speaks."""
    found: dict[str, Mapping[str, str]] = {}
    if resource.binding:
        found["binding"] = {"kind": "Binding"}
    if resource.kind == POD:
        found["eviction"] = {"group": "policy", "version": "v1", "kind": "Eviction"}
    if resource.scale:
        found["scale"] = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    if resource.status:
        found["status"] = {"kind": resource.kind.kind}
    return found


def _subresource_verbs(name: str) -> tuple[str, ...]:
    return ("create",) if name in ("binding", "eviction") else SUBRESOURCE_VERBS


def _aggregated(groups: Mapping[str, Iterable[str]], version: str, catalog: Catalog) -> Json:
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{version}",
        "metadata": {},
        "items": [_aggregated_group(group, versions, catalog) for group, versions in groups.items()],
    }


def _aggregated_group(group: str, versions: Iterable[str], catalog: Catalog) -> Json:
    listed = [
        {
            "version": version,
            "resources": [
                _aggregated_row(resource)
                for resource in catalog.all()
                if resource.kind.group == group and resource.kind.version == version
            ],
            "freshness": "Current",
        }
        for version in versions
    ]
    return {"metadata": {"name": group} if group else {}, "versions": listed}


def _aggregated_row(resource: Resource) -> Json:
    kind = {"group": resource.kind.group, "version": resource.kind.version, "kind": resource.kind.kind}
    row: dict[str, object] = {
        "resource": resource.plural,
        "responseKind": kind,
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": EVERY_VERB,
    }
    subresources = [
        {"subresource": name, "responseKind": {**kind, **spoken}, "verbs": _subresource_verbs(name)}
        for name, spoken in _subresources(resource).items()
    ]
    lists = {
        "shortNames": resource.short_names,
        "categories": resource.categories,
        "subresources": subresources,
    }
    return row | {key: entries for key, entries in lists.items() if entries}
