"""Owner-level rules as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.config.documents import LARGEST_RULES
from podgrouper.config.levels import parse_level_rules
from podgrouper.core.rules import LevelRule

SAMPLE = """\
podgroup-level-rules:
- apiversion: apps/v1
  kind: deployment
  adjust-level: 0
- apiversion: batch/v1
  kind: job
  adjust-level: 0
- apiversion: argoproj.io/v1alpha1
  kind: workflow
  adjust-level: -1
"""
BOMB = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [*{before}, *{before}, *{before}]\n"
    for before, name in zip("abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", strict=True)
)


def one(rule: str, name: str = "podgroup-level-rules") -> str:
    return f"{name}:\n- {{{rule}}}\n"


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        pytest.param(
            (
                LevelRule("apps/v1", "deployment"),
                LevelRule("batch/v1", "job"),
                LevelRule("argoproj.io/v1alpha1", "workflow", -1),
            ),
            SAMPLE,
            id="the usual ones, in order",
        ),
        pytest.param((LevelRule("v1", "pod"),), one("apiversion: v1, kind: Pod"), id="no level is 0"),
        pytest.param(
            (LevelRule("v1", "pod"),), one("apiversion: v1, kind: POD, adjust-level: "), id="nor an empty one"
        ),
        pytest.param(
            (LevelRule("v1", "pod", -1),),
            one("apiversion: v1, kind: pod, adjust-level: '-1'"),
            id="in quotes",
        ),
        pytest.param(
            (LevelRule("v1", "pod", 2),),
            one("apiVersion: v1, kind: pod, adjustLevel: +2"),
            id="other spellings",
        ),
        pytest.param(
            (LevelRule("v1", "pod"),), one("apiversion: v1, kind: pod", "podgroupLevel"), id="the other list"
        ),
        pytest.param((), "", id="an empty text"),
        pytest.param((), "podgroup-level-rules: []", id="an empty list"),
        pytest.param((), "podgroup-level-rules:", id="nothing in it"),
        pytest.param(
            (), "networkTopologyDiscovery: [{source: x}]\nodd: !!int 3\n", id="only sections of others"
        ),
    ],
)
def test_rules_are_read(expected: tuple[LevelRule, ...], text: str) -> None:
    assert parse_level_rules(text) == (expected, ())


@pytest.mark.parametrize(
    ("expected", "path", "text"),
    [
        pytest.param((), "podgroup-level-rules[0].kind", one("apiversion: v1"), id="no kind"),
        pytest.param((), "podgroup-level-rules[0].apiversion", one("kind: pod"), id="no apiVersion"),
        pytest.param(
            (), "podgroup-level-rules[0].kind", one("apiversion: v1, kind: [pod]"), id="a kind that is a list"
        ),
        pytest.param(
            (),
            "podgroup-level-rules[0].adjust-level",
            one("apiversion: v1, kind: pod, adjust-level: 1.5"),
            id="a broken level",
        ),
        pytest.param(
            (),
            "podgroup-level-rules[0].adjust-level",
            one("apiversion: v1, kind: pod, adjust-level: yes"),
            id="a level that is true",
        ),
        pytest.param(
            (),
            "podgroup-level-rules[0].adjust-level",
            one(f"apiversion: v1, kind: pod, adjust-level: {'9' * 30}"),
            id="a level beyond any chain",
        ),
        pytest.param(
            (),
            "podgroup-level-rules[0].adjust-level",
            one(f"apiversion: v1, kind: pod, adjust-level: 0x{'f' * 6000}"),
            id="a level without end",
        ),
        pytest.param(
            (), "podgroup-level-rules[0]", "podgroup-level-rules: [pod]", id="a rule that is a word"
        ),
        pytest.param((), "podgroup-level-rules", "podgroup-level-rules: pod", id="a list that is a word"),
        pytest.param(
            (LevelRule("v1", "pod"),),
            "podgroup-level-rules[0].level",
            one("apiversion: v1, kind: pod, level: 3"),
            id="an unknown key",
        ),
        pytest.param(
            (LevelRule("v1", "pod"),),
            "podgroup-level-rules[1]",
            "podgroup-level-rules: [{apiversion: v1, kind: pod}, {apiversion: v1, kind: Pod}]",
            id="a second rule for one kind",
        ),
        pytest.param(
            (LevelRule("v1", "pod", 1), LevelRule("v1", "node")),
            "podgroupLevel",
            one("apiversion: v1, kind: node", "podgroupLevel")
            + one("apiversion: v1, kind: pod, adjust-level: 1"),
            id="both lists",
        ),
    ],
)
def test_a_mistake_is_found_and_the_rest_is_in_force(
    expected: tuple[LevelRule, ...], path: str, text: str
) -> None:
    rules, findings = parse_level_rules(text)

    assert (rules, [finding.path for finding in findings]) == (expected, [path])


def test_all_mistakes_are_found_at_once() -> None:
    text = SAMPLE + "- {kind: 3, adjust-level: x}\n- 4\n- {apiversion: v1}\n"

    rules, findings = parse_level_rules(text)

    assert (rules, len(findings)) == (parse_level_rules(SAMPLE)[0], 5)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[", id="broken"),
        pytest.param("- apiversion: v1", id="a list"),
        pytest.param("just words", id="words"),
        pytest.param("[" * 100_000, id="deeper than any stack"),
        pytest.param(BOMB, id="aliases that unfold"),
        pytest.param("a: &a [*a]", id="a ring of aliases"),
        pytest.param("a: 1\n---\na: 2\n", id="two documents"),
        pytest.param("a: !!python/object/apply:os.getcwd []", id="an object of Python"),
    ],
)
def test_a_text_that_cannot_be_read_leaves_the_rules_from_before(text: str) -> None:
    rules, findings = parse_level_rules(text)

    assert (rules, len(findings)) == (None, 1)


@given(st.text() | st.text(alphabet="-:[]{}&*!'\"\n podgrulevkina0x"))
def test_no_text_raises(text: str) -> None:
    rules, findings = parse_level_rules("podgroup-level-rules:\n" + text)

    assert rules is not None or findings


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("podgroup-level-rules: [" + "{}, " * LARGEST_RULES + "]", id="many rules"),
        pytest.param("podgroup-level-rules: 1" + ":1" * 500_000, id="a number to the base of sixty"),
    ],
)
def test_a_text_that_would_hold_up_everybody_is_not_read(text):
    rules, (finding,) = parse_level_rules(text)

    assert rules is None
    assert "are not read" in finding.message


@pytest.mark.parametrize("level", ["!!bool x", "!!int ''", "!!float _", "0x" + "f" * 4000, "9" * 5000])
def test_no_level_raises(level):
    _, findings = parse_level_rules(one(f"apiversion: v1, kind: pod, adjust-level: {level}"))

    assert len(findings) == 1
