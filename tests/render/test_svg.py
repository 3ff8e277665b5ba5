"""The board drawn as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given

from bgd.notation import detect
from bgd.render.svg import HEIGHT, WIDTH, board_svg
from bgd.render.text import caption
from bgd.rules.dice import Dice
from bgd.rules.state import Cube, GameState, Phase, Side
from tests.strategies import states

NAME = "{http://www.w3.org/2000/svg}"


def checkers(picture: ElementTree.Element) -> dict[str, int]:
    """Checkers drawn as discs, by colour; dots of dice are smaller."""
    discs = [disc.get("fill", "") for disc in picture.iter(f"{NAME}circle") if float(disc.get("r", "0")) > 10]
    return {colour: discs.count(colour) for colour in ("#f4efe4", "#2b2b2b")}


@given(states())
def test_every_moment_is_a_picture_within_its_frame(state: GameState) -> None:
    text = board_svg(state)
    picture = ElementTree.fromstring(text)
    assert picture.findtext(f"{NAME}title") == caption(state, {Side.TOP: "Black", Side.BOTTOM: "White"})
    assert text == board_svg(state)
    for shape in picture:
        for name, most in (("x", WIDTH), ("cx", WIDTH), ("y", HEIGHT), ("cy", HEIGHT)):
            assert 0 <= float(shape.get(name, "0")) <= most


def test_all_checkers_of_the_start_are_drawn() -> None:
    assert checkers(ElementTree.fromstring(board_svg(GameState()))) == {"#f4efe4": 15, "#2b2b2b": 15}


def test_a_tall_point_shows_five_checkers_and_their_number() -> None:
    picture = ElementTree.fromstring(
        board_svg(detect.decode_any("XGID=-O----------------------a-:0:0:1:00:0:0:0:0:10"))
    )
    assert checkers(picture) == {"#f4efe4": 5, "#2b2b2b": 1}
    assert "15" in [text.text for text in picture.iter(f"{NAME}text") if text.get("font-size") == "17"]


def test_dice_show_their_pips() -> None:
    picture = ElementTree.fromstring(board_svg(GameState(phase=Phase.PLAY, dice=Dice(6, 3))))
    assert sum(disc.get("r") == "3.5" for disc in picture.iter(f"{NAME}circle")) == 9


@pytest.mark.parametrize(
    ("state", "value"),
    [
        (GameState(), "1"),
        (GameState(cube=Cube(4, Side.TOP)), "4"),
        (GameState(phase=Phase.DOUBLED), "2"),
        (GameState(phase=Phase.BEAVERED), "4"),
    ],
)
def test_the_cube_shows_what_is_played_or_asked_for(state: GameState, value: str) -> None:
    picture = ElementTree.fromstring(board_svg(state))
    assert value in [text.text for text in picture.iter(f"{NAME}text") if text.get("font-size") == "17"]


def test_a_cube_that_is_not_in_play_is_not_drawn() -> None:
    picture = ElementTree.fromstring(board_svg(GameState(cube=Cube(1, None, 1))))
    assert not [text for text in picture.iter(f"{NAME}text") if text.get("font-size") == "17"]
