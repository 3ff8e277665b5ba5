"""Telling notations apart, and what gets lost between them."""

from __future__ import annotations

import pytest

from bgd.errors import BadPosition
from bgd.notation import detect
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays
from bgd.rules.state import (
    Cube,
    GameState,
    HouseRules,
    Match,
    Money,
    Outcome,
    Phase,
    Resignation,
    Result,
    Side,
)

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10"


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("start", "start"),
        (" Start ", "start"),
        ("4HPwATDgc/ABMA", "position-id"),
        ("4HPwATDgc/ABMA==", "position-id"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAAE", "id"),
        ("4HPwATDgc/ABMA cAkAAAAAAAAE", "id"),
        ("4HPwATDgc/ABMA==  cAkAAAAAAAAE", "id"),
        (XGID, "xgid"),
        (XGID.removeprefix("XGID="), "xgid"),
        ("11ccccchhhjjjjj:66666888dddddoo:N0N", "ogid"),
        (f"xgid={XGID[5:]}", "xgid"),
        ("OGID=", "ogid"),
        ("ogid=", "ogid"),
        ("board:", "fibs"),
        ("BOARD:a:b", "fibs"),
    ],
)
def test_each_notation_is_known_by_its_shape(text: str, notation: detect.Notation) -> None:
    assert detect.notation_of(text) == notation
    assert detect.carries_terms(notation) == (notation not in ("start", "position-id"))


def test_the_xgid_of_a_pasted_analysis_is_found() -> None:
    pasted = f"Analysed by somebody\n\n  {XGID}\n\nX:one   O:two\nScore is X:0 O:0.\n +13-14-15-"
    assert detect.decode_any(pasted) == detect.decode_any(XGID)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (f"xgid={XGID[5:]}", XGID),
        (f"text before\n XgId={XGID[5:]}\nand after", XGID),
        ("ogid=11ccccchhhjjjjj:66666888dddddoo:N0N", "11ccccchhhjjjjj:66666888dddddoo:N0N"),
        ("4HPwATDgc/ABMA cAkAAAAAAAAE", "4HPwATDgc/ABMA:cAkAAAAAAAAE"),
        ("4HPwATDgc/ABMA\n\tcAkAAAAAAAAE", "4HPwATDgc/ABMA:cAkAAAAAAAAE"),
    ],
)
def test_a_prefix_may_be_in_any_case_and_a_blank_may_part_two_ids(text: str, same: str) -> None:
    assert detect.decode_any(text) == detect.decode_any(same)


@pytest.mark.parametrize("text", ["", "4HPw", "hello", "1:2:3", "-b----E-C", "4HPwATDgc/ABMA:cAkA"])
def test_text_of_no_shape_is_told_what_is_read(text: str) -> None:
    with pytest.raises(BadPosition, match=r"XGID, GNU Position ID .* FIBS .* OGID, or `start`, got `"):
        detect.decode_any(text)


def test_a_bare_board_is_bottoms_to_roll_for_money() -> None:
    assert detect.decode_any("start") == GameState()
    assert detect.decode_any("4HPwATDgc/ABMA") == GameState()


def test_start_is_a_name_for_the_start_only() -> None:
    assert detect.encode(GameState(), "start") == "start"
    other = legal_plays(Board.start(), Dice(3, 1))[0].result
    with pytest.raises(BadPosition, match="start position"):
        detect.encode(GameState(other), "start")


def test_a_position_id_alone_loses_all_but_the_board() -> None:
    assert detect.losses(GameState(), "position-id") == ("who is who", "the cube", "the dice", "the score", "the rules")


def test_a_plain_match_loses_nothing() -> None:
    state = GameState(terms=Match(7, (2, 4)), phase=Phase.PLAY, dice=Dice(6, 1))
    for notation in ("xgid", "id", "fibs", "ogid"):
        assert detect.losses(state, notation) == ()


@pytest.mark.parametrize(
    ("state", "notation", "words"),
    [
        (GameState(terms=Money(automatic_doubles=1)), "xgid", "automatic doubles"),
        (GameState(), "id", "beavers"),
        (GameState(), "fibs", "Jacoby"),
        (GameState(cube=Cube(1, None, 64)), "id", "cube limit"),
        (GameState(cube=Cube(1, Side.TOP)), "xgid", "the cube at 1"),
        (GameState(phase=Phase.BEAVERED, cube=Cube(2)), "id", "centred"),
        (GameState(resignation=Resignation(Side.TOP, Outcome.SINGLE)), "xgid", "resignation"),
        (GameState(phase=Phase.OPENING), "id", "nobody has rolled"),
        (GameState(phase=Phase.OVER), "xgid", "game is over"),
        (GameState(phase=Phase.OVER, result=Result(Side.TOP, Outcome.GAMMON, 2)), "id", "who won"),
        (
            GameState(phase=Phase.PLAY, dice=Dice(3, 1), played=legal_plays(Board.start(), Dice(3, 1))[0]),
            "xgid",
            "not yet confirmed",
        ),
        (GameState(house=HouseRules(backgammons=False)), "xgid", "house rules"),
        (GameState(phase=Phase.OVER, terms=Match(3, (4, 0))), "id", "past the match length"),
    ],
)
def test_what_gets_lost_is_named(state: GameState, notation: detect.Notation, words: str) -> None:
    assert any(words in loss for loss in detect.losses(state, notation))
