"""bgd's own dialect."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd.errors import IllegalPlay
from bgd.wire.messages import (
    Best,
    BestReply,
    Cancel,
    Candidate,
    Check,
    CheckReply,
    Convert,
    Cube,
    CubeReply,
    Done,
    Eval,
    Get,
    Hello,
    Help,
    HelpReply,
    Incoming,
    Moves,
    MovesReply,
    NewGame,
    OptionsReply,
    Ping,
    PositionReply,
    Reply,
    Request,
    Set,
    SetPosition,
    Show,
    ShowReply,
    Stats,
    StatsReply,
    Turn,
    TurnReply,
    Values,
)
from bgd.wire.text import TextCodec
from tests.wire.replies import CUBE, EIGHT_FIVE, EVALUATION, HELLO, OPTIONS, REPLIES, START, Peer


@pytest.fixture
def peer() -> Peer:
    return Peer("text")


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("position start", SetPosition(position="start")),
        (f"position {START}:cAkAAAAAAAAE", SetPosition(position=f"{START}:cAkAAAAAAAAE")),
        (f"position {START} cAkAAAAAAAAE", SetPosition(position=f"{START} cAkAAAAAAAAE")),
        ("position XGID=-b----E:0:0", SetPosition(position="XGID=-b----E:0:0")),
        ("position xgid=-b----E:0:0 reading=fibs", SetPosition(position="xgid=-b----E:0:0", reading="fibs")),
        ('position "XGID=-b----E:0:0"', SetPosition(position="XGID=-b----E:0:0")),
        ('position board:"A B":C:7', SetPosition(position='board:"A B":C:7')),
        ("position position=start", SetPosition(position="start")),
        ("set match=7 score=2-4", Set(values={"match": "7", "score": "2-4"})),
        ("get", Get()),
        ("get score Cube", Get(names=("score", "cube"))),
        ("moves 31", Moves(dice="31")),
        ("MOVES 3 1 position=start", Moves(dice="31", position="start")),
        ("moves dice=31", Moves(dice="31")),
        ("check 66 24/18 13/7", Check(dice="66", play="24/18 13/7")),
        ("check 24/18 13/7", Check(play="24/18 13/7")),
        ('check 31 "8/5 6/5"', Check(dice="31", play="8/5 6/5")),
        ('check dice=31 play="8 5 6 5"', Check(dice="31", play="8 5 6 5")),
        ('check 31 play="8/5 6/5"', Check(dice="31", play="8/5 6/5")),
        ('check play="8/5 6/5" 31', Check(dice="31", play="8/5 6/5")),
        ("convert XGID", Convert(to="xgid")),
        ("convert to=Fibs", Convert(to="fibs")),
        ("show SVG", Show(form="svg")),
        (f"position {START} reading=FIBS", SetPosition(position=START, reading="fibs")),
        ("position OGID=1:o:N0N", SetPosition(position="OGID=1:o:N0N")),
        ("best 31 plies=2 top=3", Best(dice="31", plies=2, top=3)),
        ("best movetime=500", Best(movetime=500)),
        ("eval plies=1 jacoby=off", Eval(plies=1, jacoby=False)),
        ("cube beavers=yes", Cube(beavers=True)),
        ("turn 31", Turn(dice="31")),
        ("convert to=xgid", Convert(to="xgid")),
        ("convert ogid position=start", Convert(to="ogid", position="start")),
        ("show", Show()),
        ("show as=svg", Show(form="svg")),
        ("cancel #a", Cancel(target="a")),
        ("cancel", Cancel()),
        ("newgame", NewGame()),
        ("newgame session=on", NewGame(session=True)),
        ("help moves", Help(topic="moves")),
        ("hello", Hello()),
        ("ping", Ping()),
        ("stats", Stats()),
    ],
)
def test_lines_and_what_they_ask(peer: Peer, line: str, request_: Request) -> None:
    assert peer.request(line) == request_


def test_a_tag_comes_back_on_every_line(peer: Peer) -> None:
    assert peer.asks("#a moves 31").tag == "a"
    reply = peer.hears("#a moves 31", MovesReply(plays=(EIGHT_FIVE, EIGHT_FIVE)))
    assert [line.split(" ", 1)[0] for line in reply.splitlines()] == ["#a"] * 3
    assert peer.hears("#a flurb").startswith("#a error unknown-command ")


@pytest.mark.parametrize("tag", ["a\x1b", "\x7f", "\x9f", "a" * 65, ""])
def test_a_tag_that_no_reply_could_give_back_is_refused(peer: Peer, tag: str) -> None:
    assert peer.asks(f"#{tag} ping").tag is None
    assert peer.hears(f"#{tag} ping").startswith(
        "error bad-argument Expected a tag of 1 to 64 visible characters, got "
    )


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r"), max_size=70).filter(
        lambda tag: [tag] == tag.split()
    )
)
def test_law_a_tag_comes_back_as_it_was_or_is_refused(tag: str) -> None:
    peer = Peer("text")
    line = peer.hears(f"#{tag} ping", Done(text="pong"))
    assert line == f"#{tag} ok pong\n" or line.startswith("error bad-argument ")


def test_a_blank_line_wants_no_answer(peer: Peer) -> None:
    assert peer.hears("   ") == ""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("flurb", "error unknown-command Expected a verb, got `flurb`"),
        ("besst 31", "(did you mean `best`?)"),
        ("best plise=2", "error bad-argument Unknown field `plise` (did you mean `plies`?)"),
        ("ping now=1", "error bad-argument Unknown field `now`; `ping` has no fields"),
        ("best plies=9", "error bad-value Expected `plies` to be a number from 0 to 4, got `9`"),
        ("best plies=two", "error bad-value Expected `plies` to be a number from 0 to 4, got `two`"),
        ("best top=-1", "error bad-value Expected `top` to be a number from 0 to 4096, got `-1`"),
        ("eval noise=nan", "error bad-value Expected `noise` to be a number from 0 to 1, got `nan`"),
        ("eval noise=0,05", "error bad-value Expected `noise` to be a number from 0 to 1, got `0,05`"),
        ("eval jacoby=maybe", "error bad-value Expected `jacoby` to be on or off, got `maybe`"),
        ("moves 7", "error bad-dice Expected `dice` to be two dice from 1 to 6, got `7`"),
        ("convert", "error bad-argument `convert` needs `to`"),
        ("convert to=gif", "error bad-value Expected `to` to be id, xgid, fibs or ogid, got `gif`"),
        ("show as=gif", "error bad-value Expected `as` to be text or svg, got `gif`"),
        ("show size=9", "error bad-argument Unknown field `size`; fields of `show`: position, as"),
        ("position", "error bad-argument `position` needs `position`"),
        ("moves 31 dice=31", "error bad-argument `dice` is given twice"),
        ("set match=7 match=5", "error bad-argument `match` is given twice"),
        ("set", "error bad-argument `set` needs settings"),
        ("set match 7", "error bad-argument Expected settings as name=value, got `match`"),
        ("eval 31", "error bad-argument Expected fields as key=value, got `31`"),
        ('best "31', "error bad-argument Expected a second double quote"),
        ("#", "error bad-argument Expected a tag of 1 to 64 visible characters"),
        (f"#{'x' * 65} ping", "error bad-argument Expected a tag of 1 to 64 visible characters"),
        ("#a", "#a error bad-argument Expected a verb after the tag"),
    ],
)
def test_a_fault_is_told_by_name_with_what_was_expected(peer: Peer, line: str, told: str) -> None:
    reply = peer.hears(line)
    assert told in reply
    assert reply.count("\n") == 1


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        (Done(), ["ok"]),
        (Done(text="pong"), ["ok pong"]),
        (PositionReply(id=START, text=START), [f"ok {START}"]),
        (PositionReply(id=START, text="XGID=x", lost=("the dice",)), ['lost "the dice"', "ok XGID=x"]),
        (Values(values={"match": "7", "note": "a b"}), ["value match=7", 'value note="a b"', "ok"]),
        (MovesReply(plays=()), ["ok no legal play"]),
        (
            MovesReply(plays=(Candidate(play="8/5 6/5", moves=(), result="sGfwATDgc/ABMA"),)),
            ['play "8/5 6/5" result=sGfwATDgc/ABMA', "ok 1 play"],
        ),
        (CheckReply(play="8/5 6/5", result="x"), ['play "8/5 6/5" result=x', "ok legal"]),
        (CheckReply(play="6/5", result="x", nohit=(0, 5)), ['play "6/5" result=x nohit=off,5', "ok legal"]),
        (CheckReply(play="", result="x"), ['play "no legal play" result=x', "ok legal"]),
        (
            BestReply(play="8/5 6/5", plays=(EIGHT_FIVE,), plies=0),
            [
                'play "8/5 6/5" rank=1 equity=+0.1594 loss=0.0000 plies=0 win=0.5511 wingammon=0.1712'
                " winbackgammon=0.0078 losegammon=0.1117 losebackgammon=0.0044 result=sGfwATDgc/ABMA",
                "ok 8/5 6/5",
            ],
        ),
        (BestReply(play="", plays=(), plies=0), ["ok no legal play"]),
        (
            EVALUATION,
            [
                "eval win=0.5215 wingammon=0.1539 winbackgammon=0.0076 losegammon=0.1299 losebackgammon=0.0075"
                " equity=+0.0670 cubeful=+0.0843 plies=0",
                "ok",
            ],
        ),
        (
            CUBE,
            [
                'cube nodouble=+0.0712 doubletake=-0.3105 doublepass=+1.0000 label="no double/take" double=no'
                " response=take gain=-0.3817 takegain=+1.3105 plies=0",
                "ok roll",
            ],
        ),
        (
            CubeReply(
                nodouble=0.5,
                doubletake=0.5,
                doublepass=1.0,
                label="not allowed",
                double=False,
                response="take",
                gain=0.0,
                takegain=0.5,
                plies=0,
                allowed=False,
                reason="the Crawford game",
                mwcnodouble=0.6,
            ),
            [
                'cube nodouble=+0.5000 doubletake=+0.5000 doublepass=+1.0000 label="not allowed" double=no'
                " response=take gain=+0.0000 takegain=+0.5000 plies=0 mwcnodouble=0.6000"
                ' allowed=no reason="the Crawford game"',
                "ok roll",
            ],
        ),
        (TurnReply(cube="double", plies=1), ["turn cube=double plies=1", "ok double"]),
        (
            TurnReply(cube="roll", play="8/5 6/5", plies=2),
            ['turn cube=roll play="8/5 6/5" plies=2', "ok 8/5 6/5"],
        ),
        (HelpReply(lines=("best", "", "  x")), ["| best", "|", "|   x", "ok"]),
        (ShowReply(lines=("ok",)), ["| ok", "ok"]),
        (StatsReply(values={"requests": 3}), ["stat requests=3", "ok"]),
        (
            HELLO,
            [
                'hello name=bgd version=0.1.0 protocol=1 engine=ready author="the bgd authors"',
                "capability best",
                "capability cube",
                "limit line=8192",
                "ok",
            ],
        ),
        (
            OptionsReply(options=OPTIONS[:1]),
            ['option name=match type=int domain=0..64 default=0 meaning="match length, 0 for money"', "ok"],
        ),
    ],
)
def test_replies_as_they_are_written(reply: Reply, lines: list[str]) -> None:
    assert TextCodec().encode(Incoming(Ping()), reply).decode().splitlines() == lines


@pytest.mark.parametrize("reply", REPLIES)
def test_exactly_the_last_line_of_a_reply_is_final(reply: Reply) -> None:
    *data, last = TextCodec().encode(Incoming(Ping()), reply).decode().splitlines()
    assert last.split(" ", 1)[0] == "ok"
    assert not [line for line in data if line.split(" ", 1)[0] in ("ok", "error")]


def test_an_illegal_play_is_told_with_its_rule(peer: Peer) -> None:
    error = IllegalPlay("Four 6s can be played and must be", rule="all-of-double")
    assert peer.hears("check 66 24/18", error) == "error illegal Four 6s can be played and must be\n"


def test_control_characters_from_a_peer_do_not_come_back(peer: Peer) -> None:
    assert peer.hears("position x", Done(text="a\rb\x1b[2J")) == "ok a?b?[2J\n"


values = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20).filter(lambda text: text == text.strip())


@given(st.dictionaries(st.sampled_from(["match", "score", "cube"]), values, min_size=1))
def test_values_survive_the_quotes(settings: dict[str, str]) -> None:
    def quoted(value: str) -> str:
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'

    line = "set " + " ".join(f"{name}={quoted(value)}" for name, value in settings.items())
    assert TextCodec().decode(line) == Incoming(Set(values=settings))


@given(st.dictionaries(st.just("note"), st.from_regex(r'[a-z "=\\]{0,10}', fullmatch=True), min_size=1))
def test_values_come_back_as_shell_words(settings: dict[str, str]) -> None:
    line = TextCodec().encode(Incoming(Ping()), Values(values=settings)).decode().splitlines()[0]
    _, word = shlex.split(line)
    assert word == f"note={' '.join(settings['note'].split())}"
