"""Questions of every dialect and the only right answers, byte for byte: a session in this process gives them first.

The engine is the daemon's, the sockets, threads and queues are not; whatever those do, the answers may not differ. The
same questions come out of the same seed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from bgd import __version__
from bgd.engine import Engine
from bgd.notation import fibs_board, match_id, plays, position_id, xgid
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays
from bgd.rules.state import GameState, Money, Phase, Side
from bgd.service.session import Service
from bgd.wire.detect import DIALECTS, Dialect
from tests.protocol.test_transcripts_in_memory import MemoryServer

DECISIONS: Final = 120
"""Positions that are asked about, in each dialect."""


@dataclass(frozen=True, slots=True)
class Question:
    """`lines` as they are sent, `reply` what must come back. For JSON `lines` has `0` for its id. `play`: it is a
    decision about a play at 0 plies. `heavy`: it takes some 10 ms or more."""

    lines: bytes
    reply: bytes
    play: bool = False
    heavy: bool = False


@dataclass(frozen=True, slots=True)
class Book:
    """`questions` do not depend on one another's order. `greeting` opens a connection."""

    questions: dict[Dialect, list[Question]]
    greeting: dict[Dialect, Question]


def moments(dice: random.Random) -> Iterator[GameState]:
    """Decisions of games played at random, with the dice to be played; without end."""
    while True:
        board = Board.start()
        while not board.finished:
            roll = Dice(dice.randint(1, 6), dice.randint(1, 6))
            if dice.random() < 0.2:
                yield GameState(board, Side.BOTTOM, Phase.PLAY, dice=roll, terms=Money())
            legal = legal_plays(board, roll)
            board = (dice.choice(legal).result if legal else board).flip()


def write(engine: Engine, seed: int) -> Book:
    """The questions of all dialects, answered."""
    dice = random.Random(seed)
    source = moments(dice)
    states = [next(source) for _ in range(DECISIONS)]
    return Book(
        {dialect: [_answered(engine, dialect, asked) for asked in _questions(dialect, states)] for dialect in DIALECTS},
        {dialect: _answered(engine, dialect, _Asked((line,))) for dialect, line in _GREETINGS.items()},
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    lines: tuple[str, ...]
    play: bool = False
    heavy: bool = False


def _answered(engine: Engine, dialect: Dialect, asked: _Asked) -> Question:
    server = MemoryServer(dialect, engine)
    server.service = Service(version=__version__, engine_state=lambda: "ready")
    lines = "".join(f"{line}\n" for line in asked.lines).encode()
    reply = server.receive(lines)
    assert reply.endswith(b"\n"), (lines, reply)
    return Question(lines, reply, asked.play, asked.heavy)


def _questions(dialect: Dialect, states: list[GameState]) -> Iterator[_Asked]:
    for number, state in enumerate(states):
        yield from _WRITERS[dialect](number, state)
    yield from (_Asked((line,)) for line in _FAULTS[dialect])


def _text(number: int, state: GameState) -> Iterator[_Asked]:
    board, roll = state.board, state.dice
    assert roll is not None
    plain, full = position_id.encode(board), xgid.encode(state)
    play = legal_plays(board, roll)
    yield _Asked((f"best {roll} position={plain} top=0",), play=True)
    yield _Asked((f"best position={full} top=3",), play=True)
    match number % 12:
        case 0:
            yield _Asked((f"moves {roll} position={plain}",))
        case 1:
            yield _Asked((f"eval position={plain}",))
        case 2:
            yield _Asked((f"cube position={plain}",))
        case 3:
            yield _Asked((f"show position={full} as=svg",))
        case 4:
            yield _Asked((f"convert to=fibs position={full}",))
        case 5:
            yield _Asked((f"eval position={plain} plies=1",), heavy=True)
        case 6:
            yield _Asked((f"best {roll} position={plain} plies=1 top=2",), heavy=True)
        case 7:
            yield _Asked((f"resign position={plain}",))
        case 8:
            yield _Asked((f"rollout position={full} trials=36 truncate=4 candidates=2 seed={number}",), heavy=True)
        case 9:
            yield _Asked((f"check {roll} {plays.encode(play[-1]) if play else '8/1'} position={plain}",))
        case 10:
            yield _Asked((f"luck {roll} position={plain}",))
        case _:
            yield _Asked((f"position {match_id.encode_pair(state)}", f"best {roll}"), play=True)


def _gnubg(number: int, state: GameState) -> Iterator[_Asked]:
    board = fibs_board.encode(state, ("A", "B"))
    before = fibs_board.encode(replace(state, phase=Phase.ROLL, dice=None), ("A", "B"))
    yield _Asked((board,), play=True)
    match number % 4:
        case 0:
            yield _Asked((f"evaluation fibsboard {board} plies 0 cube on cubeful",))
        case 1:
            yield _Asked((f"evaluation fibsboard {board} plies 1",), heavy=True)
        case 2:
            yield _Asked((f"{before} jacobyrule off",))
        case _:
            yield _Asked((f"{board} resignation 1",))


def _ubgi(number: int, state: GameState) -> Iterator[_Asked]:
    assert state.dice is not None
    place = f"position gnubgid {position_id.encode(state.board)}"
    roll = f"dice {state.dice.high} {state.dice.low}"
    yield _Asked((place, roll, "go role chequer"), play=True)
    match number % 5:
        case 0:
            yield _Asked((place, "go role cube"))
        case 1:
            yield _Asked((place, roll, "go role turn"))
        case 2:
            yield _Asked((place, "eval"))
        case 3:
            yield _Asked(("set engine.ply 2", place, roll, "go", "set engine.ply 1"), heavy=True)
        case _:
            yield _Asked((f"set game.length {1 + number % 7}", "get game.length", "newsession type money"))


def _json(number: int, state: GameState) -> Iterator[_Asked]:
    plain = position_id.encode(state.board)

    def call(method: str, **params: object) -> _Asked:
        return _Asked((_call(method, params),), play=method == "best", heavy=method == "rollout")

    roll = str(state.dice)
    yield call("best", position=plain, dice=roll)
    match number % 6:
        case 0:
            yield call("eval", position=plain)
        case 1:
            yield call("cube", position=plain)
        case 2:
            yield call("moves", position=plain, dice=roll)
        case 3:
            yield call("rollout", position=plain, trials=36, truncate=3, seed=number)
        case 4:
            yield call("show", position=xgid.encode(state))
        case _:
            yield call("convert", position=xgid.encode(state), to="ogid")


def _call(method: str, params: dict[str, object]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 0, "method": method, "params": params}, separators=(",", ":"))


_GREETINGS: Final[dict[Dialect, str]] = {
    "text": "ping",
    "gnubg": "set debug on",
    "ubgi": "ubgi",
    "json": _call("ping", {}),
}
_WRITERS: Final = {"text": _text, "gnubg": _gnubg, "ubgi": _ubgi, "json": _json}
_FAULTS: Final[dict[Dialect, tuple[str, ...]]] = {
    "text": (
        "ping", "beest 31", "moves 77 position=start", '"', "best 31 positoin=start", "get match", "set match=-1",
        "check 66 24/18 13/7 position=start", "convert to=morse position=start", "eval position=nonsense", "#",
        "\x01\x02",
    ),
    "gnubg": (
        "version", "set debug off", "help", "board:A:B:0:0", "nonsense", "evaluation fibsboard", "set prompt x",
    ),
    "ubgi": ("go role cook", "dice 7 7", "setoption name Speed value 9", "nonsense", "get game.variant"),
    "json": (
        _call("ping", {}), _call("beest", {}), _call("moves", {"position": "start", "dice": "77"}),
        _call("best", {"position": "start", "dice": [3, 1], "plies": "2"}), _call("get", {"names": ["match"]}),
    ),
}  # fmt: skip
