"""What the API accepts as a name."""

import re

LONGEST_NAME = 253
LONGEST_UID = 128
_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")


def is_subdomain(name: str) -> bool:
    """RFC 1123: what most objects may be called."""
    return len(name) <= LONGEST_NAME and _SUBDOMAIN.fullmatch(name) is not None


def can_be_meant(name: str, uid: str) -> bool:
    """Whether there can be such an object. A reference may hold a megabyte, and nobody need remember it."""
    return len(name) <= LONGEST_NAME and len(uid) <= LONGEST_UID
