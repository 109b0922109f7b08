"""The process of a plugin as podgrouper sees it: it is asked, waited for so long, and ended if need be.

A process, because nothing else ends whatever a plugin may do: loop in C, wait for ever, exit.
"""

import subprocess
import sys
import threading
import weakref
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import TypeVar

import msgspec

from podgrouper.plugins.questions import Declare, Declared, How, Question
from podgrouper.policies.kai.outside.plugin import Hung, Raised
from podgrouper.policies.kai.outside.typed import Mistyped, unpacked
from podgrouper.policies.kai.values import BadValue

T = TypeVar("T")

LOADING_SECONDS = 15.0
"""Importing a plugin may mean importing much."""
ENDING_SECONDS = 1.0
LONGEST_ANSWER = 2**27
"""Ten times what a gang of ten thousand takes."""
STANDARD_ERROR = 2


class Process:
    """One plugin. Started when it is needed, and anew after it was ended; any thread may ask."""

    def __init__(self, source: str, budget: float) -> None:
        self._source = source
        self._budget = budget
        self._turn = threading.Lock()
        self._running: Running | None = None

    def declared(self) -> tuple[Declared, ...]:
        """What the plugin says about itself. Raises `Raised`, `Hung` or `Mistyped`."""
        with self._turn:
            return self._declared()

    def ask(self, question: Question, kind: type[T]) -> T:
        """The answer, which is of that type. Raises `BadValue` besides."""
        with self._turn:
            if self._running is None:
                self._declared()  # loading is not the time of the workload that comes first
            return _read(self._answer(question, self._budget), kind)

    def _declared(self) -> tuple[Declared, ...]:
        """A plugin that cannot be loaded has ended, or is of no use: the next question is to a new one."""
        try:
            return _read(self._answer(Declare(), LOADING_SECONDS), tuple[Declared, ...])
        except (Raised, Hung, Mistyped):
            self._running = None
            raise

    def _answer(self, question: Question, seconds: float) -> bytes:
        if self._running is None:
            self._running = Running(self._source)
        try:
            return self._running.answer(question, seconds)
        except (Hung, Raised):
            self._running = None
            raise


class Running:
    """A life of the process. It ends when nobody holds this any more."""

    def __init__(self, source: str) -> None:
        self._connection, theirs = Pipe()
        descriptor = theirs.fileno()
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-P", "-m", "podgrouper.plugins.child", str(descriptor), source],
            pass_fds=(descriptor,),
            stdin=subprocess.DEVNULL,
            stdout=STANDARD_ERROR,
            process_group=0,
        )
        theirs.close()
        self._end = weakref.finalize(self, _end, self._process, self._connection)

    def answer(self, question: Question, seconds: float) -> bytes:
        """Its bytes. After `Hung` and `Raised` the process is gone."""
        try:
            self._connection.send(question)
            if self._connection.poll(seconds):
                return self._connection.recv_bytes(LONGEST_ANSWER)
        except (EOFError, OSError) as error:
            raise Raised(self._ending()) from error
        self._end()
        raise Hung(f"no answer within {seconds:g} s, so it was stopped")

    def _ending(self) -> str:
        """Why nothing comes from it any more. One that only hung up is ended here."""
        try:
            return f"its process ended with exit code {self._process.wait(ENDING_SECONDS)}"
        except subprocess.TimeoutExpired:
            return "its process hung up, so it was stopped"
        finally:
            self._end()


def _end(process: "subprocess.Popen[bytes]", connection: "Connection[Question, bytes]") -> None:
    connection.close()
    process.kill()
    process.wait()


def _read(answer: bytes, kind: type[T]) -> T:
    how, said = unpacked(answer, tuple[How, msgspec.Raw])
    match how:
        case How.DONE:
            return unpacked(said, kind)
        case How.BAD_VALUE:
            raise BadValue(unpacked(said, str))
        case How.MISTYPED:
            raise Mistyped(unpacked(said, str))
        case How.RAISED:
            raise Raised(unpacked(said, str))
