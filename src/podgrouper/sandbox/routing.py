"""From the path of a request to what it asks for."""

from dataclasses import dataclass
from urllib.parse import unquote

from podgrouper.memory.catalog import Catalog
from podgrouper.memory.resources import Resource


@dataclass(frozen=True, slots=True)
class Route:
    """A collection (no name), an object, or a subresource of one."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A path that belongs to no resource; `group_served` says whether its group and version exist."""

    parts: tuple[str, ...]
    group_served: bool = False


def route(path: str, catalog: Catalog) -> Route | Elsewhere:
    """Never raises, whatever the path is."""
    parts = tuple(unquote(part) for part in path.split("/") if part)
    match parts:
        case ("api", "v1", *rest):
            api_version = "v1"
        case ("apis", group, version, *rest):
            api_version = f"{group}/{version}"
        case _:
            return Elsewhere(parts)
    if not rest:
        return Elsewhere(parts)
    found = _resource_route(api_version, tuple(rest), catalog)
    if found is not None:
        return found
    known = any(resource.kind.api_version == api_version for resource in catalog.all())
    return Elsewhere(parts, group_served=known)


def _resource_route(api_version: str, rest: tuple[str, ...], catalog: Catalog) -> Route | None:
    """`namespaces/NS/PLURAL[/NAME[/SUBRESOURCE]]` or `PLURAL[/NAME[/SUBRESOURCE]]`.

    `namespaces/NS/status` is the status of a namespace: no resource is called like a subresource.
    """
    if rest[0] == "namespaces" and len(rest) > 2:
        inside = catalog.at_path(api_version, rest[2])
        if inside is not None and inside.namespaced:
            return _route_to(inside, rest[1], rest[3:])
    resource = catalog.at_path(api_version, rest[0])
    return _route_to(resource, "", rest[1:]) if resource is not None else None


def _route_to(resource: Resource, namespace: str, rest: tuple[str, ...]) -> Route | None:
    """An object of a namespaced kind has no path without its namespace."""
    if len(rest) > 2 or (rest and resource.namespaced and not namespace):
        return None
    name, subresource = (*rest, "", "")[:2]
    return Route(resource, namespace, name, subresource)
