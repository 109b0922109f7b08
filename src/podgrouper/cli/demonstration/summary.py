"""The end of the demo in words: owners, groups and pods, and what to try next."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from podgrouper.cli.demonstration.rows import Row
from podgrouper.cli.demonstration.story import Seen
from podgrouper.core.fields import text


def summary(rows: Sequence[Row], seen: Seen) -> str:
    return "\n".join(_summary(rows, seen))


def _summary(rows: Sequence[Row], seen: Seen) -> Iterator[str]:
    for profile in dict.fromkeys(row.profile for row in rows):
        yield ""
        yield f"{profile}: who owns what, in which group"
        yield from (line for row in rows if row.profile == profile for line in _row(row))
        if profile in seen.waited:
            yield f"  The gang of the PyTorchJob waited as a whole: {seen.waited[profile]}"
    groups = sum(row.group is not None for row in rows)
    yield ""
    yield f"{sum(len(row.pods) for row in rows)} pods in {groups} groups, as the API at its address tells it"


def _row(row: Row) -> Iterator[str]:
    states = ", ".join(f"{count} {state}" for state, count in row.states.items())
    names = ", ".join(text(pod, "metadata.name") for pod in row.pods)
    yield f"  {row.path}"
    yield f"    PodGroup {row.name or '(none)'}, at least {row.floor} at once"
    yield f"      {names}: {states}"


def hints(kubeconfig: Path, health: str, namespaces: Sequence[str]) -> str:
    first, *_ = namespaces
    return f"""
It stays up until Ctrl-C. In another terminal:

  export KUBECONFIG={kubeconfig}
  kubectl get pods,podgroups.scheduling.volcano.sh,podgroups.scheduling.run.ai -A
  kubectl -n {first} scale deployment web --replicas=5
  kubectl -n {first} delete podgroups.scheduling.volcano.sh --all     # they come back
  podgrouper diff --kubeconfig {kubeconfig}
  curl http://{health}/metrics
"""
