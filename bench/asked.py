"""What an API server was asked, by its own counters: nobody has to write an audit log for it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_SAMPLE = re.compile(r"^apiserver_request_total\{(?P<labels>.*)\} (?P<count>\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')

OWN_AFFAIRS = frozenset(
    {
        "api",
        "apis",
        "openapi",
        "apiservices",
        "clusterrolebindings",
        "clusterroles",
        "endpointslices",
        "flowschemas",
        "ipaddresses",
        "leases",
        "prioritylevelconfigurations",
        "rolebindings",
        "roles",
        "servicecidrs",
        "services",
    }
)
"""What an API server asks itself for, whoever else is there, and discovery, which is asked for once."""


class Ask(NamedTuple):
    """One sort of request, and how it ended."""

    verb: str
    """As the server calls it: GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE."""
    resource: str
    """With its subresource: `pods/status`. Empty where it is none: discovery, /readyz."""
    code: int

    @property
    def failed(self) -> bool:
        return self.code >= 400


def asked(metrics: str) -> Counter[Ask]:
    """From the text of `/metrics`."""
    counts: Counter[Ask] = Counter()
    for sample in _SAMPLE.finditer(metrics):
        labels = dict(_LABEL.findall(sample["labels"]))
        resource = "/".join(filter(None, (labels["resource"], labels["subresource"])))
        counts[Ask(labels["verb"], resource, int(labels["code"]))] += int(float(sample["count"]))
    return counts


def asked_between(
    before: Mapping[Ask, int], after: Mapping[Ask, int], known: Mapping[Ask, int]
) -> Counter[Ask]:
    """What was asked in between by somebody else than those who told of their own requests (`known`).

    The affairs of the server itself and what is no resource are left out.
    """
    grown = Counter(after)
    grown.subtract(before)
    grown.subtract(known)
    return Counter(
        {
            ask: count
            for ask, count in grown.items()
            if count > 0 and ask.resource and ask.resource.split("/")[0] not in OWN_AFFAIRS
        }
    )


def total(counts: Mapping[Ask, int]) -> int:
    return sum(counts.values())


def without_watching(counts: Mapping[Ask, int]) -> Counter[Ask]:
    """What is left when lists and watches are put aside."""
    return Counter({ask: count for ask, count in counts.items() if ask.verb not in ("LIST", "WATCH")})


def failures(counts: Mapping[Ask, int]) -> int:
    return sum(count for ask, count in counts.items() if ask.failed)


def reads_besides(counts: Mapping[Ask, int], besides: Iterable[str]) -> int:
    """GETs and LISTs of other resources than those."""
    aside = frozenset(besides)
    return sum(
        count for ask, count in counts.items() if ask.verb in ("GET", "LIST") and ask.resource not in aside
    )
