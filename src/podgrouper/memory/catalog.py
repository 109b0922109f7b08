"""Which kinds are served now. CustomResourceDefinitions come and go."""

from collections.abc import Iterable

from podgrouper.core.model import Kind
from podgrouper.memory.refusals import no_such_path
from podgrouper.memory.resources import Resource


class Catalog:
    """Resources by kind, in the order in which they came."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._by_kind: dict[Kind, Resource] = {resource.kind: resource for resource in resources}

    def all(self) -> tuple[Resource, ...]:
        return tuple(self._by_kind.values())

    def find(self, kind: Kind) -> Resource | None:
        return self._by_kind.get(kind)

    def resource(self, kind: Kind) -> Resource:
        """Raises `Refused` (404) for a kind that is not served."""
        found = self._by_kind.get(kind)
        if found is None:
            raise no_such_path()
        return found

    def at_path(self, api_version: str, plural: str) -> Resource | None:
        return next(
            (
                resource
                for resource in self._by_kind.values()
                if resource.plural == plural and resource.kind.api_version == api_version
            ),
            None,
        )

    def add(self, resource: Resource) -> None:
        self._by_kind[resource.kind] = resource

    def withdraw(self, kind: Kind) -> None:
        self._by_kind.pop(kind, None)

    def withdraw_group(self, storage: tuple[str, str]) -> None:
        """All versions of a kind."""
        for resource in self.all():
            if resource.storage == storage:
                self.withdraw(resource.kind)
