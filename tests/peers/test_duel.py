"""A duel with real GNU Backgammons at the table, and its records read by another."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from bgd.duel.game import play_pair
from bgd.duel.players import GnubgPlayer, parse_player
from bgd.duel.report import Header, mat
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from tests.duel.players import FirstPlay, LastPlay
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
        after = player.choose(Board.start(), Dice(3, 1))
        assert (after.points[8], after.points[6], after.points[5]) == (2, 4, 2)


def test_gnubg_reads_the_records_of_a_duel_as_they_were_played(tmp_path: Path) -> None:
    pairs = [play_pair({"a": FirstPlay(), "b": LastPlay()}, seed=1, pair=pair) for pair in range(30)]
    questions = []
    for number, games in enumerate(pairs):
        path = tmp_path / f"pair-{number}.mat"
        path.write_text(mat(HEADER, number, games))
        questions.append({"ask": "mat", "path": str(path)})
    for answer, games in zip(judge(questions), pairs, strict=True):
        expected = [
            {
                "winner": "X" if record.points > 0 else "O",
                "points": abs(record.points),
                "turns": [
                    [
                        {"a": "X", "b": "O"}[turn.seat],
                        [turn.dice.first, turn.dice.second],
                        [[move.source, move.destination] for move in turn.play.moves],
                    ]
                    for turn in turns
                ],
            }
            for record, turns in games
        ]
        assert answer["games"] == expected
