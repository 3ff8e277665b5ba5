"""GNU Backgammon replays bgd's decisions: twenty thousand of them, and no illegal play among them."""

from __future__ import annotations

import random
from itertools import islice

from bgd.duel.external import ExternalClient
from bgd.notation import fibs_board, match_id, plays, position_id
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.legality import check_play
from bgd.rules.outcome import is_over
from bgd.rules.state import GameState, Money, Phase, Side
from tests.conftest import DaemonProcess
from tests.peers.gnubg import judge
from tests.peers.positions import random_turns

BATCH = 200


def to_play(board: Board, dice: Dice, turn: int) -> GameState:
    return GameState(board, Side(turn % 2), Phase.PLAY, dice=dice, terms=Money(jacoby=False))


def decide(client: ExternalClient, states: list[GameState]) -> list[str]:
    """bgd's plays, asked all at once."""
    client.send("\n".join(fibs_board.encode(state) for state in states))
    return [client.receive() for _ in states]


def own_games(client: ExternalClient, turns: int) -> list[tuple[GameState, str]]:
    """bgd plays a table full of games against itself, a turn of each at a time."""
    rng = random.Random(77)
    boards = [Board.start()] * BATCH
    decisions: list[tuple[GameState, str]] = []
    for turn in range(turns):
        states = [to_play(board, Dice(rng.randint(1, 6), rng.randint(1, 6)), turn) for board in boards]
        answers = decide(client, states)
        decisions += zip(states, answers, strict=True)
        for index, (state, answer) in enumerate(zip(states, answers, strict=True)):
            assert state.dice is not None
            after = check_play(state.board, state.dice, plays.decode(answer)).result
            boards[index] = Board.start() if is_over(after) else after.flip()
    return decisions


def strange_positions(client: ExternalClient, count: int) -> list[tuple[GameState, str]]:
    """bgd plays on where random plays have led: many blots, bars, far-flung checkers."""
    turns = islice(random_turns(seed=78), count)
    states = [to_play(board, dice, turn) for turn, (board, dice) in enumerate(turns)]
    decisions: list[tuple[GameState, str]] = []
    for start in range(0, count, BATCH):
        batch = states[start : start + BATCH]
        decisions += zip(batch, decide(client, batch), strict=True)
    return decisions


def test_gnubg_finds_no_illegal_play_in_twenty_thousand_decisions(daemon: DaemonProcess) -> None:
    with ExternalClient("127.0.0.1", daemon.port) as client:
        decisions = own_games(client, turns=60) + strange_positions(client, count=10_000)
    assert len(decisions) >= 20_000
    questions = [
        {"ask": "play", "id": match_id.encode_pair(state), "play": answer}
        if answer
        else {"ask": "plays", "id": match_id.encode_pair(state)}
        for state, answer in decisions
    ]
    verdicts = judge(questions)
    wrong = []
    for (state, answer), verdict in zip(decisions, verdicts, strict=True):
        if not answer:
            fine = verdict == {"plays": []}
        elif isinstance(verdict["after"], str):
            assert state.dice is not None
            after = check_play(state.board, state.dice, plays.decode(answer)).result
            fine = is_over(after) or verdict["after"].startswith(position_id.encode(after.flip()))
        else:
            fine = False
        if not fine:
            wrong.append((match_id.encode_pair(state), answer, verdict))
    assert wrong == []
