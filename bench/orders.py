"""What the loader is told to do, and what it tells: one line of JSON each."""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from bench.asked import Ask


class Order(msgspec.Struct, tag=True, frozen=True):
    """Something to do. Each is answered, in order."""


class Make(Order, frozen=True):
    """Create workloads, each an owner and its pods. Without a rate as fast as the server takes them."""

    namespace: str
    shape: str
    name: str
    """What the names of these owners begin with."""
    gangs: int
    members: int
    size: int
    """Bytes of a stored pod."""
    rate: float = 0.0
    """Pods per second; 0 is no limit."""


class Linked(Order, frozen=True):
    """Wait until so many pods of a namespace whose names begin so have been seen with a link."""

    namespace: str
    count: int
    name: str = ""
    within: float = 2.0
    """Seconds; then the answer is `NotYet`."""


class Kubelet(Order, frozen=True):
    """Change the status of all pods of a namespace as a kubelet does that starts them."""

    namespace: str


class Clear(Order, frozen=True):
    """Delete everything in these collections, however long it takes."""

    paths: Sequence[str]


class Tally(Order, frozen=True):
    """Tell what you have asked the server for since you began."""


class Done(msgspec.Struct, tag=True, frozen=True):
    """It was done, in this many changes."""

    count: int
    began: float
    ended: float
    """`time.monotonic()`, which is one clock for all processes of a machine."""


class Seen(msgspec.Struct, tag=True, frozen=True):
    """Linked pods as the loader's own watch showed them, in no order."""

    seen: Sequence[float]
    """When each of them was first seen."""
    linked: Sequence[float]
    """When the same pods were first seen with a link."""

    @property
    def waits(self) -> Sequence[float]:
        """Seconds that each of them was seen without a link."""
        return [linked - seen for seen, linked in zip(self.seen, self.linked, strict=True)]


class NotYet(msgspec.Struct, tag=True, frozen=True):
    """What was waited for has not happened."""


class Asked(msgspec.Struct, tag=True, frozen=True):
    counts: Sequence[tuple[Ask, int]]


class Failed(msgspec.Struct, tag=True, frozen=True):
    why: str


Orders: TypeAlias = Make | Linked | Kubelet | Clear | Tally
Answer: TypeAlias = Done | Seen | NotYet | Asked | Failed


class Where(msgspec.Struct, frozen=True):
    """Which server, as whom, whose pods, and how links look."""

    url: str
    certificate: str
    """Of the server, in PEM."""
    token: str
    scheduler: str
    link: str
    """The annotation."""
