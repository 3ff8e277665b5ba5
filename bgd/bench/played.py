"""Positions of bgd's own games: before a roll, with a cube that the side on roll may turn to some use.

Games are played at 0 plies with the cube in play, doubles and answers as 0 plies say, dice from `random.Random`. Every
position is told as if BOTTOM were on roll. The same seed and weights give the same positions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bgd.engine import Engine
from bgd.rules.cube import is_dead, taken, why_no_cube
from bgd.rules.dice import Dice
from bgd.rules.game import moment
from bgd.rules.state import GameState, Match, Money, Phase, Side

MAX_TURNS: Final = 1000
"""A game this long is broken off."""


def game(engine: Engine, terms: Match | Money, rng: random.Random) -> Iterator[GameState]:
    """The positions of one game in which the side on roll may turn the cube to some use, in their order.

    Who begins, which side has which of the `terms`' scores, and the dice come from `rng`."""
    if rng.random() < 0.5:
        terms = _exchanged(terms)
    state = GameState(turn=Side.BOTTOM, terms=terms)
    for turn in range(MAX_TURNS):
        if turn > 0 and not (why_no_cube(state.cube, terms, state.turn) or is_dead(state.cube, terms, state.turn)):
            yield seen_from_the_roll(state)
            decision = engine.cube(state)
            if decision.double and decision.response == "pass":
                return
            if decision.double:
                state = replace(state, cube=taken(replace(state, phase=Phase.DOUBLED)))
        dice = _roll(rng, opening=turn == 0)
        after = engine.best(state.with_dice(dice))
        if after.finished:
            return
        state = moment(after.flip(), state.turn.other, Phase.ROLL, state.cube, None, terms)


def seen_from_the_roll(state: GameState) -> GameState:
    """The same position with BOTTOM on roll: sides, scores and cube exchanged where it is TOP."""
    if state.turn is Side.BOTTOM:
        return state
    return moment(state.board, Side.BOTTOM, state.phase, state.cube.flip(), state.dice, _exchanged(state.terms))


def _exchanged(terms: Match | Money) -> Match | Money:
    return replace(terms, scores=(terms.scores[1], terms.scores[0]))


def _roll(rng: random.Random, opening: bool) -> Dice:
    while True:
        dice = Dice(rng.randint(1, 6), rng.randint(1, 6))
        if not (opening and dice.is_double):
            return dice
