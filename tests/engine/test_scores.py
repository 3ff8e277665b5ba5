"""What is made of a rollout's games, whoever played them: games here come to what the test says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
import pytest

from bgd.engine.ladder import ladder_of
from bgd.engine.met import MatchEquityTable
from bgd.engine.scores import BLOCK, FEWEST, Contender, Games, Scores
from bgd.engine.values import RolledOut, Rollout, RolloutPlan
from bgd.rules.board import Board
from bgd.rules.state import Cube, GameState, Match, Money

MET = MatchEquityTable.default()
MONEY = GameState(terms=Money(jacoby=False, beavers=False))
BEAVERS = GameState(terms=Money(jacoby=False, beavers=True))
CUBE = [Contender(Board.start(), "no double", 0), Contender(Board.start(), "double/take", 2)]
PLAYS = [Contender(Board.start(), "play", 0)] * 3

Pattern = Sequence[float]
"""What game after game is worth, again and again, beginning one further in each block."""


def games(pattern: Pattern, played: int = BLOCK, first: int = 0) -> Games:
    """From number `first` on."""
    numbers = np.arange(first, first + played)
    found = np.zeros((played, 6))
    found[:, 5] = np.array(pattern)[(numbers + numbers // BLOCK) % len(pattern)]
    return found


def scores(entered: Sequence[Contender], plan: RolloutPlan, state: GameState = MONEY) -> Scores:
    return Scores(state, plan, entered, ladder_of(state.cube, state.turn, state.terms, MET, 3), MET)


def rolled_out(
    entered: Sequence[Contender], patterns: Sequence[Pattern], state: GameState = MONEY, **plan: float
) -> Rollout:
    """A rollout of at most 1,260 games, unless its `plan` ends it earlier."""
    kept = scores(entered, RolloutPlan(trials=1260, **plan), state)  # type: ignore[arg-type]
    for block in count():
        for contender in tuple(kept.live):
            kept.add(contender, games(patterns[contender], first=block * BLOCK))
        if kept.settle():
            break
    return kept.result()


def around(mean: float, spread: float) -> Pattern:
    return mean - spread, mean + spread


# A cube decision


def cube(rolled: Pattern, taken: Pattern, state: GameState = MONEY, **plan: float) -> tuple[Rollout, int]:
    """The rollout, and how many games of each side were played."""
    found = rolled_out(CUBE, [rolled, taken], state, **plan)
    assert found.lines[0].trials == found.lines[1].trials
    return found, found.lines[0].trials


def test_a_cube_decision_is_settled_when_both_of_its_questions_are() -> None:
    assert cube(around(0.3, 0.5), around(0.6, 0.5), apart=3.0)[1] == FEWEST
    assert cube(around(0.3, 0.5), around(1.4, 0.5), apart=3.0)[1] == FEWEST  # double, pass


def test_it_is_open_while_nobody_knows_whether_to_take() -> None:
    assert cube(around(0.3, 0.5), around(0.98, 0.5), apart=3.0)[1] == 1260


def test_it_is_open_while_nobody_knows_whether_the_position_is_too_good_to_double() -> None:
    # Taken, a double would be worth far more than rolling; but it would be passed.
    assert cube(around(0.99, 0.5), around(1.6, 0.5), apart=3.0)[1] == 1260
    assert cube(around(1.3, 0.5), around(1.6, 0.5), apart=3.0)[1] == FEWEST


def test_it_is_open_while_nobody_knows_whether_to_beaver() -> None:
    assert cube(around(0.3, 0.1), around(-0.02, 0.5), BEAVERS, apart=3.0)[1] == 1260
    assert cube(around(0.3, 0.1), around(-0.02, 0.5), MONEY, apart=3.0)[1] == FEWEST
    assert cube(around(0.3, 0.1), around(-0.5, 0.5), BEAVERS, apart=3.0)[1] == FEWEST


def test_both_sides_of_a_cube_decision_are_played_to_the_same_number_of_games() -> None:
    found, _ = cube(around(0.9, 0.8), around(-2.0, 0.5), apart=0.5)
    assert found.ended == "apart"


def losses(found: Rollout) -> list[float]:
    return [line.behind for line in found.lines]


def test_a_double_that_should_be_passed_is_worth_the_pass() -> None:
    found, _ = cube(around(0.7, 0.5), around(1.5, 0.5))
    assert losses(found) == [pytest.approx(0.3), 0]
    assert found.lines[1].cubeful == pytest.approx(1.5)
    rolled = found.lines[0]
    assert rolled.behind_error == pytest.approx(rolled.cubeful_error)  # what a pass wins is certain


def test_a_position_too_good_to_double_loses_by_a_double() -> None:
    assert losses(cube(around(1.2, 0.5), around(1.5, 0.5))[0]) == [0, pytest.approx(0.2)]


def test_a_double_that_should_be_beavered_loses_twice() -> None:
    assert losses(cube(around(0.1, 0.5), around(-0.3, 0.5))[0]) == [0, pytest.approx(0.4)]
    assert losses(cube(around(0.1, 0.5), around(-0.3, 0.5), BEAVERS)[0]) == [0, pytest.approx(0.7)]
    at_its_limit = GameState(cube=Cube(1, limit=2), terms=BEAVERS.terms)
    assert losses(cube(around(0.1, 0.5), around(-0.3, 0.5), at_its_limit)[0]) == [0, pytest.approx(0.4)]


def test_in_a_match_a_pass_is_one_too() -> None:
    match = GameState(terms=Match(7, (3, 2)))
    lost, won = (MET.win(own, other, False) for own, other in ((5, 3), (4, 4)))
    passed = MET.win(4, 4, False)
    middle = MET.win(5, 4, False)
    found, _ = cube(around((middle + passed) / 2, 0.01), around(passed + 0.05, 0.01), match)
    assert lost < middle < won == passed
    assert found.lines[0].behind == pytest.approx(1 - found.lines[0].value)
    assert found.lines[1].behind == 0


# Plays


def test_a_play_that_was_dropped_is_behind_though_the_best_came_to_less_later() -> None:
    kept = scores(PLAYS, RolloutPlan(trials=720, apart=2.0))
    for block in range(20):
        for contender in tuple(kept.live):
            first = (around(0.5, 0.5), around(0.3, 0.5), around(0.49, -0.5))[contender]
            kept.add(contender, games(first if block < 9 else around(-0.5, 0.5), first=block * BLOCK))
        if kept.settle():
            break
    found = kept.result()
    best, second, dropped = found.lines
    assert (best.trials, second.trials, dropped.trials) == (720, 720, 324)
    assert best.value < dropped.value
    assert dropped.behind > 0 == best.behind
    assert isinstance(best, RolledOut)


@pytest.mark.parametrize(
    ("means", "chances"),
    [
        ((0.6, 0.2, 0.1, 0.3, 0.2), (0.6, 0.2, 0.1, 0.3, 0.2)),
        ((1.02, 0.2, -0.01, 0.01, 0.02), (1.0, 0.2, 0.0, 0.0, 0.0)),
        ((0.1, 0.2, 0.3, 0.95, 0.97), (0.1, 0.1, 0.1, 0.9, 0.9)),
        ((-0.02, 0.01, 0.0, 0.5, 0.6), (0.0, 0.0, 0.0, 0.5, 0.5)),
    ],
)
def test_what_is_told_are_chances_however_few_games_there_were(
    means: Sequence[float], chances: Sequence[float]
) -> None:
    kept = scores(PLAYS[:1], RolloutPlan())
    kept.add(0, np.array([[*means, 0.0]] * 2))
    assert tuple(kept.result().lines[0].chances) == pytest.approx(chances)


# How games come


@pytest.mark.parametrize("size", [1, 4, 5, 35])
def test_how_a_block_is_cut_is_not_seen(size: int) -> None:
    whole, cut = (scores(PLAYS, RolloutPlan(trials=72)) for _ in range(2))
    patterns = [np.linspace(k, 1, 2 * BLOCK).tolist() for k in range(3)]
    for contender, pattern in enumerate(patterns):
        both = games(pattern, 2 * BLOCK)
        whole.add(contender, both[:BLOCK])
        whole.add(contender, both[BLOCK:])
        for first in range(0, 2 * BLOCK, size):
            cut.add(contender, both[first : first + size])
    assert (cut.rounds, cut.worth_a_look) == (whole.rounds, whole.worth_a_look) == (2, True)
    assert cut.result() == whole.result()


def test_while_no_block_is_whole_as_many_games_count_as_all_have() -> None:
    kept = scores(PLAYS, RolloutPlan())
    for contender, played in enumerate((8, 4, 11)):
        kept.add(contender, games((0.0, 1.0), played))
    assert (kept.rounds, kept.worth_a_look) == (0, False)
    assert [line.trials for line in kept.result().lines] == [4, 4, 4]
