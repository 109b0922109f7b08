"""Where an object is; and which life and version of it, in 24 bytes where texts take six times that."""

from typing import TypeAlias

Spot: TypeAlias = tuple[str, str]
"""Namespace and name; no namespace for a cluster-scoped object."""
Identity: TypeAlias = bytes | tuple[str, str]
"""Uid and version, packed; as they stand where they are not what every API server makes of them."""


def identity(uid: str, version: str) -> Identity:
    """Packed when unpacking gives exactly these texts again."""
    try:
        packed = bytes.fromhex(uid.replace("-", "")) + int(version).to_bytes(8)
    except (ValueError, OverflowError):
        return (uid, version)
    return packed if spelled(packed) == (uid, version) else (uid, version)


def spelled(packed: Identity) -> tuple[str, str]:
    """Uid and version as the API server writes them."""
    if isinstance(packed, tuple):
        return packed
    digits = packed[:-8].hex()
    uid = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
    return uid, str(int.from_bytes(packed[-8:]))


def life_of(packed: Identity) -> bytes | str:
    """The uid alone, as it is packed."""
    return packed[:-8] if isinstance(packed, bytes) else packed[0]
