"""XGIDs: absolute, whoever is on roll."""

from __future__ import annotations

import pytest

from bgd.errors import BadDice, BadPosition, BadValue, InputError
from bgd.notation import match_id, xgid
from bgd.rules.cube import NoCube, offered, why_no_beaver, why_no_double, why_no_raccoon
from bgd.rules.dice import Dice
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side

START = "-b----E-C---eE---c-e----B-"


def test_upper_case_is_the_bottom_player_whoever_rolls() -> None:
    up = xgid.decode(f"XGID={START}:0:0:1:31:0:0:0:0:10")
    down = xgid.decode(f"XGID={START}:0:0:-1:31:0:0:0:0:10")
    assert (up.turn, down.turn) == (Side.BOTTOM, Side.TOP)
    mirror = xgid.decode("XGID=---D---------------a--b-a-:0:0:-1:00:0:0:0:0:8")
    assert match_id.encode_pair(mirror) == "PAAAICMAAAAAAA:MAEAAAAAAAAE"
    assert (mirror.board.pips, mirror.board.opponent_pips) == (13, 12)


def test_scores_are_bottom_then_top_whoever_rolls() -> None:
    for turn in (1, -1):
        assert xgid.decode(f"XGID={START}:0:0:{turn}:00:1:3:0:7:10").terms == Match(7, (3, 1))


def test_the_order_of_the_dice_is_free() -> None:
    assert xgid.decode(f"XGID={START}:0:0:1:16:0:0:0:0:10").dice == Dice(1, 6)
    assert xgid.decode(f"XGID={START}:0:0:1:61:0:0:0:0:10").dice == Dice(6, 1)


def test_rules_are_crawford_in_a_match_and_jacoby_and_beavers_for_money() -> None:
    assert xgid.decode(f"XGID={START}:0:0:1:00:6:2:1:7:10").terms == Match(7, (2, 6), crawford=True)
    for flags, jacoby, beavers in ((0, False, False), (1, True, False), (2, False, True), (3, True, True)):
        assert xgid.decode(f"XGID={START}:0:0:1:00:0:0:{flags}:0:10").terms == Money(jacoby, beavers)


@pytest.mark.parametrize("letter", ["D", "B", "R"])
def test_a_pending_offer_leaves_turn_and_cube_as_they_were(letter: str) -> None:
    text = f"XGID={START}:1:-1:-1:{letter}:1:3:3:0:10"
    state = xgid.decode(text)
    assert (state.turn, state.cube) == (Side.TOP, Cube(2, Side.TOP, 1024))
    assert state.decider is (Side.TOP if letter == "B" else Side.BOTTOM)
    assert xgid.encode(state) == text


@pytest.mark.parametrize(("letter", "largest"), [("D", 2), ("B", 3), ("R", 4)])
def test_the_largest_cube_is_reached_by_as_many_turns_as_were_made(letter: str, largest: int) -> None:
    state = xgid.decode(f"XGID={START}:1:-1:-1:{letter}:0:0:2:0:{largest}")
    assert (offered(state), why_no_beaver(state), why_no_raccoon(state)) == (
        2**largest,
        NoCube.LIMIT if letter == "D" else NoCube.NOTHING_TO_BEAVER,
        NoCube.LIMIT if letter == "B" else NoCube.NOTHING_TO_RACCOON,
    )


def test_without_the_last_field_or_the_prefix_it_is_read_too() -> None:
    assert xgid.decode(f"{START}:0:0:1:31:0:0:3:0") == GameState(phase=Phase.PLAY, dice=Dice(3, 1))
    assert xgid.decode(f"XGID={START}:0:0:1:31:0:0:3:0:10").cube.limit == 1024


def test_a_cube_at_1_is_centred_whoever_the_text_says_owns_it() -> None:
    # As in the example of a viewer's README: `...:0:-1:1:31:0:0:0:0`.
    assert xgid.decode(f"XGID={START}:0:-1:1:31:0:0:0:0").cube == Cube()


@pytest.mark.parametrize(("number", "owner"), [(1, Side.BOTTOM), (-1, Side.TOP)])
@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("exponent", [1, 6, 10, 15])
def test_a_cube_of_any_height_belongs_to_the_same_side_whoever_rolls(
    exponent: int, turn: int, number: int, owner: Side
) -> None:
    text = f"XGID={START}:{exponent}:{number}:{turn}:00:0:0:0:0:15"
    state = xgid.decode(text)
    assert state.cube == Cube(2**exponent, owner, 2**15)
    assert xgid.encode(state) == text
    assert match_id.decode_pair(match_id.encode_pair(state)).cube == state.cube


def test_max_exponent_0_means_that_there_is_no_cube() -> None:
    assert why_no_double(xgid.decode(f"XGID={START}:0:0:1:00:0:0:0:0:0")) is NoCube.LIMIT


def test_only_the_first_line_of_a_pasted_text_is_read() -> None:
    line = f"XGID={START}:0:0:1:31:0:0:0:0:10"
    assert xgid.decode(f"  {line} \r\n\r\nX:Player 1   O:Player 2\r\nScore is X:0 O:0") == xgid.decode(line)


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        ("XGID=-a-bE-D---cD---c-b-a-E-:0:0:1:00:0:0:0:0:10", BadPosition, "26 places .* got 23"),
        ("XGID=A-----", BadPosition, "10 fields"),
        ("XGID=A-----------------------a-:0:0:1:00:0:0:0:0:10", BadPosition, "got `A` and `-`"),
        ("XGID=-A-----------------------a:0:0:1:00:0:0:0:0:10", BadPosition, "got `-` and `a`"),
        ("XGID=-P-----------------------a:0:0:1:00:0:0:0:0:10", BadPosition, "got `P`"),
        (f"XGID={START}:10:0:0:0:0:31:1:0:0", BadValue, "turn"),
        (f"XGID={START}:0:2:1:00:0:0:0:0:10", BadValue, "owner"),
        (f"XGID={START}:0:0:1:3:0:0:0:0:10", BadDice, "field 5"),
        (f"XGID={START}:0:0:1:07:0:0:0:0:10", BadDice, "field 5"),
        (f"XGID={START}:0:0:1:d:0:0:0:0:10", BadDice, "field 5"),
        (f"XGID={START}:0:0:1:٣٣:0:0:0:0:10", BadDice, "field 5"),
        (f"XGID={START}:0:0:1:00:-1:0:0:0:10", BadValue, "field 6"),
        (f"XGID={START}:0:0:1:00:0:0:4:0:10", BadValue, "field 8"),
        (f"XGID={START}:0:0:1:00:0:0:2:7:10", BadValue, "field 8"),
        (f"XGID={START}:0:0:1:00:0:0:0:65:10", BadValue, "field 9"),
        (f"XGID={START}:0:0:1:00:0:0:0:0:10 and more", BadValue, "field 10"),
        (f"XGID={START}:0:0:1:00:0:0:0:0:", BadValue, "field 10"),
        (f"XGID={START}:1:1:-1:D:1:3:0:7:10", BadValue, "opponent owns the cube"),
        (f"XGID={START}:1:-1:-1:D:1:3:0:0:1", BadValue, "limit"),
        (f"XGID={START}:0:0:1:D:6:2:1:7:10", BadValue, "Crawford"),
        (f"XGID={START}:0:0:1:R:0:0:0:7:10", BadValue, "beavers in money play only"),
        (f"XGID={START}:0:0:1:B:0:0:1:0:10", BadValue, "beaver only where beavers are agreed on"),
        (f"XGID={START}:0:0:1:R:0:0:0:0:10", BadValue, "raccoon only where beavers are agreed on"),
        (f"XGID={START}:0:0:1:B:0:0:3:0:1", BadValue, "beaver that turns the cube to 2 at most"),
        (f"XGID={START}:1:-1:-1:R:0:0:2:0:3", BadValue, "raccoon that turns the cube to 8 at most"),
    ],
)
def test_each_field_is_held_to_its_bounds(text: str, error: type[InputError], why: str) -> None:
    with pytest.raises(error, match=why):
        xgid.decode(text)
