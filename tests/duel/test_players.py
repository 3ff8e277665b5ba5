"""Players by name, and programs that play well, badly, or not at all."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from bgd.duel.external import ExternalClient, question
from bgd.duel.game import play_pair
from bgd.duel.players import TERMS, ExternalPlayer, Fault, Player, UbgiPlayer, parse_player, played
from bgd.engine import Engine
from bgd.errors import BadArgument, ConfigError, Unsupported
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays
from bgd.rules.state import GameState, Money, Phase, Side
from tests.conftest import DaemonProcess
from tests.duel.players import FirstPlay

PROGRAM = """
import sys
print("id name thing", flush=True)
for line in sys.stdin:
    line = line.strip()
    if line == "ubgi": print("ubgiok", flush=True)
    if line == "isready": print("readyok", flush=True)
    if line.startswith("go"): {answer}
"""

ANSWERS = {
    "good": 'print("info thinking", flush=True); print("bestmove 8/5 6/5", flush=True)',
    "illegal": 'print("bestmove 8/4 6/5", flush=True)',
    "error": 'print("error missing_context no dice", flush=True)',
    "crash": "sys.exit(1)",
    "silent": "pass",
}


@pytest.fixture
def program(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[UbgiPlayer]:
    path = tmp_path / "engine.py"
    path.write_text(PROGRAM.format(answer=ANSWERS[request.param]))
    with closing(
        UbgiPlayer([sys.executable, "-u", str(path)], answer_time=5 if request.param != "silent" else 0.2)
    ) as it:
        yield it


START, ROLL = Board.start(), Dice(3, 1)
QUESTION = GameState(START, Side.BOTTOM, terms=TERMS).with_dice(ROLL)


@pytest.mark.parametrize("program", ["good"], indirect=True)
def test_a_ubgi_program_plays(program: UbgiPlayer) -> None:
    after = program.choose(QUESTION)
    assert (after.points[8], after.points[6], after.points[5]) == (2, 4, 2)


@pytest.mark.parametrize("program", ["illegal"], indirect=True)
def test_an_illegal_play_of_a_program_is_its_fault_and_the_rule_is_named(program: UbgiPlayer) -> None:
    with pytest.raises(Fault, match=r"`8/4 6/5` for 31 in 4HPwATDgc/ABMA: .*Legal for instance"):
        program.choose(QUESTION)


@pytest.mark.parametrize("program", ["error"], indirect=True)
def test_an_error_for_a_sound_question_is_a_fault(program: UbgiPlayer) -> None:
    with pytest.raises(Fault, match="missing_context"):
        program.choose(QUESTION)


@pytest.mark.parametrize("program", ["crash", "silent"], indirect=True)
def test_a_program_that_crashes_or_hangs_is_started_again(program: UbgiPlayer) -> None:
    for _ in range(2):
        with pytest.raises(Fault, match=r"end of its output|no answer within"):
            program.choose(QUESTION)


def test_a_command_that_does_not_exist_says_so_at_once() -> None:
    with pytest.raises(ConfigError, match="no-such-engine"):
        UbgiPlayer(["/no-such-engine"])


def test_a_command_that_speaks_no_ubgi_says_so_at_once() -> None:
    with pytest.raises(ConfigError, match="speak UBGI"):
        UbgiPlayer([sys.executable, "-c", "print('hello')"])


@pytest.mark.parametrize(
    "name",
    [
        "",
        "chess",
        "bgd:ply=0",
        "bgd:plies=x",
        "bgd:plies=9",
        "gnubg:weights=x",
        "ubgi:",
        "external:host",
        "external:h:0",
    ],
)
def test_a_name_that_means_no_player_is_refused(name: str) -> None:
    with pytest.raises(BadArgument, match="Expected"):
        parse_player(name)


@pytest.mark.parametrize("text", ["8/5 6/5", "6/5 8/5 ", "8/5, 6/5", "8 5 6 5"])
def test_every_spelling_of_a_play_is_understood(text: str) -> None:
    assert played(START, ROLL, text) == next(p.result for p in legal_plays(START, ROLL) if str(p) == "8/5 6/5")


def test_a_short_spelling_is_understood() -> None:
    assert played(START, Dice(6, 5), "24/13").points[24] == 1


@pytest.mark.parametrize("text", ["", "8/5", "8/5 6/4", "9/6 6/5", "24/25", "flurb"])
def test_text_that_is_no_legal_play_is_a_fault(text: str) -> None:
    with pytest.raises(Fault):
        played(START, ROLL, text)


class WithCube(FirstPlay):
    """bgd in this process, playing as if there were a cube, which is how it answers over the external interface."""

    def __init__(self) -> None:
        self._engine = Engine.load()

    def choose(self, state: GameState) -> Board:
        return self._engine.best(state)


def test_bgd_plays_the_same_in_process_over_a_socket_and_on_pipes(
    daemon: DaemonProcess, bgd_command: list[str]
) -> None:
    """Equal players win with one seat what they lose with the other, to the point."""
    with ExitStack() as table:

        def seat(player: Player) -> Player:
            return table.enter_context(closing(player))

        pipes = seat(parse_player(f"ubgi:{shlex.join([*bgd_command, 'stdio'])}")())
        over_socket = seat(parse_player(f"external:127.0.0.1:{daemon.port}")())
        for here, other in ((seat(parse_player("bgd:plies=0")()), pipes), (seat(WithCube()), over_socket)):
            for pair in range(5):
                (first, _), (second, _) = play_pair({"a": here, "b": other}, seed=2, pair=pair)
                assert (first.points, first.fault) == (-second.points, "")


def test_bgd_turns_the_cube_the_same_in_process_and_over_a_socket(daemon: DaemonProcess) -> None:
    names = ("bgd:plies=0", f"external:127.0.0.1:{daemon.port}")
    with ExitStack() as table:
        here, there = (table.enter_context(closing(parse_player(name, cube=True)())) for name in names)
        turned = 0
        for pair in range(8):
            (first, _), (second, _) = play_pair({"a": here, "b": there}, seed=2, pair=pair, cube=True)
            assert (first.points, first.cube, first.passed) == (-second.points, second.cube, second.passed)
            assert (first.fault, second.fault) == ("", "")
            turned += first.cube > 1 or first.passed
    assert turned > 4


def test_a_ubgi_program_has_no_seat_at_a_table_with_a_cube() -> None:
    with pytest.raises(Unsupported, match="a player with a cube"):
        parse_player("ubgi:engine", cube=True)


def test_a_server_that_goes_away_costs_the_game_and_is_asked_again(daemon: DaemonProcess) -> None:
    clients = [_Hangup(), ExternalClient("127.0.0.1", daemon.port)]
    with closing(ExternalPlayer(lambda: clients.pop(0))) as player:
        with pytest.raises(Fault, match="no answer to `board:"):
            player.choose(QUESTION)
        assert player.choose(QUESTION).points[5] == 2


def test_a_server_is_asked_about_the_cube_without_beavers(daemon: DaemonProcess) -> None:
    doubled = GameState(START, Side.BOTTOM, Phase.DOUBLED, terms=TERMS)
    with closing(ExternalClient("127.0.0.1", daemon.port)) as client:
        assert client.ask(question(doubled)) == "take"
        assert client.ask(question(replace(doubled, terms=Money(jacoby=False)))) == "beaver"
    with closing(ExternalPlayer(lambda: ExternalClient("127.0.0.1", daemon.port))) as player:
        assert player.takes(doubled)
        assert not player.doubles(GameState(START, Side.BOTTOM, Phase.ROLL, terms=TERMS))


@pytest.mark.parametrize(("word", "takes"), [("take", True), ("beaver", True), ("drop", False), ("roll", None)])
def test_what_a_server_says_of_a_double(word: str, takes: bool | None) -> None:
    doubled = GameState(START, Side.BOTTOM, Phase.DOUBLED, terms=TERMS)
    player = ExternalPlayer(lambda: _Parrot(word))
    if takes is None:
        with pytest.raises(Fault, match="`roll` for `take` or `beaver` or `drop`"):
            player.takes(doubled)
    else:
        assert player.takes(doubled) is takes


class _Parrot(ExternalClient):
    """A server that says one thing."""

    def __init__(self, word: str) -> None:
        self.word = word

    def ask(self, line: str) -> str:
        return self.word


class _Hangup(ExternalClient):
    """A connection whose other end has left."""

    def __init__(self) -> None:
        pass

    def ask(self, line: str) -> str:
        raise ConnectionError("The server closed the connection")

    def close(self) -> None:
        pass
