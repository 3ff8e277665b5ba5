"""What each request means. One Session a connection remembers its settings; the Service is what all sessions share.

A request is understood, with the settings as they are then, when it is handled: what is set later changes no job that
was asked for earlier. What needs no engine is answered at once; what does comes back as a Job.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import comb
from typing import Any, Final, Literal, TypeAlias, TypeVar

from bgd.engine import MAX_PLIES, Engine
from bgd.engine.values import Stop, deepened
from bgd.errors import BadPlay, BadValue, IllegalAction, MissingContext, Unsupported
from bgd.notation import detect, match_id, plays
from bgd.render.svg import board_svg
from bgd.render.text import board_lines
from bgd.rules.board import Board
from bgd.rules.cube import TURNS
from bgd.rules.dice import Dice
from bgd.rules.game import under
from bgd.rules.legality import check_play, not_hit
from bgd.rules.plays import legal_plays
from bgd.rules.state import GameState, Match, Money, Outcome, Phase, Resignation
from bgd.service import answers, rollouts
from bgd.service.job import Deadline, Errand, Job
from bgd.service.settings import Settings, options, shown
from bgd.wire.help import help_lines
from bgd.wire.messages import (
    REQUESTS,
    Best,
    BestReply,
    Check,
    CheckReply,
    Convert,
    Cube,
    CubeReply,
    Decide,
    DecisionReply,
    Done,
    Eval,
    EvalReply,
    Get,
    Hello,
    HelloReply,
    Help,
    HelpReply,
    Luck,
    Moves,
    MovesReply,
    NewGame,
    Options,
    OptionsReply,
    Ping,
    PositionReply,
    Quit,
    Reply,
    Request,
    Resign,
    Rollout,
    Set,
    SetPosition,
    Show,
    ShowReply,
    Turn,
    TurnReply,
    Values,
)

PROTOCOL: Final = "1"
"""The version of the protocol that `hello` names (protocol/SPEC.md)."""

AT_ONCE: Final = 100
"""Plays that are listed where the request was read: some ms at most. More are an errand."""

CHEAP_TOP: Final = 16
"""Candidates whose listing, at 0 plies, costs less than a thread hop or not much more."""

LONG_PLIES: Final = 3
"""Levels from here on take a good part of a second, where less deep ones take some 10 ms."""

LONG_MOVETIME: Final = 200
"""ms; with less time than that no work is long."""

EngineState: TypeAlias = Literal["ready", "loading", "failed"]


@dataclass(frozen=True)
class Service:
    """What the sessions of one daemon share. `limits` are told by `hello` as they are; `engine_state` is asked then.

    `plies` is the level of answers that name none."""

    version: str
    engine_state: Callable[[], EngineState]
    limits: Mapping[str, int] = field(default_factory=dict)
    plies: int = 0

    def __post_init__(self) -> None:
        _check_plies(self.plies)

    @property
    def defaults(self) -> Settings:
        return Settings(plies=self.plies)

    def open_session(self, dialect: str) -> Session:
        """For a new connection that speaks `dialect`."""
        return Session(self, dialect)

    def hello(self) -> HelloReply:
        return HelloReply(
            name="bgd",
            version=self.version,
            protocol=PROTOCOL,
            author="the bgd authors",
            engine=self.engine_state(),
            capabilities=tuple(REQUESTS),
            limits={**self.limits, "max_plies": MAX_PLIES},
            options=options(self.defaults),
        )


class Session:
    """The requests of one connection, in the order read. Not thread-safe; the jobs that it makes run in any thread."""

    def __init__(self, service: Service, dialect: str) -> None:
        self._service = service
        self._dialect = dialect
        self.settings = service.defaults

    def handle(self, request: Request) -> Reply | Job | Errand:
        """The final reply, or the work that will give it. Raises BgdError when the request cannot be done."""
        try:
            handler = _HANDLERS[type(request)]
        except KeyError:
            raise Unsupported(f"`{request.verb}` is the daemon's own business, and there is none here") from None
        return handler(self, request)

    # Answered at once

    def _hello(self, _: Hello) -> Reply:
        return self._service.hello()

    def _ping(self, _: Ping) -> Reply:
        return Done(text="pong")

    def _quit(self, _: Quit) -> Reply:
        return Done()

    def _help(self, request: Help) -> Reply:
        return HelpReply(lines=help_lines(request.topic))

    def _set_position(self, request: SetPosition) -> Reply:
        after = self.settings.placed(request.position, request.reading)
        text = match_id.encode_pair(after.state())
        self.settings = after
        return PositionReply(id=text, text=text)

    def _new_game(self, request: NewGame) -> Reply:
        if request.session:
            self.settings = self._service.defaults
        else:
            self.settings = self.settings.new_game()
        return Done()

    def _set(self, request: Set) -> Reply:
        # UBGI's Crawford switch is a rule of the session; elsewhere it says that this is the game.
        self.settings = self.settings.changed(request.values, strict=self._dialect != "ubgi")
        return Done()

    def _get(self, request: Get) -> Reply:
        return Values(values=shown(self.settings, request.names))

    def _options(self, _: Options) -> Reply:
        return OptionsReply(options=options(self._service.defaults))

    def _moves(self, request: Moves) -> Reply | Errand:
        state, dice = self._roll(request.position, request.dice)
        board = state.board
        return _soon(
            board, dice, lambda: MovesReply(plays=tuple(answers.unranked(play) for play in legal_plays(board, dice)))
        )

    def _check(self, request: Check) -> Reply | Errand:
        state, dice = self._roll(request.position, request.dice)
        board = state.board
        try:
            moves = plays.decode(request.play)
        except BadPlay as error:
            raise error.at("play") from None

        def run() -> Reply:
            play = check_play(board, dice, moves)
            return CheckReply(
                play=answers.spelled(play), result=answers.result_id(play.result), nohit=not_hit(board, moves, play)
            )

        return _soon(board, dice, run)

    def _convert(self, request: Convert) -> Reply:
        state = self._moment(request.position)
        text = detect.encode(state, request.to, self.settings.reading)
        lost = detect.losses(state, request.to)
        return PositionReply(id=match_id.encode_pair(state), text=text, lost=lost)

    def _show(self, request: Show) -> Reply:
        state = self._moment(request.position)
        return ShowReply(lines=board_lines(state) if request.form == "text" else tuple(board_svg(state).splitlines()))

    # Asked of the engine

    def _best(self, request: Best) -> Job:
        plies = self._plies(request.plies, request.movetime)
        state, _ = self._roll(request.position, request.dice)
        self._consume(request.dice, request.position)
        top, cubeful = request.top, self._cubeful

        def look(engine: Engine, level: int, stop: Stop) -> BestReply:
            return answers.best(state, engine.rank(state, level, max(top, 1), stop, cubeful), level)

        searched = _deepened(look, plies, request.progress)

        def run(engine: Engine, deadline: Deadline) -> Reply:
            if not (top or plies):
                play = answers.made(state, engine.best(state, cubeful=cubeful))
                return BestReply(play=answers.spelled(play), plays=(), plies=plies)
            reply = searched(engine, deadline)
            return reply if top else BestReply(play=reply.play, plays=(), plies=reply.plies)

        return _job(run, plies, request, listed=top)

    def _eval(self, request: Eval) -> Job:
        plies = self._plies(request.plies, request.movetime)
        state = self._moment(request.position, request.crawford)
        if not (request.jacoby is None and request.crawford is None and request.beavers is None):
            state = _with_rules(state, request.jacoby, request.crawford, request.beavers)
        if state.phase is Phase.OVER and not state.board.finished:
            _check_running(state)
        noise = request.noise

        def look(engine: Engine, level: int, stop: Stop) -> EvalReply:
            return answers.evaluation(engine.evaluate(state, level, noise, stop))

        return _job(_deepened(look, plies, request.progress), plies, request)

    def _cube(self, request: Cube) -> Job:
        plies = self._plies(request.plies, request.movetime)
        state = _with_rules(self._moment(request.position), request.jacoby, None, request.beavers)
        _check_running(state)

        def look(engine: Engine, level: int, stop: Stop) -> CubeReply:
            return answers.cube(engine.cube(state, level, stop))

        return _job(_deepened(look, plies, request.progress), plies, request)

    def _rollout(self, request: Rollout) -> Job:
        state = self._moment(request.position)
        _check_running(state)
        if not request.before:
            if self._dialect == "ubgi":  # its role is chequer
                self._roll(request.position, request.dice)
            self._consume(request.dice, request.position)
        return rollouts.job(state, request)

    def _luck(self, request: Luck) -> Job:
        state, _ = self._roll(request.position, request.dice)
        opening = request.opening
        if opening and state.dice is not None and state.dice.is_double:
            raise BadValue(f"Expected an opening roll, which is no double, got `{state.dice}`")

        def run(engine: Engine, _: Deadline) -> Reply:
            return answers.luck(engine.luck(state, opening))

        return Job(run, False, priority=request.priority)

    def _resign(self, request: Resign) -> Job:
        plies = self._plies(request.plies, request.movetime)
        state = self._moment(request.position)
        _check_no_offer(state)
        offer = _offer(state, request.offered)
        outcome = None if offer is None else offer.outcome

        def run(engine: Engine, deadline: Deadline) -> Reply:
            return answers.resignation(engine.resign(state, plies, offer, deadline.stop_now), outcome)

        return _job(run, plies, request)

    def _turn(self, request: Turn) -> Job:
        plies = self._plies(request.plies, request.movetime)
        state = self._moment(request.position)
        _check_no_offer(state)
        if request.dice is not None:
            state = state.with_dice(Dice.parse(request.dice))
        self._consume(request.dice, request.position)
        cubeful = self._cubeful

        def look(engine: Engine, level: int, stop: Stop) -> TurnReply:
            decision = engine.cube(state, level, stop)
            cube: Literal["roll", "double"] = "double" if decision.double else "roll"
            if state.dice is None:
                return TurnReply(cube=cube, plies=decision.plies)
            play = answers.made(state, engine.best(state, level, stop, cubeful))
            return TurnReply(cube=cube, play=answers.spelled(play), plies=decision.plies)

        def run(engine: Engine, deadline: Deadline) -> Reply:
            return deepened(partial(look, engine), plies, deadline.stop_now)

        return _job(run, plies, request)

    def _decide(self, request: Decide) -> Job:
        plies = self._plies(request.plies)
        state = self.settings.read(request.position, crawford=request.crawford is not False)
        if not (request.jacoby is None and request.crawford is None and request.beavers is None):
            state = _with_rules(state, request.jacoby, request.crawford, request.beavers)
        _check_running(state)
        resigned = request.resignation

        def run(engine: Engine, deadline: Deadline) -> Reply:
            return DecisionReply(answer=_decision(engine, state, resigned, plies, deadline.stop_now))

        return _job(run, plies, request)

    # What a request is about

    @property
    def _cubeful(self) -> bool:
        """Whether plays are judged with the cube in play. The UBGI programs there are let engines play without one."""
        return self._dialect != "ubgi"

    def _moment(self, position: str | None, crawford: bool | None = None) -> GameState:
        """The moment that a request names, or the session's."""
        if position is None:
            return self.settings.state()
        return self.settings.read(position, crawford=crawford is not False)

    def _roll(self, position: str | None, dice: str | None) -> tuple[GameState, Dice]:
        """The moment with dice to be played: those of the request, else those of the position."""
        state = self._moment(position)
        _check_running(state)
        if dice is not None:
            state = state.with_dice(Dice.parse(dice))
        if state.dice is None:
            raise MissingContext("Expected dice, for instance `31`")
        return state, state.dice

    def _plies(self, asked: int | None, movetime: int | None = None) -> int:
        """The level asked for; without one, as deep as there is time for, or as the session is set."""
        if asked is None:
            return self.settings.plies if movetime is None else MAX_PLIES
        if asked > MAX_PLIES:
            _check_plies(asked)
        return asked

    def _consume(self, dice: str | None, position: str | None) -> None:
        """In UBGI the dice that were set are gone once they are played."""
        if self._dialect == "ubgi" and dice is None and position is None:
            self.settings = self.settings.without_dice()


def _soon(board: Board, dice: Dice, run: Callable[[], Reply]) -> Reply | Errand:
    """What `run` gives, or an errand if `board` may have more plays than are listed at once."""
    places = sum(count > 0 for count in board.points)
    ways = comb(places + 3, 4) if dice.is_double else places * places  # to give each die to one of them; roughly
    return run() if ways <= AT_ONCE else Errand(run)


Asked: TypeAlias = Best | Eval | Cube | Resign | Turn | Decide


def _job(run: Callable[[Engine, Deadline], Reply], plies: int, request: Asked, listed: int = 0) -> Job:
    """`listed`: how many candidates its reply lists."""
    if isinstance(request, Decide):  # the commonest by far, with neither
        return Job(run, plies == 0, long=plies >= LONG_PLIES, priority=request.priority)
    movetime = request.movetime
    progress = request.progress if isinstance(request, Best | Eval | Cube) else 0
    short = movetime is not None and movetime <= LONG_MOVETIME
    return Job(
        run,
        plies == 0 and listed <= CHEAP_TOP,
        movetime,
        progress,
        long=plies >= LONG_PLIES and not short,
        priority=request.priority,
    )


Looked = TypeVar("Looked", BestReply, EvalReply, CubeReply)


def _deepened(
    look: Callable[[Engine, int, Stop], Looked], plies: int, progress: int
) -> Callable[[Engine, Deadline], Looked]:
    """A job that gives what `look` sees `plies` deep. Who wants to hear of progress hears of each level before: they
    take little time beside the last one."""
    if not progress:
        return lambda engine, deadline: look(engine, plies, deadline.stop_now)

    def run(engine: Engine, deadline: Deadline) -> Looked:
        deepest = look(engine, 0, deadline.stop_now)
        for level in range(1, plies + 1):
            if deadline.stop_now():
                break
            if (report := answers.so_far(deepest)) is not None:
                deadline.report(report)
            found = look(engine, level, deadline.stop_now)  # at a lower level if it is stopped
            if found.plies >= deepest.plies:
                deepest = found
        return deepest

    return run


def _check_plies(plies: int) -> None:
    if plies > MAX_PLIES:
        raise Unsupported(f"Expected 0 to {MAX_PLIES} plies, got `{plies}`")


def _check_running(state: GameState) -> None:
    if state.phase is Phase.OVER:
        raise IllegalAction("The game is over")


def _check_no_offer(state: GameState) -> None:
    _check_running(state)
    if state.phase in TURNS:
        raise IllegalAction("A double is to be answered first")


def _offer(state: GameState, resigned: int | None) -> Resignation | None:
    """The offer to resign that is to be answered. One that only the request tells of is the other side's to the side
    on roll."""
    return state.resignation if resigned is None else Resignation(state.turn.other, Outcome(resigned))


def _with_rules(state: GameState, jacoby: bool | None, crawford: bool | None, beavers: bool | None) -> GameState:
    """`state` under other rules, where they apply: Jacoby and beavers in money play, Crawford in a match.

    Crawford off: this is not the Crawford game. On says that the rule is in use, not that this is its game."""
    terms: Match | Money = state.terms
    if isinstance(terms, Match):
        return under(state, replace(terms, crawford=False)) if crawford is False and terms.crawford else state
    if jacoby is not None and jacoby != terms.jacoby:
        terms = replace(terms, jacoby=jacoby)
    if beavers is not None and beavers != terms.beavers:
        terms = replace(terms, beavers=beavers)
    return state if terms is state.terms else under(state, terms)


def _decision(engine: Engine, state: GameState, resigned: int | None, plies: int, stop: Stop) -> str:
    """What to do: first about a double, then a resignation, then a roll, else whether to double.

    That is GNU Backgammon's order, and these are its words."""
    if state.phase in TURNS:
        return _RESPONSES[engine.answer(state, plies, stop)]
    offer = _offer(state, resigned)
    if offer is not None:
        return "accept" if engine.resign(state, plies, offer, stop).accept else "reject"
    if state.phase is Phase.PLAY:
        return plays.encode_gnubg_plain(answers.made(state, engine.best(state, plies, stop)))
    return "double" if engine.cube(state, plies, stop).double else "roll"


_RESPONSES: Final = {"take": "take", "pass": "drop", "beaver": "beaver", "raccoon": "raccoon"}
"""The engine's words, and GNU Backgammon's."""


_HANDLERS: Final[dict[type[Request], Callable[[Session, Any], Reply | Job | Errand]]] = {
    Hello: Session._hello,
    Ping: Session._ping,
    Quit: Session._quit,
    Help: Session._help,
    SetPosition: Session._set_position,
    NewGame: Session._new_game,
    Set: Session._set,
    Get: Session._get,
    Options: Session._options,
    Moves: Session._moves,
    Check: Session._check,
    Convert: Session._convert,
    Show: Session._show,
    Best: Session._best,
    Eval: Session._eval,
    Cube: Session._cube,
    Resign: Session._resign,
    Rollout: Session._rollout,
    Luck: Session._luck,
    Turn: Session._turn,
    Decide: Session._decide,
}
