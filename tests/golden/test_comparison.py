"""The comparison can fail: a vector with one wrong expectation does, whichever it is."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from tests.golden.__main__ import failure, main
from tests.golden.running import run
from tests.golden.vectors import FILES, FOLDER, Vector, vectors

Expect = dict[str, Any]
Mistake = Callable[[Expect], None]


def kept(name: str) -> Vector:
    return next(one for one in vectors(FOLDER / file for file in FILES) if one.id == name)


VOLCANO = kept("volcano/combo/mix-029")
"""A group, a link to it and a group that is deleted."""
KAI = kept("kai/grove/no-label")
"""A tree of a group, links to its parts and a pod that cannot be grouped."""


def group(expect: Expect) -> Expect:
    return expect["podGroups"][0]


def link(expect: Expect) -> Expect:
    return expect["links"][0]


def wrong(vector: Vector, mistake: Mistake) -> Vector:
    expect = deepcopy(vector.expect)
    mistake(expect)
    return replace(vector, expect=expect)


def lines(vector: Vector) -> str:
    """The vector as a file."""
    entry = {key: getattr(vector, key) for key in ("id", "area", "config", "world", "expect")}
    return json.dumps(entry) + "\n"


EITHER: dict[str, Mistake] = {
    "a higher floor": lambda e: group(e)["spec"].update(minMember=77),
    "no floor": lambda e: group(e)["spec"].pop("minMember"),
    "another name of a group": lambda e: group(e).update(name="pg-other"),
    "another namespace of a group": lambda e: group(e).update(namespace="elsewhere"),
    "a label": lambda e: group(e).setdefault("labels", {}).update(team="x"),
    "an annotation": lambda e: group(e).setdefault("annotations", {}).update(team="x"),
    "another queue": lambda e: group(e)["spec"].update(queue="other"),
    "a field that is not there": lambda e: group(e)["spec"].update(priorityClassName="other"),
    "another owner": lambda e: group(e)["ownerReferences"][0].update(uid="other"),
    "a second owner": lambda e: group(e)["ownerReferences"].append(group(e)["ownerReferences"][0]),
    "no owner": lambda e: group(e).pop("ownerReferences"),
    "one group more": lambda e: e["podGroups"].append(group(e) | {"name": "pg-more"}),
    "one group less": lambda e: e["podGroups"].pop(0),
    "one link more": lambda e: e["links"].append(link(e) | {"name": "pod-more"}),
    "one link less": lambda e: e["links"].pop(0),
    "a link to another group": lambda e: link(e)["annotations"].update(
        dict.fromkeys(link(e)["annotations"], "pg")
    ),
    "a label on a linked pod": lambda e: link(e).setdefault("labels", {}).update(part="x"),
}
OF_VOLCANO: dict[str, Mistake] = {
    "other resources": lambda e: group(e)["spec"]["minResources"].update(cpu="7"),
    "a resource less": lambda e: group(e)["spec"]["minResources"].pop("memory"),
    "one deleted group more": lambda e: e["deleted"].append({"namespace": "default", "name": "pg"}),
    "one deleted group less": lambda e: e["deleted"].pop(),
}
OF_KAI: dict[str, Mistake] = {
    "a part less": lambda e: group(e)["spec"]["subGroups"].pop(),
    "parts in another order": lambda e: group(e)["spec"]["subGroups"].reverse(),
    "another floor of a part": lambda e: group(e)["spec"]["subGroups"][-1].update(minMember=77),
    "another part of a pod": lambda e: link(e)["labels"].update(dict.fromkeys(link(e)["labels"], "x")),
    "one warning more": lambda e: e["warnings"].append({"namespace": "default", "name": "pod"}),
    "one warning less": lambda e: e["warnings"].pop(),
}
ROWS = [
    pytest.param(vector, mistake, id=f"{vector.profile}: {name}")
    for vector, of_it in ((VOLCANO, OF_VOLCANO), (KAI, OF_KAI))
    for name, mistake in {**EITHER, **of_it}.items()
]


@pytest.mark.parametrize("vector", [VOLCANO, KAI], ids=["volcano", "kai"])
def test_the_vectors_that_are_spoilt_here_pass_as_they_are(vector: Vector):
    assert failure(vector) == ""
    assert run(vector).difference == ""


@pytest.mark.parametrize(("vector", "mistake"), ROWS)
def test_one_wrong_expectation_fails_the_plan(vector: Vector, mistake: Mistake):
    assert failure(wrong(vector, mistake))


@pytest.mark.parametrize(("vector", "mistake"), ROWS)
def test_one_wrong_expectation_fails_the_controller(vector: Vector, mistake: Mistake):
    assert run(wrong(vector, mistake)).difference


def test_the_command_names_what_failed_and_how_and_counts(tmp_path, capsys):
    file = tmp_path / "two.jsonl"
    file.write_text(lines(KAI) + lines(wrong(VOLCANO, EITHER["a higher floor"])))

    code = main([str(file)])

    told = capsys.readouterr().out
    assert code == 1
    assert f"FAILED {VOLCANO.id}" in told
    assert '-    "minMember": 77' in told
    assert told.endswith("\n1 passed, 1 failed\n")


def test_the_command_is_content_with_a_file_that_passes(tmp_path, capsys):
    file = tmp_path / "two.jsonl"
    file.write_text(lines(KAI) + lines(VOLCANO))

    assert main([str(file)]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"


def test_a_run_without_any_vector_is_no_success(tmp_path, capsys):
    file = tmp_path / "none.jsonl"
    file.write_text("")

    assert main([str(file)]) == 1
    assert capsys.readouterr().out == "0 passed, 0 failed\n"
