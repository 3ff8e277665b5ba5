"""Conversations that nobody would hold: those of the transcripts, bent. The same seed bends them the same way."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.protocol.transcript import transcripts

CORPUS: Final = Path(__file__).parent / "corpus"
MAX_BYTES: Final = 20_000

_WORDS: Final = (
    b"auth ubgi isready go role chequer cube turn position gnubgid xgid dice stop set get keys setoption name value "
    b"newgame newsession setscore setcube owner p0 p1 setturn eval depth movetime version help quit debug on off "
    b"interface evaluation fibsboard plies noise prune cubeful resignation best moves check resign decide convert show "
    b"rollout luck trials= trials 36 priority= before=on "
    b'cancel ping hello stats options start to=xgid as=svg top= # " \\ = : [ { } , null true -1 0 1 2 3 31 66 77 9999 '
    b"1e999 NaN 4HPwATDgc/ABMA cAkAAAAAAAAE XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 bar/20 6/off 8/5* (2) "
    b'"jsonrpc":"2.0" "id":1 "method":"best" "params":{ $/cancelRequest'
).split(b" ")
_BYTES: Final = (
    b"\n",
    b"\r\n",
    b"\0",
    b" ",
    b"\t",
    b"\xff",
    b"\xc3\xa9",
    b"\xe2\x80\xa8",
    b"\x1b",
    b"\x85",
    b":",
    b'"',
)


def seeds(target: str) -> list[bytes]:
    """What the clients of the transcripts say, and what was kept in the corpus."""
    return said(target) + kept(target)


def said(target: str) -> list[bytes]:
    """What the clients of the transcripts say to a target."""
    return [
        b"".join(step.sent for step in transcript.steps)
        for transcript in transcripts()
        if target in ("any", "session") or transcript.name.startswith(target)
    ]


def kept(target: str) -> list[bytes]:
    """The corpus: a line for each conversation, in ASCII, with Python's escapes."""
    path = CORPUS / f"{target}.txt"
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return [line.encode().decode("unicode_escape").encode("latin-1") for line in lines]


def keep(target: str, found: list[bytes]) -> None:
    """Add to the corpus what is neither there nor in a transcript."""
    lines = sorted(
        {data.decode("latin-1").encode("unicode_escape").decode() for data in [*kept(target), *found] if data}
    )
    (CORPUS / f"{target}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def conversations(target: str, seed: int) -> Iterator[bytes]:
    """Without end."""
    known = [data for data in seeds(target) if data]
    chance = random.Random(f"{target} {seed}")
    while True:
        data = _lines(chance, known)
        for _ in range(chance.choice((1, 1, 2, 3, 8))):
            data = _bent(chance, data, known)
        yield data[:MAX_BYTES]


def _lines(chance: random.Random, known: list[bytes]) -> bytes:
    """Some lines of a conversation, from its beginning or from anywhere."""
    lines = chance.choice(known).split(b"\n")
    first = chance.choice((0, chance.randrange(len(lines))))
    return b"\n".join(lines[:1] + lines[first : first + chance.randrange(1, 8)]) + b"\n"


def _bent(chance: random.Random, data: bytes, known: list[bytes]) -> bytes:
    at = chance.randrange(len(data) + 1)
    to = min(len(data), at + chance.choice((0, 1, 1, 2, 8, 60)))
    match chance.randrange(8):
        case 0:
            return data[:at] + chance.choice(_BYTES) + data[to:]
        case 1:
            return data[:at] + data[to:]
        case 2:
            return data[:to] + data[at:to] * chance.choice((1, 1, 2, 50)) + data[to:]
        case 3:
            return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        case 4:
            return data[:at] + b" " + chance.choice(_WORDS) + b" " + data[to:]
        case 5:
            return data[:at] + chance.choice(_WORDS) + data[at:]
        case 6:
            return data[:at] + _lines(chance, known) + data[to:]
        case _:
            lines = data.split(b"\n")
            words = lines[at % len(lines)].split(b" ")
            chance.shuffle(words)
            lines[at % len(lines)] = b" ".join(words)
            return b"\n".join(lines)
