"""What has to be known before the first key runs: live rules, existing groups, PriorityClasses, all pods.

Known also means proven absent: no ConfigMap, no such kind, no right to read it. Until then nothing is
decided, for what has not been seen yet looks exactly like what does not exist.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from podgrouper.controller.feeds import Feed, PodFeed
from podgrouper.controller.identities import Spot
from podgrouper.controller.kinds import Kinds
from podgrouper.controller.shapes import pod_shape
from podgrouper.controller.store import PRIORITY_CLASS
from podgrouper.controller.tables import State
from podgrouper.controller.triggers import Triggers
from podgrouper.core.fields import strings, text
from podgrouper.core.model import POD, Json, Kind
from podgrouper.kube.client import Client
from podgrouper.kube.errors import ApiError, Forbidden, NotFound, UnknownKind
from podgrouper.kube.requests import WatchSpec
from podgrouper.kube.watcher import watch

log = logging.getLogger(__name__)

CONFIG_MAP = Kind("v1", "ConfigMap")
AGAIN_SECONDS = 1.0


class TextSource(Protocol):
    """One text in one ConfigMap."""

    @property
    def namespace(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def key(self) -> str: ...


Lives = Mapping[Spot, str]
"""The uid of each ConfigMap that is there."""
OnTexts = Callable[[Mapping[TextSource, str], Lives], None]


class Ground:
    """Starts the watches that run from the beginning, and knows when they have shown everything."""

    def __init__(
        self,
        client: Client,
        triggers: Triggers,
        kinds: Kinds,
        namespaces: Sequence[str],
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._client = client
        self._triggers = triggers
        self._kinds = kinds
        self._namespaces = tuple(namespaces) or ("",)
        self._tasks = tasks
        self._changed = asyncio.Event()
        self.known = False

    async def settle(self, sources: Iterable[TextSource], on_texts: OnTexts) -> None:
        """Comes back when the ground is known: texts first, for they say what the rest means."""
        await self._texts(tuple(sources), on_texts)
        wanted = list(self._triggers.store.group_kinds)
        if self._triggers.store.reads.priority_classes:
            wanted.append(PRIORITY_CLASS)
        for kind in wanted:
            await self._open(kind)
        await self._pods()
        self.known = True

    async def _open(self, kind: Kind) -> None:
        while True:
            try:
                table = await self._kinds.open(kind)
            except ApiError as error:
                log.warning("%s: %s", kind, error)
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            if table.state is not State.LISTED:
                log.warning("%s: %s", kind, table.state.value)
            return

    async def _pods(self) -> None:
        shape = pod_shape(self._triggers.store.reads)
        feeds: list[Feed] = []
        schedulers = sorted({name for profile in self._triggers.profiles for name in profile.schedulers})
        for scheduler in schedulers:
            for namespace in self._namespaces:
                feed = PodFeed(self._triggers, scheduler, namespace, self._changed.set)
                spec = WatchSpec(POD, namespace, field_selector=f"spec.schedulerName={scheduler}")
                feeds.append(feed)
                self._tasks.create_task(watch(self._client, spec, feed, shape=shape, now=_time()))
        await self._until_synced(feeds)

    async def _texts(self, sources: tuple[TextSource, ...], on_texts: OnTexts) -> None:
        texts = Texts(sources, on_texts)
        feeds = [TextFeed(texts, namespace, name, self._changed.set) for namespace, name in texts.config_maps]
        for feed in feeds:
            spec = WatchSpec(CONFIG_MAP, feed.namespace, field_selector=f"metadata.name={feed.name}")
            self._tasks.create_task(watch(self._client, spec, feed, now=_time()))
        await self._until_synced(feeds, absent=(Forbidden, NotFound, UnknownKind))
        texts.settle()

    async def _until_synced(self, feeds: Sequence[Feed], absent: tuple[type[ApiError], ...] = ()) -> None:
        while not all(feed.synced or isinstance(feed.error, absent) for feed in feeds):
            self._changed.clear()
            await self._changed.wait()


def _time() -> Callable[[], float]:
    return asyncio.get_running_loop().time


class Texts:
    """What the ConfigMaps say that the configuration points at."""

    def __init__(self, sources: tuple[TextSource, ...], on_change: OnTexts) -> None:
        self._sources = sources
        self._on_change = on_change
        self._texts: dict[TextSource, str] = {}
        self._lives: dict[Spot, str] = {}
        self._settled = False

    @property
    def config_maps(self) -> tuple[Spot, ...]:
        return tuple(dict.fromkeys((source.namespace, source.name) for source in self._sources))

    def settle(self) -> None:
        """All of them were read or are absent: from now on every change counts."""
        self._settled = True
        self._on_change(dict(self._texts), dict(self._lives))

    def take(self, config_map: Spot, obj: Json) -> None:
        """The ConfigMap as it is now; an empty object when there is none."""
        before = (dict(self._texts), dict(self._lives))
        self._lives[config_map] = text(obj, "metadata.uid")
        data = strings(obj, "data")
        for source in self._sources:
            if (source.namespace, source.name) != config_map:
                continue
            if source.key in data:
                self._texts[source] = data[source.key]
            else:
                self._texts.pop(source, None)
        now = (dict(self._texts), dict(self._lives))
        if self._settled and before != now:
            self._on_change(*now)


class TextFeed(Feed):
    """The watch of one ConfigMap."""

    def __init__(self, texts: Texts, namespace: str, name: str, on_change: Callable[[], None]) -> None:
        super().__init__()
        self.namespace = namespace
        self.name = name
        self._texts = texts
        self._on_change = on_change
        self._version = ""

    def put(self, obj: Json) -> None:
        self._version = text(obj, "metadata.resourceVersion")
        self._texts.take((self.namespace, self.name), obj)

    def removed(self, _: Json) -> None:
        self._version = ""
        self._texts.take((self.namespace, self.name), {})

    def names(self) -> dict[str, set[str]]:
        return {self.namespace: {self.name}} if self._version else {}

    def version(self, _: Spot) -> str:
        return self._version

    def dropped(self, _: Spot) -> None:
        self.removed({})

    def changed(self) -> None:
        self._on_change()
