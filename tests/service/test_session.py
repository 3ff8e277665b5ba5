"""What requests mean, one session at a time, with an engine whose opinions are simple."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec import UNSET, structs

from bgd.engine import MAX_PLIES, Engine
from bgd.errors import (
    BadArgument,
    BadDice,
    BadPosition,
    BadValue,
    IllegalAction,
    IllegalPlay,
    InputError,
    MissingContext,
    Unsupported,
)
from bgd.notation import match_id, position_id, xgid
from bgd.rules.state import GameState, Outcome, Resignation, Side
from bgd.service import Errand, Job, Service, Session
from bgd.wire.messages import (
    REPLIES,
    REQUESTS,
    Best,
    BestReply,
    Cancel,
    Check,
    CheckReply,
    Convert,
    Cube,
    CubeReply,
    Decide,
    Done,
    Eval,
    EvalReply,
    Get,
    Hello,
    HelloReply,
    Help,
    HelpReply,
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
    ResignReply,
    Rollout,
    SearchProgress,
    Set,
    SetPosition,
    Show,
    ShowReply,
    Turn,
    TurnReply,
    Values,
)
from tests.engine.fakes import FakeJudge, fake_engine
from tests.service.deadlines import Stopped, Unhurried, done

START_ID = "4HPwATDgc/ABMA"
MATCH = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:4:0:7:10"  # bottom on roll, owns 2, 2-4 to 7


def service(plies: int = 0) -> Service:
    return Service(version="0.0.1", engine_state=lambda: "ready", limits={"max_line": 8192}, plies=plies)


def session(dialect: str = "text") -> Session:
    return service().open_session(dialect)


def ask(who: Session, request: Request, chances: Sequence[float] | None = None, engine: Engine | None = None) -> Reply:
    return done(who.handle(request), engine or fake_engine(chances))


def setting(who: Session, name: str) -> str:
    reply = ask(who, Get(names=(name,)))
    assert isinstance(reply, Values)
    return reply.values[name]


# Who is there


def test_hello_names_version_limits_and_what_can_be_asked() -> None:
    reply = ask(session(), Hello())
    assert isinstance(reply, HelloReply)
    assert (reply.name, reply.version, reply.engine) == ("bgd", "0.0.1", "ready")
    assert reply.limits == {"max_line": 8192, "max_plies": MAX_PLIES}
    assert {"best", "cube", "moves"} <= set(reply.capabilities)
    assert [option.name for option in reply.options][:2] == ["match", "score"]


def test_the_engines_state_is_asked_for_when_hello_is() -> None:
    states = iter(["loading", "ready"])
    who = Service(version="1", engine_state=lambda: next(states)).open_session("text")  # type: ignore[arg-type, return-value]
    assert [ask(who, Hello()).engine for _ in range(2)] == ["loading", "ready"]  # type: ignore[attr-defined]


def test_ping_is_answered() -> None:
    assert ask(session(), Ping()) == Done(text="pong")
    assert ask(session(), Quit()) == Done()


def test_help_lists_every_verb_and_tells_of_each() -> None:
    overview = ask(session(), Help())
    assert isinstance(overview, HelpReply)
    for verb in ("moves", "best", "cube"):
        assert any(verb in line for line in overview.lines)
        told = ask(session(), Help(topic=verb))
        assert isinstance(told, HelpReply)
        assert told.lines
    with pytest.raises(BadArgument):
        ask(session(), Help(topic="flurb"))


def test_what_is_the_daemons_own_business_is_refused_here() -> None:
    with pytest.raises(Unsupported):
        ask(session(), Cancel())


def test_every_request_but_the_daemons_own_is_answered_with_its_reply() -> None:
    fields: dict[str, dict[str, object]] = {
        "position": {"position": "start"},
        "decide": {"position": "start"},
        "set": {"values": {"plies": "0"}},
        "convert": {"position": "start", "to": "xgid"},
        "check": {"position": "start", "dice": "31", "play": "8/5 6/5"},
        "moves": {"position": "start", "dice": "31"},
        "best": {"position": "start", "dice": "31"},
        "luck": {"position": "start", "dice": "31"},
        "rollout": {"position": "start", "trials": 36},
        **{verb: {"position": "start"} for verb in ("eval", "cube", "resign", "turn", "show")},
    }
    for verb in REQUESTS.keys() - {"auth", "cancel", "stats"}:
        assert isinstance(ask(session(), REQUESTS[verb](**fields.get(verb, {}))), REPLIES[verb])


# Positions


def test_without_a_position_one_is_asked_for() -> None:
    for request in (Moves(dice="31"), Best(dice="31"), Eval(), Cube(), Show(), Convert(to="id"), Turn()):
        with pytest.raises(MissingContext, match="position"):
            ask(session(), request)


def test_without_dice_they_are_asked_for() -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    for request in (Moves(), Best(), Check(play="8/5 6/5")):
        with pytest.raises(MissingContext, match="dice"):
            ask(who, request)


def test_a_position_is_kept_and_told_as_an_id() -> None:
    who = session()
    assert ask(who, SetPosition(position="start")) == PositionReply(
        id="4HPwATDgc/ABMA:cAkAAAAAAAAA", text="4HPwATDgc/ABMA:cAkAAAAAAAAA"
    )
    reply = ask(who, Moves(dice="31"))
    assert isinstance(reply, MovesReply)
    assert len(reply.plays) == 16


def test_a_bad_position_leaves_the_old_one() -> None:
    who = session()
    ask(who, SetPosition(position=START_ID))
    before = who.settings
    for bad in ("4HPw", "flurb", "XGID=-b----E-C---eE---c-e----C-:0:0:1:00:0:0:0:0:10"):
        with pytest.raises(BadPosition):
            ask(who, SetPosition(position=bad))
    assert who.settings == before


def test_a_bare_position_id_keeps_match_and_cube_and_a_whole_one_brings_its_own() -> None:
    who = session()
    ask(who, Set(values={"match": "5", "score": "3-1", "cube": "2", "owner": "top"}))
    ask(who, SetPosition(position=START_ID))
    assert [setting(who, name) for name in ("match", "score", "cube", "owner")] == ["5", "3-1", "2", "top"]
    ask(who, SetPosition(position=MATCH))
    assert [setting(who, name) for name in ("match", "score", "cube", "owner")] == ["7", "2-4", "2", "bottom"]
    ask(who, SetPosition(position="start"))
    assert setting(who, "match") == "7"


def test_a_new_position_forgets_the_dice() -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    ask(who, Set(values={"dice": "31"}))
    assert setting(who, "dice") == "31"
    ask(who, SetPosition(position="start"))
    assert setting(who, "dice") == "none"


def test_a_position_in_a_request_is_for_that_request_alone() -> None:
    who = session()
    ask(who, SetPosition(position=MATCH))
    before = who.settings
    reply = ask(who, Moves(position="4HPwATDgc/ABUA", dice="66"))
    assert reply == MovesReply(plays=())
    assert who.settings == before
    ask(who, Eval(position="XGID=-b----E-C---eE---c-e----B-:3:-1:-1:00:0:0:3:0:10"))
    assert who.settings == before


def test_a_position_of_a_match_leaves_the_rules_of_money_play_as_they_were() -> None:
    who = session()
    for rules in ("on", "off"):
        ask(who, Set(values={"match": "0", "score": "0-0", "jacoby": rules, "beavers": rules}))
        ask(who, SetPosition(position=MATCH))
        ask(who, Set(values={"match": "0", "score": "0-0"}))
        assert [setting(who, name) for name in ("jacoby", "beavers")] == [rules, rules]


def test_dice_in_the_position_are_played() -> None:
    reply = ask(session(), Moves(position="XGID=-b----E-C---eE---c-e----B-:0:0:1:55:0:0:0:0:10"))
    assert isinstance(reply, MovesReply)
    assert len(reply.plays) == 4


def test_a_new_game_forgets_position_dice_and_cube_and_a_new_session_all() -> None:
    who = session()
    ask(who, SetPosition(position=MATCH))
    ask(who, NewGame())
    assert [setting(who, name) for name in ("match", "score", "cube", "owner")] == ["7", "2-4", "1", "centre"]
    with pytest.raises(MissingContext):
        ask(who, Eval())
    ask(who, NewGame(session=True))
    assert who.settings == service().defaults


def test_a_finished_game_asks_for_no_decision() -> None:
    won = f"XGID=-a{'-' * 24}:0:0:1:31:0:0:0:0:10"
    for request in (
        Moves(position=won),
        Moves(position=won, dice="31"),
        Check(position=won, play="1/off"),
        Best(position=won),
        Cube(position=won),
        Resign(position=won),
        Turn(position=won),
    ):
        with pytest.raises(IllegalAction, match="over"):
            ask(session(), request)


def test_a_finished_game_is_worth_what_was_won() -> None:
    who = session()
    gammon = f"XGID=-------o{'-' * 18}:1:-1:1:00:0:0:0:0:10"
    for position in (gammon, f"{position_id.encode(xgid.decode(gammon).board)}"):
        ask(who, SetPosition(position=position))
        reply = ask(who, Eval(), chances=[0.5, 0.0, 0.0, 0.0, 0.0])
        assert isinstance(reply, EvalReply)
        assert (reply.win, reply.wingammon, reply.losegammon) == (1.0, 1.0, 0.0)
        assert reply.equity == reply.cubeful == 2.0


def test_settings_made_after_a_game_was_finished_do_not_bring_it_back() -> None:
    who = session()
    ask(who, SetPosition(position=f"XGID=-a{'-' * 24}:0:0:1:00:0:0:0:0:10"))
    ask(who, Set(values={"match": "7", "dice": "31", "turn": "top"}))
    with pytest.raises(IllegalAction, match="over"):
        ask(who, Best())


def test_of_a_game_given_up_nobody_knows_who_won() -> None:
    with pytest.raises(IllegalAction, match="over"):
        ask(session(), Eval(position=f"{START_ID}:cAoAAAAAAAAE"))


# To resign


def test_the_side_on_roll_resigns_what_it_has_certainly_lost() -> None:
    for lost, outcome in (([0.0] * 5, 1), ([0.0, 0.0, 0.0, 1.0, 0.0], 2), ([0.0, 0.0, 0.0, 1.0, 1.0], 3)):
        reply = ask(session(), Resign(position=MATCH.replace(":2:4:0:7:", ":0:0:0:0:")), chances=lost)
        assert isinstance(reply, ResignReply)
        assert (reply.answer, reply.outcome, reply.worth) == ("offer", outcome, reply.equity)
    reply = ask(session(), Resign(position=MATCH), chances=[0.5, 0.0, 0.0, 0.0, 0.0])
    assert isinstance(reply, ResignReply)
    assert (reply.answer, reply.outcome, reply.worth) == ("play on", 0, UNSET)


def test_an_offer_to_resign_is_answered() -> None:
    sure_gammon = [1.0, 1.0, 0.0, 0.0, 0.0]
    for offered, expected in ((1, "reject"), (2, "accept"), (3, "accept")):
        reply = ask(session(), Resign(position=MATCH, offered=offered), chances=sure_gammon)
        assert isinstance(reply, ResignReply)
        assert (reply.answer, reply.outcome) == (expected, offered)


def test_an_offer_that_the_position_tells_of_is_the_one_that_is_asked_about() -> None:
    offered = match_id.encode_pair(GameState(resignation=Resignation(Side.BOTTOM, Outcome.SINGLE)))
    for win, expected in ((0.0, "accept"), (0.5, "accept"), (0.9, "accept")):
        reply = ask(session(), Resign(position=offered), chances=[win, 0.0, 0.0, 0.0, 0.0])
        assert isinstance(reply, ResignReply)
        assert (reply.answer, reply.worth) == (expected, -1.0)
    behind = [0.1, 0.0, 0.0, 0.8, 0.0]
    reply = ask(session(), Resign(position=offered), chances=behind)
    assert isinstance(reply, ResignReply)
    assert reply.answer == "accept"  # Jacoby's rule: with the cube in the middle there is no gammon to win


def test_with_a_double_pending_neither_a_resignation_nor_a_turn_is_to_be_decided() -> None:
    doubled = "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10"
    for request in (Resign(position=doubled), Resign(position=doubled, offered=1), Turn(position=doubled)):
        with pytest.raises(IllegalAction, match="double"):
            ask(session(), request)


# Settings


def test_settings_are_all_set_or_none() -> None:
    who = session()
    before = who.settings
    with pytest.raises(BadValue, match="`cube`"):
        ask(who, Set(values={"match": "7", "cube": "three"}))
    with pytest.raises(BadValue):
        ask(who, Set(values={"match": "7", "cube": "3"}))
    with pytest.raises(BadArgument, match=r"`mtach` \(did you mean `match`\?\)"):
        ask(who, Set(values={"match": "7", "mtach": "7"}))
    assert who.settings == before


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("match", ["0", "1", "64"]),
        ("score", ["0-0", "3-2"]),
        ("cube", ["1", "64"]),
        ("owner", ["centre", "bottom", "top"]),
        ("jacoby", ["on", "off"]),
        ("beavers", ["on", "off"]),
        ("dice", ["none", "31", "66"]),
        ("turn", ["bottom", "top"]),
        ("plies", ["0", str(MAX_PLIES)]),
        ("variant", ["backgammon"]),
        ("reading", ["gnubg", "fibs"]),
    ],
)
def test_what_is_set_is_got(name: str, values: list[str]) -> None:
    who = session()
    for value in values:
        assert ask(who, Set(values={name: value})) == Done()
        assert setting(who, name) == value


@pytest.mark.parametrize(
    "values",
    [
        {"match": "65"},
        {"match": "-1"},
        {"match": "seven"},
        {"score": "2"},
        {"score": "2-"},
        {"score": "40000-0"},
        {"match": "5", "score": "5-0"},
        {"match": "5", "score": "4-4", "crawford": "on"},
        {"match": "5", "score": "3-2", "crawford": "on"},
        {"crawford": "on"},
        {"owner": "me"},
        {"jacoby": "perhaps"},
        {"plies": str(MAX_PLIES + 1)},
        {"variant": "nackgammon"},
        {"turn": "centre"},
        {"reading": "both"},
        {"cube": "65536"},
        {"cube": "0"},
    ],
)
def test_a_value_out_of_its_bounds_is_refused(values: dict[str, str]) -> None:
    with pytest.raises(BadValue):
        ask(session(), Set(values=values))


@pytest.mark.parametrize("dice", ["99", "10", "3", "312", "ab"])
def test_dice_are_two_from_1_to_6(dice: str) -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    for request in (Set(values={"dice": dice}), Moves(dice=dice), Best(dice=dice), Turn(dice=dice)):
        with pytest.raises(BadDice):
            ask(who, request)


def test_the_crawford_game_is_over_when_the_score_changes() -> None:
    who = session()
    ask(who, Set(values={"match": "5", "score": "4-2", "crawford": "on"}))
    assert setting(who, "crawford") == "on"
    ask(who, Set(values={"score": "4-3"}))
    assert setting(who, "crawford") == "off"


def test_in_ubgi_crawford_is_a_rule_that_waits_for_its_score() -> None:
    who = session("ubgi")
    ask(who, Set(values={"match": "5", "score": "0-0", "crawford": "on"}))
    ask(who, SetPosition(position="start"))
    ask(who, Set(values={"score": "4-2"}))
    reply = ask(who, Cube())
    assert isinstance(reply, CubeReply)
    assert reply.reason == "this is the Crawford game"


def test_a_pending_double_is_forgotten_when_the_stakes_are_changed() -> None:
    who = session()
    ask(who, SetPosition(position="XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10"))
    assert ask(who, Convert(to="xgid")).text.split(":")[4] == "D"  # type: ignore[attr-defined]
    ask(who, Set(values={"cube": "2"}))
    assert ask(who, Convert(to="xgid")).text.split(":")[4] == "00"  # type: ignore[attr-defined]


def test_all_settings_are_listed_with_what_they_may_be() -> None:
    reply = ask(session(), Options())
    assert isinstance(reply, OptionsReply)
    everything = ask(session(), Get())
    assert isinstance(everything, Values)
    assert {option.name: option.default for option in reply.options} == everything.values
    with pytest.raises(BadArgument):
        ask(session(), Get(names=("flurb",)))


# Plays


def test_legal_plays_come_with_moves_and_the_position_after() -> None:
    reply = ask(session(), Moves(position="start", dice="31"))
    assert isinstance(reply, MovesReply)
    point = next(play for play in reply.plays if play.play == "8/5 6/5")
    assert [(move.source, move.destination, move.hit) for move in point.moves] == [(8, 5, False), (6, 5, False)]
    assert point.result == "sGfwATDgc/ABMA"


def test_a_play_is_checked_by_the_rules() -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    assert ask(who, Check(play="6/5, 8/5", dice="31")) == CheckReply(play="8/5 6/5", result="sGfwATDgc/ABMA")
    with pytest.raises(IllegalPlay) as wrong:
        ask(who, Check(play="24/18 13/7", dice="66"))
    assert wrong.value.rule == "all-of-double"


def test_a_hit_that_is_marked_and_not_made_is_told_beside_the_play() -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    assert ask(who, Check(play="24/23*/20*", dice="31")) == CheckReply(
        play="24/21 21/20", result="4HPwASHgc/ABMA", nohit=(20, 23)
    )


@pytest.mark.parametrize("words", ["", "pass", "no legal play", "Cannot Move"])
def test_where_nothing_can_be_played_a_pass_is_the_legal_play(words: str) -> None:
    assert ask(session(), Check(play=words, dice="66", position="4HPwATDgc/ABUA")) == CheckReply(
        play="", result="4HPwAVDgc/ABMA"
    )


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        (Best(position="flurb", dice="31"), "position"),
        (Eval(position="XGID=-b----E-C---eE---c-e----B-:0:0:1:77:0:0:0:0:10"), "position"),
        (Cube(position="XGID=-b----E-C---eE---c-e----B-:0:0:1:00:9:0:0:7:10"), "position"),
        (SetPosition(position="4HPw"), "position"),
        (Convert(position="board:x", to="id"), "position"),
        (Decide(position="flurb"), "position"),
        (Check(position="start", dice="31", play="flurb"), "play"),
        (Rollout(position="start", dice="31", plays=("8/5 6/5", "flurb")), "plays[1]"),
        (Rollout(position="start", dice="31", plays=("8/5 6/5", "8/5 6/4")), "plays[1]"),
        (Set(values={"match": "7", "cube": "3"}), "values.cube"),
        (Set(values={"match": "7", "dice": "77"}), "values.dice"),
        (Set(values={"Match": "7"}), "values.Match"),
        (Get(names=("match", "flurb")), "names[1]"),
    ],
)
def test_an_error_names_the_field_that_is_at_fault(request_: Request, path: str) -> None:
    with pytest.raises(InputError) as caught:
        ask(session(), request_)
    assert caught.value.path == path


def test_the_best_play_comes_alone_or_with_others() -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    alone = ask(who, Best(dice="31", top=0))
    assert isinstance(alone, BestReply)
    assert alone.plays == ()
    several = ask(who, Best(dice="31", top=3))
    assert isinstance(several, BestReply)
    assert [play.rank for play in several.plays] == [1, 2, 3]
    assert several.play == several.plays[0].play == alone.play
    assert several.plays[0].loss == 0
    for play in several.plays:
        assert play.loss == pytest.approx(several.plays[0].equity - play.equity)  # type: ignore[operator]


def test_with_no_legal_play_the_best_one_is_empty() -> None:
    for top in (0, 1):
        assert ask(session(), Best(position="4HPwATDgc/ABUA", dice="66", top=top)) == BestReply(
            play="", plays=(), plies=0
        )


def test_what_is_set_later_does_not_change_a_job_asked_for_earlier() -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    ask(who, Set(values={"dice": "31"}))
    job = who.handle(Best())
    assert isinstance(job, Job)
    ask(who, SetPosition(position="4HPwATDgc/ABUA"))
    ask(who, Set(values={"dice": "66"}))
    reply = job.run(fake_engine(), Unhurried())
    assert isinstance(reply, BestReply)
    assert reply.play != ""


def test_ubgi_consumes_the_dice_that_were_set_and_text_keeps_them() -> None:
    for dialect, left in (("ubgi", "none"), ("text", "31")):
        who = session(dialect)
        ask(who, SetPosition(position="start"))
        ask(who, Set(values={"dice": "31"}))
        ask(who, Best())
        assert setting(who, "dice") == left


def test_only_work_at_0_plies_is_cheap() -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    for request in (Best(dice="31"), Eval(), Cube(), Turn()):
        job = who.handle(request)
        assert isinstance(job, Job)
        assert job.cheap
    for request in (Best(dice="31", plies=1), Eval(plies=1), Cube(plies=1, movetime=50), Turn(plies=1)):
        job = who.handle(request)
        assert isinstance(job, Job)
        assert not job.cheap


def test_so_many_plays_that_it_takes_a_while_are_listed_elsewhere() -> None:
    who = session()
    for request in (Moves(position="start", dice="66"), Moves(position="start", dice="31")):
        assert isinstance(who.handle(request), MovesReply)
    for position, dice, play in (
        ("AACAkCRJqqoAAA", "11", "24/23(2) 23/22(2)"),
        ("AACAkCRJqqoAAA", "21", "24/22 24/23"),
    ):
        assert isinstance(who.handle(Moves(position=position, dice=dice)), Errand)
        assert isinstance(who.handle(Check(position=position, dice=dice, play=play)), Errand)
    reply = ask(who, Moves(position="AACAkCRJqqoAAA", dice="11"))
    assert isinstance(reply, MovesReply)
    assert len(reply.plays) == 2220


def test_long_lists_of_candidates_are_not_cheap() -> None:
    for top, cheap in ((1, True), (16, True), (17, False)):
        job = session().handle(Best(position="start", dice="31", top=top))
        assert isinstance(job, Job)
        assert job.cheap == cheap


@pytest.mark.parametrize(
    ("request_", "long"),
    [
        (Eval(position="start", plies=2), False),
        (Eval(position="start", plies=3), True),
        (Cube(position="start", plies=4), True),
        (Best(position="start", dice="31", plies=4, movetime=200), False),
        (Best(position="start", dice="31", plies=4, movetime=201), True),
        (Resign(position="start", movetime=1000), True),
    ],
)
def test_deep_searches_are_long_unless_they_have_little_time(request_: Request, long: bool) -> None:
    job = session().handle(request_)
    assert isinstance(job, Job)
    assert job.long == long


def test_with_a_time_limit_and_no_level_it_is_looked_as_deep_as_there_is_time_for() -> None:
    for request in (
        Best(position="start", dice="31", movetime=20),
        Eval(position="start", movetime=20),
        Cube(position="start", movetime=20),
    ):
        job = session().handle(request)
        assert isinstance(job, Job)
        assert not job.cheap
        for deadline, plies in ((Unhurried(), MAX_PLIES), (Stopped(), 0)):
            reply = job.run(fake_engine(), deadline)
            assert isinstance(reply, BestReply | EvalReply | CubeReply)
            assert reply.plies == plies


def test_who_asks_for_progress_hears_of_each_level_before_the_last() -> None:
    for request in (
        Best(position="start", dice="31", plies=3, progress=100),
        Eval(position="start", plies=3, progress=100),
        Cube(position="start", plies=3, progress=100),
    ):
        job, watched = session().handle(request), Unhurried()
        assert isinstance(job, Job)
        assert job.progress == 100
        reply = job.run(fake_engine(), watched)
        assert [report.plies for report in watched.told if isinstance(report, SearchProgress)] == [0, 1, 2]
        assert len(watched.told) == 3
        unwatched = session().handle(structs.replace(request, progress=0))
        assert isinstance(unwatched, Job)
        assert unwatched.run(fake_engine(), Unhurried()) == reply


def test_where_nothing_can_be_played_there_is_no_progress_to_tell_of() -> None:
    job, watched = session().handle(Best(position="4HPwATDgc/ABUA", dice="66", plies=2, progress=1)), Unhurried()
    assert isinstance(job, Job)
    job.run(fake_engine(), watched)
    assert watched.told == []


def test_out_of_time_what_was_found_is_the_answer() -> None:
    job = session().handle(Eval(position="start", plies=3, progress=1))
    assert isinstance(job, Job)
    watched = Stopped()
    reply = job.run(fake_engine(), watched)
    assert isinstance(reply, EvalReply)
    assert (reply.plies, watched.told) == (0, [])


def test_the_time_limit_goes_with_the_job() -> None:
    job = session().handle(Best(position="start", dice="31", plies=1, movetime=20))
    assert isinstance(job, Job)
    assert job.movetime == 20


def test_out_of_time_the_answer_is_the_quick_one_and_says_so() -> None:
    job = session().handle(Best(position="start", dice="31", plies=1))
    assert isinstance(job, Job)
    late, in_time = job.run(fake_engine(), Stopped()), job.run(fake_engine(), Unhurried())
    assert isinstance(late, BestReply)
    assert isinstance(in_time, BestReply)
    assert (late.plies, in_time.plies) == (0, 1)


def test_plies_that_are_not_there_are_refused_before_any_work() -> None:
    too_deep = MAX_PLIES + 1
    for request in (Best(position="start", dice="31", plies=too_deep), Eval(position="start", plies=too_deep)):
        with pytest.raises(Unsupported, match=f"0 to {MAX_PLIES} plies"):
            session().handle(request)
    with pytest.raises(Unsupported):
        service(plies=too_deep)


def test_the_sessions_plies_are_used_when_a_request_names_none() -> None:
    who = session()
    ask(who, Set(values={"plies": "1"}))
    assert ask(who, Eval(position="start")).plies == 1  # type: ignore[attr-defined]
    assert ask(who, Eval(position="start", plies=0)).plies == 0  # type: ignore[attr-defined]


# Evaluations and the cube


def test_an_evaluation_in_a_match_carries_match_winning_chances() -> None:
    money, match = (ask(session(), Eval(position=position), [0.6, 0.2, 0, 0.1, 0]) for position in ("start", MATCH))
    assert isinstance(money, EvalReply)
    assert isinstance(match, EvalReply)
    assert money.equity == pytest.approx(0.3)
    assert "mwc" not in str(money.mwc)
    assert 0 < match.mwc < 1  # type: ignore[operator]
    assert match.cubeful > match.equity  # bottom owns the cube


def test_an_evaluation_may_override_the_rules() -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    gammonish = [0.5, 0.2, 0, 0.1, 0]
    jacoby = ask(who, Eval(jacoby=True), gammonish)
    plain = ask(who, Eval(jacoby=False), gammonish)
    assert jacoby.cubeful < plain.cubeful  # type: ignore[attr-defined]
    assert jacoby.equity == plain.equity  # type: ignore[attr-defined]


def test_noise_is_repeated_with_the_position() -> None:
    noisy = [ask(session(), Eval(position="start", noise=0.05)) for _ in range(2)]
    assert noisy[0] == noisy[1] != ask(session(), Eval(position="start"))


def test_a_cube_decision_has_three_equities_and_a_label() -> None:
    reply = ask(session(), Cube(position="start", beavers=False, jacoby=False), [0.75, 0, 0, 0, 0])
    assert isinstance(reply, CubeReply)
    assert (reply.label, reply.double, reply.response, reply.allowed) == ("double/take", True, "take", True)
    assert reply.nodouble < reply.doubletake < reply.doublepass == 1
    assert (reply.gain, reply.takegain) == (reply.doubletake - reply.nodouble, 1 - reply.doubletake)
    beaver = ask(session(), Cube(position="start"), [0.3, 0, 0, 0, 0])
    assert isinstance(beaver, CubeReply)
    assert beaver.label == "no double/beaver"


def test_a_turn_is_a_double_or_a_roll_and_with_dice_the_play() -> None:
    who = session()
    ask(who, SetPosition(position="start"))
    assert ask(who, Turn(), [0.75, 0, 0, 0, 0]) == TurnReply(cube="double", plies=0)
    assert ask(who, Turn(), [0.5, 0, 0, 0, 0]) == TurnReply(cube="roll", plies=0)
    whole = ask(who, Turn(dice="31"))
    assert isinstance(whole, TurnReply)
    assert whole.play
    assert ask(who, Turn(position="4HPwATDgc/ABUA", dice="66")) == TurnReply(cube="roll", play="", plies=0)


@pytest.mark.parametrize("position", ["start", "4HPwATDgc/ABUA"])
@pytest.mark.parametrize("plies", [1, 2, 4])
def test_the_cube_does_not_use_up_the_time_of_the_play_in_a_turn(position: str, plies: int) -> None:
    judge = FakeJudge()

    class InTime(Unhurried):
        """Up once so many plies have been looked at."""

        def stop_now(self) -> bool:
            return bool(judge.levels) and max(judge.levels) >= plies

    job = session().handle(Turn(position=position, dice="66", movetime=20))
    assert isinstance(job, Job)
    reply = job.run(Engine(judge), InTime())
    assert isinstance(reply, TurnReply)
    assert (reply.plies, bool(reply.play)) == (plies - 1, position == "start")
    unhurried = job.run(Engine(FakeJudge()), Unhurried())
    assert isinstance(unhurried, TurnReply)
    assert unhurried.plies == MAX_PLIES


# Notations


def test_a_position_converts_and_what_is_lost_is_named() -> None:
    reply = ask(session(), Convert(position=MATCH, to="id"))
    assert isinstance(reply, PositionReply)
    assert reply.text == reply.id == "4HPwATDgc/ABMA:UQngAEAAEAAE"
    assert reply.lost == ("the cube limit",)
    money = ask(session(), Convert(position="start", to="ogid"))
    assert isinstance(money, PositionReply)
    assert money.lost


def test_a_board_is_drawn_as_text_and_as_a_picture() -> None:
    text, picture = ask(session(), Show(position="start")), ask(session(), Show(position="start", form="svg"))
    assert isinstance(text, ShowReply)
    assert any("BAR" in line for line in text.lines)
    assert isinstance(picture, ShowReply)
    assert picture.lines[0].startswith("<svg")
    assert picture.lines[-1].endswith("</svg>")
