"""The owner-level rules of a ConfigMap, as text and as values.

The text may hold sections of other programs (Volcano's own controllers read the same key): they are
neither read nor judged.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podgrouper.config.documents import Documents, read_documents, too_long
from podgrouper.config.shapes import shown
from podgrouper.core.rules import Finding, LevelRule

LISTS = ("podgroup-level-rules", "podgroupLevel")
"""Both spellings are in use; the rules of the first count before those of the second."""
API_VERSION = ("apiversion", "apiVersion")
LEVEL = ("adjust-level", "adjustLevel")
KNOWN = frozenset({*API_VERSION, "kind", *LEVEL})
BEYOND_ANY_CHAIN = 10**9
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One rule as it is written, and where."""

    path: str
    value: object


def parse_level_rules(text: str) -> tuple[tuple[LevelRule, ...] | None, tuple[Finding, ...]]:
    """The rules that can be used, in order, and everything that is wrong with the others. Never raises.

    None when the text as a whole cannot be read: then the rules from before stay in force.
    """
    refused = too_long(text)
    documents = Documents((), refused) if refused else read_documents(text)
    if documents.findings:
        return None, documents.findings
    if len(documents.values) > 1:
        return None, (Finding("", "there is more than one document: keep one, without `---` lines"),)
    sections = documents.values[0] if documents.values else {}
    if not isinstance(sections, Mapping):
        return None, (Finding("", f"{shown(sections)} is not accepted: give a map with the key {LISTS[0]}"),)
    findings = list(_doubled_lists(sections))
    rules: dict[tuple[str, str], LevelRule] = {}
    for entry in _entries(sections, findings):
        rule = _rule(entry, findings)
        if rule is None:
            continue
        if (rule.api_version, rule.kind) in rules:
            findings.append(Finding(entry.path, f"an earlier rule for {rule.api_version} {rule.kind} counts"))
            continue
        rules[rule.api_version, rule.kind] = rule
    return tuple(rules.values()), tuple(findings)


def _doubled_lists(sections: Mapping[object, object]) -> Iterator[Finding]:
    if all(sections.get(name) for name in LISTS):
        yield Finding(LISTS[1], f"both {LISTS[0]} and {LISTS[1]} are there: put all rules into the first")


def _entries(sections: Mapping[object, object], findings: list[Finding]) -> Iterator[_Entry]:
    for name in LISTS:
        listed = sections.get(name)
        if isinstance(listed, list):
            yield from (_Entry(f"{name}[{index}]", value) for index, value in enumerate(listed))
        elif listed is not None:
            findings.append(Finding(name, f"{shown(listed)} is not accepted: give a list of rules"))


def _rule(entry: _Entry, findings: list[Finding]) -> LevelRule | None:
    if not isinstance(entry.value, Mapping):
        findings.append(
            Finding(entry.path, f"{shown(entry.value)} is not accepted: give apiversion and kind")
        )
        return None
    mistakes: list[Finding] = []
    api_version = _text(entry.path, entry.value, API_VERSION, mistakes)
    kind = _text(entry.path, entry.value, ("kind",), mistakes)
    level = _level(entry.path, entry.value, mistakes)
    findings += mistakes
    findings += (
        Finding(f"{entry.path}.{key}", f"unknown key, it has no effect: known are {', '.join(sorted(KNOWN))}")
        for key in entry.value
        if key not in KNOWN
    )
    return None if mistakes else LevelRule(api_version, kind.lower(), level)


def _value(rule: Mapping[object, object], spellings: tuple[str, ...]) -> object:
    return next((rule[key] for key in spellings if rule.get(key) is not None), None)


def _text(
    path: str, rule: Mapping[object, object], spellings: tuple[str, ...], mistakes: list[Finding]
) -> str:
    value = _value(rule, spellings)
    if isinstance(value, str) and value:
        return value
    mistakes.append(Finding(f"{path}.{spellings[0]}", f"{shown(value)} is not accepted: give a name"))
    return ""


def _level(path: str, rule: Mapping[object, object], mistakes: list[Finding]) -> int:
    """A number in quotes counts as a number, and none means the matching owner itself."""
    value = _value(rule, LEVEL)
    if value is None:
        return 0
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < BEYOND_ANY_CHAIN:
        return value
    mistakes.append(
        Finding(f"{path}.{LEVEL[0]}", f"{shown(value)} is not accepted: give a whole number such as 0 or -1")
    )
    return 0
