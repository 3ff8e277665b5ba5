"""Laws of the service: nothing that is asked breaks it, every answer is legal, jobs see what was there when asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bgd.errors import InputError
from bgd.notation import match_id, plays
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.legality import check_play
from bgd.rules.plays import legal_plays
from bgd.rules.state import GameState, Phase
from bgd.service import Service, Session
from bgd.service.settings import SETTINGS
from bgd.wire.messages import (
    Best,
    BestReply,
    Check,
    Convert,
    Cube,
    Decide,
    DecisionReply,
    Eval,
    Get,
    Moves,
    PositionReply,
    Reply,
    Request,
    Resign,
    Set,
    SetPosition,
    Show,
    Values,
)
from tests.engine.fakes import fake_engine
from tests.service.deadlines import done
from tests.strategies import boards, dice, states

ENGINE = fake_engine()


def session() -> Session:
    return Service(version="0", engine_state=lambda: "ready").open_session("text")


def ask(who: Session, request: Request) -> Reply:
    return done(who.handle(request), ENGINE)


texts = st.one_of(
    st.text(min_size=1, max_size=60),
    st.text("XGID=-abcABC:0123456789", min_size=1, max_size=60),
    st.text("board:0123456789-", min_size=1, max_size=120),
    st.sampled_from(["start", "4HPwATDgc/ABMA", "31", "on", "off", "bottom", "7", "2-4", "8/5 6/5"]),
)
requests = st.one_of(
    st.builds(SetPosition, position=texts),
    st.builds(Set, values=st.dictionaries(st.one_of(st.sampled_from(list(SETTINGS)), texts), texts, max_size=3)),
    st.builds(Get, names=st.lists(st.sampled_from([*SETTINGS, "flurb"]), max_size=3).map(tuple)),
    st.builds(Moves, dice=st.none() | texts, position=st.none() | texts),
    st.builds(Check, play=texts, dice=st.none() | texts, position=st.none() | texts),
    st.builds(Best, dice=st.none() | texts, position=st.none() | texts, top=st.integers(0, 3)),
    st.builds(Eval, position=st.none() | texts, noise=st.floats(0, 1)),
    st.builds(Cube, position=st.none() | texts),
    st.builds(Resign, position=st.none() | texts, offered=st.none() | st.integers(1, 3)),
    st.builds(Convert, position=st.none() | texts, to=st.sampled_from(["id", "xgid", "fibs", "ogid"])),
    st.builds(Show, position=st.none() | texts, form=st.sampled_from(["text", "svg"])),
    st.builds(Decide, position=texts, resignation=st.none() | st.integers(1, 3)),
)


@given(st.lists(requests, max_size=6))
def test_whatever_is_asked_is_answered_or_refused_as_the_askers_fault(asked: list[Request]) -> None:
    who = session()
    for request in asked:
        before = who.settings
        try:
            answer: object = ask(who, request)
        except InputError as error:
            answer = error
        assert isinstance(answer, Reply) or (isinstance(answer, InputError) and who.settings == before)


@given(boards().filter(lambda board: not board.finished), dice())
def test_the_best_play_is_always_legal(board: Board, roll: Dice) -> None:
    state = GameState(board)
    text = match_id.encode_pair(state)
    reply = ask(session(), Best(position=text, dice=str(roll), top=5))
    assert isinstance(reply, BestReply)
    if legal_plays(state.board, roll):
        assert check_play(state.board, roll, plays.decode(reply.play)).result
        assert len(reply.plays) >= 1
    else:
        assert (reply.play, reply.plays) == ("", ())


@given(states(), st.sampled_from([0.05, 0.3, 0.5, 0.75, 0.95]))
def test_a_decision_is_a_legal_play_or_a_word_that_answers_what_was_asked(state: GameState, win: float) -> None:
    try:
        text = match_id.encode_pair(state)
    except InputError:
        return
    if state.phase is Phase.OVER:
        return
    reply = done(session().handle(Decide(position=text)), fake_engine([win, 0, 0, 0, 0]))
    assert isinstance(reply, DecisionReply)
    if state.resignation is not None:
        assert reply.answer in ("accept", "reject")
    elif state.phase is Phase.DOUBLED:
        assert reply.answer in ("take", "drop", "beaver")
    elif state.phase in (Phase.BEAVERED, Phase.RACCOONED):
        assert reply.answer in ("take", "drop", "raccoon")
    elif state.dice is None:
        assert reply.answer in ("double", "roll")
    else:
        assert set(reply.answer) <= set("0123456789/* ")
        assert check_play(state.board, state.dice, plays.decode(reply.answer))


@given(states())
def test_a_position_placed_is_the_position_in_force(state: GameState) -> None:
    who = session()
    try:
        text = match_id.encode_pair(state)
    except InputError:
        return
    placed, converted = ask(who, SetPosition(position=text)), ask(who, Convert(to="id"))
    assert isinstance(placed, PositionReply)
    assert isinstance(converted, PositionReply)
    assert converted.text == placed.text == text


@given(st.permutations(["match", "score", "cube", "owner", "crawford"]))
def test_settings_do_not_depend_on_the_order_they_are_named_in(order: list[str]) -> None:
    wanted = {"match": "7", "score": "6-3", "cube": "1", "owner": "centre", "crawford": "on"}
    who = session()
    ask(who, Set(values={name: wanted[name] for name in order}))
    reply = ask(who, Get(names=tuple(wanted)))
    assert isinstance(reply, Values)
    assert reply.values == wanted
