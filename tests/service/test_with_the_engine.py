"""The real engine behind a session: facts that any weights worth shipping must meet."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest

from bgd.engine import Engine
from bgd.notation import plays, position_id
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays
from bgd.rules.state import GameState, Match, Side
from bgd.service import Job, Service, Session
from bgd.wire.messages import Best, BestReply, Cube, CubeReply, Eval, EvalReply, Reply, Request
from tests.service.deadlines import Unhurried

START = "4HPwATDgc/ABMA"
DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load()


@pytest.fixture
def session() -> Session:
    return Service(version="0", engine_state=lambda: "ready").open_session("text")


def run(engine: Engine, session: Session, request: Request) -> Reply:
    job = session.handle(request)
    assert isinstance(job, Job)
    return job.run(engine, Unhurried())


@pytest.mark.parametrize(
    ("dice", "play"), [("31", "8/5 6/5"), ("61", "13/7 8/7"), ("42", "8/4 6/4"), ("53", "8/3 6/3")]
)
def test_undisputed_openings_make_their_point(engine: Engine, session: Session, dice: str, play: str) -> None:
    for plies in (0, 1):
        reply = run(engine, session, Best(position=START, dice=dice, plies=plies))
        assert isinstance(reply, BestReply)
        assert reply.play == play


def test_the_first_side_to_roll_is_a_slight_favourite(engine: Engine, session: Session) -> None:
    for plies in (0, 1):
        reply = run(engine, session, Eval(position=START, plies=plies))
        assert isinstance(reply, EvalReply)
        assert 0.5 < reply.win < 0.58


@pytest.mark.parametrize(
    ("position", "win", "label"),
    [
        ("XGID=-A-A--------------------a-:0:0:1:00:0:0:0:0:10", 34 / 36, "double/pass"),
        ("XGID=---A-A------------------a-:0:0:1:00:0:0:0:0:10", 14 / 36, "no double/take"),
        ("XGID=---A-A------------------a-:0:0:1:00:0:0:3:0:10", 14 / 36, "no double/beaver"),
        ("XGID=------A-----------------a-:0:0:1:00:0:0:0:0:10", 27 / 36, "double/take"),
    ],
)
def test_last_rolls_are_exact(engine: Engine, session: Session, position: str, win: float, label: str) -> None:
    reply = run(engine, session, Cube(position=position))
    assert isinstance(reply, CubeReply)
    assert reply.nodouble == pytest.approx(2 * win - 1, abs=1e-5)
    assert reply.doubletake == pytest.approx(2 * (2 * win - 1), abs=1e-5)
    assert reply.label == label


def test_both_sides_see_one_match(engine: Engine) -> None:
    state = GameState(terms=Match(5, (3, 1)), turn=Side.BOTTOM)
    mwc = engine.evaluate(state).mwc
    other = engine.evaluate(GameState(terms=Match(5, (1, 3)), turn=Side.TOP)).mwc
    assert mwc == other


@pytest.mark.parametrize("kind", ["contact", "race"])
def test_the_best_of_a_list_is_the_best_alone_and_all_of_it_legal(engine: Engine, session: Session, kind: str) -> None:
    ids = (DATA / f"positions_{kind}_1000.txt").read_text().split()[::40]
    for position, dice in zip(ids, cycle(f"{high}{low}" for high in range(1, 7) for low in range(1, high + 1))):
        everything = run(engine, session, Best(position=position, dice=dice, top=4096))
        alone = run(engine, session, Best(position=position, dice=dice, top=0))
        assert isinstance(everything, BestReply)
        assert isinstance(alone, BestReply)
        assert everything.play == alone.play
        legal = {plays.encode(play) for play in legal_plays(position_id.decode(position), Dice.parse(dice))}
        assert {candidate.play for candidate in everything.plays} == legal


def test_the_same_question_has_the_same_answer(engine: Engine, session: Session) -> None:
    asked = [Best(position=START, dice="21", top=10, plies=plies) for plies in (0, 1)]
    assert [run(engine, session, request) for request in asked] == [run(engine, session, request) for request in asked]
