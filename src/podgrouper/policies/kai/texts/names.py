"""What a group is called, and how a name that the API would refuse becomes one that it takes."""

import hashlib
import re

LONGEST = 253
HASH_LENGTH = 8

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")


def is_subdomain(name: str) -> bool:
    """A name as RFC 1123 and the API server want it."""
    return len(name) <= LONGEST and _SUBDOMAIN.fullmatch(name) is not None


def named_after(name: str, uid: str) -> str:
    """The group of an object: the uid makes it unique in the whole cluster, as KAI's scheduler needs it."""
    return f"pg-{name}-{uid}"


def valid_name(wanted: str) -> str:
    """The name itself when the API takes it; else cleaned, cut, and told apart by a hash of the original."""
    if is_subdomain(wanted):
        return wanted
    digest = hashlib.sha256(wanted.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]
    cleaned = re.sub("[^a-z0-9.-]", "-", wanted.lower())
    labels = (label.strip("-") for label in cleaned.split("."))
    kept = ".".join(label for label in labels if label)
    return f"{kept[: LONGEST - HASH_LENGTH - 1].rstrip('-.') or 'pg'}-{digest}"
