"""The process of one plugin: loads it, and answers questions until nobody is left to ask them.

`python -m podgrouper.plugins.child FD SOURCE`, started by `plugins.process` alone.
"""

import os
import sys
import threading
from collections.abc import Mapping
from multiprocessing.connection import Connection
from queue import SimpleQueue

from podgrouper.plugins.finding import BadPlugin, groupers_in
from podgrouper.plugins.questions import Declare, Declared, Grouped, How, Outgrown, Question, Wanted
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outside.typed import Mistyped, grouping_of, needs_of, packed, wants_of
from podgrouper.policies.kai.values import BadValue

Groupers = Mapping[str, Grouper]


def main(descriptor: str, source: str) -> None:
    """Answers in the order of the questions."""
    connection: Connection[bytes, Question] = Connection(int(descriptor))
    questions: SimpleQueue[Question] = SimpleQueue()
    threading.Thread(target=_listen, args=(connection, questions), daemon=True).start()
    try:
        groupers = groupers_in(source)
    except BadPlugin as error:
        connection.send_bytes(packed((How.RAISED, str(error))))
        return
    while True:
        connection.send_bytes(answered(questions.get(), groupers))


def _listen(connection: "Connection[bytes, Question]", questions: "SimpleQueue[Question]") -> None:
    """Ends the process with podgrouper, whatever the plugin is doing then."""
    try:
        while True:
            questions.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)


def answered(question: Question, groupers: Groupers) -> bytes:
    """The bytes of the answer. Whatever a plugin raises, also to end the program, is an answer too."""
    try:
        return packed((How.DONE, _answer(question, groupers)))
    except BadValue as error:
        return packed((How.BAD_VALUE, _readable(error)))
    except Mistyped as error:
        return packed((How.MISTYPED, _readable(error)))
    except BaseException as error:
        return packed((How.RAISED, f"{type(error).__name__}: {_readable(error)}"))


def _answer(question: Question, groupers: Groupers) -> object:
    match question:
        case Declare():
            return [_declared(name, grouper) for name, grouper in groupers.items()]
        case Wanted(grouper, scene):
            return wants_of(groupers[grouper].wants(scene))
        case Grouped(grouper, scene):
            return grouping_of(groupers[grouper].group(scene))
        case Outgrown(grouper, owner, group):
            return groupers[grouper].outgrown(owner, group)


def _declared(name: str, grouper: Grouper) -> Declared:
    steps = tuple(grouper.free_steps)
    return Declared(name, grouper.kinds, grouper.overrides, steps, needs_of(grouper.reads))


def _readable(error: BaseException) -> str:
    """Words that can be sent, even of an exception that cannot say itself."""
    try:
        return str(error).encode(errors="replace").decode()
    except Exception:
        return "(it does not say)"


if __name__ == "__main__":
    main(*sys.argv[1:])
