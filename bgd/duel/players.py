"""Who plays: a name on the command line becomes a player that answers a board and a roll with the board after its play,
and says what it does with a cube.

    bgd[:plies=N,weights=FILE]      this program's own engine, in this process
    gnubg[:plies=N]                 a GNU Backgammon of our own, over its external interface
    ubgi:COMMAND                    a program that speaks UBGI on stdin and stdout
    external:HOST:PORT              a server of GNU Backgammon's external interface

Plies are counted as GNU Backgammon counts them: 0 is the static evaluation.
"""

from __future__ import annotations

import queue
import shlex
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from bgd.duel.external import ExternalClient, GnubgServer, question
from bgd.engine import Engine
from bgd.engine.evaluator import Evaluator
from bgd.errors import BadArgument, BadPlay, ConfigError, IllegalPlay, Unsupported
from bgd.notation import plays, position_id
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.legality import check_play
from bgd.rules.plays import OFF, CheckerMove, play_between
from bgd.rules.state import GameState, Money, Phase

TERMS: Final = Money(jacoby=False, beavers=False)
"""What is played for. Jacoby's rule is off: without a cube gammons count although nobody doubles."""

ANSWER_TIME: Final = 60.0
"""Seconds that a program may think about one play before it counts as hung."""


class Fault(Exception):
    """The player broke the rules or itself: an illegal play, an unreadable answer, a crash, silence. Costs the game."""


class Player(Protocol):
    """A seat at the table. It keeps no memory of the game: each question says all, BOTTOM being on roll in it.

    All raise Fault when no legal answer comes of the question; the player answers the next question nevertheless."""

    def choose(self, state: GameState) -> Board:
        """The board after the player's play of the dice, seen by the mover; the same board when nothing can be
        played."""
        ...

    def doubles(self, state: GameState) -> bool:
        """Whether it doubles before its roll. Asked only where it may, and in games with a cube."""
        ...

    def takes(self, state: GameState) -> bool:
        """Whether it, TOP, takes the double pending."""
        ...

    def close(self) -> None: ...


class EnginePlayer:
    """bgd itself. One kernel call a play, so that a duel measures the engine and not the wire."""

    def __init__(self, evaluator: Evaluator, plies: int = 0, cube: bool = False) -> None:
        if plies > evaluator.max_plies:
            raise Unsupported(f"Expected plies from 0 to {evaluator.max_plies} of bgd, got `{plies}`")
        self._engine = Engine(evaluator)
        self._plies = plies
        self._cube = cube

    def choose(self, state: GameState) -> Board:
        return self._engine.best(state, self._plies, cubeful=self._cube)

    def doubles(self, state: GameState) -> bool:
        return self._engine.cube(state, self._plies).double

    def takes(self, state: GameState) -> bool:
        return self._engine.cube(replace(state, phase=Phase.ROLL), self._plies).response != "pass"

    def close(self) -> None:
        pass


class ExternalPlayer:
    """A server of the external interface; connected to anew when the connection is lost."""

    def __init__(self, connect: Callable[[], ExternalClient]) -> None:
        self._connect = connect
        self._client = connect()

    def choose(self, state: GameState) -> Board:
        assert state.dice is not None
        return played(state.board, state.dice, self._ask(state))

    def doubles(self, state: GameState) -> bool:
        return self._said(state, {"double": True, "roll": False})

    def takes(self, state: GameState) -> bool:
        # A beaver, which was not agreed on, is a take from a server that can't be told so.
        return self._said(state, {"take": True, "beaver": True, "drop": False})

    def _said(self, state: GameState, meant: dict[str, bool]) -> bool:
        answer = self._ask(state)
        try:
            return meant[answer.strip().lower()]
        except KeyError:
            expected = " or ".join(f"`{word}`" for word in meant)
            raise Fault(f"`{answer}` for {expected} in {position_id.encode(state.board)}") from None

    def _ask(self, state: GameState) -> str:
        asked = question(state)
        try:
            return self._client.ask(asked)
        except OSError as broken:
            self._client.close()
            self._client = self._connect()
            raise Fault(f"no answer to `{asked}`: {broken}") from None

    def close(self) -> None:
        self._client.close()


class GnubgPlayer(ExternalPlayer):
    """A GNU Backgammon of our own. Without a `cube` its evaluations are cubeless, as suits points without one."""

    def __init__(self, plies: int = 0, cube: bool = False) -> None:
        self._plies = plies
        self._cube = cube
        self._server: GnubgServer | None = None
        super().__init__(self._start)

    def _start(self) -> ExternalClient:
        if self._server is not None:
            self._server.close()
        self._server = GnubgServer(self._plies, cubeful=self._cube, jacoby=False, beavers=False)
        return self._server.connect(ANSWER_TIME)

    def close(self) -> None:
        super().close()
        if self._server is not None:
            self._server.close()


class UbgiPlayer:
    """A UBGI program, kept for all games; started again when it crashes or hangs. It is asked for plays only."""

    def __init__(self, command: Sequence[str], answer_time: float = ANSWER_TIME) -> None:
        self._command = list(command)
        self._answer_time = answer_time
        self._start()

    def _start(self) -> None:
        try:
            process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        except OSError as fault:
            raise ConfigError(f"Expected `{shlex.join(self._command)}` to start, it did not: {fault}") from None
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=_pump, args=(process, lines), daemon=True).start()
        self._process, self._lines = process, lines
        try:
            self._ask("ubgi", ("ubgiok",))
            self._ask("newgame\nisready", ("readyok",))
        except Fault as fault:
            self.close()
            raise ConfigError(f"Expected `{shlex.join(self._command)}` to speak UBGI, got {fault}") from None

    def choose(self, state: GameState) -> Board:
        board, dice = state.board, state.dice
        assert dice is not None
        question = f"position gnubgid {position_id.encode(board)}\ndice {dice.high} {dice.low}\ngo role chequer"
        try:
            answer = self._ask(question, ("bestmove", "error"))
        except Fault:
            self.close()
            self._start()
            raise
        word, _, text = answer.partition(" ")
        if word == "error":
            raise Fault(f"`{answer}` to a position and dice")
        return played(board, dice, text)

    def doubles(self, state: GameState) -> bool:
        raise Fault("no word for the cube")

    def takes(self, state: GameState) -> bool:
        raise Fault("no word for the cube")

    def _ask(self, lines: str, ends: tuple[str, ...]) -> str:
        """The first line that begins with one of `ends`; lines before it are let pass."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(lines + "\n")
            self._process.stdin.flush()
        except OSError as broken:
            raise Fault(f"a closed stdin: {broken}") from None
        while True:
            try:
                line = self._lines.get(timeout=self._answer_time)
            except queue.Empty:
                raise Fault(f"no answer within {self._answer_time:g} s") from None
            if not line:
                raise Fault("the end of its output")
            if line.split(maxsplit=1)[0:1] and line.split(maxsplit=1)[0] in ends:
                return line.strip()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def _pump(process: subprocess.Popen[str], lines: queue.SimpleQueue[str]) -> None:
    """Lines of the program's output as they come; an empty one at the end."""
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.put(line)
    except ValueError:  # closed under our feet: the player was closed
        pass
    lines.put("")


def played(board: Board, dice: Dice, answer: str) -> Board:
    """The board that a written play leads to. Raises Fault, with the rule broken, when it is no legal play."""
    try:
        moves = plays.decode(answer)
        after = _moved(board, moves)
        if after is not None:
            try:
                return play_between(board, dice, after).result
            except IllegalPlay:
                pass
        return check_play(board, dice, moves).result
    except (BadPlay, IllegalPlay) as fault:
        raise Fault(f"`{answer}` for {dice} in {position_id.encode(board)}: {fault.message}") from None


def _moved(board: Board, moves: Sequence[CheckerMove]) -> Board | None:
    """The board with the moves made as written, whatever the rules say; None where no checker stands."""
    points = list(board.points)
    for move in moves:
        if points[move.source] <= 0:
            return None
        points[move.source] -= 1
        if move.destination != OFF:
            if points[move.destination] == -1:
                points[move.destination] = 0
                points[0] -= 1
            elif points[move.destination] < 0:
                return None
            points[move.destination] += 1
    return Board.unchecked(tuple(points))


def parse_player(name: str, cube: bool = False) -> Callable[[], Player]:
    """How to seat the player that `name` means, with a `cube` or without. Raises BadArgument at once for a name that
    means none, Unsupported for one that plays without a cube only."""
    kind, _, rest = name.partition(":")
    if kind == "bgd":
        options = _options(name, rest, ("plies", "weights"))
        plies, weights = _plies(name, options), options.get("weights")
        return lambda: EnginePlayer(Evaluator.load(Path(weights) if weights else None), plies, cube)
    if kind == "gnubg":
        plies = _plies(name, _options(name, rest, ("plies",)))
        return lambda: GnubgPlayer(plies, cube)
    if kind == "ubgi" and (command := shlex.split(rest)):
        if cube:
            raise Unsupported(
                f"Expected a player with a cube, and UBGI programs are asked for plays only, got `{name}`"
            )
        return lambda: UbgiPlayer(command)
    host, _, port = rest.rpartition(":")
    if kind == "external" and host and port.isdecimal() and 0 < int(port) < 65536:
        return lambda: ExternalPlayer(lambda: ExternalClient(host, int(port), ANSWER_TIME))
    raise BadArgument(
        f"Expected a player: `bgd:plies=0`, `gnubg:plies=0`, `ubgi:COMMAND` or `external:HOST:PORT`, got `{name}`"
    )


def _options(name: str, text: str, known: tuple[str, ...]) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if key not in known or not equals:
            raise BadArgument(
                f"Expected options {' or '.join(f'`{each}=`' for each in known)} in `{name}`, got `{part}`"
            )
        options[key] = value
    return options


def _plies(name: str, options: dict[str, str]) -> int:
    plies = options.get("plies", "0")
    if plies not in ("0", "1", "2", "3", "4"):
        raise BadArgument(f"Expected plies from 0 to 4 in `{name}`, got `{plies}`")
    return int(plies)
