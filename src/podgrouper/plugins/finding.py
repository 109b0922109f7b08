"""From what a person wrote behind `--plugin` to the groupers that are meant by it."""

import traceback
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isclass
from pathlib import Path
from types import ModuleType
from typing import TypeGuard

from podgrouper.policies.kai.grouper import Grouper


class BadPlugin(Exception):
    """There is no plugin to be had from this. The message says why and what to do."""


def groupers_in(source: str) -> Mapping[str, Grouper]:
    """Class -> grouper, for every grouper that a file, a module or `module:Class` defines."""
    module, _, wanted = (source, "", "") if is_a_file(source) else source.partition(":")
    try:
        loaded = _of_file(Path(source)) if is_a_file(source) else import_module(module)
        found = {kind.__name__: kind() for kind in _classes(loaded) if wanted in ("", kind.__name__)}
    except BadPlugin:
        raise
    except BaseException as error:
        raise BadPlugin(_why(error, source)) from error
    if not found:
        what = f"no class {wanted!r}" if wanted else "no class"
        raise BadPlugin(f"it defines {what} with kinds: derive one from podgrouper.groupers.Grouper")
    return found


def is_a_file(source: str) -> bool:
    """A module's name has neither slashes nor the ending of a file."""
    return "/" in source or source.endswith(".py")


def _of_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise BadPlugin("there is no such file: give the path of a Python file, or the name of a module")
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise BadPlugin("this is no Python file: its name has to end in .py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _classes(module: ModuleType) -> Iterator[type[Grouper]]:
    """Those that the module defines itself. One without kinds is there for others to derive from."""
    for kind in vars(module).values():
        if _is_a_grouper(kind) and kind.__module__ == module.__name__ and hasattr(kind, "kinds"):
            yield kind


def _is_a_grouper(found: object) -> TypeGuard[type[Grouper]]:
    return isclass(found) and Grouper in found.__mro__


def _why(error: BaseException, source: str) -> str:
    """With the place where it happened, which is seldom in a file of ours."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == source]
    at = f"line {lines[-1]}: " if lines else ""
    return f"{at}{type(error).__name__}: {error}"
