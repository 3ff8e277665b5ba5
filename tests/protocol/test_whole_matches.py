"""Whole matches played through the text dialect, with the rules as the referee: what bgd says can always be done."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Final

import pytest

from bgd.engine import Engine
from bgd.notation import detect, plays
from bgd.rules.dice import Dice
from bgd.rules.game import (
    AcceptResignation,
    Action,
    Beaver,
    Confirm,
    Double,
    MovePlay,
    NextGame,
    OfferResignation,
    Pass,
    Raccoon,
    Roll,
    RollOpening,
    Take,
    apply,
    legal_actions,
)
from bgd.rules.state import GameState, HouseRules, Match, Money, Outcome, Phase
from tests.protocol.test_any_moment import Asker

MAX_STEPS: Final = 4000
RESPONSES: Final[dict[str, Action]] = {"take": Take(), "drop": Pass(), "beaver": Beaver(), "raccoon": Raccoon()}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load()


class Table:
    """Both sides ask one server. `notation` is how it is told where the game stands."""

    def __init__(self, engine: Engine, notation: detect.Notation, seed: int) -> None:
        self.notation, self.dice = notation, Random(f"whole matches {seed}")
        self.asker = Asker(engine)
        self.doubles = self.resignations = 0

    def die(self) -> int:
        return self.dice.randint(1, 6)

    def next_action(self, state: GameState) -> Action:
        match state.phase:
            case Phase.OPENING:
                return RollOpening(self.die(), self.die())
            case Phase.OVER:
                return NextGame()
            case Phase.DOUBLED | Phase.BEAVERED | Phase.RACCOONED:
                return RESPONSES[self.final(f"decide {detect.encode(state, self.offers)}")]
            case Phase.PLAY:
                return self.play(state)
        if state.resignation is None:
            return self.before_the_roll(state)
        assert self.final(f'resign position="{detect.encode(state, "id")}"') == "accept"
        return AcceptResignation()

    def before_the_roll(self, state: GameState) -> Action:
        advice = self.about("resign", state)
        if advice != "play on":
            self.resignations += 1
            return OfferResignation(Outcome(int(advice.removeprefix("offer "))))
        if self.about("cube", state) == "double":
            assert Double in legal_actions(state)
            self.doubles += 1
            return Double()
        assert self.about("turn", state) == "roll"
        return Roll(Dice(self.die(), self.die()))

    def play(self, state: GameState) -> Action:
        if state.played is not None:
            return Confirm()
        best = self.about("best", state)
        assert self.about("turn", state) == best
        if best == "no legal play":
            assert self.about("moves", state) == best
            return MovePlay()
        return MovePlay(plays.decode(best))

    @property
    def offers(self) -> detect.Notation:
        """FIBS boards and OGIDs know no beavers."""
        return "xgid" if self.notation in ("fibs", "ogid") else self.notation

    def about(self, verb: str, state: GameState) -> str:
        text = detect.encode(state, self.notation).replace('"', '\\"')
        return self.final(f'{verb} position="{text}"')

    def final(self, request: str) -> str:
        final = self.asker.ask(request)[-1]
        assert final.startswith("ok "), (request, final)
        return re.sub("^ok ", "", final)


def played(state: GameState, table: Table, ended: Callable[[GameState], bool]) -> GameState:
    for _ in range(MAX_STEPS):
        if ended(state):
            return state
        state = apply(state, table.next_action(state))
    raise AssertionError(f"no end in {MAX_STEPS} steps: {state}")


@pytest.mark.parametrize("notation", ["xgid", "id", "fibs", "ogid"])
@pytest.mark.parametrize("length", [1, 3, 7])
def test_a_match_comes_to_its_end(engine: Engine, notation: detect.Notation, length: int) -> None:
    table = Table(engine, notation, length)
    state = GameState(phase=Phase.OPENING, terms=Match(length))
    final = played(state, table, lambda state: state.phase is Phase.OVER and NextGame not in legal_actions(state))
    assert final.result is not None
    assert table.doubles or length < 3


@pytest.mark.parametrize("jacoby", [False, True])
def test_a_money_session_goes_from_game_to_game(engine: Engine, jacoby: bool) -> None:
    table = Table(engine, "xgid", int(jacoby))
    games = 0

    def ten_games(state: GameState) -> bool:
        nonlocal games
        games += state.phase is Phase.OVER
        return games == 10

    state = GameState(phase=Phase.OPENING, terms=Money(jacoby=jacoby), house=HouseRules(winner_rerolls=True))
    assert played(state, table, ten_games).terms.scores != (0, 0)
    assert table.doubles
    assert table.resignations
