"""A server that says exactly what a test wants, byte by byte, and remembers what it was asked."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

Reply: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Asked:
    """A request as it came in, the names of its headers in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    subject: str
    """Whom the client's certificate names."""


@dataclass
class Wire:
    """Answers in the order of `replies`; the last one is repeated."""

    replies: list[Reply]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while not writer.is_closing():
                self.asked.append(await _request(reader, writer))
                await self.replies[min(len(self.asked), len(self.replies)) - 1](writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has gone
        finally:
            writer.transport.abort()


@asynccontextmanager
async def wire(*replies: Reply, tls: ssl.SSLContext | None = None) -> AsyncIterator[Wire]:
    """On 127.0.0.1, as long as the block lasts."""
    served = Wire(list(replies))
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(served.serve(reader, writer))
        tasks.add(task)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    served.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    try:
        yield served
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # transports close in the next turn of the loop


def answer(status: int, body: bytes = b"{}", **headers: str) -> Reply:
    """A whole answer."""
    lines = [f"HTTP/1.1 {status} Words", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return _sends("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def chunks(*pieces: bytes, then: Reply | None = None) -> Reply:
    """An answer in pieces; `then` is how it goes on, with its end if nothing is said."""
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)

    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(head + body)
        await writer.drain()
        await (then or _sends(b"0\r\n\r\n"))(writer)

    return reply


async def silence(writer: asyncio.StreamWriter) -> None:
    """Nothing any more, and no word about it: a connection that is half open."""
    await asyncio.Event().wait()


async def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()


def noise(data: bytes) -> Reply:
    """Bytes as they are, then the connection ends."""

    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        writer.close()

    return reply


def _sends(data: bytes) -> Reply:
    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return reply


async def _request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines if line)
    headers = {name.lower(): value for name, value in headers.items()}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    method, target, _ = first.split(" ")
    return Asked(method, target, headers, body, _subject(writer))


def _subject(writer: asyncio.StreamWriter) -> str:
    shown = writer.get_extra_info("peercert") or {}
    return "".join(value for part in shown.get("subject", ()) for name, value in part)
