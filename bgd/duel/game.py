"""One game, and one pair of games with the same dice and the seats exchanged. Cubeless money: 1, 2 or 3 points.

Dice come from `random.Random(f"{seed} {pair}")` (Mersenne Twister, two `randint(1, 6)` a roll): the first roll that is
no double opens the game, each further roll is the next turn's, whoever's turn it is. Player `a` moves first in the
first game of a pair, `b` in the second.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from bgd.duel.players import Fault, Player
from bgd.errors import IllegalPlay
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.outcome import is_over, outcome_of
from bgd.rules.plays import Play, play_between

MAX_TURNS: Final = 5000
"""A game this long is broken off without points. Real ones take about 50 turns, a thousand at the very most."""

FAULT_POINTS: Final = 3
"""What an illegal play or a crash costs: a backgammon, so that it pays in no position."""

Seat = Literal["a", "b"]


class Turn(NamedTuple):
    seat: Seat
    dice: Dice
    play: Play


class GameRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A finished game. `points` are player a's; `luck` is a's luck less b's, in points, None when not measured."""

    first: Seat
    points: int
    turns: int
    luck: float | None = None
    fault: str = ""
    faulty: Seat | None = None
    unfinished: bool = False


Luck = Callable[[Board, Dice, bool], float]
"""How lucky a roll is for the side that rolled it, in points; the flag says that it is the opening roll."""


def other(seat: Seat) -> Seat:
    return "b" if seat == "a" else "a"


def dice_of(seed: int, pair: int) -> Iterator[Dice]:
    """The rolls of both games of a pair, the opening roll first."""
    source = random.Random(f"{seed} {pair}")
    rolls = (Dice(source.randint(1, 6), source.randint(1, 6)) for _ in iter(int, 1))
    yield next(roll for roll in rolls if not roll.is_double)
    yield from rolls


def play_game(
    players: dict[Seat, Player], first: Seat, rolls: Iterator[Dice], luck: Luck | None = None
) -> tuple[GameRecord, list[Turn]]:
    """Play to the end. The table trusts nobody: each play is looked up among the legal ones."""
    board, seat = Board.start(), first
    turns: list[Turn] = []
    lucky = 0.0
    for count, dice in enumerate(islice(rolls, MAX_TURNS)):
        if luck is not None:
            lucky += luck(board, dice, count == 0) * _sign(seat)
        try:
            after = players[seat].choose(board, dice)
            play = play_between(board, dice, after)
        except (Fault, IllegalPlay) as fault:
            points = -FAULT_POINTS * _sign(seat)
            return GameRecord(first=first, points=points, turns=count, fault=str(fault), faulty=seat), turns
        turns.append(Turn(seat, dice, play))
        if is_over(after):
            points = int(outcome_of(after)) * _sign(seat)
            measured = None if luck is None else lucky
            return GameRecord(first=first, points=points, turns=count + 1, luck=measured), turns
        board, seat = after.flip(), other(seat)
    return GameRecord(first=first, points=0, turns=MAX_TURNS, unfinished=True), turns


def play_pair(
    players: dict[Seat, Player], seed: int, pair: int, luck: Luck | None = None
) -> list[tuple[GameRecord, list[Turn]]]:
    """The two games of a pair: same dice, seats exchanged."""
    seats: tuple[Seat, Seat] = ("a", "b")
    return [play_game(players, first, dice_of(seed, pair), luck) for first in seats]


def _sign(seat: Seat) -> int:
    return 1 if seat == "a" else -1
