"""Nothing is decided before everything is known that a decision may rest on."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from podgrouper.config.model import Config, ConfigMapKey
from podgrouper.controller.ground import TextFeed, Texts
from podgrouper.core.model import Kind
from podgrouper.kube.transport import Answer
from podgrouper.kube.watching import Put, Removed, Restarted, Synced
from podgrouper.sandbox.transport import MemoryTransport
from tests.builders import controls, owner, pod
from tests.roads.sandboxed import Sandbox
from tests.roads.virtual_time import in_virtual_time

POD_GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
CONFIG_MAP = Kind("v1", "ConfigMap")
RULES, TYPES = ConfigMapKey("system", "rules", "levels"), ConfigMapKey("system", "rules", "types")
OTHER = ConfigMapKey("system", "other", "levels")
SPOT = ("system", "rules")


def config_map(name="rules", uid="uid-rules", **data):
    return owner(f"{CONFIG_MAP}", name, namespace="system", data=data) | {
        "metadata": {"namespace": "system", "name": name, "uid": uid, "resourceVersion": "1"}
    }


@dataclass
class Told:
    """What was said about the texts, the newest last."""

    texts: list[dict[str, str]] = field(default_factory=list)
    uids: list[str] = field(default_factory=list)

    def __call__(self, texts, lives):
        self.texts.append({source.key: text for source, text in texts.items()})
        self.uids.append(lives.get(SPOT, ""))


def texts_after(*config_maps, settled=0):
    """What was told of these, of which so many came before the ground was known."""
    told = Told()
    texts = Texts((RULES, TYPES), told)
    for obj in config_maps[:settled]:
        texts.take(SPOT, obj)
    texts.settle()
    for obj in config_maps[settled:]:
        texts.take(SPOT, obj)
    return told


def test_before_the_ground_is_known_nothing_is_told_and_then_once():
    told = texts_after(config_map(levels="old"), config_map(levels="new"), settled=2)

    assert told.texts == [{"levels": "new"}]


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        pytest.param(config_map(levels="b"), [{"levels": "a"}, {"levels": "b"}], id="another text"),
        pytest.param(config_map(levels="a", noise="x"), [{"levels": "a"}], id="a key that nobody reads"),
        pytest.param(config_map(types="t"), [{"levels": "a"}, {"types": "t"}], id="another key"),
        pytest.param({}, [{"levels": "a"}, {}], id="it is gone"),
        pytest.param(config_map(levels=["a"]), [{"levels": "a"}, {}], id="no text"),
    ],
)
def test_afterwards_every_change_is_told(later, expected):
    assert texts_after(config_map(levels="a"), later, settled=1).texts == expected


def test_another_life_of_the_config_map_is_told_for_events_name_it():
    told = texts_after(config_map(levels="a"), config_map(levels="a", uid="uid-later"), settled=1)

    assert told.uids == ["uid-rules", "uid-later"]


def test_a_config_map_says_nothing_about_the_texts_of_another():
    told = []
    texts = Texts((RULES, OTHER), lambda found, _: told.append(found))
    texts.settle()
    texts.take(SPOT, config_map(levels="a"))
    texts.take(("system", "other"), config_map("other", levels="b"))

    assert told == [{}, {RULES: "a"}, {RULES: "a", OTHER: "b"}]


def test_each_config_map_is_watched_once_however_many_texts_it_holds():
    assert Texts((RULES, TYPES, OTHER), Told()).config_maps == (SPOT, ("system", "other"))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([Put(config_map(levels="a")), Synced("2")], [{}, {"levels": "a"}], id="it comes"),
        pytest.param([Put(config_map(levels="a")), Removed({})], [{}, {"levels": "a"}, {}], id="it goes"),
        pytest.param(
            [Put(config_map(levels="a")), Synced("2"), Restarted(), Synced("9")],
            [{}, {"levels": "a"}, {}],
            id="a relist does not show it",
        ),
        pytest.param(
            [Put(config_map(levels="a")), Synced("2"), Restarted(), Put(config_map(levels="a")), Synced("9")],
            [{}, {"levels": "a"}],
            id="a relist shows it",
        ),
    ],
)
def test_a_text_follows_its_config_map(events, expected):
    told = Told()
    texts = Texts((RULES,), told)
    texts.settle()
    TextFeed(texts, *SPOT, lambda: None)(events)

    assert told.texts == expected


SET = owner("apps/v1 StatefulSet", "web", spec={"replicas": 1})
KAI = Config()
NOT_NOW = Answer(503, {}, b"{}")


def hiding(plural):
    """The server does not answer for this resource."""
    return lambda request: NOT_NOW if request.path.endswith(f"/{plural}") else None


@pytest.mark.parametrize("plural", ["configmaps", "podgroups", "priorityclasses", "pods"])
@in_virtual_time
async def test_no_key_runs_before_everything_was_seen_of(plural):
    sandbox = Sandbox([SET, pod("web-0", controls(SET), scheduler="kai-scheduler"), pod("alone")])
    sandbox.refuse = hiding(plural)
    async with sandbox.controller(KAI) as controller:
        await asyncio.sleep(300)
        before = (controller.ready, sandbox.writes())
        sandbox.refuse = lambda _: None
        await sandbox.quiet(100)

        assert before == (False, [])
        assert controller.ready
        assert len(sandbox.store.list(POD_GROUP)) == 1


@pytest.mark.parametrize(
    "kind", [CONFIG_MAP, Kind("scheduling.k8s.io/v1", "PriorityClass"), POD_GROUP], ids=str
)
@in_virtual_time
async def test_what_may_not_be_read_is_known_to_be_absent(kind):
    sandbox = Sandbox([pod("alone", scheduler="kai-scheduler")])
    sandbox.api.denied |= {(verb, kind) for verb in ("get", "list", "watch")}
    async with sandbox.controller(KAI) as controller:
        await sandbox.quiet()

        assert controller.ready
        assert len(sandbox.store.list(POD_GROUP)) == 1


class Slow(MemoryTransport):
    """A minute passes before the list of widgets begins."""

    @asynccontextmanager
    async def stream(self, request):
        if request.path.endswith("/widgets"):
            await asyncio.sleep(60)
        async with super().stream(request) as found:
            yield found


@in_virtual_time
async def test_the_first_keys_wait_a_while_until_pods_found_their_places():
    widget = owner("example.com/v1 Widget", "slow")
    sandbox = Sandbox([widget, pod("late", controls(widget)), pod("alone")])
    written = []
    async with sandbox.controller(KAI, transport=Slow(sandbox.api)) as controller:
        for seconds in (10, 15, 50):
            await asyncio.sleep(seconds)
            written.append((controller.ready, len(sandbox.writes())))

    assert written == [(True, 0), (True, 2), (True, 4)]
