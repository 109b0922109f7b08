"""The soak itself: what it would find, and that what it finds can be had again."""

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from podgrouper.core.fields import ref_of
from podgrouper.core.model import POD
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer, Stream, Transport
from tests.soak.__main__ import Failure, main
from tests.soak.deeds import Deed
from tests.soak.invariants import INVARIANTS, broken
from tests.soak.record import Record
from tests.soak.running import run
from tests.soak.scenarios import Happening, Scenario, Workload, scenario
from tests.soak.shrinking import shrunk

PAGE = Path(__file__).parents[2] / "docs/reliability.md"
GANG = Workload("w0", "volcano", "a StatefulSet", "nothing odd", "blue", 2)
IDLE = Workload("w1", "volcano", "a ReplicaSet at 0", "nothing odd", "blue", 0)
COMES = [Deed("comes", ref_of(obj), "volcano", obj=obj) for obj in (*GANG.objects, *IDLE.objects)]
ASKS = Deed("asks for", ref_of(GANG.objects[0]), "volcano", "2")
SMALL = Scenario(
    seed=0,
    texts=(("volcano", "nothing"),),
    workloads=(GANG, IDLE),
    story=tuple(Happening(5.0, deed) for deed in (*COMES, ASKS)),
    calm=True,
)
"""A group is made, linked to and changed, and another one is deleted."""
Carelessness = Callable[[Request], Request | None]


class Careless:
    """A controller that leaves something out of its requests, or some of them."""

    def __init__(self, inner: Transport, change: Carelessness) -> None:
        self._inner = inner
        self._change = change

    async def send(self, request: Request) -> Answer:
        changed = self._change(request)
        return Answer(200, {}, b"{}") if changed is None else await self._inner.send(changed)

    def stream(self, request: Request) -> AbstractAsyncContextManager[Stream]:
        return self._inner.stream(request)

    async def close(self) -> None:
        await self._inner.close()


def _with_body(request: Request, change: Callable[[object], object]) -> Request:
    return replace(request, body=msgspec.json.encode(change(msgspec.json.decode(request.body))))


def _without_tests(request: Request) -> Request:
    if "json-patch" not in request.headers.get("Content-Type", ""):
        return request
    return _with_body(request, lambda steps: [step for step in steps if step["op"] != "test"])


def _without_guards(request: Request) -> Request:
    if "merge-patch" not in request.headers.get("Content-Type", ""):
        return request
    return _with_body(request, lambda patch: {**patch, "metadata": {}})


def _without_preconditions(request: Request) -> Request:
    if request.method != "DELETE":
        return request
    return _with_body(request, lambda options: {**options, "preconditions": {}})


def _never_deletes(request: Request) -> Request | None:
    return None if request.method == "DELETE" else request


def _never_makes_a_group(request: Request) -> Request | None:
    return None if request.method == "POST" and request.path.endswith("/podgroups") else request


def _never_links(request: Request) -> Request | None:
    return None if request.method == "PATCH" and "/pods/" in request.path else request


def test_a_careful_controller_breaks_no_promise():
    assert broken(run(SMALL)) == {}


@pytest.mark.parametrize(
    ("change", "promise"),
    [
        pytest.param(_without_tests, "every write is conditional", id="links without tests"),
        pytest.param(_without_guards, "every write is conditional", id="patches without uid and version"),
        pytest.param(_without_preconditions, "every write is conditional", id="deletes without conditions"),
        pytest.param(_never_deletes, "the group of a workload at zero goes", id="groups that never go"),
        pytest.param(_never_makes_a_group, "a link names a group that exists", id="links to nothing"),
        pytest.param(_never_links, "every live pod is linked or skipped with a reason", id="pods left alone"),
    ],
)
def test_what_a_careless_controller_does_is_found(change, promise):
    assert promise in broken(run(SMALL, lambda inner: Careless(inner, change)))


def test_equal_seeds_run_alike():
    first, second = _story_of(run(scenario(7))), _story_of(run(scenario(7)))

    assert first
    assert first == second


def _story_of(record: Record) -> list[str]:
    return [*map(str, record.writes), *(f"{moment.at} {moment.event.object}" for moment in record.moments)]


def test_a_scenario_that_fails_is_told_by_the_least_that_still_does():
    large = replace(SMALL, calm=False, twin=True, crashes=(3, 5))

    least = shrunk(large, lambda one: any(step.deed.about.kind == POD for step in one.story))

    assert (least.size, least.workloads) == (1, (GANG,))


def test_a_failure_is_told_with_what_replays_it():
    failure = Failure(7, 1, {"a second pass writes nothing": ("PATCH …",)}, least="w0: a Job of 1")

    assert str(failure).splitlines() == [
        "FAILED seed 7",
        "  a second pass writes nothing: PATCH …",
        "w0: a Job of 1",
        "replay it with: make soak RUNS=1 SEED=7",
    ]


def test_the_page_on_reliability_names_every_promise():
    told = re.findall(r"^\| ([^|]+) \|$", PAGE.read_text(), re.MULTILINE)

    assert [name for name in told if name != "promise"] == list(INVARIANTS)


def test_the_program_ends_with_its_figures(capsys):
    code = main(["--runs", "3", "--seed", "1"])

    assert (code, msgspec.json.decode(capsys.readouterr().out.splitlines()[-1])["runs"]) == (0, 3)
