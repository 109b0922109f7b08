"""`python -m tests.conformance.record`: asks a real API server all conversations and keeps its answers."""

import asyncio
import json
import tempfile
from pathlib import Path

from tests.cluster import binaries
from tests.cluster.control_plane import ControlPlane
from tests.conformance import servers
from tests.conformance.asking import answers_to
from tests.conformance.conversations import CONVERSATIONS

ANSWERS = Path(__file__).parent / "answers.json"


async def record(plane: ControlPlane) -> dict[str, object]:
    told: dict[str, object] = {}
    for name, conversation in CONVERSATIONS.items():
        async with servers.real(plane) as (transport, namespace):
            told[name] = await answers_to(transport, namespace, conversation)
    return told


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        ControlPlane(Path(folder), binaries.find(binaries.SERVERS)) as plane,
    ):
        answers = asyncio.run(record(plane))
    ANSWERS.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{sum(map(len, CONVERSATIONS.values()))} answers in {len(CONVERSATIONS)} conversations: {ANSWERS}")


if __name__ == "__main__":
    main()
