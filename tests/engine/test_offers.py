"""To resign or to play on, and what to answer: nobody gives away what might be saved, or takes less than is due."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bgd.engine import Engine
from bgd.engine.offers import SURE
from bgd.errors import IllegalAction
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.outcome import worst_loss
from bgd.rules.state import Cube, GameState, Match, Money, Outcome, Phase, Resignation, Side
from tests.engine.fakes import FakeJudge, fake_engine
from tests.rules.boards import board, by_own_points
from tests.strategies import boards, states

OWNED = Cube(2, Side.BOTTOM)
SINGLE, GAMMON, BACKGAMMON = Outcome


def advice(chances: Sequence[float], state: GameState) -> Outcome | None:
    """What the side on roll should offer."""
    return fake_engine(chances).resign(state).offer


def accepts(chances: Sequence[float], state: GameState, outcome: Outcome, by: Side = Side.TOP) -> bool:
    """Whether the offer of `by` should be accepted; chances are those of the side on roll, which is bottom."""
    accept = fake_engine(chances).resign(state, offered=Resignation(by, outcome)).accept
    assert accept is not None
    return accept


LOST = [0.0, 0.0, 0.0, 0.0, 0.0]
LOST_GAMMON = [0.0, 0.0, 0.0, 1.0, 0.0]
LOST_BACKGAMMON = [0.0, 0.0, 0.0, 1.0, 1.0]


# To offer


@pytest.mark.parametrize(("chances", "offer"), [(LOST, SINGLE), (LOST_GAMMON, GAMMON), (LOST_BACKGAMMON, BACKGAMMON)])
@pytest.mark.parametrize("cube", [OWNED, Cube(2, Side.TOP), Cube()])
def test_what_is_certainly_lost_is_offered(chances: list[float], offer: Outcome, cube: Cube) -> None:
    assert advice(chances, GameState(cube=cube, terms=Money(jacoby=False))) is offer


def test_with_jacobys_rule_and_the_cube_in_the_middle_a_single_game_is_all_that_can_be_lost() -> None:
    assert advice(LOST_GAMMON, GameState(terms=Money(jacoby=True))) is SINGLE
    assert advice(LOST_GAMMON, GameState(cube=OWNED, terms=Money(jacoby=True))) is GAMMON


def test_a_gammon_that_might_be_saved_is_not_resigned() -> None:
    assert advice([0.0, 0.0, 0.0, 0.9, 0.0], GameState(cube=OWNED)) is None


def test_backgammons_do_not_make_up_for_a_gammon_that_might_be_saved() -> None:
    evened = [0.0, 0.0, 0.0, 0.8, 0.2]  # worth -2 on the average, but one game in five is not a gammon
    assert advice(evened, GameState(cube=OWNED)) is None


def test_wins_do_not_make_up_for_gammons_lost() -> None:
    evened = [0.2, 0.0, 0.0, 0.4, 0.0]  # worth -1 on the average
    assert advice(evened, GameState(cube=Cube(2, Side.TOP, 2), terms=Money(jacoby=False))) is None


def test_a_game_that_might_be_won_is_not_resigned() -> None:
    assert advice([2 * SURE, 0.0, 0.0, 0.0, 0.0], GameState(cube=OWNED)) is None
    assert advice([SURE / 8, 0.0, 0.0, 0.0, 0.0], GameState(cube=OWNED)) is SINGLE


def test_no_gammon_is_resigned_once_a_checker_is_off() -> None:
    position = board("24:14", "23:2")
    assert worst_loss(position) is SINGLE
    assert advice(LOST, GameState(position, cube=OWNED)) is SINGLE
    assert advice(LOST_GAMMON, GameState(position, cube=OWNED)) is None


def test_when_a_single_game_loses_the_match_no_more_is_offered() -> None:
    assert advice(LOST_BACKGAMMON, GameState(terms=Match(3, (2, 1)))) is SINGLE
    assert advice(LOST_BACKGAMMON, GameState(terms=Match(3, (1, 1)))) is GAMMON
    assert advice(LOST_BACKGAMMON, GameState(terms=Match(7, (1, 1)))) is BACKGAMMON


def test_dice_on_the_table_are_played_before_it_is_judged() -> None:
    # Two checkers against one on the ace point: it is lost before a 21, and won before a 66.
    race = board("6 5", "24")
    engine = fake_engine()
    lost = engine.resign(GameState(race, cube=OWNED).with_dice(Dice(6, 6)))
    assert (lost.offer, lost.equity) == (None, 1.0)


def test_a_chance_that_is_known_counts_however_small_it_is() -> None:
    tiny = [SURE / 4, 0.0, 0.0, 0.0, 0.0]
    bearing_off = by_own_points([1] * 15, [1] * 8)  # four doubles in a row win, if the other side throws none
    assert advice(tiny, GameState(cube=OWNED)) is SINGLE
    assert advice(tiny, GameState(bearing_off, cube=OWNED)) is None
    assert advice(LOST, GameState(bearing_off, cube=OWNED)) is SINGLE
    assert advice(tiny, GameState(by_own_points([7, *[1] * 14], [1] * 8), cube=OWNED)) is SINGLE


class OutOfTime:
    """Says stop from the time on when so many plies have been looked at."""

    def __init__(self, judge: FakeJudge, plies: int) -> None:
        self.judge, self.plies = judge, plies

    def __call__(self) -> bool:
        return bool(self.judge.levels) and max(self.judge.levels) >= self.plies


@pytest.mark.parametrize("plies", [1, 2, 4])
def test_the_play_of_the_dice_does_not_use_up_the_time_for_what_follows(plies: int) -> None:
    judge = FakeJudge()
    found = Engine(judge).resign(GameState().with_dice(Dice(3, 1)), 4, stop=OutOfTime(judge, plies))
    assert found.plies == plies - 1
    assert Engine(FakeJudge()).resign(GameState().with_dice(Dice(3, 1)), 4).plies == 4


@given(states(), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_nobody_offers_more_than_can_be_lost_or_costs_more_than_it_saves(state: GameState, shares: list[float]) -> None:
    assume(state.phase is Phase.ROLL)
    win = shares[0] ** 8
    gammon = (1 - win) * shares[1]
    found = fake_engine([win, win * shares[2], 0.0, gammon, gammon * shares[2]]).resign(state)
    if found.offer is not None:
        assert found.worth is not None
        assert found.offer <= worst_loss(state.board)
        assert found.worth >= found.equity - SURE
        assert 1 - [1 - win, gammon, gammon * shares[2]][found.offer - 1] <= SURE + 1e-6


# To accept


def test_an_offer_is_accepted_when_it_is_worth_no_less_than_playing_on() -> None:
    gammonish = [0.99, 0.7, 0.0, 0.0, 0.0]
    owned = GameState(cube=OWNED)
    assert accepts([0.9, 0.0, 0.0, 0.0, 0.0], owned, SINGLE)
    assert not accepts(gammonish, owned, SINGLE)
    assert accepts(gammonish, owned, GAMMON)


def test_with_jacobys_rule_and_the_cube_in_the_middle_an_offered_gammon_is_a_single_game() -> None:
    gammonish = [0.99, 0.6, 0.0, 0.0, 0.0]
    assert accepts(gammonish, GameState(terms=Money(jacoby=True)), SINGLE)
    assert not accepts(gammonish, GameState(terms=Money(jacoby=False)), SINGLE)


def test_the_side_not_on_roll_accepts_by_its_own_chances() -> None:
    lost = GameState(cube=OWNED)
    assert accepts([0.1, 0.0, 0.0, 0.0, 0.0], lost, SINGLE, by=Side.BOTTOM)
    assert not accepts([0.1, 0.0, 0.0, 0.7, 0.0], lost, SINGLE, by=Side.BOTTOM)


def test_a_match_is_accepted_however_few_points_win_it() -> None:
    sure_gammon = [1.0, 1.0, 0.0, 0.0, 0.0]
    assert accepts(sure_gammon, GameState(terms=Match(3, (0, 2))), SINGLE)
    assert not accepts(sure_gammon, GameState(terms=Match(3, (0, 1))), SINGLE)
    assert accepts(sure_gammon, GameState(terms=Match(3, (0, 1))), GAMMON)


def test_in_a_match_worths_are_told_as_match_winning_chances_too() -> None:
    found = fake_engine([1.0, 1.0, 0.0, 0.0, 0.0]).resign(
        GameState(terms=Match(3, (0, 2))), offered=Resignation(Side.TOP, SINGLE)
    )
    assert found.mwc == found.mwc_worth == 1.0
    assert fake_engine(LOST).resign(GameState()).mwc is None


@given(boards(), st.sampled_from([LOST, LOST_GAMMON, LOST_BACKGAMMON]), st.sampled_from(list(Side)))
def test_what_one_side_should_offer_the_other_should_accept(where: Board, chances: list[float], side: Side) -> None:
    assume(not where.finished)
    for terms in (Money(), Match(5, (2, 3)), Match(5, (4, 3), crawford=True)):
        state = GameState(where, side, cube=Cube(2, side), terms=terms)
        offer = advice(chances, state)
        if offer is not None:
            engine = fake_engine(chances)
            assert engine.resign(state, offered=Resignation(side, offer)).accept


@pytest.mark.parametrize("phase", [Phase.DOUBLED, Phase.BEAVERED, Phase.RACCOONED, Phase.OVER])
def test_nobody_resigns_while_a_double_is_pending_or_when_the_game_is_over(phase: Phase) -> None:
    with pytest.raises(IllegalAction, match=r"double|over"):
        fake_engine().resign(GameState(phase=phase))


# Beavers and raccoons. The doubler is on roll, and the equities of a plain race of no gammons are easy.


def answer(win: float, phase: Phase, beavers: bool = True, cube: Cube = Cube()) -> str:  # noqa: B008
    state = GameState(phase=phase, cube=cube, terms=Money(beavers=beavers))
    return fake_engine([win, 0.0, 0.0, 0.0, 0.0]).answer(state)


def test_a_double_is_answered_as_the_cube_decision_says() -> None:
    assert [answer(win, Phase.DOUBLED) for win in (0.95, 0.6, 0.3)] == ["pass", "take", "beaver"]


@pytest.mark.parametrize("phase", [Phase.ROLL, Phase.OPENING, Phase.OVER])
def test_where_no_double_was_made_there_is_none_to_answer(phase: Phase) -> None:
    with pytest.raises(IllegalAction, match="No double"):
        fake_engine().answer(GameState(phase=phase))


def test_a_beaver_is_raccooned_by_who_gains_by_it_and_passed_by_who_loses_more_than_the_double() -> None:
    assert answer(0.7, Phase.BEAVERED) == "raccoon"
    assert answer(0.4, Phase.BEAVERED) == "take"
    assert answer(0.1, Phase.BEAVERED) == "pass"


def test_a_raccoon_needs_beavers_and_a_cube_that_can_still_be_turned() -> None:
    assert answer(0.7, Phase.BEAVERED, beavers=False) == "take"
    assert answer(0.7, Phase.BEAVERED, cube=Cube(limit=4)) == "take"


def test_a_raccoon_is_taken_unless_passing_costs_less() -> None:
    assert answer(0.5, Phase.RACCOONED) == "take"
    assert answer(0.95, Phase.RACCOONED) == "pass"
