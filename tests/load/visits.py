"""What clients do: good ones, hasty ones, slow ones, and those that are gone in the middle of a line.

A visit is one connection. It ends having judged all that came, or raises OSError, trio.BrokenResourceError or
trio.TooSlowError, which no visit should.
"""

from __future__ import annotations

import json
import random
import re
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import trio

from bgd.wire.detect import DIALECTS, Dialect
from tests.load.book import Book, Question
from tests.load.ledger import Ledger

PATIENCE: Final = 240.0
"""Seconds that a visit may last; a busy machine needs them."""

RESET: Final = b"\1\0\0\0\0\0\0\0"
"""SO_LINGER: on, 0 seconds."""

GIANT: Final = "rollout position=start trials=100000"
"""Takes minutes, unless it is cancelled."""

_JSON_ID: Final = b'"id":0,'
_BESTMOVE: Final = rb"^(info [^\n]*\n)*bestmove (pass|((bar|\d+)/(off|\d+) ?)+)\n"
_STOPPED: Final = rb"^#\w+ error (cancelled|timeout) [^\n]*\n"
_ROLLED: Final = rb"^(#\w+ (rolled|cube) [^\n]*\n)*#\w+ ok [^\n]*\n"
_ROLLED_JSON: Final = rb'^\{"jsonrpc":"2\.0","id":\d+,("error":\{"code":-32(800|002),|"result":\{"rolled":).*\n'
_STOP: Final = rb"^#\w+ ok [01] cancelled\n"


@dataclass(frozen=True)
class Place:
    """Where the daemon is."""

    port: int
    path: str


class Line:
    """A connection. `received` is all that came that was not taken yet."""

    def __init__(self, stream: trio.SocketStream, dice: random.Random) -> None:
        self._stream, self._dice = stream, dice
        self.received = b""
        self.ended = False

    async def say(self, data: bytes, *, cut: bool = False) -> None:
        """Send; `cut`: in pieces of any size."""
        while data:
            size = self._dice.choice([1, 7, 100, 3000]) if cut else len(data)
            await self._stream.send_all(data[:size])
            data = data[size:]

    async def hear(self, size: int = 65_536) -> bytes:
        """What comes next; nothing at the end."""
        chunk = bytes(await self._stream.receive_some(size))
        self.ended = not chunk
        self.received += chunk
        return chunk

    async def lines(self, number: int) -> bytes:
        """The next lines, fewer only at the end."""
        while self.received.count(b"\n") < number and not self.ended:
            await self.hear()
        taken = b"".join(self.received.splitlines(keepends=True)[:number])
        self.received = self.received[len(taken) :]
        return taken

    async def rest(self) -> bytes:
        """Everything until the other side closes."""
        while not self.ended:
            await self.hear()
        taken, self.received = self.received, b""
        return taken

    async def finish(self) -> None:
        """End the input."""
        await self._stream.send_eof()

    def reset(self) -> None:
        """Make the coming close a reset."""
        self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


@dataclass
class Visitor:
    """Who comes: everything that a visit needs. `rest` waits as long as keeps the machine's load down."""

    place: Place
    book: Book
    ledger: Ledger
    dice: random.Random
    rest: Callable[[], Awaitable[None]]
    dialect: Dialect = "text"

    async def connect(self, small: bool = False) -> trio.SocketStream:
        """By TCP or Unix socket. `small`: with little room for what comes."""
        tcp = self.dice.random() < 0.5
        sock = trio.socket.socket(trio.socket.AF_INET if tcp else trio.socket.AF_UNIX)
        try:
            if small:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            await sock.connect(("127.0.0.1", self.place.port) if tcp else self.place.path)
        except BaseException:
            sock.close()
            raise
        return trio.SocketStream(sock)

    def some(self, number: int, *, heavy: float = 0.02) -> list[Question]:
        """Questions at random; `heavy`: how many of the heavy ones are taken as they come."""
        asked: list[Question] = []
        questions = self.book.questions[self.dialect]
        while len(asked) < number:
            question = self.dice.choice(questions)
            if not question.heavy or self.dice.random() < heavy:
                asked.append(question)
        return asked

    @property
    def greeting(self) -> Question:
        return self.book.greeting[self.dialect]


Visit = Callable[[Visitor, Line], Awaitable[None]]


async def polite(visitor: Visitor, line: Line) -> None:
    """One question after another; then the end of input, or `quit`, or a plain close."""
    name = f"polite {visitor.dialect}"
    for question in [visitor.greeting, *visitor.some(visitor.dice.randrange(1, 30))]:
        began = time.perf_counter()
        await line.say(question.lines)
        reply = await line.lines(question.reply.count(b"\n"))
        if question.play:
            visitor.ledger.latencies.append(time.perf_counter() - began)
        visitor.ledger.judge(name, [question.reply], reply)
        if visitor.dice.random() < 0.2:
            await visitor.rest()
    if visitor.dice.random() < 0.7:
        await line.finish()
        visitor.ledger.judge(name, [], await line.rest())


async def hasty(visitor: Visitor, line: Line) -> None:
    """Many at once, cut anywhere, then the end of input."""
    questions = [visitor.greeting, *visitor.some(visitor.dice.choice([5, 50, 150]))]
    await _burst(visitor, line, f"hasty {visitor.dialect}", questions, line.rest)


async def slow(visitor: Visitor, line: Line) -> None:
    """Takes its replies in small pieces, and lets them wait."""

    async def taken() -> bytes:
        while not line.ended:
            await line.hear(visitor.dice.choice([1, 50, 1000, 4000]))
            if visitor.dice.random() < 0.2:
                await trio.sleep(0.1 * visitor.dice.random())
        return await line.rest()

    await _burst(visitor, line, f"slow {visitor.dialect}", [visitor.greeting, *visitor.some(80)], taken)


async def _burst(
    visitor: Visitor, line: Line, name: str, questions: Sequence[Question], take: Callable[[], Awaitable[bytes]]
) -> None:
    sent, expected = _written(visitor, questions)
    received = b""
    async with trio.open_nursery() as nursery:

        async def ask() -> None:
            await line.say(sent, cut=True)
            await line.finish()

        nursery.start_soon(ask)
        received = await take()
    if visitor.dialect == "json":
        visitor.ledger.judge_each(name, expected, _by_id(received))
    else:
        visitor.ledger.judge(name, [question.reply for question in questions], received)


def _written(visitor: Visitor, questions: Sequence[Question]) -> tuple[bytes, dict[str, tuple[bytes, ...]]]:
    """What is sent, line ends of several kinds among it; and for JSON the replies by id."""
    sent: list[bytes] = []
    expected: dict[str, tuple[bytes, ...]] = {}
    ends = [b"\n", b"\n", b"\n", b"\r\n", b"\n\0"]
    for number, question in enumerate(questions, 1):
        lines, reply = question.lines, question.reply
        if visitor.dialect == "json":
            lines, reply = (each.replace(_JSON_ID, b'"id":%d,' % number, 1) for each in (lines, reply))
            expected[str(number)] = (reply,)
        sent.append(lines.replace(b"\n", visitor.dice.choice(ends)))
    return b"".join(sent), expected


def _by_id(received: bytes) -> list[tuple[str, bytes]]:
    """Final replies of JSON."""
    calls = [(json.loads(each), each) for each in received.splitlines(keepends=True)]
    return [(str(call.get("id")), each) for call, each in calls if "method" not in call]


async def tagging(visitor: Visitor, line: Line) -> None:
    """Tagged questions in text, answered in any order, light and heavy, some of them cancelled."""
    name, dice = "tagging text", visitor.dice
    questions = visitor.some(dice.randrange(2, 40), heavy=0.2)
    allowed: dict[str, tuple[bytes, ...]] = {}
    sent = b"ping\n"
    for number, question in enumerate(questions):
        if question.lines.count(b"\n") > 1 or question.lines.startswith((b"#", b"\x01", b'"')):
            continue
        tag = f"q{number}"
        sent += f"#{tag} ".encode() + question.lines
        allowed[tag] = (_tagged(tag, question.reply),)
        if dice.random() < 0.2:
            sent += f"#c{number} cancel #{tag}\n".encode()
            allowed[f"c{number}"] = (_STOP,)
            allowed[tag] += (_STOPPED,)
    giants = dice.choice([0, 0, 1, 3])
    for number in range(giants):
        sent += f"#g{number} {GIANT} progress=100\n".encode()
        allowed[f"g{number}"] = (_ROLLED, _STOPPED)
    await line.say(sent, cut=dice.random() < 0.5)
    received = await line.lines(1)
    visitor.ledger.judge(name, [visitor.greeting.reply], received)
    if giants:
        await trio.sleep(dice.random())
        finish = " finish=on" if dice.random() < 0.5 else ""
        for number in range(giants):
            await line.say(f"#s{number} cancel #g{number}{finish}\n".encode())
            allowed[f"s{number}"] = (_STOP,)
    await line.finish()
    visitor.ledger.judge_each(name, allowed, _by_tag(visitor.ledger, await line.rest()))


def _tagged(tag: str, reply: bytes) -> bytes:
    return b"".join(f"#{tag} ".encode() + each for each in reply.splitlines(keepends=True))


def _by_tag(ledger: Ledger, received: bytes) -> list[tuple[str, bytes]]:
    """Final replies with the data lines before them. Progress is counted, and must come before the final one."""
    open_replies: dict[str, bytes] = {}
    finals: list[tuple[str, bytes]] = []
    over: set[str] = set()
    for each in received.splitlines(keepends=True):
        tag = each.split(b" ", 1)[0][1:].decode() if each.startswith(b"#") else ""
        rest = each[len(tag) + 2 :]
        if rest.startswith(b"progress "):
            ledger.progress += 1
            if tag in over:
                ledger.fault("wrong", f"progress after the final reply: {each!r}")
            continue
        whole = open_replies.pop(tag, b"") + each
        if re.match(rb"(ok|error)\b", rest):
            finals.append((tag, whole))
            over.add(tag)
        else:
            open_replies[tag] = whole
    finals += list(open_replies.items())  # without an end: no reply that is allowed
    return finals


async def cancelling(visitor: Visitor, line: Line) -> None:
    """JSON: long calls with progress, cancelled by `$/cancelRequest` or by `cancel`, in or out of a batch."""
    dice, name = visitor.dice, "cancelling json"
    allowed: dict[str, tuple[bytes, ...]] = {}
    params = {"position": "start", "trials": 100_000, "progress": 100}
    calls = []
    for number in range(1, dice.randrange(2, 5)):
        calls.append({"jsonrpc": "2.0", "id": number, "method": "rollout", "params": params})
        allowed[str(number)] = (_ROLLED_JSON,)
    await line.say("".join(f"{json.dumps(call)}\n" for call in calls).encode(), cut=True)
    await trio.sleep(dice.random())
    for call in calls:
        if dice.random() < 0.5:
            stop = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": call["id"]}}
        else:
            own = f"stop {call['id']}"
            stop = {"jsonrpc": "2.0", "id": own, "method": "cancel"}
            stop["params"] = {"target": call["id"], "finish": dice.random() < 0.5}
            allowed[own] = (rb'^\{"jsonrpc":"2\.0","id":"stop \d+","result":\{"text":"[01] cancelled"\}\}\n',)
        await line.say(json.dumps(stop).encode() + b"\n")
    batch = [{"jsonrpc": "2.0", "id": f"b{n}", "method": "ping"} for n in range(5)]
    await line.say(json.dumps(batch).encode() + b"\n")
    await line.finish()
    received = await line.rest()
    arrays = [each for each in received.splitlines() if each.startswith(b"[")]
    single = b"".join(each for each in received.splitlines(keepends=True) if not each.startswith(b"["))
    visitor.ledger.progress += received.count(b'"$/progress"')
    visitor.ledger.judge_each(name, allowed, _by_id(single))
    answers = [[(each["id"], each["result"]) for each in json.loads(array)] for array in arrays]
    expected = [sorted((call["id"], {"text": "pong"}) for call in batch)]
    visitor.ledger.judge(name, [repr(expected).encode()], repr([sorted(each) for each in answers]).encode())


async def stopping(visitor: Visitor, line: Line) -> None:
    """UBGI: a deep search, `isready` while it runs, `stop`."""
    dice, name = visitor.dice, "stopping ubgi"
    await line.say(visitor.greeting.lines)
    visitor.ledger.judge(name, [visitor.greeting.reply], await line.lines(visitor.greeting.reply.count(b"\n")))
    plays = [each for each in visitor.book.questions["ubgi"] if each.play]
    for _ in range(dice.randrange(1, 4)):
        place, roll, _ = dice.choice(plays).lines.splitlines(keepends=True)
        await line.say(place + roll + b"go role chequer depth 5\nisready\n")
        told, ready = b"", False
        while (each := await line.lines(1)) and not each.startswith((b"bestmove", b"error")):
            if each == b"readyok\n":
                ready = True
                await trio.sleep(dice.random() / 2)
                await line.say(b"stop\n")
            else:
                told += each
        visitor.ledger.progress += told.count(b"info")
        visitor.ledger.judge_each(name, {"go": (_BESTMOVE,)}, [("go", told + each)] if told + each else [])
        visitor.ledger.judge(name, [b"readyok\n"], b"readyok\n" if ready else await line.lines(1))
    await line.finish()
    visitor.ledger.judge(name, [], await line.rest())


async def vanishing(visitor: Visitor, line: Line) -> None:
    """Asks a lot, long work among it, and is gone at any byte: reset, or closed, or only its input ended first."""
    dice = visitor.dice
    questions = [visitor.greeting, *visitor.some(dice.randrange(1, 60), heavy=0.1)]
    sent = b"".join(question.lines for question in questions)
    expected = b"".join(question.reply for question in questions)
    if visitor.dialect == "text" and dice.random() < 0.3:
        sent += f"{GIANT} progress=100\n".encode() * dice.randrange(1, 4)
    sent = sent[: dice.randrange(1, len(sent) + 1)]
    reset = dice.random() < 0.6
    giant = b"rollout position=start" in sent and b"trials=1000" in sent
    with suppress(trio.BrokenResourceError):
        await line.say(sent, cut=dice.random() < 0.3)
        if dice.random() < 0.5:
            with trio.move_on_after(dice.random()):  # half a line has no answer
                await line.hear()
    if reset or giant:  # who only closes a TCP connection gets its rollouts computed
        line.reset()
    visitor.ledger.abandoned += len(questions)
    if visitor.dialect != "json" and not giant:
        visitor.ledger.judge_beginning(f"vanishing {visitor.dialect}", expected, line.received)


async def halfway(visitor: Visitor, line: Line) -> None:
    """Half a line, a long pause, the other half."""
    question = visitor.some(1)[0]
    lines = visitor.greeting.lines + question.lines
    at = visitor.dice.randrange(1, len(lines))
    await line.say(lines[:at])
    await trio.sleep(3 * visitor.dice.random())
    await line.say(lines[at:])
    await line.finish()
    visitor.ledger.judge(f"halfway {visitor.dialect}", [visitor.greeting.reply, question.reply], await line.rest())


async def rolling(visitor: Visitor, line: Line) -> None:
    """A rollout with progress told, then the same again without: the same bytes."""
    name, seed = "rolling text", visitor.dice.randrange(1000)
    asked = f"rollout position=start trials=180 truncate=6 seed={seed}"
    await line.say(f"#a {asked} progress=100\n".encode())
    await line.say(f"#b {asked}\n".encode())
    await line.finish()
    replies = dict(_by_tag(visitor.ledger, await line.rest()))
    first, second = replies.get("a", b"").replace(b"#a ", b""), replies.get("b", b"").replace(b"#b ", b"")
    visitor.ledger.judge(name, [second or b"?"], first)
    visitor.ledger.judge_each(name, {"b": (rb"^#b rolled .*#b ok [^\n]*\n",)}, [("b", replies.get("b", b""))])


async def long_winded(visitor: Visitor, line: Line) -> None:
    """A line over the limit after good ones: those are answered, the line is refused, the connection closes."""
    questions = [visitor.greeting, *visitor.some(visitor.dice.randrange(10))]
    sent, expected = _written(visitor, questions)
    with suppress(trio.BrokenResourceError):  # it may have been closed already
        await line.say(sent + b"x" * 20_000 + b"\n")
    lines = (await line.rest()).splitlines(keepends=True)
    name = f"long-winded {visitor.dialect}"
    refusals = [each for each in lines if b"8192 bytes" in each]
    if visitor.dialect == "json":  # what was asked before may take longer than the refusal
        visitor.ledger.judge_each(name, expected, _by_id(b"".join(each for each in lines if each not in refusals)))
    else:
        visitor.ledger.judge(name, [*(question.reply for question in questions), *refusals], b"".join(lines))
    if len(refusals) != 1:
        visitor.ledger.fault("wrong", f"{name}: the end was {lines[-1:]!r}")


VISITS: Final[tuple[tuple[Visit, tuple[Dialect, ...], int], ...]] = (
    (polite, DIALECTS, 6),
    (hasty, DIALECTS, 6),
    (slow, DIALECTS, 3),
    (vanishing, DIALECTS, 8),
    (halfway, ("text", "gnubg", "ubgi"), 2),
    (long_winded, DIALECTS, 2),
    (tagging, ("text",), 4),
    (cancelling, ("json",), 2),
    (stopping, ("ubgi",), 2),
    (rolling, ("text",), 1),
)
"""What is done, in which dialects, how often."""


async def pay_one(visitor: Visitor) -> None:
    """A visit at random."""
    ledger, dice = visitor.ledger, visitor.dice
    visit, dialects, _ = dice.choices(VISITS, [weight for _, _, weight in VISITS])[0]
    visitor.dialect = dice.choice(dialects)
    name = f"{visit.__name__} {visitor.dialect}"
    ledger.visits[visit.__name__] += 1
    ledger.dialects[visitor.dialect] += 1
    try:
        with trio.fail_after(PATIENCE):
            async with await visitor.connect(small=visit is slow) as stream:
                await visit(visitor, Line(stream, dice))
    except (OSError, trio.BrokenResourceError, trio.TooSlowError, ValueError) as error:
        ledger.fault("broken", f"{name}: {type(error).__name__} {error}")
