"""Reads protocol/transcripts: dialogues that say what a server answers, byte for byte where it is certain.

    # a comment
    @dialect gnubg        pins the dialect, which the first line chooses otherwise
    @token secret         the server asks for this token
    @limit max_rate=2     the server has this limit
    C: moves 31           the client sends this line
    B: ping\\r\\n\\0        the client sends these bytes: \\n, \\r, \\0, \\\\ and \\xNN are what they are elsewhere
    S: ok {count} plays   the server answers with this line
    @ends                 the client ends its input
    @closes               the server has closed the connection

After the lines of the client, all that the server answers to them is written; nothing else comes. What depends on
weights, version or machine is a placeholder: see PLACEHOLDERS.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bgd.wire.detect import DIALECTS, Dialect

TRANSCRIPTS: Final = Path(__file__).parents[2] / "protocol" / "transcripts"

PLACEHOLDERS: Final = {
    "number": r"[+-]?\d+(?:\.\d+)?",
    "count": r"\d+",
    "equity": r"[+-]\d+\.\d{4}",
    "probability": r"[01]\.\d{4}",
    "float6": r"-?\d+\.\d{6}",
    "play": r"(?:(?:bar|\d{1,2})(?:/(?:off|\d{1,2})\*?)+(?:\([2-4]\))? ?)+",
    "id": r"[A-Za-z0-9+/]{14}",
    "matchid": r"[A-Za-z0-9+/]{12}",
    "version": r"\d+\.\d+\.\d+\S*",
    "double": r"roll|double",
    "cube": r"double|nodouble",
    "take": r"take|pass|drop|beaver",
    "accept": r"accept|reject",
    "yesno": r"yes|no",
    "word": r"\S+",
    "text": r".*",
}
"""`{name}` in a server's line stands for what its pattern matches. A server's line that is `{lines}` alone stands for
any number of lines, none included."""

_PLACEHOLDER: Final = re.compile(r"\{(" + "|".join(PLACEHOLDERS) + r")\}")
_ESCAPE: Final = re.compile(r"\\(n|r|0|\\|x[0-9a-f]{2})")


@dataclass
class Step:
    """What the client sends in one go, and what the server answers to it."""

    line: int
    """Where it stands in the file, for messages."""
    sent: bytes = b""
    ends: bool = False
    expected: list[str] = field(default_factory=list)
    closes: bool = False

    def pattern(self) -> re.Pattern[str]:
        """Matches the server's answer as a whole."""
        return re.compile("".join(map(_line_pattern, self.expected)))


@dataclass
class Transcript:
    name: str
    dialect: Dialect | None
    steps: list[Step]
    token: str | None = None
    limits: dict[str, str] = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Whether any server will do, whatever its token and limits."""
        return self.token is None and not self.limits


def _line_pattern(line: str) -> str:
    if line == "{lines}":
        return r"(?:[^\n]*\n)*?"
    at, pattern = 0, ""
    for found in _PLACEHOLDER.finditer(line):
        pattern += re.escape(line[at : found.start()]) + f"(?:{PLACEHOLDERS[found[1]]})"
        at = found.end()
    return pattern + re.escape(line[at:]) + r"\n"


def _bytes(text: str) -> bytes:
    plain = {"n": b"\n", "r": b"\r", "0": b"\0", "\\": b"\\"}
    out, at = b"", 0
    for found in _ESCAPE.finditer(text):
        out += text[at : found.start()].encode()
        out += plain.get(found[1]) or bytes.fromhex(found[1][1:])
        at = found.end()
    return out + text[at:].encode()


def parse_text(name: str, text: str) -> Transcript:
    """Raises ValueError where `text` is no transcript."""
    transcript = Transcript(name, None, [])
    answering = True  # a line of the client now opens a step
    for number, line in enumerate(text.splitlines(), 1):
        kind, rest = line[:3], line[3:]
        if not line or line.startswith("#"):
            continue
        if line.startswith("@dialect "):
            transcript.dialect = next(name for name in DIALECTS if name == line.removeprefix("@dialect "))
            continue
        if line.startswith("@token "):
            transcript.token = line.removeprefix("@token ")
            continue
        if line.startswith("@limit "):
            limit, _, value = line.removeprefix("@limit ").partition("=")
            transcript.limits[limit] = value
            continue
        if kind.rstrip() in ("C:", "B:") or line == "@ends":
            if answering:
                transcript.steps.append(Step(number))
                answering = False
            step = transcript.steps[-1]
            if line == "@ends":
                step.ends = True
            else:
                step.sent += rest.encode() + b"\n" if line.startswith("C:") else _bytes(rest)
            continue
        answering = True
        if line == "@closes":
            transcript.steps[-1].closes = True
        elif kind.rstrip() == "S:":
            transcript.steps[-1].expected.append(rest)
        else:
            raise ValueError(f"{name}:{number}: not a line of a transcript: {line!r}")
    return transcript


def transcripts() -> list[Transcript]:
    """All of them, in the order of their names."""
    return [parse_text(path.stem, path.read_text()) for path in sorted(TRANSCRIPTS.glob("*.txt"))]


def mismatch(transcript: Transcript, step: Step, answer: str) -> str | None:
    """What is wrong with `answer`, for people; None when it is as written."""
    if step.pattern().fullmatch(answer):
        return None
    expected = "".join(f"  {line}\n" for line in step.expected) or "  (nothing)\n"
    got = "".join(f"  {line}\n" for line in answer.splitlines()) or "  (nothing)\n"
    return f"{transcript.name}.txt:{step.line}: sent {step.sent!r}; expected\n{expected}got\n{got}"
