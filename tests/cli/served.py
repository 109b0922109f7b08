"""Commands of the program, run as a person runs them, on an embedded API with these objects."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from podgrouper.core.model import Json
from podgrouper.memory.store import Store
from podgrouper.sandbox import crds, server
from podgrouper.sandbox.api import Api


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Served:
    """A cluster that commands can be pointed at."""

    store: Store
    kubeconfig: Path

    async def start(self, *words: str) -> asyncio.subprocess.Process:
        return await self._started(sys.executable, "-m", "podgrouper", *words)

    async def _started(self, *words: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *words,
            f"--kubeconfig={self.kubeconfig}",
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *words: str) -> Ended:
        return await _ended(await self.start(*words))

    async def run_program(self, name: str, *words: str) -> Ended:
        """Another program of the same installation."""
        return await _ended(await self._started(str(Path(sys.executable).with_name(name)), *words))


async def _ended(process: asyncio.subprocess.Process) -> Ended:
    out, err = await process.communicate()
    return Ended(process.returncode or 0, out.decode(), err.decode())


@asynccontextmanager
async def served(folder: Path, objects: Iterable[Json]) -> AsyncIterator[Served]:
    """The API on a port of this machine while the context is open."""
    store = server.store()
    crds.install(store)
    for obj in objects:
        store.load(obj)
    async with server.running(Api(store)) as running:
        yield Served(store, running.write_kubeconfig(folder / "kubeconfig"))
