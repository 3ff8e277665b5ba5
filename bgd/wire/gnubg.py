"""GNU Backgammon's external interface, version 2: what its clients send and expect, byte for byte.

Forms and error wordings are those of GNU Backgammon 1.07.001, seen from outside. Known words are read in any case.
Where the original loses commands, aborts or plays on nonsense, this does not; beyond it, a board decision may name
its `plies`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import ClassVar, Final

from msgspec import UNSET

from bgd.errors import BadArgument, BadDice, BadPosition, BadValue, BgdError, UnknownCommand
from bgd.wire.build import told
from bgd.wire.messages import (
    MAX_PLIES,
    MAX_TEXT,
    Decide,
    DecisionReply,
    Done,
    Eval,
    EvalReply,
    Hello,
    HelloReply,
    Incoming,
    Progress,
    Quit,
    Reply,
    Request,
)

_COLONS: Final = 52
"""A board is the word `board` and 52 elements."""

_EVALUATION: Final = "evaluation fibsboard board:"
_BAD_BOARD: Final = "badly formed board"
_BOARD: Final = re.compile(r"""[ \t]*(board:(?:"[^"]*"|'[^']*'|[^ \t"'])*)(.*)""", re.IGNORECASE | re.DOTALL)
_TOKEN: Final = re.compile(
    r"""[ \t]*(?:(?P<string>"[^"]*"|'[^']*')|(?P<float>[+-]?(?:\d+\.\d*|\.\d+))|(?P<integer>[+-]?\d+)
    |(?P<board>board:)|(?P<word>[a-z_]\w*)|(?P<comma>,)|(?P<other>[^ \t]))""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_TRUE: Final = frozenset({"on", "yes", "true"})
_FALSE: Final = frozenset({"off", "no", "false"})
_WORDS: Final = {
    "version": "INTERFACEVERSION",
    "help": "HELP",
    "quit": "EXIT",
    "exit": "EXIT",
    "set": "SET",
    "debug": "DEBUG",
    "interface": "E_INTERFACE",
    "new": "NEW",
    "old": "OLD",
    "prompt": "PROMPT",
    "evaluation": "EVALUATION",
    "fibsboard": "FIBSBOARD",
    **dict.fromkeys(_TRUE | _FALSE, "E_BOOLEAN"),
}
"""GNU Backgammon's names of its tokens, as its errors tell them."""

_KINDS: Final = {
    "board": "FIBSBOARD",
    "string": "E_STRING",
    "float": "E_FLOAT",
    "integer": "E_INTEGER",
    "comma": "','",
    "other": "E_CHARACTER",
}

_OPTIONS: Final = {
    name: name.upper()
    for name in (
        "jacobyrule", "crawfordrule", "resignation", "beavers", "plies", "noise", "prune", "deterministic", "cube",
        "cubeful", "cubeless",
    )
}  # fmt: skip
"""Words that are known only after a board."""

_SESSION_OPTIONS: Final = frozenset({"jacobyrule", "crawfordrule", "resignation", "beavers", "plies"})
"""Those of a board decision; `plies` among them is bgd's addition."""

_HELP: Final = b"\tNo help information available\n"


class GnubgCodec:
    """See the module. Answers of the service come as DecisionReply, EvalReply and, for `version`, HelloReply."""

    name: ClassVar[str] = "gnubg"

    def decode(self, line: str) -> Incoming:
        # The commonest by far, without looking for what may not be there.
        if line.startswith("board:"):
            if _is_bare(line):
                return Incoming(Decide(position=line))
        elif line.startswith(_EVALUATION):
            board = line[len(_EVALUATION) - len("board:") :]
            if _is_bare(board):
                return Incoming(Eval(position=board, plies=0))
        try:
            return _decode(line)
        except BgdError as error:
            return Incoming(error)

    def encode(self, incoming: Incoming, answer: Reply | BgdError) -> bytes:
        if isinstance(answer, DecisionReply):
            return (answer.answer + "\n").encode()
        if isinstance(answer, BgdError):
            return self.refuse(answer)
        if isinstance(answer, EvalReply):
            return _evaluation(answer, cubeful=incoming.style == "cubeful")
        if isinstance(answer, HelloReply):
            software = f"{answer.name} {answer.version}"
            return f"Interface: 2\nRFBF: 0\nEngine: 1.00\nSoftware: {software}\n".encode()
        if isinstance(answer, Done):
            return b""
        raise TypeError(f"no answer of this dialect: {answer!r}")

    def report(self, incoming: Incoming, progress: Progress) -> bytes:
        """Its clients take every line for the answer."""
        return b""

    def refuse(self, error: BgdError) -> bytes:
        text = told(error)
        if text.startswith(_BAD_BOARD) and not isinstance(error, BadDice):
            text = _BAD_BOARD  # nothing more, as the original; to nonsense dice it has no answer of its own
        return f"Error: {text}\n".encode()


def _is_bare(board: str) -> bool:
    """Whether it is nothing but a board, with neither blanks nor quotes."""
    return board.count(":") == _COLONS and not (" " in board or "\t" in board or '"' in board or "'" in board)


def _evaluation(reply: EvalReply, *, cubeful: bool) -> bytes:
    """Five probabilities and the equity asked for; in a match the match winning chances in its place."""
    value = reply.cubeful if cubeful else reply.equity
    chances = reply.mwccubeful if cubeful else reply.mwc
    if chances is not UNSET:
        value = chances
    probabilities = (reply.win, reply.wingammon, reply.winbackgammon, reply.losegammon, reply.losebackgammon)
    return b"%f %f %f %f %f %f\n" % (*probabilities, value)


class _Tokens:
    """The tokens of a line, with GNU Backgammon's name for each kind."""

    def __init__(self, text: str) -> None:
        self._tokens = self._split(text)
        self.known = _WORDS
        self._next: tuple[str, str] | None = None

    def _split(self, text: str) -> Iterator[tuple[str, str]]:
        for match in _TOKEN.finditer(text):
            kind = str(match.lastgroup)
            value = match[kind]
            if kind == "word":
                value = value.lower()
                yield self.known.get(value, "E_CHARACTER"), value
            else:
                yield _KINDS[kind], value

    def peek(self) -> tuple[str, str]:
        """Kind and text of the next token; kind EOL at the end."""
        if self._next is None:
            self._next = next(self._tokens, ("EOL", ""))
        return self._next

    def take(self) -> tuple[str, str]:
        token = self.peek()
        self._next = None
        return token

    def expect(self, *kinds: str) -> str:
        kind, value = self.take()
        if kind not in kinds:
            raise BadArgument(f"syntax error, unexpected {kind}, expecting {' or '.join(kinds)}")
        return value

    def end(self) -> None:
        self.expect("EOL")


def _decode(line: str) -> Incoming:
    board, rest = _board(line)
    if board:
        return Incoming(_decide(board, _options(rest, _SESSION_OPTIONS)))
    tokens = _Tokens(line)
    kind, _ = tokens.take()
    match kind:
        case "EOL":
            raise BadArgument("no command given")
        case "EVALUATION":
            return _decode_evaluation(line)
        case "INTERFACEVERSION":
            tokens.end()
            return Incoming(Hello())
        case "HELP":
            tokens.end()
            return Incoming(_HELP)
        case "EXIT":
            tokens.end()
            return Incoming(Quit())
        case "SET":
            return _decode_set(tokens)
        case "FIBSBOARD":
            unexpected, _ = tokens.peek()
            raise BadArgument(f"syntax error, unexpected {unexpected}, expecting E_STRING")
    raise UnknownCommand(f"syntax error, unexpected {kind}")


def _decode_set(tokens: _Tokens) -> Incoming:
    option = tokens.expect("DEBUG", "E_INTERFACE", "PROMPT")
    if option == "debug":
        on = tokens.expect("E_BOOLEAN") in _TRUE
        tokens.end()
        return Incoming(b"Debug output ON\n" if on else b"Debug output OFF\n")
    if option == "interface":
        on = tokens.expect("NEW", "OLD") == "new"
        tokens.end()
        return Incoming(b"New interface ON\n" if on else b"New interface OFF\n")
    tokens.expect("E_STRING")
    tokens.end()
    return Incoming(b"Error: set option 'prompt' not supported\n")


def _decode_evaluation(line: str) -> Incoming:
    evaluation = re.match(r"[ \t]*evaluation[ \t]+fibsboard[ \t]+", line, re.IGNORECASE)
    board, rest = _board(line[evaluation.end() :]) if evaluation else ("", "")
    if not board:
        tokens = _Tokens(line)
        tokens.take()
        tokens.expect("FIBSBOARD")
        unexpected, _ = tokens.peek()
        raise BadArgument(f"syntax error, unexpected {unexpected}, expecting FIBSBOARD")
    options = _options(rest, _OPTIONS)
    request = Eval(
        position=board,
        plies=_bounded(options.integers.get("plies", 0), "plies", 0, MAX_PLIES),
        jacoby=options.flags.get("jacobyrule"),
        crawford=options.flags.get("crawfordrule"),
        beavers=options.flags.get("beavers"),
        noise=options.noise,
    )
    return Incoming(request, style="cubeful" if options.flags.get("cube") else "")


def _decide(board: str, options: _Options) -> Request:
    resignation = _bounded(options.integers.get("resignation", 0), "resignation", 0, 3)
    plies = options.integers.get("plies")
    return Decide(
        position=board,
        jacoby=options.flags.get("jacobyrule"),
        crawford=options.flags.get("crawfordrule"),
        beavers=options.flags.get("beavers"),
        resignation=resignation or None,
        plies=None if plies is None else _bounded(plies, "plies", 0, MAX_PLIES),
    )


def _board(line: str) -> tuple[str, str]:
    """The `board:` text that `line` starts with, its first word in small letters, and what follows it."""
    found = _BOARD.match(line)
    if not found:
        return "", ""
    board, rest = found.groups()
    elements = re.sub(r""""[^"]*"|'[^']*'""", "A", board[6:]).split(":")
    if elements == [""]:
        raise BadArgument("syntax error, unexpected FIBSBOARDEND, expecting E_STRING")
    if len(elements) < 3:
        raise BadArgument("syntax error, unexpected FIBSBOARDEND, expecting ':'")
    if not elements[-1]:
        raise BadArgument("syntax error, unexpected FIBSBOARDEND, expecting E_INTEGER")
    if len(elements) > _COLONS:
        raise BadArgument("Invalid board. Maximum number of elements is 52")
    if len(board) > MAX_TEXT:
        raise BadPosition(f"Expected a board of at most {MAX_TEXT} characters, got {len(board)}")
    return "board:" + board[6:], rest


class _Options:
    """What follows a board: flags by name, integers by name, the noise."""

    def __init__(self) -> None:
        self.flags: dict[str, bool] = {}
        self.integers: dict[str, int] = {}
        self.noise = 0.0


def _options(text: str, allowed: Collection[str]) -> _Options:
    """Session and evaluation options in any order; the last of several alike counts, as it does there."""
    options = _Options()
    if not text:
        return options
    tokens = _Tokens(text)
    tokens.known = _WORDS | _OPTIONS
    while (token := tokens.take())[0] != "EOL":
        kind, name = token
        if name not in allowed:
            raise BadArgument(f"syntax error, unexpected {kind}, expecting EOL")
        match name:
            case "jacobyrule" | "crawfordrule" | "beavers" | "cube":
                options.flags[name] = tokens.expect("E_BOOLEAN") in _TRUE
            case "cubeful" | "cubeless":
                options.flags["cube"] = name == "cubeful"
            case "prune" | "deterministic":  # bgd prunes as it sees fit, and its answers are always the same
                if tokens.peek()[0] == "E_BOOLEAN":
                    tokens.take()
            case "plies" | "resignation":
                # Nine digits are more than any bound: int() refuses some thousands of them.
                options.integers[name] = int(tokens.expect("E_INTEGER")[:10])
            case _:  # noise
                value = tokens.expect("E_INTEGER", "E_FLOAT")
                options.noise = float(value) if "." in value else float(value) / 10_000
                if not 0 <= options.noise <= 1:
                    raise BadValue(f"Expected noise from 0 to 1 (an integer counts ten-thousandths), got `{value}`")
    return options


def _bounded(value: int, name: str, least: int, most: int) -> int:
    if not least <= value <= most:
        raise BadValue(f"Expected {name} from {least} to {most}, got `{value}`")
    return value
