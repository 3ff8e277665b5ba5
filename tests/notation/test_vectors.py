"""Every notation reads and writes the published vectors."""

from __future__ import annotations

from typing import Any

import pytest

from bgd.errors import IllegalPlay, InputError
from bgd.notation import detect, match_id, plays, position_id
from bgd.rules.dice import Dice
from bgd.rules.legality import check_play, not_hit
from bgd.rules.state import GameState, Match, Money
from tests.notation.vectors import lines

IDS = lines("ids.jsonl")


def described(state: GameState) -> dict[str, Any]:
    """`state` in the words of the vectors."""
    terms = state.terms
    return {
        "board": list(state.board.points),
        "pips": [state.board.pips, state.board.opponent_pips],
        "turn": state.turn.name.lower(),
        "decides": state.decider.name.lower(),
        "phase": state.phase.value,
        "dice": [state.dice.high, state.dice.low] if state.dice else None,
        "cube": state.cube.value,
        "owner": None if state.cube.owner is None else state.cube.owner.name.lower(),
        "length": terms.length if isinstance(terms, Match) else 0,
        "score": {"bottom": terms.scores[1], "top": terms.scores[0]},
    } | (
        {"crawford": terms.crawford} if isinstance(terms, Match) else {"jacoby": terms.jacoby, "beavers": terms.beavers}
    )


@pytest.mark.parametrize("vector", IDS, ids=lambda vector: vector["about"])
@pytest.mark.parametrize("notation", ["xgid", "id", "fibs", "ogid"])
def test_each_notation_of_a_moment_says_the_same(vector: dict[str, Any], notation: detect.Notation) -> None:
    if notation not in vector:
        assert vector["state"]["phase"] in ("beavered", "raccooned")
        return
    state = detect.decode_any(vector[notation])
    assert detect.notation_of(vector[notation]) == notation
    uncarried = {"xgid": (), "id": ("beavers",), "fibs": ("jacoby", "beavers"), "ogid": ("jacoby", "beavers")}[notation]
    expected = {name: value for name, value in vector["state"].items() if name not in uncarried}
    assert {name: value for name, value in described(state).items() if name in expected} == expected


@pytest.mark.parametrize("vector", IDS, ids=lambda vector: vector["about"])
@pytest.mark.parametrize("notation", ["xgid", "id", "fibs", "ogid"])
def test_an_xgid_is_written_in_each_notation(vector: dict[str, Any], notation: detect.Notation) -> None:
    state = detect.decode_any(vector["xgid"])
    if notation in vector:
        assert detect.encode(state, notation) == vector[notation]
    else:
        with pytest.raises(InputError):
            detect.encode(state, notation)
    assert detect.encode(state, "position-id") == vector["id"][:14]


@pytest.mark.parametrize("vector", lines("refused_positions.jsonl"), ids=lambda vector: vector["about"])
def test_what_is_no_position_is_refused(vector: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        detect.decode_any(vector["text"])
    assert caught.value.code == vector["code"]


@pytest.mark.parametrize("vector", lines("play_spellings.jsonl"), ids=lambda vector: repr(vector["text"]))
def test_plays_are_read_in_every_spelling(vector: dict[str, Any]) -> None:
    if "code" in vector:
        with pytest.raises(InputError) as caught:
            plays.decode(vector["text"])
        assert caught.value.code == vector["code"]
    else:
        moves = [[m.source, m.destination, *([True] if m.hit else [])] for m in plays.decode(vector["text"])]
        assert moves == vector["moves"]


@pytest.mark.parametrize("vector", lines("checked_plays.jsonl"), ids=lambda vector: vector["about"])
def test_plays_are_what_they_mean_or_break_the_rule_that_is_named(vector: dict[str, Any]) -> None:
    board, dice = position_id.decode(vector["position"]), Dice.parse(vector["dice"])
    written = plays.decode(vector["text"])
    if "rule" in vector:
        with pytest.raises(IllegalPlay) as caught:
            check_play(board, dice, written)
        assert (caught.value.code, caught.value.rule) == (vector["code"], vector["rule"])
        return
    play = check_play(board, dice, written)
    assert (plays.encode(play) if play.moves else "") == vector["play"]
    assert position_id.encode(play.result.flip()) == vector["result"]
    assert list(not_hit(board, written, play)) == vector.get("nohit", [])


def test_the_manuals_ids_without_bit_66_are_under_jacobys_rule() -> None:
    board = position_id.decode("4HPwATDgc/ABMA")
    assert match_id.decode("cAkAAAAAAAAA", board).terms == Money(jacoby=True)
    assert match_id.decode("cAkAAAAAAAAE", board).terms == Money(jacoby=False)
