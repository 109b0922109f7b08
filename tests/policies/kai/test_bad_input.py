"""Whatever a cluster holds, every pod is placed or told why not, and nothing raises."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podgrouper.core.model import Json
from podgrouper.planning import plan
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.registry import GROUPERS
from tests.policies.kai.worlds import kai_profile, pod, thing

KINDS = sorted({kind for grouper in GROUPERS for kind in grouper.kinds if kind.kind != "Pod"})
PATHS = sorted({path for paths in kai_profile().policy.reads.paths.values() for path in paths if path})
WORDS = [
    *(
        "Worker",
        "Master",
        "Launcher",
        "replicas",
        "minReplicas",
        "name",
        "template",
        "metadata",
        "annotations",
    ),
    *("spec", "size", "podReferences", "namespace", "dependsOn", "groupName", "numOfHosts", "workerTemplate"),
    *("packConstraint", "required", "minAvailable", "schedulingPolicy", "rayClusterName", "podgroups"),
    *(word for path in PATHS for word in path.split(".")),
]
TEXTS = st.sampled_from(["", "0", "-1", "2", "x", "Ünï", "99999999999", *WORDS])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    LEAVES,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(WORDS), below, max_size=4),
    max_leaves=12,
)
LABELS = st.dictionaries(
    st.sampled_from([*sorted(kai_profile().reads.labels), *sorted(kai_profile().reads.annotations)]),
    TEXTS,
    max_size=6,
)


@st.composite
def owners(draw: st.DrawFn) -> Json:
    """An owner of a known kind with anything at the paths that somebody reads."""
    kind = draw(st.sampled_from(KINDS))
    made = dict(thing(str(kind), "o", labels=draw(LABELS), annotations=draw(LABELS)))
    declared = sorted(kai_profile().policy.reads.paths.get(kind, frozenset({"spec"})))
    for path in draw(st.lists(st.sampled_from(declared), max_size=3)):
        made = _with(made, path.split("."), draw(VALUES))
    return made


def _with(obj: object, path: list[str], value: object) -> dict[str, object]:
    there = dict(obj) if isinstance(obj, Mapping) else {}
    return there | {path[0]: _with(there.get(path[0]), path[1:], value) if path[1:] else value}


@given(
    owners(),
    st.lists(st.tuples(LABELS, LABELS, st.sampled_from(["Pending", "Running", "Succeeded"])), max_size=3),
)
@settings(max_examples=400)
def test_no_owner_is_too_strange(owner, members):
    pods = [
        pod(f"p{place}", owner, labels=labels, annotations=annotations, phase=phase)
        for place, (labels, annotations, phase) in enumerate(members)
    ]

    made = plan([owner, *pods])

    assert not [entry.skip for entry in made.skipped if entry.skip.reason == "GrouperFailed"]


@pytest.mark.parametrize("key", [keys.MIN_MEMBERS, keys.SEGMENT_SIZE])
def test_a_huge_number_costs_nothing(key):
    job = thing("batch/v1 Job", "j", annotations={key: "9" * 1_000_000})

    assert not plan([job, pod("p", job)]).created or key == keys.SEGMENT_SIZE
