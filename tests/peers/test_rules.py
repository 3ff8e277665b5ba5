"""GNU Backgammon judges the rules: it allows every play that bgd calls legal, and none besides."""

from __future__ import annotations

from itertools import islice

from bgd.notation import match_id, plays, position_id
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.legality import check_play
from bgd.rules.plays import afterstates, legal_plays
from bgd.rules.state import GameState, Money, Phase, Side
from tests.peers.gnubg import judge
from tests.peers.positions import random_turns


def to_play(board: Board, dice: Dice) -> str:
    state = GameState(board, Side.BOTTOM, Phase.PLAY, dice=dice, terms=Money(jacoby=False))
    return match_id.encode_pair(state)


def test_gnubg_lists_the_same_legal_plays() -> None:
    turns = list(islice(random_turns(seed=71), 0, 10_000, 10))
    answers = judge([{"ask": "plays", "id": to_play(board, dice)} for board, dice in turns])
    for (board, dice), answer in zip(turns, answers, strict=True):
        theirs = {check_play(board, dice, plays.decode(text)).result.points for text in answer["plays"]}
        assert theirs == afterstates(board, dice), f"{position_id.encode(board)} {dice}"


def test_gnubg_plays_every_legal_play_to_the_same_position() -> None:
    turns = list(islice(random_turns(seed=72), 0, 9_000, 9))
    asked, expected = [], []
    for board, dice in turns:
        for play in legal_plays(board, dice):
            if play.result.off < 15:  # gnubg starts no next game here, and so has no next position
                asked.append({"ask": "play", "id": to_play(board, dice), "play": plays.encode(play)})
                expected.append(position_id.encode(play.result.flip()))
    assert len(asked) > 15_000
    answers = judge(asked)
    wrong = [
        (question, answer)
        for question, answer, after in zip(asked, answers, expected, strict=True)
        if str(answer["after"]).partition(":")[0] != after
    ]
    assert wrong == []


def test_gnubg_refuses_what_bgd_calls_illegal() -> None:
    """The judge would notice: plays that break one rule each, all refused by both."""
    start = Board.start()
    closed_out = Board((0, -2, -2, -2, -2, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -5, 0, 0, 0, 3, 0, 2))
    illegal = [
        (start, Dice(3, 1), "8/4 6/5"),  # wrong die
        (start, Dice(5, 5), "24/19"),  # blocked
        (start, Dice(6, 6), "24/18 13/7"),  # two of four sixes
        (start, Dice(6, 2), "13/7"),  # one die of two
        (closed_out, Dice(6, 1), "23/17 23/22"),  # on the bar
    ]
    answers = judge([{"ask": "play", "id": to_play(board, dice), "play": text} for board, dice, text in illegal])
    assert [answer["after"] for answer in answers] == [None] * len(illegal)
