"""The CustomResourceDefinitions that come with the program, for a sandbox to serve."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import yaml

from podgrouper.core.fields import text
from podgrouper.core.model import Json
from podgrouper.memory.definitions import CRD
from podgrouper.memory.store import Store


@cache
def shipped() -> tuple[Json, ...]:
    """All of them, by file name: the PodGroups and Queues of both schedulers, the workloads of the demo."""
    folder = files("podgrouper") / "crds"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".yaml"))
    read = [yaml.load((folder / name).read_text("utf-8"), Loader=yaml.CSafeLoader) for name in names]
    return tuple(definition for definition in read if isinstance(definition, Mapping))


def install(store: Store) -> None:
    """Serves their kinds. Those that are there already stay as they are."""
    for definition in shipped():
        if store.find(CRD, "", text(definition, "metadata.name")) is None:
            store.create(definition, manager="podgrouper.io")
