"""From a configuration to profiles, and what becomes of texts that change while we run."""

from dataclasses import replace

import pytest

from podgrouper.config.model import BUILT_IN, Config, ConfigMapKey, KaiSettings, VolcanoSettings
from podgrouper.core.fields import ref_of
from podgrouper.core.pods import PodRows
from podgrouper.core.reasons import Reason
from podgrouper.core.road import walk
from podgrouper.core.selectors import parse
from podgrouper.wiring import FINDINGS_LIMIT, KAI_SKIP_ANNOTATION, LiveWiring, texts_wanted, wire
from tests.builders import controls, owner, pod
from tests.core.tiny import Glimpse

VOLCANO, KAI = BUILT_IN
RULES = VOLCANO.volcano.level_rules_configmap
TYPES = ConfigMapKey("kai", "defaults", "types")
LIVE_KAI = Config(profiles=(replace(KAI, kai=KaiSettings(type_defaults_configmap=TYPES)),))
GOOD = '[{"typeName": "Job", "priorityName": "urgent"}]'
DOUBTFUL = '[{"typeName": "Job", "priorityName": "calm"}, {"priorityName": "of nobody"}]'
BAD = "nonsense"
JOB = owner("batch/v1 Job", "train")


def priority(wired):
    """Of the group that the kai profile makes of a Job's pod."""
    (profile,) = wired.profiles
    pods = PodRows(profile.reads).row(pod("p", controls(JOB), scheduler="kai-scheduler"))
    sight = Glimpse([JOB], classes=frozenset({"urgent", "calm", "train"}))
    decision = walk(ref_of(JOB), [pods], profile, sight)
    return decision.grouping.groups[0].priority_class


def test_without_a_file_both_profiles_are_there():
    wired = wire(Config(), {})

    assert [(one.name, set(one.schedulers), one.dialect.name) for one in wired.profiles] == [
        ("volcano", {"volcano"}, "volcano"),
        ("kai", {"kai-scheduler"}, "kai"),
    ]


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        pytest.param(VOLCANO, {"podgrouper.io/skip"}, id="ours"),
        pytest.param(KAI, {"podgrouper.io/skip", KAI_SKIP_ANNOTATION}, id="and KAI's with its policy"),
    ],
)
def test_pods_opt_out_by(profile, expected):
    assert wire(Config(profiles=(profile,)), {}).profiles[0].skip_annotations == expected


def test_an_opt_out_of_ones_own_takes_the_place_of_ours():
    config = Config(profiles=(VOLCANO,), skip_annotation="x.io/skip")

    assert wire(config, {}).profiles[0].skip_annotations == {"x.io/skip"}


def test_namespaces_count_for_all_profiles_and_labels_for_those_that_have_them():
    chosen = KaiSettings(namespace_label_selector=parse("a=b"), pod_label_selector=parse("c"))
    config = Config(profiles=(VOLCANO, replace(KAI, kai=chosen)), namespaces=("ns",))

    volcano, kai = (profile.scope for profile in wire(config, {}).profiles)

    assert (volcano.namespaces, kai.namespaces) == ({"ns"}, {"ns"})
    assert (volcano.pod_labels, volcano.namespace_labels) == ((), ())
    assert (kai.pod_labels, kai.namespace_labels) == (parse("c"), parse("a=b"))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(Config(), (RULES,), id="what is read by default"),
        pytest.param(LIVE_KAI, (TYPES,), id="what was named"),
        pytest.param(
            Config(profiles=(replace(VOLCANO, volcano=VolcanoSettings(level_rules="")),)),
            (),
            id="nothing where the text itself is given",
        ),
        pytest.param(Config(profiles=(VOLCANO, replace(VOLCANO, name="two"))), (RULES,), id="each once"),
    ],
)
def test_live_texts_are_read_from(config, expected):
    assert texts_wanted(config) == expected


@pytest.mark.parametrize(
    ("text", "expected", "unreadable"),
    [
        pytest.param(GOOD, "urgent", [], id="good"),
        pytest.param(DOUBTFUL, "calm", [False], id="doubtful: the rest is in force"),
        pytest.param(BAD, "train", [True], id="unreadable: as if it were absent"),
        pytest.param("", "train", [], id="empty"),
    ],
)
def test_a_text_is_in_force_as_far_as_it_can_be_read(text, expected, unreadable):
    wired = wire(LIVE_KAI, {TYPES: text})

    assert (priority(wired), [bad.unreadable for bad in wired.bad_texts]) == (expected, unreadable)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param([GOOD, BAD], "urgent", id="the last good text stays in force"),
        pytest.param([GOOD, BAD, BAD], "urgent", id="for as long as it takes"),
        pytest.param([BAD], "train", id="there may never have been one"),
        pytest.param([GOOD, DOUBTFUL], "calm", id="a doubtful one is good enough"),
        pytest.param([GOOD, None], "train", id="a ConfigMap that is gone says nothing"),
        pytest.param([GOOD, None, BAD], "train", id="and is not remembered"),
    ],
)
def test_while_running_texts_change(texts, expected):
    wiring = LiveWiring(LIVE_KAI)

    wired = [wiring({} if text is None else {TYPES: text}) for text in texts]

    assert priority(wired[-1]) == expected


@pytest.mark.parametrize(
    ("text", "kept"),
    [pytest.param(BAD, True, id="unreadable"), pytest.param(DOUBTFUL, False, id="doubtful")],
)
def test_what_is_wrong_is_told_about_its_config_map(text, kept):
    (report,) = wire(LIVE_KAI, {TYPES: text}).reports

    assert (report.about.namespace, report.about.name, report.reason) == ("kai", "defaults", Reason.BAD_RULE)
    assert report.message.startswith("ConfigMap kai/defaults, key types, types")
    assert ("what it said before stays in force" in report.message) is kept


@pytest.mark.parametrize(
    ("changed", "other"),
    [
        pytest.param(VOLCANO, False, id="nothing changed"),
        pytest.param(replace(VOLCANO, schedulers=("another",)), False, id="other pods, grouped alike"),
        pytest.param(replace(VOLCANO, kai=replace(KAI.kai, plugins=("x.py",))), False, id="of no concern"),
        pytest.param(
            replace(VOLCANO, volcano=replace(VOLCANO.volcano, workload_support=False)), True, id="a setting"
        ),
        pytest.param(
            replace(VOLCANO, volcano=replace(VOLCANO.volcano, level_rules="")), True, id="rules in the file"
        ),
        pytest.param(replace(VOLCANO, policy="kai"), True, id="another policy"),
        pytest.param(replace(VOLCANO, dialect="kai"), True, id="another dialect"),
    ],
)
def test_rules_that_may_decide_otherwise_have_another_name(changed, other):
    assert (rules_of(changed) != rules_of(VOLCANO)) is other


def test_so_have_those_of_another_live_text():
    texts = [{RULES: text} for text in ("podgroup-level-rules: []", "podgroup-level-rules: []\n")]

    assert rules_of(VOLCANO, texts[0]) != rules_of(VOLCANO, texts[1])


def rules_of(profile, texts=None):
    (found,) = wire(Config(profiles=(profile,)), texts or {}).profiles
    return found.rules


def test_of_ten_thousand_mistakes_the_first_are_told():
    reports = wire(LIVE_KAI, {TYPES: f"[{'3,' * 5000}3]"}).reports

    assert len(reports) == FINDINGS_LIMIT + 1
    assert "4901 more mistakes" in reports[-1].message
