"""A game that was played to its end is worth what was won."""

from __future__ import annotations

import pytest

from bgd.engine.values import Chances
from bgd.rules.game import moment
from bgd.rules.state import Cube, Match, Money, Phase, Side
from tests.engine.fakes import FakeJudge, fake_engine
from tests.rules.boards import board

SINGLE = board("", "1:2 6:12")
GAMMON = board("", "12:15")
BACKGAMMON = board("", "12:14 bar:1")
NO_JACOBY = Money(jacoby=False)


@pytest.mark.parametrize(
    ("finished", "chances"),
    [
        (SINGLE, Chances(1.0)),
        (GAMMON, Chances(1.0, 1.0)),
        (BACKGAMMON, Chances(1.0, 1.0, 1.0)),
        (SINGLE.flip(), Chances(0.0)),
        (BACKGAMMON.flip(), Chances(0.0, 0.0, 0.0, 1.0, 1.0)),
    ],
)
def test_the_board_tells_who_won_and_how(finished: object, chances: Chances) -> None:
    state = moment(finished, Side.BOTTOM, Phase.ROLL, Cube(), None, NO_JACOBY)  # type: ignore[arg-type]
    found = fake_engine([0.5, 0.0, 0.0, 0.0, 0.0]).evaluate(state)
    assert found.chances == chances
    assert found.equity == found.cubeful == chances.equity


def test_with_jacobys_rule_a_gammon_is_paid_once_the_cube_was_turned() -> None:
    for cube, paid in ((Cube(), 1.0), (Cube(2, Side.TOP), 2.0)):
        found = fake_engine().evaluate(moment(GAMMON, Side.BOTTOM, Phase.ROLL, cube, None, Money(jacoby=True)))
        assert (found.equity, found.cubeful) == (2.0, paid)


def test_in_a_match_it_is_worth_the_score_that_it_makes() -> None:
    found = fake_engine().evaluate(moment(GAMMON, Side.BOTTOM, Phase.ROLL, Cube(), None, Match(7, (4, 5))))
    assert found.mwc == found.mwc_cubeful == 1.0
    found = fake_engine().evaluate(moment(SINGLE, Side.BOTTOM, Phase.ROLL, Cube(), None, Match(3, (2, 1))))
    assert found.mwc == pytest.approx(0.5)


def test_nobodys_opinion_is_asked() -> None:
    judge = FakeJudge()
    from bgd.engine import Engine

    Engine(judge).evaluate(moment(SINGLE, Side.BOTTOM, Phase.ROLL, Cube(), None, Money()))
    assert judge.levels == []
