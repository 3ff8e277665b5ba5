"""Positions of every kind, the same ones each time: games of random legal plays from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from bgd.rules.board import Board
from bgd.rules.cube import is_dead
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side


def random_turns(seed: int) -> Iterator[tuple[Board, Dice]]:
    """Boards with a roll to play, game after game without end: openings, contact, bars, fans, races, bear-offs."""
    rng = random.Random(seed)
    while True:
        board = Board.start()
        while board.opponent_off < 15:
            dice = Dice(rng.randint(1, 6), rng.randint(1, 6))
            yield board, dice
            plays = legal_plays(board, dice)
            if plays:
                board = rng.choice(plays).result
            board = board.flip()


def terms(rng: random.Random) -> Match | Money:
    """Money play, or a match at some score: Crawford and post-Crawford games come often."""
    if rng.random() < 0.4:
        return Money(jacoby=rng.random() < 0.5, scores=(rng.randint(0, 40), rng.randint(0, 40)))
    length = rng.choice((1, 2, 3, 5, 7, 11, 25, 64))
    scores = (rng.randrange(length), rng.randrange(length))
    if length > 1 and rng.random() < 0.4:
        scores = (
            (length - 1, rng.randrange(length - 1)) if rng.random() < 0.5 else (rng.randrange(length - 1), length - 1)
        )
    match = Match(length, scores)
    return replace(match, crawford=True) if match.post_crawford and rng.random() < 0.5 else match


def random_states(seed: int) -> Iterator[GameState]:
    """Moments of games: to roll, to play, doubled; money and matches; the cube anywhere it can be.

    No dead cube is turned: gnubg refuses that, where bgd lets it be, to no use."""
    rng = random.Random(f"states {seed}")
    for board, dice in random_turns(seed):
        stakes = terms(rng)
        turn = Side(rng.randint(0, 1))
        crawford = isinstance(stakes, Match) and stakes.crawford
        exponent = 0 if crawford else rng.choice((0, 0, 0, 1, 1, 2, 3, 6))
        cube = Cube(2**exponent, rng.choice(tuple(Side)) if exponent else None)
        phases = [Phase.ROLL, Phase.PLAY, Phase.PLAY]
        if not crawford and cube.owner in (None, turn) and not is_dead(cube, stakes, turn):
            phases.append(Phase.DOUBLED)
        phase = rng.choice(phases)
        yield GameState(board, turn, phase, cube, dice if phase is Phase.PLAY else None, stakes)
