"""The command `podgrouper`: one table of subcommands, each loaded when it is called for."""

import sys
from importlib import import_module

import click

from podgrouper import __version__
from podgrouper.cli.complaints import FAILED, MISUSED, Complaint, Failure, tell

COMMANDS = {
    "run": "Group the pods of a cluster, until it is stopped.",
    "plan": "Show what would become of the objects in files.",
    "diff": "Show what would change in a cluster, and change nothing.",
    "get": "List PodGroups with what they ask for and what they have.",
    "wait": "Wait until a gang is in a state.",
    "explain": "Tell why a gang does not run.",
    "check": "Find what is wrong with a configuration.",
    "rbac": "Print the roles that it needs.",
    "manifests": "Print what it takes to run in a cluster.",
    "crds": "Print the CRDs of the PodGroups.",
    "demo": "Watch gangs form in an embedded Kubernetes API.",
    "version": "Print the version.",
}
"""Name, which is also its module and its function there, and one line of help."""


class Commands(click.Group):
    """Knows its commands by name: only the one that is called is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"podgrouper.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="podgrouper %(version)s")
def podgrouper() -> None:
    """Turns ordinary Kubernetes pods into gangs.

    Every command explains itself with examples: podgrouper COMMAND --help.

    Exit codes: 0 done, 1 could not be done, 2 asked for wrongly (flags, configuration, files).
    """


def main() -> None:
    """The program `podgrouper`."""
    _run(sys.argv[1:])


def kubectl() -> None:
    """The program `kubectl-podgroups`, which kubectl runs for `kubectl podgroups`: `podgrouper get`."""
    _run(["get", *sys.argv[1:]])


def _run(words: list[str]) -> None:
    """Runs the command line, and turns what a person can mend into lines on standard error."""
    try:
        podgrouper(words, prog_name="podgrouper")
    except Complaint as complaint:
        tell(complaint)
        sys.exit(MISUSED)
    except Failure as failure:
        print(f"podgrouper: {failure}", file=sys.stderr)
        sys.exit(FAILED)
