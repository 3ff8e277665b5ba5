"""From what the rules and the engine say to replies: plays spelled, results as IDs, numbers where they belong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import UNSET, UnsetType

from bgd.engine import CubeDecision, Evaluation, Luck, RankedPlay, ResignDecision, RolledOut, Rollout
from bgd.notation import plays, position_id
from bgd.rules.board import Board
from bgd.rules.plays import Play, play_between
from bgd.rules.state import GameState, Outcome
from bgd.wire.messages import (
    BestReply,
    Candidate,
    CubeReply,
    EvalReply,
    LuckReply,
    Move,
    ResignReply,
    Rolled,
    RolloutProgress,
    RolloutReply,
    SearchProgress,
)


def result_id(after: Board) -> str:
    """The Position ID after a play; `after` is the mover's view, the ID the next player's."""
    return position_id.encode(after.flip())


def wire_moves(play: Play) -> tuple[Move, ...]:
    return tuple(Move(move.source, move.destination, move.hit) for move in play.moves)


def unranked(play: Play) -> Candidate:
    """A legal play without evaluation."""
    return Candidate(play=plays.encode(play), moves=wire_moves(play), result=result_id(play.result))


def made(state: GameState, after: Board) -> Play:
    """The play of the dice in `state` that leads to `after`."""
    assert state.dice is not None
    return play_between(state.board, state.dice, after)


def spelled(play: Play) -> str:
    """As replies spell it: nothing when no checker can move."""
    return plays.encode(play) if play.moves else ""


def best(state: GameState, ranked: Sequence[RankedPlay], plies: int) -> BestReply:
    """The reply that lists `ranked`, best first, and tells the level of the best; no legal play, at the level that was
    asked for, when there is none."""
    listed = tuple(_candidates(state, ranked))
    return BestReply(play=listed[0].play if listed else "", plays=listed, plies=ranked[0].plies if ranked else plies)


def _candidates(state: GameState, ranked: Sequence[RankedPlay]) -> Iterable[Candidate]:
    for rank, entry in enumerate(ranked, 1):
        play, chances = made(state, entry.board), entry.chances
        yield Candidate(
            play=plays.encode(play),
            moves=wire_moves(play),
            result=result_id(play.result),
            rank=rank,
            equity=entry.equity,
            loss=max(0.0, ranked[0].equity - entry.equity),
            plies=entry.plies,
            win=chances.win,
            wingammon=chances.win_gammon,
            winbackgammon=chances.win_backgammon,
            losegammon=chances.lose_gammon,
            losebackgammon=chances.lose_backgammon,
            mwc=UNSET if entry.mwc is None else entry.mwc,
        )


def evaluation(found: Evaluation) -> EvalReply:
    chances = found.chances
    return EvalReply(
        win=chances.win,
        wingammon=chances.win_gammon,
        winbackgammon=chances.win_backgammon,
        losegammon=chances.lose_gammon,
        losebackgammon=chances.lose_backgammon,
        equity=found.equity,
        cubeful=found.cubeful,
        plies=found.plies,
        mwc=UNSET if found.mwc is None else found.mwc,
        mwccubeful=UNSET if found.mwc_cubeful is None else found.mwc_cubeful,
    )


def so_far(reply: BestReply | EvalReply | CubeReply) -> SearchProgress | None:
    """The report of a level that gave `reply`; none where nothing can be played. The equity of a cube decision is that
    of the best there is to do."""
    match reply:
        case BestReply(play=play, plays=(first, *_)):
            return SearchProgress(plies=reply.plies, equity=0.0 if first.equity is UNSET else first.equity, play=play)
        case BestReply():
            return None
        case EvalReply():
            return SearchProgress(plies=reply.plies, equity=reply.cubeful)
        case CubeReply():
            return SearchProgress(plies=reply.plies, equity=reply.nodouble + (reply.gain if reply.double else 0.0))


def resignation(found: ResignDecision, offered: Outcome | None) -> ResignReply:
    """`offered` is what was offered, None if the question is whether to offer."""
    outcome = found.offer if offered is None else offered
    answer: Literal["play on", "offer", "accept", "reject"] = "accept" if found.accept else "reject"
    if offered is None:
        answer = "offer" if found.offer else "play on"
    return ResignReply(
        answer=answer,
        equity=found.equity,
        plies=found.plies,
        outcome=int(outcome or 0),
        worth=UNSET if found.worth is None else found.worth,
        mwc=UNSET if found.mwc is None else found.mwc,
        mwcworth=UNSET if found.mwc_worth is None else found.mwc_worth,
    )


def rollout(state: GameState, found: Rollout, seed: int) -> RolloutReply:
    rolled = tuple(_rolled(state, line) for line in found.lines)
    return RolloutReply(
        rolled=rolled,
        ended=found.ended,
        seed=seed,
        play=rolled[0].play,
        cube=None if found.decision is None else cube(found.decision),
    )


def rollout_progress(state: GameState, found: Rollout) -> RolloutProgress:
    """About the best so far: a play, or what to do with the cube, answered properly."""
    best = next(line for line in found.lines if line.behind == 0)
    equity, error = best.value, best.equity_error if best.cubeful_error is None else best.cubeful_error
    if found.decision is not None and best.action == "double/take":
        equity = found.decision.doubled
        error *= {"take": 1, "pass": 0, "beaver": 2}[found.decision.response]
    return RolloutProgress(trials=best.trials, equity=equity, error=error, play=_spelled(state, best)[0])


def _spelled(state: GameState, line: RolledOut) -> tuple[str, str]:
    """The play that was rolled out and the Position ID after it; nothing for the position itself."""
    if line.action != "play":
        return "", ""
    play = made(state, line.board)
    return spelled(play), result_id(play.result)


def _rolled(state: GameState, line: RolledOut) -> Rolled:
    play, result = _spelled(state, line)
    chances, errors = line.chances, line.chances_error
    return Rolled(
        action=line.action,
        trials=line.trials,
        equity=line.equity,
        equityerror=line.equity_error,
        loss=max(0.0, line.behind),
        losserror=line.behind_error,
        win=chances.win,
        winerror=errors.win,
        wingammon=chances.win_gammon,
        wingammonerror=errors.win_gammon,
        winbackgammon=chances.win_backgammon,
        winbackgammonerror=errors.win_backgammon,
        losegammon=chances.lose_gammon,
        losegammonerror=errors.lose_gammon,
        losebackgammon=chances.lose_backgammon,
        losebackgammonerror=errors.lose_backgammon,
        cubeful=_set(line.cubeful),
        cubefulerror=_set(line.cubeful_error),
        mwc=_set(line.mwc),
        mwcerror=_set(line.mwc_error),
        play=play,
        result=result,
    )


def luck(found: Luck) -> LuckReply:
    return LuckReply(luck=found.luck, equity=found.equity, mean=found.mean, mwc=_set(found.mwc))


def _set(value: float | None) -> float | UnsetType:
    return UNSET if value is None else value


def cube(found: CubeDecision) -> CubeReply:
    return CubeReply(
        nodouble=found.no_double,
        doubletake=found.double_take,
        doublepass=found.double_pass,
        label=found.label,
        double=found.double,
        response=found.response,
        gain=found.gain,
        takegain=found.take_gain,
        plies=found.plies,
        allowed=found.allowed,
        reason=found.reason,
        mwcnodouble=UNSET if found.mwc_no_double is None else found.mwc_no_double,
        mwcdoubletake=UNSET if found.mwc_double_take is None else found.mwc_double_take,
        mwcdoublepass=UNSET if found.mwc_double_pass is None else found.mwc_double_pass,
    )
