"""A whole game and match, step by step."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgd.errors import BadDice, BadPosition, BadValue, IllegalAction, IllegalPlay
from bgd.rules.board import Board
from bgd.rules.dice import Dice, ScriptedDice
from bgd.rules.game import (
    ACTIONS,
    AcceptResignation,
    Action,
    Beaver,
    Confirm,
    Double,
    MovePlay,
    NextGame,
    OfferResignation,
    Pass,
    Raccoon,
    RejectResignation,
    Roll,
    RollOpening,
    Take,
    TakeBack,
    apply,
    legal_actions,
    moment,
    settled,
    under,
)
from bgd.rules.plays import legal_plays
from bgd.rules.state import Cube, GameState, HouseRules, Match, Money, Outcome, Phase, Resignation, Result, Side
from tests.rules.boards import board, moves, rolls
from tests.strategies import states

NEW = GameState(phase=Phase.OPENING)
ON_ROLL = GameState()


def after(state: GameState, *actions: Action) -> GameState:
    for action in actions:
        state = apply(state, action)
    return state


def move(text: str) -> MovePlay:
    return MovePlay(moves(text))


def refusal(state: GameState, action: Action) -> str:
    with pytest.raises(IllegalAction) as caught:
        apply(state, action)
    assert type(action) not in legal_actions(state)
    return caught.value.message


# The laws of the reducer


def any_action(kind: type[Action], state: GameState, data: st.DataObject) -> Action:
    """An action of a kind, right for the state if the kind is."""
    if kind is RollOpening:
        return RollOpening(data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6)))
    if kind is Roll:
        return Roll(data.draw(rolls))
    if kind is MovePlay:
        legal = legal_plays(state.board, state.dice) if state.dice else ()
        return MovePlay(data.draw(st.sampled_from(legal)).moves if legal else ())
    if kind is OfferResignation:
        return OfferResignation(data.draw(st.sampled_from(Outcome)), data.draw(st.sampled_from([None, *Side])))
    return kind()


terms = st.one_of(
    st.builds(Match, st.integers(1, 9)),
    st.builds(Money, st.booleans(), st.booleans(), st.integers(0, 3)),
)


@settings(max_examples=60, deadline=None)
@given(
    terms, st.builds(HouseRules, st.booleans(), st.booleans(), st.booleans()), st.sampled_from([1, 4, 64]), st.data()
)
def test_every_action_is_either_legal_and_accepted_or_refused_and_the_game_stays_a_game(
    agreed: Match | Money, house: HouseRules, limit: int, data: st.DataObject
) -> None:
    state = GameState(phase=Phase.OPENING, terms=agreed, house=house, cube=Cube(limit=limit))
    for _ in range(40):
        legal = legal_actions(state)
        for kind in set(ACTIONS) - set(legal):
            with pytest.raises(IllegalAction):
                apply(state, any_action(kind, state, data))
        if not legal:
            match = settled(state)
            assert isinstance(match, Match)
            assert match.winner is not None
            break
        kind = data.draw(st.sampled_from(legal))
        before, state = state, apply(state, any_action(kind, state, data))
        assert Board(state.board.points) == state.board
        assert state.cube.value <= limit
        assert (state.result is not None) == (state.phase is Phase.OVER)
        assert (state.terms == before.terms) or kind is NextGame


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_a_game_played_with_any_dice_comes_to_an_end(seed: int) -> None:
    chance = Random(seed)
    state = ON_ROLL
    while state.phase is not Phase.OVER:
        dice = Dice(chance.randint(1, 6), chance.randint(1, 6))
        legal = legal_plays(state.board, dice)
        play = MovePlay(chance.choice(legal).moves if legal else ())
        state = after(state, Roll(dice), play, Confirm())
    assert state.board.off == 15
    assert state.result is not None
    assert state.result.winner is state.turn


# The opening


def test_the_higher_die_begins_and_plays_both() -> None:
    state = apply(NEW, RollOpening(top=6, bottom=2))
    assert (state.turn, state.dice, state.phase) == (Side.TOP, Dice(6, 2), Phase.PLAY)
    assert apply(NEW, RollOpening(top=1, bottom=5)).dice == Dice(5, 1)


def test_equal_dice_are_thrown_again() -> None:
    assert apply(NEW, RollOpening(3, 3)) == NEW
    assert after(NEW, RollOpening(3, 3), RollOpening(4, 3)).turn is Side.TOP


def test_equal_dice_double_automatically_in_money_play_as_often_as_agreed() -> None:
    state = replace(NEW, terms=Money(automatic_doubles=1))
    state = after(state, RollOpening(3, 3), RollOpening(5, 5), RollOpening(2, 1))
    assert state.cube == Cube(2)
    in_a_match = apply(replace(NEW, terms=Match(5)), RollOpening(3, 3))
    assert in_a_match.cube == Cube()


def test_where_it_is_agreed_the_beginner_rolls_again() -> None:
    state = apply(replace(NEW, house=HouseRules(winner_rerolls=True)), RollOpening(6, 2))
    assert (state.turn, state.dice, state.phase) == (Side.TOP, None, Phase.ROLL)
    assert apply(state, Roll(Dice(4, 4))).dice == Dice(4, 4)


def test_nothing_else_comes_before_the_opening_throw() -> None:
    assert legal_actions(NEW) == (RollOpening,)
    assert refusal(NEW, Roll(Dice(3, 1))) == "Cannot roll: the opening throw comes first"
    assert refusal(ON_ROLL, RollOpening(3, 1)) == "Cannot throw for the opening: the game has begun"


def test_an_opening_throw_is_of_two_dice() -> None:
    with pytest.raises(BadDice):
        apply(NEW, RollOpening(7, 1))


def test_an_opening_may_come_from_a_dice_source() -> None:
    dice = ScriptedDice("3 3 5 2")
    state = NEW
    while state.phase is Phase.OPENING:
        state = apply(state, RollOpening(dice.die(), dice.die()))
    assert (state.turn, state.dice) == (Side.TOP, Dice(5, 2))


# A turn


def test_a_play_stands_when_it_is_confirmed_and_the_other_side_is_on_roll() -> None:
    state = after(ON_ROLL, Roll(Dice(3, 1)), move("8/5 6/5"), Confirm())
    assert (state.turn, state.phase, state.dice, state.played) == (Side.TOP, Phase.ROLL, None, None)
    assert state.board_of(Side.BOTTOM).points[5] == 2
    assert state.board.points[20] == -2


def test_a_play_can_be_taken_back_until_it_is_confirmed() -> None:
    rolled = apply(ON_ROLL, Roll(Dice(3, 1)))
    made = apply(rolled, move("8/5 6/5"))
    assert made.board == rolled.board
    assert str(made.played) == "8/5 6/5"
    assert apply(made, TakeBack()) == rolled
    confirmed = after(rolled, move("8/5 6/5"), TakeBack(), move("24/23 13/10"), Confirm())
    assert refusal(confirmed, TakeBack()) == "Cannot take a play back: the dice are to be rolled first"


def test_a_second_play_waits_until_the_first_is_taken_back() -> None:
    made = after(ON_ROLL, Roll(Dice(3, 1)), move("8/5 6/5"))
    assert refusal(made, move("24/23 13/10")) == "Cannot move: a play is made: confirm it or take it back"


def test_there_is_nothing_to_confirm_or_take_back_before_a_play() -> None:
    rolled = apply(ON_ROLL, Roll(Dice(3, 1)))
    assert refusal(rolled, Confirm()) == "Cannot confirm a play: no play is made yet"
    assert refusal(rolled, TakeBack()) == "Cannot take a play back: no play is made yet"


def test_an_illegal_play_is_refused_with_its_rule() -> None:
    with pytest.raises(IllegalPlay) as caught:
        after(ON_ROLL, Roll(Dice(6, 5)), move("24/18"))
    assert caught.value.rule == "both-dice"


def test_a_play_may_be_given_by_the_board_it_leads_to() -> None:
    rolled = apply(ON_ROLL, Roll(Dice(3, 1)))
    by_moves = apply(rolled, move("8/5 6/5"))
    assert by_moves.played is not None
    assert apply(rolled, MovePlay(by_moves.played.result)) == by_moves


def test_a_side_that_cannot_move_confirms_that_and_the_turn_passes() -> None:
    fan = GameState(board=board("bar:2 10:2", "22:2 20:2"))
    state = after(fan, Roll(Dice(5, 3)), MovePlay(), Confirm())
    assert (state.turn, state.board) == (Side.TOP, fan.board.flip())


def test_dice_are_rolled_once_a_turn() -> None:
    assert refusal(apply(ON_ROLL, Roll(Dice(3, 1))), Roll(Dice(6, 6))) == "Cannot roll: the dice are on the table"
    assert refusal(ON_ROLL, move("8/5 6/5")) == "Cannot move: the dice are to be rolled first"


# The cube


def test_a_take_doubles_the_game_and_gives_the_cube_to_the_taker() -> None:
    state = after(ON_ROLL, Double(), Take())
    assert (state.cube, state.phase, state.turn) == (Cube(2, Side.TOP), Phase.ROLL, Side.BOTTOM)
    assert refusal(state, Double()) == "Cannot double: the opponent owns the cube"


def test_the_other_side_answers_a_double_and_the_cube_shows_its_old_value_meanwhile() -> None:
    state = apply(ON_ROLL, Double())
    assert (state.decider, state.turn, state.cube.value) == (Side.TOP, Side.BOTTOM, 1)
    assert refusal(state, Roll(Dice(3, 1))) == "Cannot roll: a double is to be answered first"
    assert refusal(state, OfferResignation(Outcome.SINGLE)).endswith("a double is to be answered first")


def test_a_pass_loses_the_value_before_the_double() -> None:
    assert after(ON_ROLL, Double(), Pass()).result == Result(Side.BOTTOM, Outcome.SINGLE, 1)
    redoubled = after(replace(ON_ROLL, cube=Cube(4, Side.BOTTOM)), Double(), Pass())
    assert redoubled.result == Result(Side.BOTTOM, Outcome.SINGLE, 4)


def test_a_beaver_keeps_the_cube() -> None:
    state = after(ON_ROLL, Double(), Beaver())
    assert state.decider is Side.BOTTOM
    assert apply(state, Take()).cube == Cube(4, Side.TOP)


def test_a_beaver_may_be_passed_for_the_value_of_the_double() -> None:
    assert after(ON_ROLL, Double(), Beaver(), Pass()).result == Result(Side.TOP, Outcome.SINGLE, 2)


def test_a_raccoon_turns_the_cube_once_more_and_leaves_it_with_the_beaverer() -> None:
    state = after(ON_ROLL, Double(), Beaver(), Raccoon())
    assert state.decider is Side.TOP
    assert apply(state, Take()).cube == Cube(8, Side.TOP)
    assert apply(state, Pass()).result == Result(Side.BOTTOM, Outcome.SINGLE, 4)
    assert refusal(state, Beaver()) == "Cannot beaver: no double is to be answered"


def test_nobody_beavers_in_a_match() -> None:
    state = apply(replace(ON_ROLL, terms=Match(7)), Double())
    assert refusal(state, Beaver()) == "Cannot beaver: beavers are for money play"


def test_nobody_doubles_in_the_crawford_game() -> None:
    state = replace(ON_ROLL, terms=Match(5, (4, 1), crawford=True))
    assert refusal(state, Double()) == "Cannot double: this is the Crawford game"


def test_there_is_nothing_to_take_or_pass_before_a_double() -> None:
    assert refusal(ON_ROLL, Take()) == "Cannot take: no double is to be answered"
    assert refusal(ON_ROLL, Pass()) == "Cannot pass: no double is to be answered"


# The end of a game


def last_roll(loser: str, **fields: object) -> GameState:
    """BOTTOM bears off its last checker."""
    start = replace(GameState(board=board("1", loser)), **fields)  # type: ignore[arg-type]
    return after(start, Roll(Dice(2, 1)), move("1/off"), Confirm())


BORNE_ONE_OFF, ALL_HOME, ON_THE_BAR = "24:14", "24:15", "bar 24:14"
NO_JACOBY = Money(jacoby=False)


def test_a_win_counts_one_two_or_three_times_the_cube() -> None:
    owned = Cube(4, Side.TOP)
    assert last_roll(BORNE_ONE_OFF, cube=owned).result == Result(Side.BOTTOM, Outcome.SINGLE, 4)
    assert last_roll(ALL_HOME, cube=owned).result == Result(Side.BOTTOM, Outcome.GAMMON, 8)
    assert last_roll(ON_THE_BAR, cube=owned).result == Result(Side.BOTTOM, Outcome.BACKGAMMON, 12)


def test_a_backgammon_counts_two_where_that_is_agreed() -> None:
    state = last_roll(ON_THE_BAR, terms=NO_JACOBY, house=HouseRules(backgammons=False))
    assert state.result == Result(Side.BOTTOM, Outcome.GAMMON, 2)


def test_jacoby_counts_a_gammon_single_while_the_cube_is_centred() -> None:
    assert last_roll(ALL_HOME, terms=Money(jacoby=True)).result == Result(Side.BOTTOM, Outcome.SINGLE, 1)
    assert last_roll(ALL_HOME, terms=NO_JACOBY).result == Result(Side.BOTTOM, Outcome.GAMMON, 2)
    assert last_roll(ALL_HOME, terms=Match(7)).result == Result(Side.BOTTOM, Outcome.GAMMON, 2)


def test_a_finished_game_allows_nothing_but_the_next() -> None:
    state = last_roll(ALL_HOME)
    assert legal_actions(state) == (NextGame,)
    assert refusal(state, Double()) == "Cannot double: the game is over"
    assert refusal(state, Roll(Dice(3, 1))) == "Cannot roll: the game is over"


def test_the_next_game_begins_with_the_last_one_counted_and_the_cube_in_the_centre() -> None:
    state = last_roll(ALL_HOME, terms=Match(7, (1, 2)), cube=Cube(2, Side.TOP, limit=64))
    assert state.terms == Match(7, (1, 2))
    assert settled(state) == Match(7, (1, 6), crawford=True)
    assert apply(state, NextGame()) == GameState(
        phase=Phase.OPENING, terms=Match(7, (1, 6), crawford=True), cube=Cube(limit=64)
    )


def test_a_money_session_goes_on_for_ever() -> None:
    state = apply(last_roll(ALL_HOME, terms=Money(scores=(5, 5), jacoby=False)), NextGame())
    assert state.terms == Money(scores=(5, 7), jacoby=False)


def test_no_game_follows_the_end_of_a_match() -> None:
    state = last_roll(ALL_HOME, terms=Match(3, (2, 1)))
    assert settled(state) == Match(3, (2, 3))
    assert refusal(state, NextGame()) == "Cannot begin the next game: the match is over"
    assert legal_actions(state) == ()


def test_no_game_follows_one_that_is_not_over_or_whose_winner_is_not_known() -> None:
    assert refusal(ON_ROLL, NextGame()) == "Cannot begin the next game: the game is not over"
    assert refusal(replace(ON_ROLL, phase=Phase.OVER), NextGame()).endswith("who won this game is not known")
    assert settled(ON_ROLL) == ON_ROLL.terms


# Resignation


def test_a_resignation_ends_the_game_when_it_is_accepted() -> None:
    offered = apply(replace(ON_ROLL, cube=Cube(2, Side.TOP)), OfferResignation(Outcome.GAMMON))
    assert offered.resignation == Resignation(Side.BOTTOM, Outcome.GAMMON)
    assert offered.decider is Side.TOP
    over = apply(offered, AcceptResignation())
    assert over.result == Result(Side.TOP, Outcome.GAMMON, 4)
    assert over.resignation is None


def test_play_goes_on_as_before_when_a_resignation_is_rejected() -> None:
    rolled = apply(ON_ROLL, Roll(Dice(3, 1)))
    assert after(rolled, OfferResignation(Outcome.SINGLE), RejectResignation()) == rolled


def test_nothing_else_happens_while_a_resignation_is_offered() -> None:
    offered = apply(ON_ROLL, OfferResignation(Outcome.SINGLE))
    assert legal_actions(offered) == (AcceptResignation, RejectResignation)
    assert "accepted or rejected first" in refusal(offered, Roll(Dice(3, 1)))
    assert refusal(ON_ROLL, AcceptResignation()) == "Cannot accept a resignation: no resignation is offered"


def test_the_side_that_is_not_on_roll_may_resign_too() -> None:
    offered = apply(ON_ROLL, OfferResignation(Outcome.SINGLE, Side.TOP))
    assert offered.decider is Side.BOTTOM
    assert apply(offered, AcceptResignation()).result == Result(Side.BOTTOM, Outcome.SINGLE, 1)


def test_a_gammon_resigned_counts_as_one_won_over_the_board() -> None:
    under_jacoby = after(ON_ROLL, OfferResignation(Outcome.GAMMON), AcceptResignation())
    assert under_jacoby.result == Result(Side.TOP, Outcome.SINGLE, 1)


# Whole games


def test_a_match_to_two_from_the_first_throw_to_the_last_point() -> None:
    state = GameState(phase=Phase.OPENING, terms=Match(2))
    state = after(
        state, RollOpening(1, 3), move("8/5 6/5"), Confirm(), Roll(Dice(6, 2)), move("24/18 13/11"), Confirm()
    )
    state = after(state, Roll(Dice(5, 4)), OfferResignation(Outcome.SINGLE), AcceptResignation(), NextGame())
    assert state.terms == Match(2, (1, 0), crawford=True)
    state = after(state, RollOpening(2, 2), RollOpening(6, 4), move("24/14"), Confirm())
    assert refusal(state, Double()) == "Cannot double: this is the Crawford game"
    state = after(state, OfferResignation(Outcome.SINGLE, Side.TOP), AcceptResignation(), NextGame())
    assert state.terms == Match(2, (1, 1))
    state = after(state, RollOpening(5, 6), move("24/13"), Confirm(), Double(), Pass())
    assert state.result == Result(Side.TOP, Outcome.SINGLE, 1)
    assert settled(state) == Match(2, (2, 1))
    assert legal_actions(state) == ()


# The values themselves


def test_a_state_has_dice_exactly_when_they_are_to_be_played() -> None:
    with pytest.raises(BadValue, match="dice"):
        GameState(phase=Phase.PLAY)
    with pytest.raises(BadValue, match="dice"):
        GameState(dice=Dice(3, 1))
    made = after(ON_ROLL, Roll(Dice(3, 1)), move("8/5 6/5"))
    with pytest.raises(BadValue, match="play"):
        replace(made, dice=None, phase=Phase.ROLL)


def test_nobody_is_on_roll_once_a_side_has_borne_off_everything() -> None:
    for won in (board("", "6:3"), board("6:3", "")):
        for phase in set(Phase) - {Phase.OVER}:
            dice = Dice(3, 1) if phase is Phase.PLAY else None
            with pytest.raises(BadPosition, match="over"):
                GameState(won, phase=phase, dice=dice)
            state = moment(won, Side.TOP, phase, Cube(2, Side.TOP), dice, Money())
            winner = Side.TOP if won.off == 15 else Side.BOTTOM
            assert (state.phase, state.result) == (Phase.OVER, Result(winner, Outcome.SINGLE, 2))
            assert legal_actions(state) == (NextGame,)


def test_what_is_described_of_a_game_that_goes_on_is_taken_as_it_is() -> None:
    offer = Resignation(Side.TOP, Outcome.GAMMON)
    state = moment(Board.start(), Side.TOP, Phase.PLAY, Cube(2), Dice(3, 1), Match(5), offer)
    assert state == GameState(Board.start(), Side.TOP, Phase.PLAY, Cube(2), Dice(3, 1), Match(5), resignation=offer)
    assert under(state, Match(7)) == replace(state, terms=Match(7))


@given(states())
def test_a_state_made_quickly_is_the_one_that_the_constructor_makes(state: GameState) -> None:
    described = (state.board, state.turn, state.phase, state.cube, state.dice, state.terms, state.resignation)
    quick = GameState.quickly(*described)
    slow = GameState(*described)
    assert (quick, repr(quick), hash(quick), type(quick)) == (slow, repr(slow), hash(slow), GameState)
    assert replace(quick, turn=quick.turn.other) == replace(slow, turn=slow.turn.other)


def test_a_state_made_quickly_is_checked_and_cannot_be_changed() -> None:
    with pytest.raises(BadValue, match="Expected dice exactly when"):
        GameState.quickly(Board.start(), Side.TOP, Phase.ROLL, Cube(), Dice(3, 1), Money())
    state = GameState.quickly(Board.start(), Side.TOP, Phase.ROLL, Cube(), None, Money())
    with pytest.raises(FrozenInstanceError):
        state.turn = Side.BOTTOM  # type: ignore[misc]


def test_under_other_rules_a_finished_game_is_counted_again() -> None:
    gammon = moment(board("", "12:15"), Side.BOTTOM, Phase.ROLL, Cube(), None, Money(jacoby=True))
    assert gammon.result == Result(Side.BOTTOM, Outcome.SINGLE, 1)
    assert under(gammon, Money(jacoby=False)).result == Result(Side.BOTTOM, Outcome.GAMMON, 2)


@pytest.mark.parametrize(("length", "scores"), [(0, (0, 0)), (65, (0, 0)), (5, (-1, 0)), (5, (5, 5))])
def test_a_match_has_a_length_and_scores_that_can_be(length: int, scores: tuple[int, int]) -> None:
    with pytest.raises(BadValue):
        Match(length, scores)
