"""One game, and one pair of games with the same dice and the seats exchanged. Money without Jacoby's rule and beavers:
1, 2 or 3 points, times the cube if there is one.

Every moment is told to the players as if BOTTOM were on roll. Dice come from `random.Random(f"{seed} {pair}")`
(Mersenne Twister, two `randint(1, 6)` a roll): the first roll that is no double opens the game, each further roll is
the next turn's, whoever's turn it is. Player `a` moves first in the first game of a pair, `b` in the second.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct, structs

from bgd.duel.players import TERMS, Fault, Player
from bgd.errors import IllegalPlay
from bgd.rules.board import Board
from bgd.rules.cube import passed, taken, why_no_double
from bgd.rules.dice import Dice
from bgd.rules.outcome import is_over, outcome_of
from bgd.rules.plays import Play, play_between
from bgd.rules.state import GameState, Phase, Side

MAX_TURNS: Final = 5000
"""A game this long is broken off without points. Real ones take about 50 turns, a thousand at the very most."""

FAULT_POINTS: Final = 3
"""What an illegal play or a crash costs, times the cube: a backgammon, so that it pays in no position."""

Seat = Literal["a", "b"]


class Turn(NamedTuple):
    seat: Seat
    dice: Dice
    play: Play


class Call(NamedTuple):
    """What a player said of the cube, and what it stands at, or would, if the double is taken."""

    seat: Seat
    said: Literal["double", "take", "pass"]
    value: int


Step: TypeAlias = Turn | Call


class GameRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A finished game. `points` are player a's; `luck` is a's luck less b's, in points, None when not measured. `cube`
    is what it was played for, `passed` whether it ended with that."""

    first: Seat
    points: int
    turns: int
    luck: float | None = None
    fault: str = ""
    faulty: Seat | None = None
    unfinished: bool = False
    cube: int = 1
    passed: bool = False


Luck = Callable[[GameState, bool], float]
"""How lucky the dice are for the side on roll, in points; the flag says that it is the opening roll."""


def other(seat: Seat) -> Seat:
    return "b" if seat == "a" else "a"


def dice_of(seed: int, pair: int) -> Iterator[Dice]:
    """The rolls of both games of a pair, the opening roll first."""
    source = random.Random(f"{seed} {pair}")
    rolls = (Dice(source.randint(1, 6), source.randint(1, 6)) for _ in iter(int, 1))
    yield next(roll for roll in rolls if not roll.is_double)
    yield from rolls


def play_game(
    players: dict[Seat, Player], first: Seat, rolls: Iterator[Dice], luck: Luck | None = None, cube: bool = False
) -> tuple[GameRecord, list[Step]]:
    """Play to the end. The table trusts nobody: each play is looked up among the legal ones."""
    state, seat = GameState(Board.start(), Side.BOTTOM, Phase.ROLL, terms=TERMS), first
    steps: list[Step] = []
    lucky = 0.0
    for count, dice in enumerate(islice(rolls, MAX_TURNS)):
        try:
            if cube and count > 0 and why_no_double(state) is None and players[seat].doubles(state):
                steps.append(Call(seat, "double", 2 * state.cube.value))
                state, seat = replace(state, phase=Phase.DOUBLED), other(seat)
                if not players[seat].takes(state):
                    steps.append(Call(seat, "pass", passed(state)))
                    return _ended(
                        state, first, other(seat), 1, count, None if luck is None else lucky, passed=True
                    ), steps
                state, seat = replace(state, phase=Phase.ROLL, cube=taken(state)), other(seat)
                steps.append(Call(other(seat), "take", state.cube.value))
            rolled = state.with_dice(dice)
            if luck is not None:
                lucky += luck(rolled, count == 0) * _sign(seat)
            after = players[seat].choose(rolled)
            play = play_between(state.board, dice, after)
        except (Fault, IllegalPlay) as fault:
            lost = _ended(state, first, other(seat), FAULT_POINTS, count, None)
            return structs.replace(lost, fault=str(fault), faulty=seat), steps
        steps.append(Turn(seat, dice, play))
        if is_over(after):
            return _ended(state, first, seat, int(outcome_of(after)), count + 1, None if luck is None else lucky), steps
        state, seat = GameState(after.flip(), Side.BOTTOM, Phase.ROLL, state.cube.flip(), terms=TERMS), other(seat)
    return GameRecord(first=first, points=0, turns=MAX_TURNS, unfinished=True), steps


def play_pair(
    players: dict[Seat, Player], seed: int, pair: int, luck: Luck | None = None, cube: bool = False
) -> list[tuple[GameRecord, list[Step]]]:
    """The two games of a pair: same dice, seats exchanged."""
    seats: tuple[Seat, Seat] = ("a", "b")
    return [play_game(players, first, dice_of(seed, pair), luck, cube) for first in seats]


def _ended(
    state: GameState, first: Seat, winner: Seat, points: int, turns: int, luck: float | None, passed: bool = False
) -> GameRecord:
    """The record of a game won by so many points, times the cube."""
    value = state.cube.value
    return GameRecord(
        first=first, points=points * value * _sign(winner), turns=turns, luck=luck, cube=value, passed=passed
    )


def _sign(seat: Seat) -> int:
    return 1 if seat == "a" else -1
