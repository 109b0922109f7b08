"""The annotation that tells KAI's tools what a group belongs to: five lines of YAML, to the byte.

Whoever reads it back is Go, so scalars are quoted as yaml.v3 quotes them: plain where plain reads as a
text, double quotes where it would read as a number, truth value, null or time, single quotes where
plain is no YAML. Written by hand because PyYAML quotes by other rules.
"""

import re

from podgrouper.core.model import Ref

_STEMS = ("true", "false", "null", "y", "n", "yes", "no", "on", "off", ".nan", ".inf", "+.inf", "-.inf")
_WORDS = frozenset(
    {word for stem in _STEMS for word in (stem, stem.capitalize(), stem.upper())}
    | {"", "~", "=", "<<", ".NaN", ".Inf", "+.Inf", "-.Inf"}
)
"""Texts that YAML 1.1 or 1.2 reads as something else."""

_NUMBERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?",
        r"[-+]?0[xX][0-9a-fA-F]{0,16}",
        r"[-+]?0[oO][0-7]{0,22}",
        r"[-+]?0[bB][01]{0,64}",
    )
)
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")
_TIME = re.compile(
    r"[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})"
    r"([Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})"
    r"| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?)?"
)
_READABLE = r"\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_PRINTABLE = re.compile(f"[{_READABLE}]*")
_SPECIAL = re.compile(f'[^{_READABLE}]|["\\\\]')


def owner_text(owner: Ref) -> str:
    """The annotation's value for an owner."""
    fields = {
        "name": owner.name,
        "uid": owner.uid,
        "group": owner.kind.group,
        "version": owner.kind.version,
        "kind": owner.kind.kind,
    }
    return "".join(f"{key}: {scalar(value)}\n" for key, value in fields.items())


def scalar(text: str) -> str:
    """The text as a scalar of a block mapping that reads back as exactly this text."""
    if reads_as_something_else(text) or not _PRINTABLE.fullmatch(text):
        return f'"{_SPECIAL.sub(_escaped, text)}"'
    return text if _plain(text) else "'{}'".format(text.replace("'", "''"))


def _escaped(character: re.Match[str]) -> str:
    code = ord(character[0])
    if character[0] in '"\\':
        return f"\\{character[0]}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def reads_as_something_else(text: str) -> bool:
    """Plain, a reader of YAML 1.1 or 1.2 would take it for a number, truth value, null or time."""
    if text in _WORDS or _BASE_60.fullmatch(text) or _is_time(text):
        return True
    if not text[0].isascii() or text[0] not in "+-.0123456789":
        return False
    number = text.replace("_", "")
    return any(pattern.fullmatch(number) for pattern in _NUMBERS)


def _plain(text: str) -> bool:
    """Nothing in it means something to YAML in the value of a block mapping."""
    return not (
        text[0] in "#,[]{}&*!|>'\"%@`"
        or text.startswith(("---", "...", "- ", "? "))
        or text in ("-", "?")
        or text != text.strip()
        or text.endswith(":")
        or ": " in text
        or " #" in text
    )


def _is_time(text: str) -> bool:
    time = _TIME.fullmatch(text)
    return time is not None and 1 <= int(time[1]) <= 12 and 1 <= int(time[2]) <= 31
