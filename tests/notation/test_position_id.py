"""GNU Position IDs."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bgd.errors import BadPosition
from bgd.notation import position_id
from bgd.rules.board import Board
from tests.strategies import boards


@given(boards())
def test_every_board_reads_back_from_its_id(board: Board) -> None:
    text = position_id.encode(board)
    assert len(text) == position_id.LENGTH
    assert position_id.decode(text) == board


@given(st.text(max_size=16) | st.from_regex(r"[A-Za-z0-9+/]{14}", fullmatch=True))
@example("AAAAAAAAAAAAAA")
@example("//////////////")
def test_any_text_is_an_id_written_the_one_way_or_a_bad_position(text: str) -> None:
    try:
        board = position_id.decode(text)
    except BadPosition:
        return
    assert position_id.encode(board) == text.removesuffix("==")


def test_the_start_is_the_manuals_example() -> None:
    assert position_id.encode(Board.start()) == "4HPwATDgc/ABMA"
    assert position_id.decode("4HPwATDgc/ABMA") == Board.start()


def test_padding_is_let_pass() -> None:
    assert position_id.decode("4HPwATDgc/ABMA==") == Board.start()


@pytest.mark.parametrize(
    "text", ["jGfkASjg8wcBMA", "zGbiIQgxH/AAWA", "zGbiIYCYD3gALA", "bD3BAQyYd2cEAA", "AAAAAQAADAAAAA"]
)
def test_published_ids_come_back_as_they_were(text: str) -> None:
    assert position_id.encode(position_id.decode(text)) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "14 characters"),
        ("4HPw", "14 characters"),
        ("4HPwATDgc/ABMA=", "14 characters"),
        ("4HPwATDgc/ABMA=====", "14 characters"),
        ("4HPwATDgc/ABMAA", "14 characters"),
        ("4HPwATDgc/ABMA ", "14 characters"),
        ("4HPwATDgc_ABMA", "14 characters"),
        ("4HPwATDgc/ABMÀ", "14 characters"),
        ("4HPwATDgc/ABMB", "last 4 bits"),
        ("//////////////", "last 4 bits"),
        ("/////////////w", "50 counts"),
        ("4HPwATDgc/ABsA", "50 counts"),
        ("AAAAAAAAAAAAAA", "none on either side"),
        ("//8AAAAAAAAAAA", "at most 15"),
    ],
)
def test_what_the_format_would_not_write_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadPosition, match=why):
        position_id.decode(text)


def test_both_sides_on_a_point_are_refused() -> None:
    # 1 checker on the opponent's 24 point, then 23 empty points and the bar; 1 on the own 1 point.
    bits = 1 << 23 | 1 << 26
    text = b64encode(bits.to_bytes(10, "little")).decode()[:14]
    with pytest.raises(BadPosition, match="one side's checkers on the 1 point"):
        position_id.decode(text)
