"""`bgd bench cube`: positions near a decision, and how two engines compare on them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bgd.bench import cube
from bgd.bench.peer import Opinion
from bgd.cli import main
from bgd.engine import Engine
from bgd.engine.evaluator import Evaluator
from bgd.notation import xgid
from bgd.rules.cube import why_no_double
from bgd.rules.state import Cube, GameState, Match, Money, Side

RIGHT = Path(__file__).parents[1] / "data" / "cube_decisions.jsonl"


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator.load()


@pytest.fixture(scope="module")
def states(evaluator: Evaluator) -> list[GameState]:
    return cube.make(Engine(evaluator), count=2, seed=7, plies=0)


def test_positions_are_near_a_decision_and_none_comes_twice(evaluator: Evaluator, states: list[GameState]) -> None:
    engine = Engine(evaluator)
    scores = [cube.score_of(terms) for terms in cube.TERMS]  # of either side
    assert [cube.score_of(state.terms) for state in states[::2]] == scores
    assert [cube.score_of(state.terms) for state in states[1::2]] == scores
    assert len(set(states)) == len(states) == 2 * len(cube.TERMS)
    for state in states:
        decision = engine.cube(state)
        doubled = min(decision.double_take, 1.0)
        assert min(abs(doubled - decision.no_double), abs(decision.double_take - 1)) < cube.NEAR
        assert state.turn is Side.BOTTOM
        assert why_no_double(state) is None


def test_the_same_seed_makes_the_same_positions(evaluator: Evaluator, states: list[GameState]) -> None:
    assert cube.make(Engine(evaluator), count=2, seed=7, plies=0) == states
    assert cube.make(Engine(evaluator), count=2, seed=8, plies=0) != states


def test_a_file_of_positions_holds_all_there_is_to_know(tmp_path: Path, states: list[GameState]) -> None:
    cube.write(tmp_path / "positions.jsonl", states)
    assert cube.load(tmp_path / "positions.jsonl", None) == states


def test_positions_of_the_top_player_are_turned(tmp_path: Path) -> None:
    state = GameState(turn=Side.TOP, cube=Cube(2, Side.TOP), terms=Match(7, (3, 1)))
    (tmp_path / "positions.jsonl").write_text(json.dumps({"xgid": xgid.encode(state)}))
    assert cube.load(tmp_path / "positions.jsonl", None) == [
        GameState(turn=Side.BOTTOM, cube=Cube(2, Side.BOTTOM), terms=Match(7, (1, 3)))
    ]


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (Money(), "money"),
        (Match(5, (3, 1)), "2-away 4-away"),
        (Match(5, (0, 3)), "2-away 5-away"),
        (Match(5, (4, 3)), "post-Crawford 2-away"),
        (Match(5, (4, 4)), "1-away 1-away"),
        (Match(5, (3, 4), crawford=True), "1-away 2-away"),
    ],
)
def test_scores_in_words(terms: Match | Money, words: str) -> None:
    assert cube.score_of(terms) == words


def test_with_itself_an_engine_always_agrees(evaluator: Evaluator, states: list[GameState]) -> None:
    engine = Engine(evaluator)

    def same(asked: Sequence[GameState], plies: int) -> list[Opinion]:
        found = [engine.cube(state, plies) for state in asked]
        return [Opinion(one.double, one.response != "pass", one.no_double, one.double_take) for one in found]

    rows = cube.measure(evaluator, states, 0, 36, 1, same)
    assert [row["score"] for row in rows] == [*map(cube.score_of, cube.TERMS), "all"]
    for row in rows:
        assert row["double"]["agreed"] == row["take"]["agreed"] == 1
        assert row["double"]["cost"] == row["take"]["gnubg_cost"] == row["apart"]["no_double"] == 0


def test_who_is_right_of_two_that_disagree_is_rolled_out(evaluator: Evaluator) -> None:
    # 34 rolls of 36 win at once: doubled and passed. The peer would neither double nor pass.
    last = xgid.decode("XGID=-A-A--------------------a-:0:0:1:00:0:0:0:0:10")

    def meek(asked: Sequence[GameState], plies: int) -> list[Opinion]:
        return [Opinion(double=False, take=True, no_double=0.9, double_take=0.7) for _ in asked]

    agreement, _, double, take = cube.measure(evaluator, [last], 2, 360, 1, meek)
    assert agreement["double"] == {"near": 0, "agreed": 0, "cost": pytest.approx(4 / 36, abs=1e-4), "gnubg_cost": 0.2}
    assert (double["question"], double["bgd"], double["gnubg"], double["right"]) == (
        "double", "double", "no double", "bgd",
    )  # fmt: skip
    assert (take["question"], take["bgd"], take["gnubg"], take["right"]) == ("take", "pass", "take", "bgd")
    assert take["gap"] == pytest.approx(1 - 64 / 36, abs=1e-3)


def test_the_command_makes_positions_keeps_them_and_tells_what_it_would_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.jsonl"
    assert main(["bench", "cube", "--count", "1", "--plies", "0", "--write", str(kept)]) == 0
    made = json.loads(capsys.readouterr().out)["measured"]
    assert main(["bench", "cube", str(kept), "--plies", "0"]) == 0
    assert json.loads(capsys.readouterr().out)["measured"] == made
    assert sum(sum(row["labels"].values()) for row in made) == len(cube.TERMS)


def test_the_positions_kept_here_are_ninety_at_each_score() -> None:
    kept = cube.load(RIGHT, None)
    assert [kept.count(state) for state in kept] == [1] * len(kept)
    scores = [cube.score_of(state.terms) for state in kept]
    assert {score: scores.count(score) for score in scores} == dict.fromkeys(map(cube.score_of, cube.TERMS), 90)
