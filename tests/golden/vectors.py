"""Golden vectors: a world of objects, a configuration, and what must come out of it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from podgrouper.config.model import Config, KaiSettings, ProfileConfig, VolcanoSettings
from podgrouper.core.model import Ending, Json, Kind

FOLDER = Path(__file__).parent / "vectors"
FILES = ("volcano.jsonl", "volcano-levels.jsonl", "kai.jsonl")


@dataclass(frozen=True)
class Vector:
    """One line of a file."""

    id: str
    area: str
    config: Json
    world: tuple[Json, ...]
    expect: Json

    @property
    def profile(self) -> str:
        return str(self.config["profile"])

    def settings(self) -> Config:
        """What the vector configures, in the words of our own configuration."""
        return Config(profiles=(_PROFILES[self.profile](self.config),))

    def unreadable(self) -> Mapping[Kind, Ending]:
        """Kinds that the API server hides, and how."""
        hidden = {
            Kind(kind["apiVersion"], kind["kind"]): Ending.FORBIDDEN
            for kind in self.config.get("unreadable", ())
        }
        hidden |= {_kind(text): Ending.FORBIDDEN for text in self.config.get("forbidden", ())}
        hidden |= {_kind(text): Ending.UNKNOWN_KIND for text in self.config.get("unknownKinds", ())}
        return hidden


def vectors(paths: Iterable[Path]) -> Iterator[Vector]:
    for path in paths:
        with path.open() as lines:
            yield from (vector(json.loads(line)) for line in lines if line.strip())


def vector(entry: Json) -> Vector:
    return Vector(entry["id"], entry["area"], entry["config"], tuple(entry["world"]), entry["expect"])


def built_in(*areas: str, file: str) -> list[Vector]:
    """The vectors of these areas; of all of them when none is named."""
    return [one for one in vectors([FOLDER / file]) if not areas or one.area in areas]


def every() -> list[object]:
    """All that are kept here, as cases for pytest."""
    return [pytest.param(one, id=one.id) for one in vectors(FOLDER / file for file in FILES)]


def _kind(text: str) -> Kind:
    api_version, _, kind = text.rpartition("/")
    return Kind(api_version, kind)


def _volcano(config: Json) -> ProfileConfig:
    settings = VolcanoSettings(
        inherit_owner_annotations=config["inheritOwnerAnnotations"],
        workload_support=config["workloadSupport"],
        level_rules=config.get("levelRules"),
    )
    return replace(_profile("volcano", config), volcano=settings)


def _kai(config: Json) -> ProfileConfig:
    settings = KaiSettings(
        queue_label_key=config["queueLabelKey"],
        node_pool_label_key=config["nodePoolLabelKey"],
        knative_gang_schedule=config["knativeGangSchedule"],
        type_defaults=config.get("typeDefaults"),
    )
    return replace(_profile("kai", config), kai=settings)


def _profile(name: str, config: Json) -> ProfileConfig:
    return ProfileConfig(name, name, name, tuple(config["schedulerNames"]))


_PROFILES = {"volcano": _volcano, "kai": _kai}
