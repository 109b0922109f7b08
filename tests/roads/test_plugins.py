"""Groupers of one's own through the controller: what they make, and what it costs others when they fail."""

import asyncio
import itertools
import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from podgrouper.cli.plugins import with_plugins
from podgrouper.config.model import BUILT_IN, Config, KaiSettings
from podgrouper.config.program import parse_config
from podgrouper.core.fields import annotations, integer, ref_of, text
from podgrouper.core.groups import Grouping
from podgrouper.core.model import POD, Json, Kind
from podgrouper.memory.resources import found_in_file
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outside.plugin import Hung, Plugin
from podgrouper.policies.kai.scene import Scene
from tests.builders import at_version, controls, owner, owns, pod
from tests.cli.served import Served, served
from tests.cluster.waiting import eventually_async
from tests.plugins.sources import BLOCKED, BUSY, PATIENT, PID, SHARED, alive, plugin
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
CUSTOM_JOB = Kind("example.com/v1", "CustomJob")
EXAMPLE = Path(__file__).parents[2] / "examples" / "customjob.py"
NEIGHBOUR = owner("apps/v1 StatefulSet", "web", spec={"replicas": 1})
MANY = 40
"""More than there are workers."""


def using(source: str | Path, seconds: float) -> Config:
    settings = {"plugins": [str(source)], "pluginSeconds": seconds}
    config = parse_config(json.dumps({"profiles": [{"policy": "kai", "kai": settings}]}))
    assert isinstance(config, Config)
    loaded = with_plugins(config)
    assert isinstance(loaded, Config)
    return loaded


def job(name: str = "train", **spec: object) -> Json:
    return owner(str(CUSTOM_JOB), name, spec=spec)


def member(name: str, of: Json, **more: object) -> dict[str, object]:
    return pod(name, controls(dict(of)), scheduler="kai-scheduler", **more)


def linked(sandbox: Sandbox | Served) -> list[str]:
    return sorted(
        ref_of(found).name for found in sandbox.store.list(POD) if "pod-group-name" in annotations(found)
    )


def floors(sandbox: Sandbox) -> list[tuple[str, int]]:
    return [(ref_of(group).name, integer(group, "spec.minMember", -1)) for group in sandbox.store.list(GROUP)]


def was_asked(source: str) -> bool:
    return Path(f"{source}.asked").exists()


def forget(source: str) -> None:
    Path(f"{source}.asked").unlink()


def let_go(source: str) -> None:
    Path(f"{source}.go").touch()


async def test_a_kind_of_ones_own_becomes_a_gang_and_follows_its_workload():
    train = job(minAvailable=2, replicas=3)
    sandbox = Sandbox([train, member("train-0", train), member("train-1", train)])

    async with sandbox.controller(using(EXAMPLE, seconds=20)):
        await eventually_async(lambda: linked(sandbox), lambda names: names == ["train-0", "train-1"])
        before = floors(sandbox)
        sandbox.store.load(at_version(dict(job(replicas=3)), 2))
        await eventually_async(lambda: floors(sandbox), lambda now: now != before)

    assert before == [("pg-train-uid-train", 2)]
    assert floors(sandbox) == [("pg-train-uid-train", 3)]
    assert sandbox.warned() == []


@pytest.mark.parametrize("body", [pytest.param(BUSY, id="in a loop"), pytest.param(BLOCKED, id="in a call")])
async def test_while_a_plugin_hangs_others_are_grouped(tmp_path, body):
    jobs = [job(f"job-{number}") for number in range(MANY)]
    pods = [member(f"hangs-{number}", of) for number, of in enumerate(jobs)]
    sandbox = Sandbox([*jobs, *pods, NEIGHBOUR, member("web-0", NEIGHBOUR)])

    async with sandbox.controller(using(plugin(tmp_path, body), seconds=10)):
        await eventually_async(lambda: linked(sandbox), lambda names: names == ["web-0"])
        sandbox.store.load(member("web-1", NEIGHBOUR))
        await eventually_async(lambda: linked(sandbox), lambda names: names == ["web-0", "web-1"])

    assert sandbox.warned() == []


async def test_what_changes_while_a_plugin_thinks_is_not_missed(tmp_path):
    source = plugin(tmp_path, PATIENT, afterwards=SHARED)
    quick, slow = job("quick"), job("slow")
    settings = owner("example.com/v1 Settings", "shared", spec={"floor": 0})
    sandbox = Sandbox([quick, member("quick-0", quick), settings, pod("idle", owns(settings))])

    async with sandbox.controller(using(source, seconds=20)):
        await eventually_async(sandbox.warned)
        forget(source)
        sandbox.store.load(slow)
        sandbox.store.load(member("slow-0", slow))
        await eventually_async(lambda: was_asked(source))
        sandbox.store.load(at_version(settings, 2) | {"spec": {"floor": 3}})
        let_go(source)
        await eventually_async(lambda: linked(sandbox), lambda names: names == ["quick-0", "slow-0"])

    assert floors(sandbox) == [("pg-quick-uid-quick", 3), ("pg-slow-uid-slow", 3)]


async def test_the_program_ends_in_order_while_a_plugin_hangs_and_leaves_nothing_behind(tmp_path):
    source = plugin(tmp_path, BUSY, afterwards=PID)
    config = tmp_path / "config.yaml"
    config.write_text(f"profiles: [{{policy: kai, kai: {{plugins: [{source}], pluginSeconds: 60}}}}]")
    train = job()

    async with served(tmp_path, [NEIGHBOUR, member("web-0", NEIGHBOUR)]) as cluster:
        cluster.store.catalog.add(found_in_file(CUSTOM_JOB, namespaced=True))
        for obj in (train, member("train-0", train)):
            cluster.store.load(obj)
        program = await cluster.start("run", f"--config={config}", "--health-address=")
        await eventually_async(lambda: linked(cluster), lambda names: names == ["web-0"], within=20)
        program.terminate()
        async with asyncio.timeout(5):
            _, log = await program.communicate()

    assert (program.returncode, alive(source)) == (0, False)
    assert b"Traceback" not in log


@pytest.mark.parametrize(
    ("body", "reason", "words"),
    [
        pytest.param(BUSY, "GrouperHung", "no answer within 0.5 s, so it was stopped", id="hangs"),
        pytest.param("raise KeyError('role')", "GrouperFailed", "KeyError: 'role'", id="raises"),
        pytest.param("os._exit(3)", "GrouperFailed", "its process ended with exit code 3", id="exits"),
        pytest.param(
            "return 1",
            "GrouperFailed",
            "its answer makes no sense: int is no Grouping",
            id="nonsense",
        ),
    ],
)
async def test_a_plugin_that_fails_is_named_in_event_metric_and_log(tmp_path, caplog, body, reason, words):
    source = plugin(tmp_path, body)
    sandbox = Sandbox([job(), member("train-0", job()), NEIGHBOUR, member("web-0", NEIGHBOUR)])

    with caplog.at_level(logging.WARNING):
        async with sandbox.controller(using(source, seconds=0.5)) as controller:
            (event,) = await eventually_async(sandbox.warned)
            await eventually_async(lambda: linked(sandbox), lambda names: names == ["web-0"])
            page = controller.metrics.page().decode()

    message = f"plugin {source}, CustomJob ns/train: {words}"
    labels = f'extension="plugin {source}",kind="{CUSTOM_JOB}",reason="{reason}"'
    assert (event["reason"], text(event, "message")) == (reason, message)
    assert f"podgrouper_extension_failures_total{{{labels}}}" in page
    assert message in caplog.text


class Hangs(Grouper):
    """Says that it hung, and when it was asked."""

    kinds = (CUSTOM_JOB,)

    def __init__(self) -> None:
        self.asked: list[float] = []

    def group(self, scene: Scene) -> Grouping:
        self.asked.append(asyncio.get_running_loop().time())
        raise Hung(f"no answer about {scene.owner.ref}")


def asked_after(sandbox: Sandbox, grouper: Hangs, seconds: float, news: Sequence[Json] = ()) -> list[float]:
    """When a grouper was asked, with a piece of news each second, rounded."""
    settings = KaiSettings(groupers=(Plugin.of("hangs.py", grouper),))
    config = Config(profiles=(replace(BUILT_IN[1], kai=settings),))

    async def wait() -> None:
        async with sandbox.controller(config):
            for change in news:
                await asyncio.sleep(1)
                sandbox.store.load(change)
            await asyncio.sleep(seconds)

    virtual_time.run(wait())
    return grouper.asked


def test_what_hangs_again_and_again_is_asked_less_and_less():
    asked = asked_after(Sandbox([job(), member("train-0", job())]), Hangs(), 600)

    pauses = [later - sooner for sooner, later in itertools.pairwise(asked)]
    assert len(asked) in range(12, 18)
    assert pauses[0] <= 5 < pauses[1] <= 10 < pauses[2] <= 20 < pauses[3] <= 40 < pauses[4] <= 60


def test_news_of_its_workload_does_not_make_what_hangs_be_asked_earlier():
    news = [member(f"train-{number}", job()) for number in range(1, 4)]

    asked = asked_after(Sandbox([job(), member("train-0", job())]), Hangs(), 0.5, news)

    assert len(asked) == 1
