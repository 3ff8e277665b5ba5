"""bgd, the backgammon engine daemon, as a library.

Legal plays, and what is wrong with one that is not legal. A board is seen by the side on roll, which moves from its 24
point to its 1 point:

    >>> from bgd import Board, Dice, check_play, decode_play, legal_plays
    >>> len(legal_plays(Board.start(), Dice(3, 1)))
    16
    >>> str(check_play(Board.start(), Dice(3, 1), decode_play("6/5 8/5")))
    '8/5 6/5'
    >>> check_play(Board.start(), Dice(6, 6), decode_play("24/18 13/7"))
    Traceback (most recent call last):
    bgd.errors.IllegalPlay: Four 6s can be played and must be; ... Legal for instance: 24/18(2) 13/7(2)

Positions in any notation (XGID, GNU Position and Match ID, FIBS board, OGID, `start`), and what a notation cannot say:

    >>> from bgd import GameState, Match, decode, encode, losses
    >>> state = decode("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:4:0:7:10")
    >>> state.dice, state.terms
    (Dice(first=3, second=1), Match(length=7, scores=(4, 2), crawford=False))
    >>> encode(state, "id"), losses(state, "id")
    ('4HPwATDgc/ABMA:cInlAEAAEAAE', ('the cube limit',))

The engine: plays, evaluations, cube actions, resignations, for whoever is on roll:

    >>> from bgd import Engine
    >>> engine = Engine.load()
    >>> [best] = engine.rank(state, top=1)
    >>> str(next(play for play in legal_plays(state.board, state.dice) if play.result == best.board))
    '8/5 6/5'
    >>> 0.4 < engine.evaluate(GameState()).chances.win < 0.6
    True
    >>> engine.cube(GameState(terms=Match(7))).label
    'no double/take'
    >>> engine.resign(GameState()).offer is None
    True

A whole game as steps is in bgd.rules.game, the daemon's client in bgd.client, every error in bgd.errors. Names are
loaded when they are first used: importing bgd itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bgd.client import Client
    from bgd.engine import Chances, CubeDecision, Engine, Evaluation, RankedPlay, ResignDecision
    from bgd.errors import BgdError, IllegalPlay, InputError
    from bgd.notation.detect import decode_any as decode
    from bgd.notation.detect import encode, losses
    from bgd.notation.plays import decode as decode_play
    from bgd.rules.board import Board
    from bgd.rules.dice import Dice
    from bgd.rules.legality import check_play
    from bgd.rules.plays import Play, legal_plays
    from bgd.rules.state import Cube, GameState, Match, Money, Outcome, Phase, Side

__version__ = "0.1.0"

__all__ = [
    "BgdError",
    "Board",
    "Chances",
    "Client",
    "Cube",
    "CubeDecision",
    "Dice",
    "Engine",
    "Evaluation",
    "GameState",
    "IllegalPlay",
    "InputError",
    "Match",
    "Money",
    "Outcome",
    "Phase",
    "Play",
    "RankedPlay",
    "ResignDecision",
    "Side",
    "check_play",
    "decode",
    "decode_play",
    "encode",
    "legal_plays",
    "losses",
]

_HOMES: Final = {
    "bgd.client": ("Client",),
    "bgd.engine": ("Chances", "CubeDecision", "Engine", "Evaluation", "RankedPlay", "ResignDecision"),
    "bgd.errors": ("BgdError", "IllegalPlay", "InputError"),
    "bgd.notation.detect": ("decode", "encode", "losses"),
    "bgd.notation.plays": ("decode_play",),
    "bgd.rules.board": ("Board",),
    "bgd.rules.dice": ("Dice",),
    "bgd.rules.legality": ("check_play",),
    "bgd.rules.plays": ("Play", "legal_plays"),
    "bgd.rules.state": ("Cube", "GameState", "Match", "Money", "Outcome", "Phase", "Side"),
}
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}
_NAME_THERE: Final = {"decode": "decode_any", "decode_play": "decode"}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'bgd' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), _NAME_THERE.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
