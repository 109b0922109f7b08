"""`podgrouper get`: the groups of all schedulers in one table, as kubectl would show them."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import click

from podgrouper.cli import options
from podgrouper.cli.cluster import connected
from podgrouper.cli.columns import Form, age, aligned
from podgrouper.cli.command import ConfiguredCommand
from podgrouper.cli.complaints import Complaint, Failure
from podgrouper.cli.following import Picture, Selection, follow, read
from podgrouper.cli.inquiry import asked, below
from podgrouper.cli.show import as_json, as_yaml, plain
from podgrouper.config.model import Config
from podgrouper.core.model import Ref
from podgrouper.kube.client import Client
from podgrouper.listing import Choice, Entry
from podgrouper.wiring import wire

TABLES = ("table", "wide")
FORMS = (*TABLES, "json", "yaml", "name")


@click.command(
    cls=ConfiguredCommand,
    examples="""
    podgrouper get
    podgrouper get -A --profile kai
    podgrouper get podgroup-5c4b8f6e-0000-4000-8000-000000000002 -n team-a -o yaml
    podgrouper get --for deployment/train -w
    """,
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all-namespaces", "-A", "everywhere", is_flag=True, help="The groups of all namespaces.")
@click.option("--selector", "-l", default="", metavar="SELECTOR", help="Label selector for the groups.")
@click.option("--for", "owner", default="", metavar="KIND/NAME", help="Only groups below this object.")
@click.option("--watch", "-w", "follows", is_flag=True, help="Go on, and show every row that changes.")
@options.cluster()
@options.configuration()
@options.output(*FORMS)
def get(
    *,
    names: tuple[str, ...],
    everywhere: bool,
    selector: str,
    owner: str,
    follows: bool,
    kubeconfig: str,
    context: str,
    form: str,
    config: Config,
) -> None:
    """List PodGroups with what they ask for and what they have.

    Exit code 1 when a group that is named is not there.
    """
    if follows and form not in TABLES:
        raise Complaint.of("--watch", "only rows are followed: leave -o out, or give -o wide")
    if names and everywhere:
        raise Complaint.of("--all-namespaces", "a name is in one namespace: give --namespace")
    spaces = ("",) if everywhere else config.namespaces or ("default",)
    selection = Selection(wire(config, {}).profiles, spaces, selector)
    screen = Screen(Form(wide=form == "wide", namespaces=everywhere or len(spaces) > 1))

    async def work() -> Picture:
        async with connected(kubeconfig, context) as client:
            choice = await _choice(client, names, owner, spaces)
            if follows:
                await follow(client, selection, lambda picture: screen.show(picture, choice))
            picture = await read(client, selection)
            _print(picture.entries(choice), form, screen)
            return picture

    with suppress(KeyboardInterrupt):
        _complain(asyncio.run(work()), frozenset(names))


async def _choice(client: Client, names: Sequence[str], owner: str, spaces: Sequence[str]) -> Choice:
    choice = Choice(frozenset(names))
    if not owner:
        return choice
    return replace(choice, owned_by=await below(client, asked(owner), spaces[0]))


class Screen:
    """A table that grows: its head once, then each row when it is another one."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._shown: dict[Ref, tuple[str, ...]] = {}
        self._widths: list[int] = []

    def show(self, picture: Picture, choice: Choice) -> bool:
        """Prints what changed; never enough, so that it goes on until it is interrupted."""
        entries = {entry.ref: entry for entry in picture.entries(choice)}
        gone = [(ref, row) for ref, row in self._shown.items() if ref not in entries]
        self.print(
            [entry for ref, entry in entries.items() if self._form.cells(entry) != self._shown.get(ref)]
        )
        for ref, row in gone:
            del self._shown[ref]
            self._lines([(*("Gone" if cell == row[self._status] else cell for cell in row), "-")])
        return False

    def print(self, entries: Sequence[Entry]) -> None:
        rows = [(*self._form.cells(entry), age(entry.created, datetime.now(UTC))) for entry in entries]
        self._lines(rows)
        self._shown.update({entry.ref: self._form.cells(entry) for entry in entries})

    def _lines(self, rows: Sequence[Sequence[str]]) -> None:
        head = [self._form.heads] if not self._widths else []
        if rows:
            lines, self._widths = aligned([*head, *rows], self._widths)
            print("\n".join(lines), flush=True)

    @property
    def _status(self) -> int:
        return self._form.heads.index("STATUS")


def _print(entries: Sequence[Entry], form: str, screen: Screen) -> None:
    objects = [plain(entry.object) for entry in entries]
    listed = objects[0] if len(objects) == 1 else {"apiVersion": "v1", "kind": "List", "items": objects}
    match form:
        case "json":
            print(as_json(listed), end="")
        case "yaml":
            print(as_yaml(listed), end="")
        case "name":
            for entry in entries:
                print(f"podgroup.{entry.ref.kind.group}/{entry.ref.name}")
        case _:
            screen.print(entries)


def _complain(picture: Picture, names: frozenset[str]) -> None:
    """About what could not be read, and about names that are nowhere."""
    failures = dict.fromkeys(error.message for error in picture.failures())
    entries = picture.entries()
    for message in failures:
        print(f"podgrouper: {message}", file=sys.stderr)
    missing = sorted(names - {entry.ref.name for entry in entries})
    if missing:
        raise Failure(f"there is no PodGroup {', '.join(map(repr, missing))}")
    if not entries:
        print("No PodGroups found.", file=sys.stderr)
