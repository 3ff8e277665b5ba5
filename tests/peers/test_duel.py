"""A duel with real GNU Backgammons at the table, and its records read by another."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from bgd.duel.game import Call, Step, play_pair
from bgd.duel.players import TERMS, GnubgPlayer, parse_player
from bgd.duel.report import Header, mat
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.state import GameState, Side
from tests.duel.players import FirstPlay, LastPlay, Racer
from tests.peers.gnubg import judge

HEADER = Header(a="one", b="two", seed=1, luck=False)


def test_two_gnubgs_win_of_each_other_what_they_lose() -> None:
    with closing(GnubgPlayer()) as one, closing(GnubgPlayer()) as two:
        for pair in range(5):
            (first, _), (second, _) = play_pair({"a": one, "b": two}, seed=1, pair=pair)
            assert (first.fault, second.fault) == ("", "")
            assert first.points == -second.points


def test_gnubg_at_the_table_plays_its_best() -> None:
    with closing(parse_player("gnubg:plies=0")()) as player:
        after = player.choose(GameState(Board.start(), Side.BOTTOM, terms=TERMS).with_dice(Dice(3, 1)))
        assert (after.points[8], after.points[6], after.points[5]) == (2, 4, 2)


WORDS = {"double": "double", "take": "take", "pass": "drop"}


def read_by_gnubg(step: Step) -> list[object]:
    """A step as it finds it in a .mat file."""
    player = {"a": "X", "b": "O"}[step.seat]
    if isinstance(step, Call):
        return [player, WORDS[step.said]]
    dice = [step.dice.first, step.dice.second]
    return [player, dice, [[move.source, move.destination] for move in step.play.moves]]


@pytest.mark.parametrize("cube", [False, True])
def test_gnubg_reads_the_records_of_a_duel_as_they_were_played(tmp_path: Path, cube: bool) -> None:
    header, table = replace(HEADER, cube=cube), {"a": FirstPlay(), "b": LastPlay()}
    if cube:
        table = {"a": Racer(), "b": Racer()}
    pairs = [play_pair(table, seed=1, pair=pair, cube=cube) for pair in range(30)]
    questions = []
    for number, games in enumerate(pairs):
        path = tmp_path / f"pair-{number}.mat"
        path.write_text(mat(header, number, games))
        questions.append({"ask": "mat", "path": str(path)})
    for answer, games in zip(judge(questions), pairs, strict=True):
        expected = [
            {
                "winner": "X" if record.points > 0 else "O",
                "points": abs(record.points),
                "turns": [read_by_gnubg(step) for step in steps],
            }
            for record, steps in games
        ]
        assert answer["games"] == expected


def test_two_gnubgs_with_a_cube_win_of_each_other_what_they_lose() -> None:
    seats = {"a": parse_player("gnubg:plies=0", cube=True), "b": parse_player("gnubg:plies=0", cube=True)}
    with ExitStack() as stack:
        table = {seat: stack.enter_context(closing(sit())) for seat, sit in seats.items()}
        ended = []
        for pair in range(16):
            (first, _), (second, _) = play_pair(table, seed=3, pair=pair, cube=True)
            assert (first.fault, second.fault) == ("", "")
            assert first.points == -second.points
            ended.append(first)
    assert any(record.passed for record in ended)
    assert any(record.cube > 1 for record in ended)
