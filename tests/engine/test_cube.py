"""Cube decisions from given chances: last rolls, take points, match scores, Jacoby, beavers, labels."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd.engine import stakes
from bgd.engine.cube import Searched, decide, evaluation, refusal
from bgd.engine.met import MatchEquityTable
from bgd.engine.stakes import (
    CONTACT_EFFICIENCY,
    DEAD,
    LATENESS,
    RACE_EFFICIENCY,
    Stakes,
    efficiency,
    play_stakes,
)
from bgd.engine.values import Chances
from bgd.rules.board import Board
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side
from tests.rules.boards import by_own_points

ME, YOU = Side.BOTTOM, Side.TOP


def money(chances_board: Board | None = None, **changes: object) -> GameState:
    state = GameState(board=chances_board or Board.start(), turn=ME, terms=Money(jacoby=False, beavers=False))
    return replace(state, **changes)


def match(length: int, own: int, opponent: int, crawford: bool = False, cube: Cube | None = None) -> GameState:
    return GameState(turn=ME, terms=Match(length, (opponent, own), crawford), cube=cube or Cube())


LAST_ROLL = by_own_points((3, 1), (1,))


@st.composite
def chances(draw: st.DrawFn) -> Chances:
    share = st.floats(0, 1)
    win = draw(share)
    win_gammon, lose_gammon = win * draw(share), (1 - win) * draw(share)
    return Chances(win, win_gammon, win_gammon * draw(share), lose_gammon, lose_gammon * draw(share))


@st.composite
def states(draw: st.DrawFn) -> GameState:
    cube = Cube(2 ** draw(st.integers(0, 5)), draw(st.sampled_from([None, ME, YOU])))
    if draw(st.booleans()):
        terms: Match | Money = Money(draw(st.booleans()), draw(st.booleans()))
    else:
        length = draw(st.integers(1, 30))
        scores = (draw(st.integers(0, length - 1)), draw(st.integers(0, length - 1)))
        one_away = (length - scores[0] == 1) != (length - scores[1] == 1)
        terms = Match(length, scores, crawford=one_away and draw(st.booleans()))
    return GameState(turn=ME, cube=cube, terms=terms)


# Last rolls: the cube is dead after them, and everything is exact.


def test_a_three_and_an_ace_to_bear_off_against_one_checker_is_double_and_pass() -> None:
    decision = decide(money(LAST_ROLL), Chances(34 / 36), 0)
    assert (decision.label, decision.double, decision.response) == ("double/pass", True, "pass")
    assert decision.no_double == pytest.approx(2 * 34 / 36 - 1)
    assert decision.double_take == pytest.approx(2 * (2 * 34 / 36 - 1))
    assert decision.double_pass == 1


def test_the_take_point_on_the_last_roll_is_a_quarter() -> None:
    last = money(by_own_points((6,), (1,)))
    assert decide(last, Chances(27 / 36), 0).label == "double/take"
    assert decide(last, Chances(27 / 36 + 1e-4), 0).label == "double/pass"
    assert decide(last, Chances(27 / 36), 0).double_take == pytest.approx(1)


def test_on_the_last_roll_any_favourite_doubles_and_an_underdog_does_not() -> None:
    last = money(LAST_ROLL)
    assert decide(last, Chances(0.51), 0).label == "double/take"
    assert decide(last, Chances(0.5), 0).label == "optional double"
    assert decide(last, Chances(0.49), 0).label == "no double/take"


@pytest.mark.parametrize(
    ("board", "last"),
    [
        (by_own_points((6, 6), (1,)), True),
        (by_own_points((6, 6), (3,)), True),
        (by_own_points((6, 6), (1, 1)), True),
        (by_own_points((6, 6), (2, 1)), True),
        (by_own_points((6, 6), (2, 2)), False),
        (by_own_points((6, 6), (1, 1, 1)), False),
        (by_own_points((6, 6), (4,)), False),
    ],
)
def test_it_is_the_last_roll_when_the_opponent_surely_bears_off_next(board: Board, last: bool) -> None:
    assert (efficiency(board) == DEAD) is last


# How alive the cube is


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.2))
def test_a_cube_is_more_alive_near_its_use_and_less_in_the_hands_of_who_plays_for_a_gammon(
    win: float, gammons: float, lost_gammons: float, more: float
) -> None:
    alive = partial(CONTACT_EFFICIENCY.alive, late=0.0, last=False)
    base = alive(win, gammons, lost_gammons)
    assert 0 <= base <= 1
    assert alive(win + more, gammons, lost_gammons) >= base
    assert alive(win, gammons + more, lost_gammons) <= base
    assert alive(win, gammons, lost_gammons + more) >= base
    assert alive(win, gammons, lost_gammons, late=more) <= base
    assert alive(win, gammons, lost_gammons, last=True) <= base


@given(st.floats(-1, 1), st.floats(0, 1))
def test_a_cube_is_late_near_the_cash_point_for_who_plays_on_for_more_than_cashing(beyond: float, prize: float) -> None:
    on_roll, waiting = (LATENESS.degree(beyond, prize, on_roll=on_roll) for on_roll in (True, False))
    assert 0 <= waiting <= on_roll <= 1
    assert (on_roll > 0) is (beyond > -LATENESS.on_roll and prize > 0)
    assert (waiting == 1) is (beyond >= LATENESS.width - LATENESS.waiting and prize >= LATENESS.prize)


def test_the_cube_dies_in_the_last_rolls_of_a_race() -> None:
    races = [by_own_points((6,) * men, (6,) * 8) for men in range(1, 15)]
    alive = [efficiency(board).even for board in races]
    assert alive == sorted(alive)
    assert (efficiency(races[0]), alive[-1]) == (DEAD, pytest.approx(RACE_EFFICIENCY[0], abs=0.01))


@given(chances())
def test_the_middle_is_a_better_place_for_the_cube_than_the_other_side_and_a_worse_one_than_ones_own(
    likely: Chances,
) -> None:
    mine, centred, yours = (
        decide(money(cube=cube), likely, 0).no_double for cube in (Cube(2, ME), Cube(2), Cube(2, YOU))
    )
    assert yours - 1e-9 <= centred <= mine + 1e-9


PLAYED_ON = [
    ((0.7218, 0.2379, 0.0107, 0.0500, 0.0022), 0.940, 0.946),
    ((0.7745, 0.1041, 0.0055, 0.0098, 0.0003), 0.692, 0.745),
    ((0.6754, 0.4379, 0.0139, 0.0696, 0.0031), 0.831, 0.903),
    ((0.7569, 0.2381, 0.0086, 0.0450, 0.0020), 0.949, 0.954),
    ((0.7186, 0.4029, 0.0045, 0.0488, 0.0027), 0.933, 0.967),
    ((0.7553, 0.3399, 0.0126, 0.0423, 0.0026), 1.008, 1.028),
    ((0.8029, 0.2193, 0.0043, 0.0181, 0.0004), 1.037, 1.055),
    ((0.8851, 0.0259, 0.0000, 0.0026, 0.0001), 0.998, 0.997),
    ((0.8739, 0.1184, 0.0001, 0.0084, 0.0002), 0.889, 0.927),
    ((0.8789, 0.3397, 0.0078, 0.0285, 0.0021), 1.174, 1.182),
    ((0.8748, 0.6277, 0.0097, 0.0039, 0.0001), 1.364, 1.406),
    ((0.9422, 0.8921, 0.1900, 0.0025, 0.0000), 1.995, 1.998),
]
"""Own rollouts at 0 plies of contact positions of own games, money: every fourteenth of 161 beyond the cash point, by
their distance from it. The five chances, and what no double is worth with the cube in the middle and with one's own;
standard errors .002 to .022."""


@pytest.mark.parametrize(("cube", "place"), [(Cube(), 1), (Cube(2, ME), 2)])
def test_beyond_the_cash_point_playing_on_is_on_average_worth_what_rollouts_say(cube: Cube, place: int) -> None:
    def miss(alive: stakes.Efficiency) -> float:
        users = (True, cube.owner is None)
        says = [
            Stakes(Chances(*row[0]), cube, ME, money().terms).cubeful(cube.value, users, alive) for row in PLAYED_ON
        ]
        return sum(say - row[place] for say, row in zip(says, PLAYED_ON, strict=True)) / len(PLAYED_ON)

    assert abs(miss(CONTACT_EFFICIENCY)) < 0.02
    assert miss(CONTACT_EFFICIENCY._replace(late=0.0)) > 0.04


# Money


def test_live_cube_points_without_gammons_are_one_and_four_fifths() -> None:
    stakes = Stakes(Chances(0.5), Cube(), ME, Money())
    assert stakes.take_point(0, 1) == pytest.approx(0.2)
    assert stakes.cash_point(0, 1) == pytest.approx(0.8)


def test_the_closed_form_of_the_take_point_is_the_limit_of_the_levels() -> None:
    gammonish = Chances(0.5, 0.2, 0.01, 0.1, 0.0)
    closed = Stakes(gammonish, Cube(), ME, Money()).take_point(0, 1)
    by_levels = Stakes(gammonish, Cube(limit=512), ME, Money()).take_point(0, 1)
    assert by_levels == pytest.approx(closed, abs=2e-5)


def test_gammons_lost_raise_the_take_point_and_gammons_won_lower_it() -> None:
    def take_point(chances: Chances) -> float:
        return Stakes(chances, Cube(), ME, Money()).take_point(0, 1)

    plain = take_point(Chances(0.5))
    assert take_point(Chances(0.5, lose_gammon=0.2)) > plain > take_point(Chances(0.5, win_gammon=0.2))


def test_at_the_take_point_of_a_cube_alive_in_part_a_take_costs_what_a_pass_does() -> None:
    low, high = 0.5, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if decide(money(), Chances(middle), 0).double_take > 1 else (middle, high)
    # Dead .75, live .80: contact's efficiency lies between.
    assert 0.75 < low < 0.80


def test_an_even_position_is_no_double_and_a_take() -> None:
    assert decide(money(), Chances(0.5, 0.13, 0.01, 0.13, 0.01), 0).label == "no double/take"


def test_the_owner_of_the_cube_waits_longer_than_with_a_centred_one() -> None:
    owned = money(cube=Cube(2, ME))
    assert decide(money(), Chances(0.735), 0).label == "double/take"
    assert decide(owned, Chances(0.735), 0).label == "no redouble/take"
    assert decide(owned, Chances(0.85), 0).label == "redouble/pass"


def test_with_many_gammons_it_is_too_good_to_double() -> None:
    assert decide(money(), Chances(0.95, 0.6), 0).label == "too good/pass"
    assert decide(money(cube=Cube(2, ME)), Chances(0.95, 0.6), 0).label == "too good/pass"


def test_too_good_a_position_may_still_be_a_take() -> None:
    # A gammon wins the match with the cube at 1; turned, the cube only gives the opponent more to win.
    decision = decide(match(5, 3, 0), Chances(0.75, 0.75), 0)
    assert (decision.label, decision.double, decision.response) == ("too good/take", False, "take")
    assert decision.no_double > 1 > decision.double_take


def test_jacoby_never_is_too_good_with_the_cube_centred() -> None:
    jacoby = money(terms=Money(jacoby=True, beavers=False))
    assert decide(jacoby, Chances(0.95, 0.6), 0).label == "double/pass"
    assert decide(replace(jacoby, cube=Cube(2, ME)), Chances(0.95, 0.6), 0).label == "too good/pass"


def test_jacoby_makes_gammonish_doubles_earlier() -> None:
    gammonish = Chances(0.62, 0.3, 0.0, 0.1, 0.0)
    plain, jacoby = decide(money(), gammonish, 0), decide(money(terms=Money(jacoby=True)), gammonish, 0)
    assert jacoby.no_double < plain.no_double
    assert jacoby.double_take == plain.double_take


def test_a_bad_double_is_beavered_when_beavers_are_allowed() -> None:
    underdog = Chances(0.4)
    assert decide(money(), underdog, 0).label == "no double/take"
    beavered = decide(money(terms=Money(jacoby=False, beavers=True)), underdog, 0)
    assert (beavered.label, beavered.response, beavered.double) == ("no double/beaver", "beaver", False)


def test_no_beaver_while_the_takers_equity_is_not_above_zero() -> None:
    state = money(LAST_ROLL, terms=Money(jacoby=False, beavers=True))
    assert decide(state, Chances(0.5), 0).response == "take"
    assert decide(state, Chances(0.499), 0).response == "beaver"


def test_with_jacoby_a_double_can_be_right_and_its_beaver_too() -> None:
    # Kauder's paradox: the doubler wins gammons or loses, and gammons count only once he has doubled.
    kauder = decide(money(LAST_ROLL, terms=Money(jacoby=True, beavers=True)), Chances(0.4, 0.19), 0)
    assert kauder.double_take == pytest.approx(2 * (0.4 * 2 - 1 + 0.19))
    assert kauder.label == "double/beaver"


def test_equities_do_not_depend_on_the_height_of_the_cube() -> None:
    owned = [decide(money(cube=Cube(value, ME)), Chances(0.7, 0.2), 0) for value in (2, 32)]
    assert owned[0].no_double == pytest.approx(owned[1].no_double, abs=1e-5)
    assert owned[0].double_take == pytest.approx(owned[1].double_take, abs=1e-5)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (money(cube=Cube(2, YOU)), "the opponent owns the cube"),
        (money(cube=Cube(8, ME, limit=8)), "the cube is at its limit"),
        (money(phase=Phase.OVER), "the game is over"),
        (match(5, 4, 2, crawford=True), "this is the Crawford game"),
        (match(5, 2, 4, crawford=True), "this is the Crawford game"),
    ],
)
def test_why_a_double_is_not_allowed_is_said(state: GameState, reason: str) -> None:
    decision = decide(state, Chances(0.8), 0)
    assert (decision.label, decision.reason, decision.allowed, decision.double) == ("not allowed", reason, False, False)


@pytest.mark.parametrize("state", [match(5, 4, 2), match(7, 5, 3, cube=Cube(2, ME))])
def test_a_cube_that_wins_the_match_as_it_is_is_dead(state: GameState) -> None:
    decision = decide(state, Chances(0.8), 0)
    assert (decision.label, decision.reason, decision.allowed, decision.double) == ("dead cube", "", True, False)


OBSERVED = [
    (Money(jacoby=True), Cube(), (0.694799, 0.217686, 0.012521, 0.081176, 0.002271), 0.865182),
    (Money(jacoby=True), Cube(2, ME), (0.733824, 0.091631, 0.001589, 0.027211, 0.000294), 0.885724),
    (Money(jacoby=True), Cube(4, YOU), (0.632857, 0.194766, 0.013718, 0.10182, 0.002613), 0.244937),
    (Money(jacoby=False), Cube(2, ME), (0.400122, 0.118061, 0.007547, 0.233884, 0.018074), -0.190063),
    (Money(jacoby=False), Cube(4, YOU), (0.830848, 0.561308, 0.151639, 0.028496, 0.001147), 1.287488),
    (Match(3, (1, 2), crawford=True), Cube(), (0.569777, 0.186253, 0.004119, 0.089163, 0.002578), 0.740307),
    (Match(5, (3, 1)), Cube(2, ME), (0.635911, 0.089694, 0.001571, 0.059884, 0.001143), 0.5),
    (Match(5, (3, 2)), Cube(), (0.585801, 0.139439, 0.006797, 0.085937, 0.000729), 0.441787),
    (Match(9, (0, 0)), Cube(), (0.726631, 0.012273, 0.0, 0.009122, 0.000129), 0.5396),
    (Match(9, (0, 6)), Cube(2, YOU), (0.418338, 0.094482, 0.004064, 0.215503, 0.011813), 0.773276),
    (Match(11, (10, 0)), Cube(2, YOU), (0.626859, 0.113502, 0.002225, 0.055862, 0.002067), 0.048979),
    (Match(11, (2, 6)), Cube(4, ME), (0.253184, 0.007714, 0.0, 0.01515, 0.0), 0.611983),
]
"""Observed on the external interface of GNU Backgammon 1.07.001, `evaluation ... plies 0 cubeful`, contact positions:
the stakes, the five chances, and what they are worth."""

IN_THE_MIDDLE = [
    (Money(jacoby=True), Cube(), (0.521483, 0.153909, 0.007563, 0.129867, 0.007548), 0.084256),
    (Money(jacoby=True), Cube(), (0.273742, 0.026747, 0.0, 0.043322, 0.000413), -0.673058),
    (Money(jacoby=False), Cube(), (0.506022, 0.137088, 0.007933, 0.157888, 0.006033), -0.005679),
    (Match(7, (2, 4)), Cube(), (0.521483, 0.153909, 0.007563, 0.129867, 0.007548), 0.658168),
    (Match(3, (0, 1)), Cube(), (0.398444, 0.111163, 0.001781, 0.131304, 0.005601), 0.560083),
    (Match(7, (4, 4)), Cube(), (0.380201, 0.015563, 0.0, 0.048486, 0.0), 0.458232),
    (Match(15, (5, 2)), Cube(), (0.418864, 0.085045, 0.000755, 0.15248, 0.004538), 0.349413),
]
"""The same with a cube that both may turn, for which GNU Backgammon has another formula."""


def worth(terms: Match | Money, cube: Cube, five: tuple[float, ...]) -> float:
    """As alive as it is to GNU Backgammon in contact."""
    result = evaluation(GameState(turn=ME, cube=cube, terms=terms), Chances(*five), 0)
    return result.cubeful if result.mwc_cubeful is None else result.mwc_cubeful


@pytest.mark.parametrize(("terms", "cube", "five", "told"), OBSERVED)
def test_the_same_chances_are_worth_what_gnu_backgammon_says(
    terms: Match | Money, cube: Cube, five: tuple[float, ...], told: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stakes, "CONTACT_EFFICIENCY", DEAD._replace(even=0.68, free=0.68))
    assert worth(terms, cube, five) == pytest.approx(told, abs=5e-6)


@pytest.mark.parametrize(("terms", "cube", "five", "told"), IN_THE_MIDDLE)
def test_a_cube_in_the_middle_is_worth_about_what_gnu_backgammon_says(
    terms: Match | Money, cube: Cube, five: tuple[float, ...], told: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stakes, "CONTACT_EFFICIENCY", DEAD._replace(even=0.68, free=0.68))
    assert worth(terms, cube, five) == pytest.approx(told, abs=0.03)


def test_janowskis_formula_holds_for_a_cube_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    for alive in (0.0, 0.5, 0.7, 1.0):
        monkeypatch.setattr(stakes, "CONTACT_EFFICIENCY", DEAD._replace(even=alive))
        for win in (0.3, 0.5, 0.6, 0.75):
            equity = decide(money(), Chances(win), 0).no_double
            assert equity == pytest.approx(4 / (4 - alive) * (win * (2 + alive / 2) - 1 - alive / 4))


# Matches


def test_three_away_both_the_dead_cube_take_point_is_thirty_percent() -> None:
    stakes = Stakes(Chances(0.5), Cube(limit=2), ME, Match(3))
    assert stakes.take_point(0, 1) == pytest.approx(0.302, abs=5e-4)


def test_the_price_of_a_take_is_risk_over_risk_and_gain() -> None:
    table = MatchEquityTable.default()
    stakes = Stakes(Chances(0.5), Cube(limit=2), ME, Match(7, (3, 2)))
    risk = table.win(5, 3, False) - table.win(5, 2, False)
    gain = table.win(3, 4, False) - table.win(5, 3, False)
    assert stakes.take_point(0, 1) == pytest.approx(risk / (risk + gain))


def test_in_a_long_match_at_an_even_score_the_cube_is_as_in_money_play() -> None:
    far = Match(60, (0, 0))
    for chance in (0.3, 0.55, 0.7, 0.78, 0.9):
        likely = Chances(chance, chance * 0.2, 0.0, (1 - chance) * 0.2, 0.0)
        in_match, for_money = decide(GameState(terms=far), likely, 0), decide(money(), likely, 0)
        assert in_match.no_double == pytest.approx(for_money.no_double, abs=0.05)
        assert in_match.double_take == pytest.approx(for_money.double_take, abs=0.1)


def test_after_the_crawford_game_the_trailer_doubles_at_once() -> None:
    for away in (2, 3, 4, 5, 7):
        assert decide(match(9, 9 - away, 8), Chances(0.5, 0.13, 0.0, 0.13, 0.0), 0).label == "double/take"


def test_a_leader_who_passes_the_free_double_to_come_has_what_a_pass_leaves() -> None:
    # 3-4 to 5, the leader on roll: below his take point the trailer doubles at his turn, and waits for nothing.
    state = match(5, 4, 3)
    assert evaluation(state, Chances(0.40), 0).cubeful == pytest.approx(-1)
    assert evaluation(state, Chances(0.40, 0.0, 0.0, 0.13, 0.0), 0).cubeful == pytest.approx(-1, abs=0.02)
    assert evaluation(state, Chances(0.40, 0.0, 0.0, 0.55, 0.0), 0).cubeful < -1.2  # he plays on to win the match


def test_with_an_even_number_to_go_the_leader_has_a_free_pass() -> None:
    # 2-away after Crawford: passing leaves the leader at double match point, which taking does too.
    ahead = Chances(0.515)
    assert decide(match(5, 3, 4), ahead, 0).response == "pass"
    assert decide(match(5, 2, 4), ahead, 0).response == "take"


def test_at_two_away_each_a_double_makes_the_match_depend_on_this_game() -> None:
    decision = decide(match(3, 1, 1), Chances(0.6), 0)
    assert decision.mwc_double_take == pytest.approx(0.6)
    assert decision.mwc_double_pass == pytest.approx(0.67736)


def test_the_leader_doubling_into_a_free_redouble_plays_for_four() -> None:
    # 2-away against 4-away: after the double the trailer redoubles at his first turn, for the match.
    decision = decide(match(5, 3, 1), Chances(0.6), 0)
    assert decision.mwc_double_take == pytest.approx(0.6, abs=1e-9)


def test_at_double_match_point_equity_is_twice_the_chances_less_one() -> None:
    result = evaluation(match(3, 2, 2), Chances(0.7, 0.5, 0.1), 0)
    assert (result.equity, result.cubeful, result.mwc) == pytest.approx((0.4, 0.4, 0.7))


def test_in_the_crawford_game_nobody_doubles_and_equity_is_cubeless() -> None:
    result = evaluation(match(5, 2, 4, crawford=True), Chances(0.6, 0.2), 0)
    assert result.cubeful == pytest.approx(result.equity)


def test_gammons_are_worth_nothing_to_a_leader_one_away() -> None:
    leader, trailer = (play_stakes(Cube(), side, Match(5, (2, 4), crawford=True)) for side in (ME, YOU))
    assert leader[2] == leader[3] == 0
    assert trailer[2] > 0
    assert leader[0] + leader[1] == 1


def test_after_the_crawford_game_plays_are_judged_at_the_doubled_cube() -> None:
    trailer = play_stakes(Cube(), ME, Match(5, (4, 1)))
    assert trailer[0] == 0
    assert trailer[0] + trailer[1] == pytest.approx(0.48803)
    assert trailer[0] + trailer[1] + trailer[2] == pytest.approx(1)


# Laws


@given(states(), chances())
def test_every_number_is_finite_and_chances_stay_chances(state: GameState, likely: Chances) -> None:
    decision = decide(state, likely, 0)
    assert all(abs(equity) < 1e3 for equity in (decision.no_double, decision.double_take, decision.double_pass))
    for chance in (decision.mwc_no_double, decision.mwc_double_take, decision.mwc_double_pass):
        assert chance is None or -1e-9 <= chance <= 1 + 1e-9
    assert decision.double_pass == pytest.approx(1)


@given(states(), chances())
def test_a_proper_double_gains_and_a_proper_answer_costs_the_doubler_most(state: GameState, likely: Chances) -> None:
    decision = decide(state, likely, 0)
    doubled = min(decision.double_take * (2 if decision.response == "beaver" else 1), decision.double_pass)
    if decision.double:
        assert decision.allowed
        free = decision.label.startswith("optional")  # and doubled all the same: waiting can only cost
        assert doubled == pytest.approx(decision.no_double, abs=1e-6) if free else doubled > decision.no_double
    if decision.response == "pass":
        assert decision.double_take > decision.double_pass


@given(states(), chances())
def test_cubeless_worth_is_opposite_for_the_two_sides(state: GameState, likely: Chances) -> None:
    other = replace(state, board=state.board.flip(), turn=state.turn.other)
    assert evaluation(state, likely, 0).equity == pytest.approx(-evaluation(other, likely.flip(), 0).equity, abs=1e-6)


SHARES = st.floats(0, 1)


@given(st.floats(0, 1), st.floats(0, 1), SHARES, SHARES)
def test_a_better_position_is_never_worth_less(first: float, second: float, gammons: float, lost: float) -> None:
    low, high = sorted((first, second))
    states = (
        money(),
        money(cube=Cube(2, ME)),
        money(cube=Cube(2, YOU)),
        match(7, 2, 4),
        match(3, 0, 0),
        match(2, 0, 0),
    )
    for state in states:
        plain = [evaluation(state, Chances(win), 0).cubeful for win in (low, high)]
        assert plain[0] <= plain[1] + 1e-9
        worse, better = (
            evaluation(state, Chances(win, win * gammons, 0.0, (1 - win) * lost, 0.0), 0).cubeful for win in (low, high)
        )
        # Where a dead cube's gammons are worth a little, the cube's being late may outweigh more chances, by .002.
        assert worse <= better + 0.005


@given(chances())
def test_the_stakes_of_a_play_are_the_cubeless_worth(likely: Chances) -> None:
    weights = play_stakes(Cube(2, ME), ME, Match(9, (2, 3)))
    five = (likely.win, likely.win_gammon, likely.win_backgammon, likely.lose_gammon, likely.lose_backgammon)
    linear = weights[0] + sum(weight * chance for weight, chance in zip(weights[1:], five, strict=True))
    state = GameState(turn=ME, cube=Cube(2, ME), terms=Match(9, (2, 3)))
    assert linear == pytest.approx(evaluation(state, likely, 0).mwc, abs=1e-9)


def test_refusal_is_empty_when_the_cube_may_be_turned() -> None:
    assert refusal(money()) == ""
    assert refusal(match(7, 0, 0, cube=Cube(2, ME))) == ""


def test_an_optional_double_is_made_by_a_side_with_nothing_to_lose_and_by_no_other() -> None:
    behind = decide(match(5, 2, 4), Chances(0.5), 1, searched=Searched(0.3, 0.3))
    assert (behind.label, behind.double) == ("optional double", True)
    even = decide(match(5, 2, 2), Chances(0.5), 1, searched=Searched(0.5, 0.5))
    assert (even.label, even.double) == ("optional double", False)
