"""What people write on owners and pods, and what their group makes of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.reasons import Reason
from podgrouper.core.rules import LevelRule
from podgrouper.policies.volcano.annotations import group_annotations, integer
from podgrouper.policies.volcano.policy import VolcanoPolicy
from podgrouper.policies.volcano.sources import Source, Voices
from tests.policies.volcano.objects import (
    GANG_SIZE,
    OWNER_QUEUE,
    QUEUE,
    Object,
    decided,
    deployment,
    job,
    pod,
    replica_set,
    workflow,
)

BY_DEPLOYMENT = VolcanoPolicy(levels=(LevelRule("apps/v1", "deployment"),))
NOT_INHERITED = VolcanoPolicy(inherit_owner_annotations=False)
MIN = "volcano.sh/jdb-min-available"
MAX = "volcano.sh/jdb-max-unavailable"


@pytest.mark.parametrize(
    ("expected", "written"),
    [
        pytest.param(4, "4", id="digits"),
        pytest.param(4, "+4", id="a plus"),
        pytest.param(-4, "-4", id="a minus"),
        pytest.param(4, "04", id="leading zeros"),
        pytest.param(0, "-0", id="minus nothing"),
        pytest.param(2**63 - 1, str(2**63 - 1), id="the largest"),
        pytest.param(-(2**63), str(-(2**63)), id="the smallest"),
        pytest.param(1, "0" * 10_000 + "1", id="zeros without end"),
        pytest.param(None, str(2**63), id="beyond 64 bits"),
        pytest.param(None, "9" * 10_000, id="far beyond"),
        pytest.param(None, "0" * 10_000 + "x", id="zeros without end and a letter"),
        pytest.param(0, "0", id="zero"),
        pytest.param(None, "", id="nothing"),
        pytest.param(None, "+", id="a sign alone"),
        pytest.param(None, "+-1", id="two signs"),
        pytest.param(None, " 2", id="a space"),
        pytest.param(None, "2\n", id="a line break"),
        pytest.param(None, "1_0", id="an underscore"),
        pytest.param(None, "2.0", id="a point"),
        pytest.param(None, "0x3", id="hexadecimal"),
        pytest.param(None, "٣", id="digits of another script"),
    ],
)
def test_an_integer_is_a_sign_and_ascii_digits(expected: int | None, written: str) -> None:
    assert integer(written) == expected


@given(st.text())
def test_any_text_is_an_integer_or_none(written: str) -> None:
    assert integer(written) is None or int(written) == integer(written)


def of(value: str) -> dict[str, str]:
    return {GANG_SIZE: value}


def under(first: Object, second: Object | None = None, **annotations: object) -> list[Object]:
    owners = [first] if second is None else [first, second]
    return [*owners, pod("p", *owners, annotations=annotations)]


FOUR, BAD = job("four", annotations=of("4")), job("bad", annotations=of("x"))


@pytest.mark.parametrize(
    ("expected", "objects", "policy"),
    [
        pytest.param(1, under(job("j")), None, id="one when nobody asks"),
        pytest.param(4, under(FOUR), None, id="what the owner asks"),
        pytest.param(4, under(FOUR, **of("3")), None, id="the owner before the pod"),
        pytest.param(3, under(job("j"), **of("3")), None, id="the pod"),
        pytest.param(4, under(BAD, FOUR), None, id="an unusable value hides nothing"),
        pytest.param(3, under(BAD, **of("3")), None, id="not even the pod's"),
        pytest.param(1, under(BAD), None, id="one when nothing is usable"),
        pytest.param(1, under(job("j", annotations=of("-1"))), None, id="less than nothing is not usable"),
        pytest.param(1, under(job("j", annotations=of("1000001"))), None, id="more than a million neither"),
        pytest.param(1_000_000, under(job("j", annotations=of("1000000"))), None, id="a million is"),
        pytest.param(0, under(job("j", annotations=of("0"))), None, id="zero is kept"),
        pytest.param(1, under(FOUR), NOT_INHERITED, id="owners are not asked without inheritance"),
        pytest.param(3, under(FOUR, **of("3")), NOT_INHERITED, id="the pod is"),
        pytest.param(1, [pod("p", annotations=of("3"))], None, id="a pod alone never waits for others"),
        pytest.param(0, [pod("p", annotations=of("0"))], None, id="but may wait for nobody"),
    ],
)
def test_the_floor_is_the_first_usable_wish(
    expected: int, objects: list[Object], policy: VolcanoPolicy | None
) -> None:
    assert decided(*objects, policy=policy).group.floor == expected


@pytest.mark.parametrize(
    ("about", "objects"),
    [
        pytest.param("Job ns/bad", under(BAD), id="an unusable value of an owner"),
        pytest.param("Job ns/j", under(job("j"), **of("")), id="an empty one of its template"),
        pytest.param("Pod ns/p", [pod("p", annotations=of("3"))], id="a wish that cannot be"),
        pytest.param("Job ns/j", under(job("j", annotations=of("0"))), id="a gang of nobody"),
        pytest.param(
            "Job ns/j", under(job("j", annotations={QUEUE: "No Name"})), id="a queue without a name"
        ),
    ],
)
def test_a_person_hears_of_what_was_not_used(about: str, objects: list[Object]) -> None:
    (remark,) = decided(*objects).remarks

    assert (str(remark.about), remark.reason) == (about, Reason.BAD_VALUE)
    assert "accepted is" in remark.message or "use 1 or more" in remark.message


def test_a_thousand_groups_make_one_remark_of_one_mistake() -> None:
    w = workflow("w", annotations=of("x"))
    below = VolcanoPolicy(levels=(LevelRule("argoproj.io/v1alpha1", "workflow", -1),))

    assert len(decided(w, pod("a", w), pod("b", w), policy=below).remarks) == 1


def queues(owner: str = "", owner_v: str = "") -> dict[str, str]:
    return {key: value for key, value in {QUEUE: owner, OWNER_QUEUE: owner_v}.items() if value}


S, V, BOTH = (
    job("s", annotations=queues("s")),
    job("v", annotations=queues("", "v")),
    job("both", annotations=queues("bs", "bv")),
)
TOP = deployment("d", annotations=queues("", "top"))
MIDDLE = replica_set("r", TOP, annotations=queues("middle"))


@pytest.mark.parametrize(
    ("expected", "objects", "policy"),
    [
        pytest.param("", under(job("j")), None, id="none when nobody names one"),
        pytest.param("pod", under(BOTH, **queues("pod")), None, id="the pod's"),
        pytest.param("s", under(V, S), None, id="the first key of any owner before the second"),
        pytest.param("bs", under(BOTH, S), None, id="of one key the first owner"),
        pytest.param("v", under(V), None, id="the second key"),
        pytest.param(
            "", under(job("j"), **queues("", "pod")), None, id="the second key is none of the pod's"
        ),
        pytest.param("s", under(S, **{QUEUE: ""}), None, id="an empty one counts as none"),
        pytest.param("s", under(S, **queues("Bad Name")), None, id="an impossible one too"),
        pytest.param("", under(S), NOT_INHERITED, id="no owner's without inheritance"),
        pytest.param("pod", under(S, **queues("pod")), NOT_INHERITED, id="but the pod's"),
        pytest.param(
            "top",
            [TOP, MIDDLE, pod("p", MIDDLE, annotations=queues("pod"))],
            BY_DEPLOYMENT,
            id="above the controller the chosen owner's, whichever key, and the pod's last",
        ),
        pytest.param(
            "middle",
            [deployment("d"), MIDDLE, pod("p", MIDDLE, annotations=queues("pod"))],
            BY_DEPLOYMENT,
            id="then a nearer owner's",
        ),
    ],
)
def test_the_queue_is_the_first_that_is_named(
    expected: str, objects: list[Object], policy: VolcanoPolicy | None
) -> None:
    assert decided(*objects, policy=policy).group.queue == expected


def voices(pod_says: dict[str, str], *owners_say: dict[str, str]) -> Voices:
    about = decided(pod("p")).group.placements[0].pod.ref
    return Voices(Source(about, pod_says), tuple(Source(about, said) for said in owners_say), climbed=False)


@pytest.mark.parametrize(
    ("expected", "pod_says", "owners_say"),
    [
        pytest.param({"volcano.sh/x": "1"}, {}, [{"volcano.sh/x": "1"}], id="everything below the prefix"),
        pytest.param(
            {"volcano.sh/x": "1"}, {}, [{"volcano.sh/x": "1"}, {"volcano.sh/x": "2"}], id="first wins"
        ),
        pytest.param(
            {}, {}, [{"scheduling.volcano.sh/x": "1", "volcano.sh": "2", "x": "3"}], id="nothing else"
        ),
        pytest.param({}, {"volcano.sh/x": "1"}, [], id="not from the pod"),
        pytest.param(
            {"volcano.sh/preemptable": ""},
            {"volcano.sh/preemptable": ""},
            [{"volcano.sh/preemptable": "true"}],
            id="an empty word of the pod is one",
        ),
        pytest.param({MIN: "1"}, {MIN: "1", MAX: "2"}, [], id="the pod's minimum before its maximum"),
        pytest.param({MAX: "2"}, {MAX: "2"}, [{MIN: "1"}], id="the pod's maximum before an owner's minimum"),
        pytest.param({MIN: "1"}, {}, [{MAX: "2"}, {MIN: "1"}], id="of owners the minimum, whoever has it"),
    ],
)
def test_a_group_inherits_and_its_pod_overrides(
    expected: dict[str, str], pod_says: dict[str, str], owners_say: list[dict[str, str]]
) -> None:
    assert group_annotations(voices(pod_says, *owners_say)) == expected


def test_labels_of_the_pod_become_labels_of_the_group() -> None:
    labels = {
        "volcano.sh/preemptable": "true",
        "volcano.sh/cooldown-time": "60s",
        "volcano.sh/revocable-zone": "a",
    }

    assert decided(pod("p", labels=labels)).group.labels == {
        "volcano.sh/preemptable": "true",
        "volcano.sh/cooldown-time": "60s",
    }


def test_where_a_value_comes_from_is_told() -> None:
    assert decided(*under(FOUR)).group.origins["floor"] == f"Job ns/four, annotation {GANG_SIZE}"
