"""Rollouts and luck as the service gives them, with an engine that has opinions of its own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from bgd.engine import Engine
from bgd.engine.deeper import Deeper
from bgd.errors import BadArgument, BadValue, IllegalPlay, MissingContext
from bgd.kernels.rollout import Orders, Start
from bgd.service.job import Job
from bgd.service.session import Service, Session
from bgd.wire.messages import (
    Best,
    BestReply,
    Cube,
    Luck,
    LuckReply,
    Reply,
    Request,
    Rollout,
    RolloutProgress,
    RolloutReply,
    Set,
    SetPosition,
)
from tests.engine.fakes import FakeJudge, fake_engine
from tests.service.deadlines import Unhurried, done

ENGINE = fake_engine()


def session() -> Session:
    return Session(Service("0", lambda: "ready"), "text")


def ask(request: Request, reports: Unhurried | None = None) -> Reply:
    job = session().handle(request)
    assert isinstance(job, Job)
    assert not job.cheap
    return job.run(ENGINE, reports or Unhurried())


def roll_out(**fields: object) -> RolloutReply:
    reply = ask(Rollout(**{"position": "start", "trials": 72, **fields}))  # type: ignore[arg-type]
    assert isinstance(reply, RolloutReply)
    return reply


def test_named_plays_are_rolled_out_once_each_the_better_first() -> None:
    reply = roll_out(dice="31", plays=("6/5 8/5", "24/23 13/10", "8/5 6/5"))
    assert {rolled.play for rolled in reply.rolled} == {"8/5 6/5", "24/23 13/10"}
    assert reply.play == reply.rolled[0].play
    assert [rolled.loss for rolled in reply.rolled] == sorted(rolled.loss for rolled in reply.rolled)
    assert all(rolled.trials == 72 and rolled.result for rolled in reply.rolled)
    assert (reply.ended, reply.cube) == ("trials", None)


def test_without_names_the_best_candidates_are() -> None:
    assert len(roll_out(dice="31").rolled) == 3
    assert len(roll_out(dice="31", candidates=5).rolled) == 5


def test_without_dice_both_sides_of_the_cube_decision_are_rolled_out() -> None:
    reply = roll_out(seed=9)
    assert [rolled.action for rolled in reply.rolled] == ["no double", "double/take"]
    assert reply.cube is not None
    assert (reply.cube.nodouble, reply.cube.doubletake) == tuple(rolled.cubeful for rolled in reply.rolled)
    assert (reply.seed, reply.play) == (9, "")


def test_without_a_cube_there_is_one_line_and_no_decision() -> None:
    reply = roll_out(cube=False)
    assert [rolled.action for rolled in reply.rolled] == ["no double"]
    assert reply.cube is None


def test_in_a_match_there_are_match_winning_chances() -> None:
    reply = roll_out(position="4HPwATDgc/ABMA:cAngAEAAEAAE")
    assert all(isinstance(rolled.mwc, float) and isinstance(rolled.mwcerror, float) for rolled in reply.rolled)


def test_plays_are_checked_when_they_are_read() -> None:
    with pytest.raises(IllegalPlay):
        session().handle(Rollout(position="start", dice="31", plays=("8/5 6/4",)))
    with pytest.raises(MissingContext):
        session().handle(Rollout(position="start", plays=("8/5 6/5",)))


def test_with_no_legal_play_the_position_as_it_stays_is_rolled_out() -> None:
    reply = roll_out(position="4HPwATDgc/ABUA", dice="66")
    assert [rolled.play for rolled in reply.rolled] == [""]


def test_progress_names_the_best_play_so_far() -> None:
    reports = Unhurried()
    ask(Rollout(position="start", dice="31", trials=72, progress=100), reports)
    assert [report.trials for report in reports.told if isinstance(report, RolloutProgress)] == [36, 72]
    last = reports.told[-1]
    assert isinstance(last, RolloutProgress)
    assert last.play


@pytest.mark.parametrize(("win", "equity"), [(0.6, 0.4), (0.9, 1.0), (0.3, -0.4)])
def test_progress_of_a_cube_decision_tells_what_the_best_of_it_is_worth(win: float, equity: float) -> None:
    # A fake game is worth the chance to win it, doubled at twice the cube: passed, then, or not made.
    reports = Unhurried()
    job = session().handle(Rollout(position="start", trials=36))
    assert isinstance(job, Job)
    reply = job.run(fake_engine([win, 0.0, 0.0, 0.0, 0.0]), reports)
    assert isinstance(reply, RolloutReply)
    (told,) = reports.told
    assert isinstance(told, RolloutProgress)
    assert told.equity == pytest.approx(equity)
    assert reply.rolled[0].loss == pytest.approx(max(0.0, equity - (2 * win - 1)), abs=1e-6)


def test_it_is_long_work_within_the_asker_s_time() -> None:
    job = session().handle(Rollout(position="start", movetime=500, progress=200))
    assert isinstance(job, Job)
    assert (job.long, job.movetime, job.progress) == (True, 500, 200)


def test_before_the_roll_dice_on_the_table_are_not_looked_at() -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    assert [rolled.action for rolled in roll_out(position=xgid).rolled] == ["play"] * 3
    reply = roll_out(position=xgid, before=True)
    assert reply == roll_out(position=xgid.replace(":31:", ":00:"))
    assert [rolled.action for rolled in reply.rolled] == ["no double", "double/take"]
    with pytest.raises(BadArgument):
        roll_out(dice="31", before=True)


class Stopped(FakeJudge):
    """Is told to stop after so many games of each; these go the better, the fewer are left on the midpoint."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def games(
        self,
        first: int,
        start: Start,
        orders: Orders,
        stop: NDArray[np.uint8],
        results: NDArray[np.float64],
        deeper: Deeper | None = None,
    ) -> int:
        results[:] = 1 - start.board[13] / 10
        return max(0, min(len(results), self._most - first))


def stopped(**fields: object) -> RolloutReply:
    reply = done(session().handle(Rollout(**{"position": "start", **fields})), Engine(Stopped(0)))  # type: ignore[arg-type]
    assert isinstance(reply, RolloutReply)
    assert (reply.rolled, reply.ended) == ((), "time")
    return reply


def test_without_time_for_a_game_the_answer_is_that_of_0_plies() -> None:
    best = done(session().handle(Best(position="start", dice="31")), ENGINE)
    assert isinstance(best, BestReply)
    assert stopped(dice="31").play == best.play
    assert stopped(dice="31", plays=("24/23 13/10", best.play)).play == best.play
    assert stopped(dice="31", plays=("24/23 13/10",)).play == "24/23 13/10"
    assert stopped(position="4HPwATDgc/ABUA", dice="66").play == ""
    assert stopped().cube == done(session().handle(Cube(position="start")), ENGINE)
    assert stopped(cube=False).cube is None
    assert stopped(position="XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:0:0:0:0:10").cube is None


def test_without_time_for_36_games_of_each_what_they_came_to_is_told_and_the_answer_is_that_of_0_plies() -> None:
    best = done(session().handle(Best(position="start", dice="31", top=2)), ENGINE)
    assert isinstance(best, BestReply)
    for plays in ((), tuple(candidate.play for candidate in best.plays)):
        request = Rollout(position="start", dice="31", plays=plays, candidates=2)
        reply = done(session().handle(request), Engine(Stopped(8)))
        assert isinstance(reply, RolloutReply)
        assert [rolled.trials for rolled in reply.rolled] == [8, 8]
        assert reply.play == best.play == reply.rolled[1].play
    before = done(session().handle(Rollout(position="start")), Engine(Stopped(8)))
    assert isinstance(before, RolloutReply)
    assert [rolled.trials for rolled in before.rolled] == [8, 8]
    assert before.cube == done(session().handle(Cube(position="start")), ENGINE)


@pytest.mark.parametrize("cube", [True, False])
def test_plays_are_chosen_with_the_cube_in_play_if_they_are_rolled_out_so(cube: bool) -> None:
    judge = Stopped(0)
    done(session().handle(Rollout(position="start", dice="31", cube=cube)), Engine(judge))
    assert judge.cubeful == [cube, cube]  # to begin with, and when there was no time


def test_in_ubgi_a_play_to_roll_out_needs_dice_and_uses_them_up() -> None:
    session = Session(Service("0", lambda: "ready"), "ubgi")
    session.handle(SetPosition(position="start"))
    with pytest.raises(MissingContext):
        session.handle(Rollout(cube=False))
    session.handle(Set(values={"dice": "31"}))
    session.handle(Rollout(before=True))
    session.handle(Rollout(cube=False))
    with pytest.raises(MissingContext):
        session.handle(Rollout(cube=False))


def test_luck_is_told_with_what_it_is_the_difference_of() -> None:
    reply = ask(Luck(position="start", dice="66"))
    assert isinstance(reply, LuckReply)
    assert reply.luck == pytest.approx(reply.equity - reply.mean)


def test_an_opening_roll_is_no_double() -> None:
    with pytest.raises(BadValue):
        session().handle(Luck(position="start", dice="66", opening=True))
