"""`podgrouper wait`: for scripts that go on when a gang runs."""

import asyncio

import click

from podgrouper.cli import options
from podgrouper.cli.cluster import connected
from podgrouper.cli.command import ConfiguredCommand, OneOf
from podgrouper.cli.complaints import Complaint, Failure
from podgrouper.cli.following import Picture, Selection, follow
from podgrouper.cli.inquiry import Asked, asked, below, inquire
from podgrouper.config.model import Config
from podgrouper.explaining.explain import explain
from podgrouper.kube.client import Client
from podgrouper.listing import Choice, Entry
from podgrouper.wiring import wire

STATES = ("running", "completed", "pending", "unknown", "inqueue", "exists", "deleted")


@click.command(
    cls=ConfiguredCommand,
    examples="""
    podgrouper wait podgroup/podgroup-5c4b8f6e-0000-4000-8000-000000000002 --for running
    podgrouper wait job/train --for completed --timeout 3600 -n team-a
    """,
)
@click.argument("what", metavar="KIND/NAME", default="")
@click.option("--for", "state", type=OneOf(*STATES), default=STATES[0], show_default=True, help="What for.")
@click.option("--timeout", default="30", metavar="SECONDS", show_default=True, help="How long at most.")
@options.cluster()
@options.configuration()
def wait(*, what: str, state: str, timeout: str, kubeconfig: str, context: str, config: Config) -> None:
    """Wait until a PodGroup, or every group below an object, is in a state.

    Exit code 0 when it is, 1 when the time is over; then the reason is told, as `explain` would.
    """
    seconds = _seconds(timeout)
    meant = asked(what)

    async def work() -> None:
        async with connected(kubeconfig, context) as client:
            await _wait(client, config, meant, state, seconds)

    asyncio.run(work())


def _seconds(typed: str) -> float:
    number = typed.removesuffix("s")
    if not (number.isascii() and number.isdigit() and len(number) < 9):
        raise Complaint.of("--timeout", f"{typed!r} is not accepted: give seconds, such as 30 or 30s")
    return float(number)


async def _wait(client: Client, config: Config, what: Asked, state: str, seconds: float) -> None:
    namespace = config.namespaces[0] if config.namespaces else "default"
    profiles = wire(config, {}).profiles
    choice = await _choice(client, what, namespace)
    last: tuple[Entry, ...] = ()

    def reached(picture: Picture) -> bool:
        nonlocal last
        last = picture.entries(choice)
        return _in_state(last, state)

    try:
        async with asyncio.timeout(seconds):
            await follow(client, Selection(profiles, (namespace,)), reached)
    except TimeoutError as error:
        why = "" if state == "deleted" else await _reason(client, config, what, namespace)
        raise Failure(
            f"{what.word}/{what.name} is not {state} after {seconds:.0f} s{_standing(last)}{why}"
        ) from error
    for entry in last:
        print(f"podgroup.{entry.ref.kind.group}/{entry.ref.name} is {entry.status}")


async def _choice(client: Client, what: Asked, namespace: str) -> Choice:
    """A group need not be there yet; anything else is found first, for its uid says what is below it."""
    if what.word.lower().partition(".")[0] in ("podgroup", "podgroups", "pg"):
        return Choice(frozenset({what.name}))
    return Choice(owned_by=await below(client, what, namespace))


def _in_state(entries: tuple[Entry, ...], state: str) -> bool:
    if state == "deleted":
        return not entries
    return bool(entries) and (state == "exists" or all(entry.status.lower() == state for entry in entries))


def _standing(entries: tuple[Entry, ...]) -> str:
    if not entries:
        return ": there is no such group"
    return ": " + ", ".join(
        f"{entry.ref.name} is {entry.status}, {entry.running} of {entry.floor} run" for entry in entries
    )


async def _reason(client: Client, config: Config, what: Asked, namespace: str) -> str:
    """The first thing in the way, for each group that has one."""
    about, seen = await inquire(client, config, what, namespace)
    found = explain(about, seen.objects.values(), config, unreadable=seen.unreadable)
    causes = [subject.blocked_by for subject in found.subjects]
    return "".join(f"\n{cause.reason}: {cause.sentence}" for cause in causes if cause)
