"""CustomResourceDefinitions: what they make the store serve, and what is wrong with them."""

from collections.abc import Iterator, Mapping

from podgrouper.core.fields import dig, items, mapping, text
from podgrouper.core.model import Json, Kind
from podgrouper.memory.printing import go_json
from podgrouper.memory.refusals import Cause, invalid_value, required
from podgrouper.memory.resources import Resource

CRD = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")


def served(definition: Json) -> tuple[Resource, ...]:
    """A resource per served version, in the definition's order."""
    group, plural, kind = (
        text(definition, f"spec.{path}") for path in ("group", "names.plural", "names.kind")
    )
    return tuple(
        Resource(
            Kind(f"{group}/{text(version, 'name')}", kind),
            plural,
            namespaced=text(definition, "spec.scope") == "Namespaced",
            status="status" in mapping(version, "subresources"),
            scale="scale" in mapping(version, "subresources"),
            unconditional=False,
            short_names=_texts(definition, "spec.names.shortNames"),
            categories=_texts(definition, "spec.names.categories"),
            fields=tuple(text(field, "jsonPath").lstrip(".") for field in items(version, "selectableFields")),
            schema=mapping(version, "schema.openAPIV3Schema"),
            custom=True,
        )
        for version in items(definition, "spec.versions")
        if version.get("served") is True
    )


def definition_problems(definition: Json) -> Iterator[Cause]:
    """Enough of the server's checks to catch a mistake in a definition of ours."""
    group, plural = text(definition, "spec.group"), text(definition, "spec.names.plural")
    name = text(definition, "metadata.name")
    if name != f"{plural}.{group}":
        yield invalid_value("metadata.name", go_json(name), 'must be spec.names.plural+"."+spec.group')
    for field in ("spec.group", "spec.names.plural", "spec.names.kind", "spec.scope"):
        if not text(definition, field):
            yield required(field)
    versions = items(definition, "spec.versions")
    if sum(version.get("storage") is True for version in versions) != 1:
        words = "must have exactly one version marked as storage version"
        yield invalid_value("spec.versions", go_json(list(versions)), words)
    for number, version in enumerate(versions):
        at = f"spec.versions[{number}].schema.openAPIV3Schema"
        schema = mapping(version, "schema.openAPIV3Schema")
        if not schema:
            yield required(at, "schemas are required")
        yield from _structural_problems(schema, at)


def _structural_problems(schema: Json, at: str) -> Iterator[Cause]:
    """KEP 1693: every node says its type; unknown fields are a decision, not an accident."""
    open_type = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    if schema and not text(schema, "type") and not open_type:
        yield required(f"{at}.type", "must not be empty for specified object fields")
    for key, below in mapping(schema, "properties").items():
        if isinstance(below, Mapping):
            yield from _structural_problems(below, f"{at}.properties[{key}]")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            yield from _structural_problems(mapping(schema, key), f"{at}.{key}")


def established(definition: Json, time: str) -> Json:
    """The status of a definition whose names were accepted and whose kinds are served."""
    names = {
        "singular": text(definition, "spec.names.kind").lower(),
        "listKind": f"{text(definition, 'spec.names.kind')}List",
        **mapping(definition, "spec.names"),
    }
    stored = [
        text(version, "name") for version in items(definition, "spec.versions") if version.get("storage")
    ]
    conditions = [
        _condition("NamesAccepted", "NoConflicts", "no conflicts found", time),
        _condition("Established", "InitialNamesAccepted", "the initial names have been accepted", time),
    ]
    spec = {"conversion": {"strategy": "None"}, **mapping(definition, "spec"), "names": names}
    status = {"conditions": conditions, "acceptedNames": names, "storedVersions": stored}
    return {**definition, "spec": spec, "status": status}


def _condition(kind: str, reason: str, message: str, time: str) -> Json:
    return {
        "type": kind,
        "status": "True",
        "reason": reason,
        "message": message,
        "lastTransitionTime": time,
    }


def _texts(obj: Json, path: str) -> tuple[str, ...]:
    value = dig(obj, path)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else ()
