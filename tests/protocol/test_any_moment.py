"""Any moment of any game, in every notation, asked about in the text dialect: what comes back is true of it.

What the answers say is checked against the rules, not against the engine: numbers that can be, plays that are legal,
the same answer to the same question however it is put.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bgd.engine import Engine
from bgd.errors import InputError
from bgd.notation import detect, plays
from bgd.rules.dice import Dice
from bgd.rules.game import moment
from bgd.rules.plays import legal_plays
from bgd.rules.state import Cube, GameState, Match, Money, Phase
from tests.protocol.test_transcripts_in_memory import ENGINE, MemoryServer
from tests.strategies import dice, states

NOTATIONS: Final[tuple[detect.Notation, ...]] = ("xgid", "id", "fibs", "ogid")
ROUNDED: Final = 1e-4
"""Numbers have four decimals."""

_PAIR: Final = re.compile(r'(\w+)=("[^"]*"|\S+)')


class Asker:
    """One connection, which speaks text."""

    def __init__(self, engine: Engine = ENGINE) -> None:
        self._server = MemoryServer("text", engine)

    def ask(self, request: str) -> list[str]:
        """All lines of the reply; the last one begins with `ok` or `error`."""
        lines = self._server.receive(f"{request}\n".encode()).decode().splitlines()
        assert re.match(r"(#t1 )?(ok( |$)|error (?!internal))", lines[-1]), (request, lines)
        return lines

    def about(self, verb: str, state: GameState, notation: detect.Notation = "xgid") -> list[str]:
        return self.ask(f'{verb} position="{_quoted(detect.encode(state, notation))}"')


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def numbers(line: str) -> dict[str, float]:
    """The numeric `key=value` pairs of a data line."""
    return {key: float(value) for key, value in _PAIR.findall(line) if re.fullmatch(r"[+-]?\d+\.\d+", value)}


def texts(state: GameState) -> dict[detect.Notation, str]:
    """`state` in each notation that has words for it."""
    found: dict[detect.Notation, str] = {}
    for notation in NOTATIONS:
        try:
            found[notation] = detect.encode(state, notation)
        except InputError:
            continue
    assert "id" in found
    return found


def assert_chances(told: dict[str, float]) -> None:
    """Nested, and nothing but probabilities."""
    win, lose = told["win"], 1 - told["win"]
    for chances in (
        (win, told["wingammon"], told["winbackgammon"]),
        (lose, told["losegammon"], told["losebackgammon"]),
    ):
        assert all(0 <= chance <= 1 for chance in chances), told
        assert chances[0] >= chances[1] - 2 * ROUNDED, told
        assert chances[1] >= chances[2], told


def assert_worth(told: dict[str, float], state: GameState) -> None:
    for name, value in told.items():
        if "mwc" in name:
            assert 0 <= value <= 1, told
        elif name in ("equity", "cubeful", "nodouble", "worth") and not isinstance(state.terms, Match):
            assert abs(value) <= 3 + ROUNDED, told
        elif name == "doubletake" and not isinstance(state.terms, Match):
            assert abs(value) <= 6 + ROUNDED, told
    assert ("mwc" in " ".join(told)) == isinstance(state.terms, Match), told


@given(states())
def test_every_verb_answers_with_numbers_that_can_be_or_refuses(state: GameState) -> None:
    asker = Asker()
    for text in texts(state).values():
        position = f'position="{_quoted(text)}"'
        for verb in ("eval", "cube", "turn", "resign", "show", "show as=svg", "best top=3", "moves"):
            *data, final = asker.ask(f"{verb} {position}")
            if verb in ("eval", "cube", "resign") and data:
                told = numbers(data[0])
                assert_worth(told, state)
                if verb == "eval":
                    assert_chances(told)
            over, waiting = state.phase is Phase.OVER, state.phase in (Phase.DOUBLED, Phase.BEAVERED, Phase.RACCOONED)
            refused = {
                "eval": False,
                "cube": over,
                "turn": over or waiting,
                "resign": over or waiting,
                "best top=3": state.dice is None,
                "moves": state.dice is None,
            }.get(verb, False)
            assert final.startswith("error ") == refused, (verb, text, final)
        assert asker.ask(f"decide {text}")[-1].startswith("error ") == (state.phase is Phase.OVER)


@given(states())
def test_the_answer_does_not_depend_on_the_notation_that_the_question_is_put_in(state: GameState) -> None:
    asker = Asker()
    lossless = [notation for notation in texts(state) if not detect.losses(state, notation)]
    for verb in ("eval", "cube", "best top=3", "moves", "resign"):
        answers = {tuple(asker.about(verb, state, notation)) for notation in lossless}
        assert len(answers) <= 1


@given(states(), st.sampled_from(NOTATIONS))
def test_a_position_converted_is_the_same_position_or_what_is_lost_is_named(
    state: GameState, to: detect.Notation
) -> None:
    asker = Asker()
    for text in texts(state).values():
        read = detect.decode_any(text)
        *lost, final = asker.ask(f'convert {to} position="{_quoted(text)}"')
        if final.startswith("error "):
            assert final.startswith(("error unsupported", "error bad-value")), final
            continue
        written = final.removeprefix("ok ")
        assert detect.notation_of(written) == to
        back = asker.ask(f'convert {to} position="{_quoted(written)}"')[-1]
        assert back == final  # what was written says again what it says
        if not lost:
            again = detect.decode_any(written)
            assert (again.dice and sorted(again.dice.faces)) == (read.dice and sorted(read.dice.faces))
            for verb in ("eval", "cube", "resign", "moves"):
                ask = f'{verb} position="{{}}"'
                assert asker.ask(ask.format(_quoted(text))) == asker.ask(ask.format(_quoted(written)))


@given(states(), st.sampled_from(["eval", "cube", "resign", "best top=4", "moves", "turn", "convert ogid"]))
def test_the_same_question_has_the_same_answer_tagged_or_not(state: GameState, verb: str) -> None:
    asker = Asker()
    first = asker.about(verb, state, "id")
    assert asker.about(verb, state, "id") == first
    assert asker.about(f"#t1 {verb}", state, "id") == [f"#t1 {line}" for line in first]
    assert Asker().about(verb, state, "id") == first


@settings(max_examples=60)
@given(states(), dice(), dice())
def test_check_accepts_the_plays_that_moves_lists_and_no_other(state: GameState, roll: Dice, other: Dice) -> None:
    assume(state.phase is not Phase.OVER)
    asker = Asker()
    position = f'position="{detect.encode(state, "id")}"'
    *listed, final = asker.ask(f"moves {roll} {position}")
    spelled = [re.match(r'play "([^"]*)" result=(\S+)', line).groups() for line in listed]  # type: ignore[union-attr]
    assert final == {0: "ok no legal play", 1: "ok 1 play"}.get(len(listed), f"ok {len(listed)} plays")
    assert len({result for _, result in spelled}) == len(spelled)
    for play, result in spelled[:40]:
        assert asker.ask(f'check {roll} "{play}" {position}') == [f'play "{play}" result={result}', "ok legal"]
    legal = {play for play, _ in spelled}
    results = {play.result for play in legal_plays(state.board, roll)}
    for stranger in legal_plays(state.board, other)[:40]:
        if stranger.result not in results:
            final = asker.ask(f'check {roll} "{plays.encode(stranger)}" {position}')[-1]
            assert final.startswith("error illegal "), final
            example = re.search(r"Legal for instance: (.+)$", final)
            assert example is None or example[1] in legal
    if legal:
        assert asker.ask(f'check {roll} "no play" {position}')[-1].startswith("error illegal ")


@settings(max_examples=60)
@given(states(), dice())
def test_the_best_play_is_the_first_of_the_list_and_the_list_is_all_there_is(state: GameState, roll: Dice) -> None:
    assume(state.phase is not Phase.OVER)
    asker = Asker()
    position = f'position="{detect.encode(state, "id")}"'
    listed = {line.split(" result=")[1] for line in asker.ask(f"moves {roll} {position}")[:-1]}
    *ranked, final = asker.ask(f"best {roll} top=4096 {position}")
    assert {line.rsplit(" result=")[1] for line in ranked} == listed
    assert asker.ask(f"best {roll} top=0 {position}") == [final]
    assert asker.ask(f"best {roll} top=3 {position}") == [*ranked[:3], final]
    worths = []
    for line in ranked:
        told = numbers(line)
        assert_chances(told)
        worths.append(told["equity"])
        assert told["loss"] == pytest.approx(worths[0] - told["equity"], abs=2 * ROUNDED)
    assert worths == sorted(worths, reverse=True)
    if ranked:
        assert ranked[0].startswith(f'play "{final.removeprefix("ok ")}" rank=1 ')


def mirrored(state: GameState) -> GameState:
    """The same moment with the sides called by each other's names."""
    terms, cube, offer = state.terms, state.cube, state.resignation
    top, bottom = terms.scores
    swapped = moment(
        state.board,
        state.turn.other,
        state.phase,
        replace(cube, owner=None if cube.owner is None else cube.owner.other),
        state.dice,
        replace(terms, scores=(bottom, top)),
        None if offer is None else replace(offer, side=offer.side.other),
    )
    assert swapped.board == state.board
    return swapped


@given(states())
def test_top_and_bottom_are_names_and_change_no_answer(state: GameState) -> None:
    asker = Asker()
    for verb in ("eval", "cube", "best top=3", "resign", "turn"):
        assert asker.about(verb, state, "id") == asker.about(verb, mirrored(state), "id")


@given(states())
def test_a_session_s_position_is_asked_about_as_one_that_the_request_names(state: GameState) -> None:
    for text in texts(state).values():
        asker = Asker()
        placed = asker.ask(f"position {text}")[-1]
        assert placed.startswith("ok ")
        for verb in ("eval", "cube", "best top=3", "moves", "resign", "turn", "convert xgid", "convert ogid"):
            assert asker.ask(verb) == asker.ask(f'{verb} position="{_quoted(text)}"'), (verb, text)


@given(states())
def test_a_position_made_by_settings_is_the_one_that_an_xgid_describes(state: GameState) -> None:
    assume(state.phase in (Phase.ROLL, Phase.PLAY) and state.resignation is None)
    state = replace(state, cube=replace(state.cube, limit=Cube().limit))
    terms, cube, (top, bottom) = state.terms, state.cube, state.terms.scores
    owner = "centre" if cube.owner is None else cube.owner.name.lower()
    rules = f"match=0 jacoby={_on(terms.jacoby)} beavers={_on(terms.beavers)}" if isinstance(terms, Money) else ""
    if isinstance(terms, Match):
        rules = f"match={terms.length}" + (f" crawford={_on(terms.crawford)}" if terms.crawford else "")
    asker = Asker()
    asker.ask(f"position {detect.encode(state, 'position-id')}")
    set_ = f"set {rules} score={bottom}-{top} cube={cube.value} owner={owner} turn={state.turn.name.lower()}"
    assert asker.ask(f"{set_} dice={state.dice or 'none'}") == ["ok"]
    for verb in ("eval", "cube", "best top=3", "moves", "resign", "turn"):
        assert asker.ask(verb) == Asker().about(verb, state)
    assert asker.ask("convert xgid") == [f"ok {detect.encode(state, 'xgid')}"]


def _on(flag: bool) -> str:
    return "on" if flag else "off"


@given(states())
def test_a_position_is_worth_what_the_better_cube_action_is(state: GameState) -> None:
    assume(state.phase in (Phase.ROLL, Phase.PLAY))
    asker = Asker()
    cubeful = numbers(asker.about("eval", state)[0])["cubeful"]
    line, final = asker.about("cube", state)
    told = numbers(line)
    better = min(told["doubletake"] * (2 if "response=beaver" in line else 1), told["doublepass"])
    if "allowed=no" in line or "dead cube" in line:
        better = told["nodouble"]
    assert cubeful == pytest.approx(max(told["nodouble"], better), abs=2 * ROUNDED)
    assert (final == "ok double") == ("double=yes" in line)
    if final == "ok double":
        assert better >= told["nodouble"] - ROUNDED
