"""What `rollout` means: which contenders are played out, and what is answered when there is no time for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import msgspec

from bgd.engine import Engine, RolloutPlan
from bgd.errors import BadArgument, InputError, MissingContext, TimedOut
from bgd.notation import plays
from bgd.rules.board import Board
from bgd.rules.cube import why_no_cube
from bgd.rules.dice import Dice
from bgd.rules.legality import check_play
from bgd.rules.state import GameState, Phase
from bgd.service import answers
from bgd.service.job import Deadline, Job
from bgd.wire.messages import Reply, Rollout, RolloutReply

ENOUGH: Final = 36
"""Games of each contender, one for each first roll, without which 0 plies know better which is best."""


def job(state: GameState, request: Rollout) -> Job:
    """`state` is the moment that the request is about, but for its dice. Raises what is wrong with dice and plays."""
    if request.dice is not None:
        if request.before:
            raise BadArgument("Expected no dice beside `before`, which is the moment before the roll")
        state = state.with_dice(Dice.parse(request.dice))
    elif request.before and state.dice is not None:
        state = replace(state, dice=None, phase=Phase.ROLL)
    wanted: list[Board] | None = None
    if request.plays:
        if state.dice is None:
            raise MissingContext("Expected the dice of these plays, for instance `31`")
        wanted = [_result(state.board, state.dice, play, place) for place, play in enumerate(request.plays)]
    plan = _plan(request)
    candidates = request.candidates

    def run(engine: Engine, deadline: Deadline) -> Reply:
        boards = wanted
        if boards is None and state.dice is not None:
            boards = [play.board for play in engine.rank(state, 0, candidates, cubeful=plan.cubeful)] or [state.board]
        try:
            found = engine.rollout(
                state,
                plan,
                None if boards is None else list(dict.fromkeys(boards)),
                progress=lambda so_far: deadline.report(answers.rollout_progress(state, so_far)),
                stop=deadline.stop_now,
            )
        except TimedOut:
            return _unrolled(engine, state, boards, plan)
        reply = answers.rollout(state, found, plan.seed)
        if min(line.trials for line in found.lines) < ENOUGH:
            hasty = _unrolled(engine, state, boards, plan)
            reply = msgspec.structs.replace(reply, play=hasty.play, cube=hasty.cube)
        return reply

    return Job(run, False, request.movetime, request.progress, long=True, priority=request.priority)


def _result(board: Board, dice: Dice, play: str, place: int) -> Board:
    """Where the play leads that stands in that place among `plays`."""
    try:
        return check_play(board, dice, plays.decode(play)).result
    except InputError as error:
        raise error.at(f"plays[{place}]") from None


def _plan(request: Rollout) -> RolloutPlan:
    return RolloutPlan(
        trials=request.trials,
        seed=request.seed,
        plies=request.plies,
        first_plies=request.firstplies,
        first_turns=request.firstturns,
        cubeful=request.cube,
        truncate=request.truncate,
        bearoff=request.bearoff,
        reduce_variance=request.reduction,
        error=request.error,
        apart=request.apart,
    )


def _unrolled(engine: Engine, state: GameState, boards: list[Board] | None, plan: RolloutPlan) -> RolloutReply:
    """The decision at 0 plies: the best there is when the time was too short for games enough."""
    if boards is None:
        may = plan.cubeful and why_no_cube(state.cube, state.terms, state.turn) is None
        cube = answers.cube(engine.cube(state)) if may else None
        return RolloutReply(rolled=(), ended="time", seed=plan.seed, cube=cube)
    ranked = boards if len(boards) == 1 else [play.board for play in engine.rank(state, cubeful=plan.cubeful)]
    best = next(board for board in ranked if board in boards)
    return RolloutReply(rolled=(), ended="time", seed=plan.seed, play=answers.spelled(answers.made(state, best)))
