"""The merge patch between a PodGroup as it is and as it should be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.difference import DECIDED, WrittenBy, as_decided, difference, merged, plain
from podgrouper.core.interfaces import FieldRule, Ownership
from podgrouper.dialects.kai import KaiDialect
from podgrouper.dialects.volcano import VolcanoDialect
from tests.core.test_fields import json_values
from tests.core.tiny import FIELDS

NOBODY: frozenset[tuple[str, ...]] = frozenset()


def spec(**fields):
    return {"spec": fields}


def labels(**found):
    return {"metadata": {"labels": found}}


def annotations(**found):
    return {"metadata": {"annotations": found}}


@pytest.mark.parametrize(
    ("desired", "live", "expected"),
    [
        pytest.param(spec(floor=3), spec(floor=2), spec(floor=3), id="ours: written"),
        pytest.param(spec(floor=3), {}, spec(floor=3), id="ours: also where nothing is"),
        pytest.param(spec(floor=3), {"spec": "text"}, spec(floor=3), id="ours: also where nonsense is"),
        pytest.param({}, spec(floor=2), spec(floor=None), id="ours: removed when we say nothing"),
        pytest.param({}, spec(floor=0), {}, id="ours: what the server fills in is no difference"),
        pytest.param(spec(floor=0), {}, {}, id="ours: nor the other way round"),
        pytest.param(
            spec(topology={"mode": "hard"}), {}, spec(topology={"mode": "hard"}), id="named: written"
        ),
        pytest.param({}, spec(topology={"mode": "hard"}), {}, id="named: what others wrote stays"),
        pytest.param(labels(team="a"), labels(team="b"), labels(team="a"), id="named: a label"),
        pytest.param(labels(team=""), {}, labels(team=""), id="named: an empty label is one"),
        pytest.param(labels(team="a"), labels(team="a", x="y"), {}, id="named: foreign labels stay"),
        pytest.param(spec(queue="a"), spec(queue="b"), spec(queue="a"), id="lasting: written"),
        pytest.param({}, spec(queue="b"), {}, id="lasting: stays when we say nothing"),
        pytest.param(spec(queue="default"), {}, {}, id="lasting: absent means the default"),
        pytest.param(labels(queue="a"), labels(queue="b"), {}, id="creation: anybody's afterwards"),
        pytest.param(
            labels(queue="a"), labels(queue=""), labels(queue="a"), id="creation: unless it is empty"
        ),
        pytest.param(labels(queue="a"), {}, labels(queue="a"), id="creation: or absent"),
        pytest.param(spec(backoff=1), spec(backoff=2), {}, id="never: not looked at"),
        pytest.param(spec(unknown=1), spec(unknown=2), {}, id="no rule: not looked at"),
    ],
)
def test_each_field_is_treated_as_the_table_says(desired, live, expected):
    assert difference(desired, live, FIELDS, NOBODY) == expected


@pytest.mark.parametrize(
    ("live", "path", "expected"),
    [
        pytest.param(labels(team="b"), ("metadata", "labels", "team"), labels(team=None), id="a label"),
        pytest.param(labels(team=""), ("metadata", "labels", "team"), labels(team=None), id="an empty label"),
        pytest.param(spec(topology={"mode": "hard"}), ("spec", "topology"), spec(topology=None), id="a map"),
        pytest.param(spec(queue="b"), ("spec", "queue"), {}, id="not what lasts"),
        pytest.param(labels(queue="b"), ("metadata", "labels", "queue"), {}, id="not what is chosen once"),
        pytest.param(spec(backoff=2), ("spec", "backoff"), {}, id="not what is never ours"),
    ],
)
def test_what_we_wrote_is_removed_when_nobody_names_it_any_more(live, path, expected):
    assert difference({}, live, FIELDS, frozenset({path})) == expected


@pytest.mark.parametrize(
    ("desired", "live", "expected"),
    [
        pytest.param(
            annotations(least="1"), annotations(most="2"), annotations(least="1", most=None), id="new"
        ),
        pytest.param(
            annotations(least="1"), annotations(least="1", most="2"), annotations(most=None), id="both"
        ),
        pytest.param({}, annotations(most="2"), {}, id="nobody asks"),
    ],
)
def test_a_field_removes_the_one_that_it_excludes(desired, live, expected):
    assert difference(desired, live, FIELDS, NOBODY) == expected


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        pytest.param({"cpu": "0.5"}, {"cpu": "500m"}, id="a half"),
        pytest.param({"cpu": "1"}, {"cpu": 1}, id="a number"),
        pytest.param({"memory": "1Gi"}, {"memory": "1024Mi"}, id="another suffix"),
        pytest.param({}, None, id="nothing"),
        pytest.param(None, {}, id="nothing, the other way round"),
        pytest.param({"x": "no amount"}, {"x": "no amount"}, id="the same nonsense"),
    ],
)
def test_equal_amounts_are_no_difference(wanted, found):
    assert difference(spec(resources=wanted), spec(resources=found), FIELDS, NOBODY) == {}


@pytest.mark.parametrize(
    ("wanted", "found", "expected"),
    [
        pytest.param({"cpu": "1"}, {"cpu": "2"}, {"cpu": "1"}, id="another amount"),
        pytest.param({"cpu": "1"}, {"cpu": "1", "gpu": "1"}, {"gpu": None}, id="a resource that went"),
        pytest.param({"cpu": "1"}, {"cpu": "nonsense"}, {"cpu": "1"}, id="instead of nonsense"),
        pytest.param({"cpu": "1"}, "nonsense", {"cpu": "1"}, id="instead of a text"),
        pytest.param({"cpu": "1"}, {"cpu": True}, {"cpu": "1"}, id="a flag is no amount"),
    ],
)
def test_other_amounts_are_patched_key_by_key(wanted, found, expected):
    assert difference(spec(resources=wanted), spec(resources=found), FIELDS, NOBODY) == spec(
        resources=expected
    )


@pytest.mark.parametrize("empty", [{}, [], {"a": {}}, None], ids=repr)
def test_an_empty_value_removes_what_we_wrote_once_and_for_all(empty):
    live = spec(topology={"mode": "hard"})
    written = frozenset({("spec", "topology")})

    patch = difference(spec(topology=empty), live, FIELDS, written)

    assert patch == spec(topology=None)
    assert difference(spec(topology=empty), merged(live, patch), FIELDS, written) == {}


names = st.sampled_from(["a", "b", "queue", "least"])
texts = st.sampled_from(["", "x", "y", "1", "500m", "0.5"])
maps = st.dictionaries(names, json_values, max_size=3)
desired_objects = st.fixed_dictionaries(
    {},
    optional={
        "metadata": st.fixed_dictionaries(
            {},
            optional={
                "labels": st.dictionaries(names, texts, max_size=3),
                "annotations": st.dictionaries(names, texts, max_size=3),
                "ownerReferences": st.lists(st.dictionaries(names, texts), max_size=2),
            },
        ),
        "spec": st.fixed_dictionaries(
            {},
            optional={
                "floor": st.none() | st.integers(0, 3),
                "resources": st.none() | st.dictionaries(names, texts, max_size=3),
                "queue": texts,
                "topology": st.none() | maps | texts,
                "backoff": st.integers(),
            },
        ),
    },
)
spec_keys = ("floor", "resources", "queue", "topology", "backoff")
anything = st.fixed_dictionaries(
    {},
    optional={
        "metadata": json_values
        | st.fixed_dictionaries(
            {}, optional={"labels": maps | json_values, "annotations": maps | json_values}
        ),
        "spec": json_values
        | st.fixed_dictionaries(
            {},
            optional=dict.fromkeys(spec_keys, json_values | maps),
        ),
    },
)
PATHS = [("spec", "topology"), ("spec", "floor"), *(("metadata", "labels", name) for name in ("a", "queue"))]


@given(desired_objects, desired_objects | anything, st.frozensets(st.sampled_from(PATHS)))
def test_once_patched_nothing_differs_any_more(desired, live, written):
    after = merged(live, difference(desired, live, FIELDS, written))

    assert difference(desired, after, FIELDS, written) == {}


@given(desired_objects, anything)
def test_what_is_never_ours_is_never_in_a_patch(desired, live):
    patch = difference(desired, live, FIELDS, NOBODY)

    assert "backoff" not in patch.get("spec", {})
    assert set(patch) <= {"metadata", "spec"}


@given(desired_objects)
def test_an_object_does_not_differ_from_itself(desired):
    assert difference(desired, desired, tuple(rule for rule in FIELDS if not rule.excludes), NOBODY) == {}


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [
        pytest.param({"a": "b"}, {"a": "c"}, {"a": "c"}, id="replaced"),
        pytest.param({"a": "b"}, {"a": None}, {}, id="removed"),
        pytest.param({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}, id="merged"),
        pytest.param({"a": [1]}, {"a": [2]}, {"a": [2]}, id="lists are replaced"),
        pytest.param({"a": "text"}, {"a": {"b": {"c": None}}}, {"a": {"b": {}}}, id="nulls are never stored"),
        pytest.param([1], {"a": 1}, {"a": 1}, id="no object before"),
        pytest.param({"a": 1}, "text", "text", id="no object afterwards"),
    ],
)
def test_a_merge_patch_is_applied_as_the_server_does(target, patch, expected):
    assert merged(target, patch) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"a": {}, "b": [], "c": None}, None, id="nothing but nothing"),
        pytest.param(
            {"a": 0, "b": False, "c": ""}, {"a": 0, "b": False, "c": ""}, id="zero, false and empty text"
        ),
        pytest.param([{}, 1], [None, 1], id="a list keeps its places"),
    ],
)
def test_what_means_nothing_is_left_out(value, expected):
    assert plain(value) == expected


def managed(manager, fields):
    return {"metadata": {"managedFields": [{"manager": manager, "fieldsV1": fields}]}}


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        pytest.param(
            managed("us", {"f:spec": {"f:floor": {}}}),
            {("spec",), ("spec", "floor")},
            id="a path and what is above",
        ),
        pytest.param(
            managed("us", {"f:metadata": {"f:labels": {".": {}, "f:a.b/c": {}}}}),
            {("metadata",), ("metadata", "labels"), ("metadata", "labels", "a.b/c")},
            id="keys with dots",
        ),
        pytest.param(managed("other", {"f:spec": {}}), set(), id="somebody else's"),
        pytest.param(managed("us", None), set(), id="no fields"),
        pytest.param({"metadata": {"managedFields": [None, 7, {"manager": 7}]}}, set(), id="nonsense"),
        pytest.param({"metadata": {"managedFields": "us"}}, set(), id="no list"),
    ],
)
def test_tells_the_paths_that_a_manager_wrote(live, expected):
    written = WrittenBy(live, frozenset({"us"}))

    assert written.paths == expected
    assert all(path in written for path in expected)


def test_a_manager_that_is_no_text_wrote_nothing():
    assert WrittenBy(managed(["us"], {"f:spec": {}}), frozenset({"us"})).paths == frozenset()


def test_the_rule_of_a_name_comes_before_that_of_all_names():
    rules = (
        FieldRule(("labels", "*"), Ownership.OURS),
        FieldRule(("labels", "kept"), Ownership.NEVER),
    )

    assert difference({}, {"labels": {"kept": "1", "gone": "1"}}, rules, NOBODY) == {"labels": {"gone": None}}


RULES = [
    pytest.param(dialect, rule, id=f"{dialect.name} {'.'.join(rule.path)}")
    for dialect in (KaiDialect(), VolcanoDialect())
    for rule in dialect.fields
]


@pytest.mark.parametrize(("dialect", "rule"), RULES)
def test_all_that_rules_speak_of_is_looked_at(dialect, rule):
    assert rule.ownership is Ownership.NEVER or any(".".join(rule.path).startswith(path) for path in DECIDED)


@given(json_values)
def test_where_all_is_as_decided_no_rule_finds_a_difference(spec):
    desired = {"metadata": {"name": "g"}, "spec": spec}
    live = {"metadata": {"name": "g", "resourceVersion": "7"}, "spec": spec}

    assert as_decided(desired, live)
    assert difference(desired, live, FIELDS, NOBODY) == {}
