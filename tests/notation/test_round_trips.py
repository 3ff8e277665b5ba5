"""The laws that hold for all notations: what is written reads back, and no text does harm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd.errors import InputError, Unsupported
from bgd.notation import detect, fibs_board, match_id, ogid, plays, position_id, xgid
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.game import moment, under
from bgd.rules.state import Cube, GameState, Money, Outcome, Phase, Result, Side
from tests.notation.vectors import lines
from tests.strategies import states

NOTATIONS: tuple[detect.Notation, ...] = ("xgid", "id", "fibs", "ogid")


def carried(state: GameState, notation: detect.Notation) -> GameState:
    """What of `state` reads back: all but what `losses` names, each put to what the notation reads instead."""
    lost = " ".join(detect.losses(state, notation))
    terms, cube, phase = state.terms, state.cube, state.phase
    if isinstance(terms, Money):
        terms = replace(
            terms,
            jacoby=terms.jacoby or "Jacoby" in lost,
            beavers=terms.beavers or "beavers are" in lost,
            automatic_doubles=0,
        )
    if "limit" in lost:
        cube = replace(cube, limit=Cube().limit)
    if "was centred" in lost:
        cube = replace(cube, owner=state.turn)
    dice = Dice(state.dice.high, state.dice.low) if state.dice else None
    resignation = None if "resignation" in lost else state.resignation
    return under(replace(state, cube=cube, phase=phase, dice=dice, resignation=resignation), terms)


def by_size(state: GameState) -> GameState:
    return state if state.dice is None else state.with_dice(Dice(state.dice.high, state.dice.low))


@pytest.mark.parametrize("notation", NOTATIONS)
@given(state=states())
def test_a_moment_reads_back_but_for_the_losses_named(notation: detect.Notation, state: GameState) -> None:
    try:
        text = detect.encode(state, notation)
    except Unsupported:
        assert state.phase in (Phase.BEAVERED, Phase.RACCOONED)
        assert notation in ("fibs", "ogid")
        return
    assert detect.notation_of(text) == notation
    read = detect.decode_any(text)
    assert by_size(read) == carried(state, notation)
    if not detect.losses(state, notation):
        assert by_size(read) == by_size(state)


FINISHED = [
    (Board((0,) * 7 + (15,) + (0,) * 18), Side.TOP, 2),
    (Board((-1, *(0,) * 5, -14, *(0,) * 19)), Side.BOTTOM, 3),
]
"""Bottom on roll has lost a gammon, and has won a backgammon."""


@pytest.mark.parametrize("notation", [*NOTATIONS, "position-id"])
@pytest.mark.parametrize(("board", "winner", "outcome"), FINISHED)
def test_a_finished_game_is_over_in_every_notation_and_who_won_is_read_off_the_board(
    notation: detect.Notation, board: Board, winner: Side, outcome: int
) -> None:
    played = moment(board, Side.BOTTOM, Phase.ROLL, Cube(2, Side.BOTTOM), None, Money())
    read = detect.decode_any(detect.encode(played, notation))
    assert (read.phase, read.dice, read.board) == (Phase.OVER, None, board)
    assert read.result is not None
    assert read.result.winner is winner
    if notation != "position-id":
        assert read.result == Result(winner, Outcome(outcome), 2 * outcome) == played.result
        assert not {"that the game is over", "who won, and how"} & set(detect.losses(played, notation))


def test_dice_and_offers_of_a_finished_game_count_for_nothing() -> None:
    for fields in ("0:0:1:31:0:0:0:0:10", "0:0:1:D:0:0:0:0:10", "0:0:1:B:0:0:0:0:10"):
        state = detect.decode_any(f"XGID=-A------------------------:{fields}")
        assert (state.phase, state.dice) == (Phase.OVER, None)


@given(state=states())
def test_both_readings_of_a_fibs_board_are_their_own_inverse(state: GameState) -> None:
    for reading in ("gnubg", "fibs"):
        if state.phase not in (Phase.BEAVERED, Phase.RACCOONED):
            line = fibs_board.encode(state, ("top player", "bottom:player"), reading)
            board = fibs_board.decode(line, reading)
            assert board.names == ("top player", "bottom_player")
            assert by_size(board.state) == carried(state, "fibs")


@given(state=states())
def test_a_position_id_is_the_boards_whatever_the_rest(state: GameState) -> None:
    assert detect.decode_any(detect.encode(state, "position-id")).board == state.board
    assert detect.losses(state, "position-id")


READERS = (
    detect.decode_any,
    position_id.decode,
    match_id.decode_pair,
    lambda text: match_id.decode(text, Board.start()),
    xgid.decode,
    ogid.decode,
    fibs_board.decode,
    lambda text: fibs_board.decode(text, "fibs"),
    plays.decode,
)
SAMPLES = [vector[key] for vector in lines("ids.jsonl") for key in ("xgid", "id", "fibs", "ogid") if key in vector]
SAMPLES += [vector["text"] for vector in lines("play_spellings.jsonl")]


def refusal(read: Callable[[str], object], text: str) -> str:
    """The message with which `text` is refused, empty when it is read. Any other error than InputError goes through."""
    try:
        read(text)
    except InputError as fault:
        return fault.message
    return ""


@given(st.text())
def test_any_text_is_read_or_refused_as_the_askers_fault(text: str) -> None:
    for read in READERS:
        assert len(refusal(read, text)) < 1000


@given(
    text=st.sampled_from(SAMPLES),
    at=st.integers(0, 200),
    cut=st.integers(0, 3),
    put=st.text("0123456789:-+AaPpRDq./*()= \n", max_size=3),
)
def test_damaged_text_is_read_or_refused_as_the_askers_fault(text: str, at: int, cut: int, put: str) -> None:
    at %= len(text) + 1
    for read in READERS:
        assert len(refusal(read, text[:at] + put + text[at + cut :])) < 1000


def test_long_text_is_refused_quickly_with_a_short_message() -> None:
    for text in ("9" * 8000, ":" * 8000, "board:A:B:" + "9" * 8000, "board:A:B:" + "0:" * 4000, "XGID=" + "a" * 8000):
        for read in READERS:
            assert 0 < len(refusal(read, text)) < 1000
