"""A label selector in a configuration: a map of labels and their values, or Kubernetes' line of text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podgrouper.config.shapes import Bad, Good, Read, Text, findings_of, refused
from podgrouper.core.model import Json
from podgrouper.core.rules import Finding
from podgrouper.core.selectors import BadSelector, Requirement, Selector, equal_to, parse


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """Keys and values are checked in both forms. `team=a` and `{team: a}` are the same."""

    key: Text
    value: Text
    accepts: str = "a map of labels and their values, or a selector as in `team=a,stage in (test,prod),!old`"

    def read(self, value: object, path: str) -> Read[Selector]:
        if isinstance(value, str):
            return self._of_text(value, path)
        if not isinstance(value, Mapping):
            return refused(value, path, self.accepts)
        findings = findings_of(
            [
                *(self.key.read(key, path) for key in value),
                *(self.value.read(item, f"{path}.{key}") for key, item in value.items()),
            ]
        )
        if findings:
            return Bad(findings)
        return Good(tuple(sorted(equal_to(key, item) for key, item in value.items())))

    def _of_text(self, text: str, path: str) -> Read[Selector]:
        try:
            selector = parse(text)
        except BadSelector as error:
            return Bad((Finding(path, f"{error}: give {self.accepts}"),))
        findings = tuple(finding for wanted in selector for finding in self._problems(wanted, path))
        return Bad(findings) if findings else Good(selector)

    def _problems(self, wanted: Requirement, path: str) -> Iterator[Finding]:
        yield from findings_of([self.key.read(wanted.key, path)])
        yield from findings_of([self.value.read(value, path) for value in wanted.values])

    def schema(self) -> Json:
        labels = {
            "type": "object",
            "propertyNames": self.key.schema(),
            "additionalProperties": self.value.schema(),
        }
        return {"anyOf": [labels, {"type": "string"}]}
