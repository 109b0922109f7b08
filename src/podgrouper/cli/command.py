"""A click command that finds everything wrong with its flags before it says so.

click stops at the first mistake. Here values are plain text that is checked together afterwards, and
unknown flags are collected as well.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final

import click

from podgrouper.cli.complaints import Complaint
from podgrouper.cli.plugins import with_plugins, wrong_with
from podgrouper.config.flags.kai import PLUGIN
from podgrouper.config.flags.rows import Row, Typed
from podgrouper.config.flags.table import REPLACED, ROWS
from podgrouper.config.flags.typed import Flags, with_flags
from podgrouper.config.model import Config
from podgrouper.config.program import Findings, parse_config
from podgrouper.core.rules import Finding

_FINDINGS: Final = "podgrouper.findings"
_ASKED: Final = "podgrouper.asked"


def noted(ctx: click.Context) -> list[Finding]:
    """What was found in the flags of this command so far."""
    found = ctx.meta.setdefault(_FINDINGS, [])
    assert isinstance(found, list)
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person typed to configure a command: the file, and flags beside it."""

    file: str | None
    flags: Flags


def asked_of(ctx: click.Context) -> Asked:
    """Of a configured command."""
    asked = ctx.meta[_ASKED]
    assert isinstance(asked, Asked)
    return asked


class OneOf(click.ParamType[str]):
    """One of some words; any other is noted and read as the first."""

    name = "word"

    def __init__(self, *words: str) -> None:
        self.words = words

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "|".join(self.words)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in self.words or ctx is None or param is None:
            return value
        noted(ctx).append(
            Finding(param.opts[-1], f"{value!r} is not accepted: give {' or '.join(self.words)}")
        )
        return self.words[0]


class RowOption(click.Option):
    """A flag of the table, as plain text: what it says is checked together with all the others."""

    def __init__(self, names: Sequence[str], row: Row) -> None:
        super().__init__(names, multiple=row.repeatable, metavar=row.metavar, help=row.help)
        self.row = row


def names_of(row: Row) -> tuple[str, ...]:
    return (row.flag, row.short) if row.short else (row.flag,)


SECTIONS: Mapping[str | None, str] = {
    "volcano": "Flags of the policy volcano, named as in Volcano",
    "kai": "Flags of the policy kai, named as in KAI",
}
"""Policy -> the heading of its flags in `--help`."""


class Command(click.Command):
    """Complains about all of its flags at once."""

    def __init__(self, *args: object, examples: str = "", **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # click's own long list of parameters
        self.examples = examples
        self.ignore_unknown_options = True
        self.allow_extra_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        alone = {param.row.flag for param in self.params if isinstance(param, RowOption) and param.row.switch}
        rest = super().parse_args(ctx, [f"{word}=true" if word in alone else word for word in args])
        noted(ctx).extend(_unknown(ctx.args, self._flags(ctx)))
        return rest

    def invoke(self, ctx: click.Context) -> object:
        if noted(ctx):
            raise Complaint(noted(ctx))
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Flags of a policy in a section of their own."""
        found: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                policy = param.row.policy if isinstance(param, RowOption) else None
                found.setdefault(SECTIONS.get(policy, "Options"), []).append(record)
        for section in ("Options", *SECTIONS.values()):
            if section in found:
                with formatter.section(section):
                    formatter.write_dl(found[section])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not self.examples:
            return
        with formatter.section("Examples"):
            for example in self.examples.strip().splitlines():
                formatter.write(f"  {example.strip()}\n")

    def _flags(self, ctx: click.Context) -> tuple[str, ...]:
        return tuple(name for param in self.get_params(ctx) for name in param.opts)


class ConfiguredCommand(Command):
    """A command with `--config` and flags for it: its function gets the finished `Config`."""

    def invoke(self, ctx: click.Context) -> object:
        path = ctx.params.pop("config")
        flags = Flags(
            ctx.params.pop("profiles", ()), ctx.params.pop("scheduler_names", ()), dict(self._typed(ctx))
        )
        ctx.meta[_ASKED] = Asked(path, flags)
        config = configured(path, flags)
        if not isinstance(config, Config):
            noted(ctx).extend(config)
        ctx.params["config"] = config
        return super().invoke(ctx)

    def _typed(self, ctx: click.Context) -> Iterator[tuple[str, Typed]]:
        """What stands behind the flags of the table; those that nobody typed are left out."""
        for param in self.params:
            value = ctx.params.pop(param.name, None) if isinstance(param, RowOption) and param.name else None
            if isinstance(param, RowOption) and value is not None and value != ():
                yield param.row.flag, value if isinstance(value, str) else list(value)


def configured(path: str | None, flags: Flags) -> Config | Findings:
    """The configuration of a file and flags with its plugins, or what is wrong with any of them."""
    config = _without_plugins(path, flags)
    if isinstance(config, Config):
        return with_plugins(config)
    return (*config, *wrong_with(flags.typed.get(PLUGIN, ())))


def _without_plugins(path: str | None, flags: Flags) -> Config | Findings:
    if path is None:
        return with_flags(Config(), flags)
    read = config_file(path)
    if isinstance(read, Config):
        return with_flags(read, flags)
    # Which profiles there are is not known now, so nothing can be said about flags that name one.
    more = with_flags(Config(), replace(flags, profiles=(), scheduler_names=()))
    return (*read, *(() if isinstance(more, Config) else more))


def config_file(path: str) -> Config | Findings:
    """What a configuration file says; every finding begins with the file's name."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        return (Finding(path, f"the configuration cannot be read: {error.strerror}"),)
    except UnicodeDecodeError as error:
        return (Finding(path, f"the configuration is not UTF-8 (byte {error.start})"),)
    read = parse_config(text)
    if isinstance(read, Config):
        return read
    return tuple(Finding(f"{path}: {found.path}" if found.path else path, found.message) for found in read)


def _unknown(extra: Iterable[str], known: tuple[str, ...]) -> Iterator[Finding]:
    """Flags that do not exist; what follows one is taken for its value and not complained about."""
    after_a_flag = False
    for word in extra:
        name = word.partition("=")[0]
        if name.startswith("-") and name != "-":
            yield Finding(name, _why_unknown(name, known))
        elif not after_a_flag:
            yield Finding(word, _why_stray(word))
        after_a_flag = name.startswith("-") and "=" not in word


RUNNING = frozenset(row.flag for row in ROWS if row.running)


def _why_stray(word: str) -> str:
    if word in ("true", "false"):
        return f"nothing is expected here: true and false follow a flag after `=`, as in --flag={word}"
    return "nothing is expected here: see --help"


def _why_unknown(flag: str, known: tuple[str, ...]) -> str:
    if flag in REPLACED:
        return str(REPLACED[flag])
    if flag in RUNNING:
        return "this means something to `podgrouper run` alone: remove it"
    close = get_close_matches(flag, known, n=1)
    return f"there is no such flag: {f'did you mean {close[0]}?' if close else 'see --help'}"
