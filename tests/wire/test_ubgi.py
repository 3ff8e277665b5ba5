"""Universal Backgammon Interface, drafts 0.01, 0.1 and 0.2."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from bgd.errors import (
    BadPosition,
    BgdError,
    Busy,
    Cancelled,
    IllegalPlay,
    InternalError,
    MissingContext,
    ShuttingDown,
    TimedOut,
    Unsupported,
    WeightsError,
)
from bgd.wire.messages import (
    Best,
    BestReply,
    Cancel,
    Candidate,
    Cube,
    Decide,
    DecisionReply,
    Done,
    Eval,
    Get,
    Hello,
    Move,
    NewGame,
    OptionsReply,
    Ping,
    PositionReply,
    Quit,
    Request,
    Rollout,
    RolloutReply,
    Set,
    SetPosition,
    Turn,
    TurnReply,
    Values,
)
from tests.wire.replies import BOARD, CUBE, EIGHT_FIVE, EVALUATION, HELLO, OPTIONS, ROLLED, START, Peer

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
ANEW = {
    "score": "0-0", "cube": "1", "owner": "centre", "turn": "bottom", "crawford": "off", "jacoby": "on",
    "beavers": "on", "dice": "none",
}  # fmt: skip
"""What a new session begins with."""


@pytest.fixture
def peer() -> Peer:
    return Peer("ubgi")


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("ubgi", Hello()),
        ("isready", Ping()),
        ("newgame", NewGame()),
        ("quit", Quit()),
        ("stop", Cancel(finish=True)),
        ("eval", Eval()),
        (f"position gnubgid {START}", SetPosition(position=START)),
        (f"position gnubgid {START}:cAkAAAAAAAAE", SetPosition(position=f"{START}:cAkAAAAAAAAE")),
        (f"position xgid {XGID}", SetPosition(position=XGID)),
        (f"position xgid {XGID[5:]}", SetPosition(position=XGID)),
        (f"position xgid xgid={XGID[5:]}", SetPosition(position=f"xgid={XGID[5:]}")),
        ("dice 3 1", Set(values={"dice": "31"})),
        ("dice 31", Set(values={"dice": "31"})),
        ("newsession type money", Set(values={"match": "0", **ANEW})),
        (
            "newsession type match length 7 crawford on jacoby off",
            Set(values={"match": "7", **ANEW, "jacoby": "off", "crawford": "on"}),
        ),
        ("setscore 2 4", Set(values={"score": "2-4"})),
        ("setcube value 4 owner p0", Set(values={"cube": "4", "owner": "bottom"})),
        ("setcube owner center value 1", Set(values={"cube": "1", "owner": "centre"})),
        ("setturn p1", Set(values={"turn": "top"})),
        ("setoption name Variant value backgammon", Set(values={"variant": "backgammon"})),  # pitfall 13
        ("setoption name EvalPlies value 0", Set(values={"plies": "0"})),
        ("setoption name Jacoby value true", Set(values={"jacoby": "true"})),
        ("set game.variant backgammon", Set(values={"variant": "backgammon"})),
        ("set engine.ply 1", Set(values={"plies": "0"})),
        ("set game.turn p1", Set(values={"turn": "top"})),
        ("get engine.ply", Get(names=("plies",))),
        ("go", Best()),
        ("go chequer", Best()),
        ("go role chequer", Best()),
        ("go role chequer movetime 500 depth 3", Best(movetime=500, plies=2, progress=500)),
        ("go movetime 500 role cube", Cube(movetime=500, progress=500)),
        ("go cube", Cube()),
        ("go role turn depth 1", Turn(plies=0)),
        ("go trials 100", Rollout(trials=100, cube=False, progress=500)),
        ("go chequer trials 36 depth 2", Rollout(trials=36, plies=1, cube=False, progress=500)),
        ("go role cube movetime 9 trials 1296", Rollout(trials=1296, before=True, movetime=9, progress=500)),
    ],
)
def test_commands_and_what_they_ask(peer: Peer, line: str, request_: Request) -> None:
    assert peer.request(line) == request_


@pytest.mark.parametrize(
    "line",
    [
        "setoption name Threads value 1",
        "setoption name Seed value 42",
        "setoption name Deterministic value true",
        "",
    ],
)
def test_what_changes_nothing_is_taken_in_silence(peer: Peer, line: str) -> None:
    assert peer.hears(line) == ""


@pytest.mark.parametrize("line", [f"position gnubgid {START}", "dice 3 1", "newgame", "set engine.ply 1", "stop"])
def test_success_without_an_answer_is_silent(peer: Peer, line: str) -> None:
    assert peer.hears(line, Done()) == ""
    assert peer.hears(line, PositionReply(id=START, text=START)) == ""


def test_the_handshake_names_itself_its_draft_its_keys_and_its_options(peer: Peer) -> None:
    assert peer.hears("ubgi", HELLO).splitlines() == [
        "id name bgd",
        "id author the bgd authors",
        "id version 0.1.0",
        "proto 0.2",
        "key game.length int 0..64 0 match length, 0 for money",
        "key game.jacoby bool true the Jacoby rule",
        "key game.owner enum center|p0|p1 center who owns the cube",
        "key engine.ply int 1..1 1 one more than GNU Backgammon's plies",
        "option name Variant type combo default backgammon var backgammon",
        "option name Plies type spin default 0 min 0 max 0",
        "option name Jacoby type check default true",
        "option name Threads type spin default 1 min 1 max 1",
        "option name Seed type spin default 0 min 0 max 4294967295",
        "option name Deterministic type check default true",
        "ubgiok",
    ]


def test_keys_lists_them_again(peer: Peer) -> None:
    lines = peer.hears("keys", OptionsReply(options=OPTIONS)).splitlines()
    assert [line.split()[1] for line in lines] == ["game.length", "game.jacoby", "game.owner", "engine.ply"]


def test_isready_does_not_wait_for_a_search(peer: Peer) -> None:
    assert peer.asks("isready").tag is not None
    assert peer.asks("go").tag is None
    assert peer.hears("isready", Done()) == "readyok\n"


def test_get_tells_the_value_as_the_draft_writes_it(peer: Peer) -> None:
    assert peer.hears("get engine.ply", Values(values={"plies": "0"})) == "value engine.ply 1\n"
    assert peer.hears("get game.jacoby", Values(values={"jacoby": "on"})) == "value game.jacoby true\n"


@pytest.mark.parametrize(
    ("key", "setting", "values"),
    [
        ("game.owner", "owner", {"p0": "bottom", "p1": "top", "center": "centre"}),
        ("game.turn", "turn", {"p0": "bottom", "p1": "top"}),
    ],
)
def test_sides_are_p0_and_p1_as_they_are_set_and_told(
    peer: Peer, key: str, setting: str, values: dict[str, str]
) -> None:
    for word, value in values.items():
        assert peer.request(f"set {key} {word}") == Set(values={setting: value})
        assert peer.hears(f"get {key}", Values(values={setting: value})) == f"value {key} {word}\n"


def test_a_play_is_spelled_out_with_the_words_bar_and_off_and_no_marks(peer: Peer) -> None:
    moves = (Move(25, 20, True), Move(7, 2, False), Move(5, 0, False), Move(5, 0, False))
    candidate = Candidate(play="bar/20* 7/2 5/off(2)", moves=moves, result="")
    reply = BestReply(play=candidate.play, plays=(candidate,), plies=0)
    assert peer.hears("go role chequer", reply) == "bestmove bar/20 7/2 5/off 5/off\n"


def test_no_legal_play_is_the_word_pass(peer: Peer) -> None:
    assert peer.hears("go role chequer", BestReply(play="", plays=(), plies=0)) == "bestmove pass\n"


def test_a_plain_go_is_answered_with_one_line(peer: Peer) -> None:
    reply = BestReply(play="8/5 6/5", plays=(EIGHT_FIVE,), plies=0)
    assert peer.hears("go role chequer", reply) == "bestmove 8/5 6/5\n"


def test_a_go_with_a_limit_tells_what_it_found_first(peer: Peer) -> None:
    reply = BestReply(play="8/5 6/5", plays=(EIGHT_FIVE,), plies=0)
    assert peer.hears("go role chequer depth 1", reply).splitlines() == [
        "info role chequer depth 1 eq 0.1594 pwin 0.5511 pgammon 0.1712 pbg 0.0078 pv 8/5 6/5",
        "bestmove 8/5 6/5",
    ]


def test_the_cube_role_tells_the_three_equities_and_decides(peer: Peer) -> None:
    assert peer.hears("go role cube", CUBE).splitlines() == [
        "info role cube depth 1 nodouble 0.0712 doubletake -0.3105 doublepass 1.0000 response take",
        "bestcube nodouble",
    ]


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (TurnReply(cube="roll", play="8/5 6/5", plies=0), "bestturn cube=nodouble move=8/5 6/5"),
        (TurnReply(cube="roll", play="", plies=0), "bestturn cube=nodouble move=pass"),
        (TurnReply(cube="roll", plies=0), "bestturn cube=nodouble"),
        (TurnReply(cube="double", plies=0), "bestturn cube=double"),
    ],
)
def test_the_turn_role_decides_the_whole_turn(peer: Peer, reply: TurnReply, line: str) -> None:
    assert peer.hears("go role turn", reply) == f"{line}\n"


@pytest.mark.parametrize(
    ("play", "words"),
    [
        ("8/7(2) 6/5*(2)", "8/7 8/7 6/5 6/5"),
        ("bar/22*/16 6/off", "bar/22 22/16 6/off"),
        ("24/20(3)", "24/20 24/20 24/20"),
    ],
)
def test_plays_of_a_turn_are_spelled_out_too(peer: Peer, play: str, words: str) -> None:
    assert (
        peer.hears("go role turn", TurnReply(cube="roll", play=play, plies=0))
        == f"bestturn cube=nodouble move={words}\n"
    )


def test_a_rollout_of_plays_tells_of_each_and_decides(peer: Peer) -> None:
    plays = (ROLLED, replace(ROLLED, play="24/23 13/10", equity=0.05, cubeful=UNSET, cubefulerror=UNSET))
    reply = RolloutReply(rolled=plays, ended="trials", seed=1, play=ROLLED.play)
    first, second, last = peer.hears("go trials 1296", reply).splitlines()
    assert first.startswith(f"info role chequer trials {ROLLED.trials} eq {ROLLED.cubeful:.4f} stderr ")
    assert second.startswith(f"info role chequer trials {ROLLED.trials} eq 0.0500 stderr ")
    assert second.endswith(" pv 24/23 13/10")
    assert last == f"bestmove {ROLLED.play}"


def test_a_rollout_of_the_cube_decision_tells_of_both_sides(peer: Peer) -> None:
    sides = tuple(replace(ROLLED, action=action, play="", result="") for action in ("no double", "double/take"))
    reply = RolloutReply(rolled=sides, ended="trials", seed=1, cube=CUBE)
    first, second, third, last = peer.hears("go role cube trials 1296", reply).splitlines()
    assert (first.split()[-1], second.split()[-1]) == ("nodouble", "double/take")
    assert third == "info role cube depth 1 nodouble 0.0712 doubletake -0.3105 doublepass 1.0000 response take"
    assert last == "bestcube nodouble"


def test_a_cube_that_may_not_be_turned_is_not(peer: Peer) -> None:
    alone = replace(ROLLED, action="no double", play="", result="")
    assert peer.hears("go cube trials 36", RolloutReply(rolled=(alone,), ended="trials", seed=1)).endswith(
        "bestcube nodouble\n"
    )


def test_with_no_time_for_a_game_there_is_a_play_all_the_same(peer: Peer) -> None:
    reply = RolloutReply(rolled=(), ended="time", seed=1, play="8/5 6/5")
    assert peer.hears("go trials 36 movetime 1", reply) == "bestmove 8/5 6/5\n"


def test_eval_is_one_line(peer: Peer) -> None:
    assert peer.hears("eval", EVALUATION) == "eval eq 0.0843 pwin 0.5215 pgammon 0.1539 pbg 0.0076\n"


@pytest.mark.parametrize("board", [BOARD, XGID])
def test_a_bare_board_asks_for_the_best_action_as_in_draft_001(peer: Peer, board: str) -> None:
    assert peer.request(board) == Decide(position=board, beavers=False)
    assert peer.hears(board, DecisionReply(answer="13/7* 8/7 ")) == "13/7 8/7\n"
    assert peer.hears(board, DecisionReply(answer="")) == "\n"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("flurb", "unknown_command"),
        ("UBGI", "unknown_command"),
        ("position", "bad_argument"),
        ("position gnubgid", "bad_argument"),
        ("position fen x", "unsupported_feature"),
        ("dice 7 1", "bad_argument"),
        ("dice 3", "bad_argument"),
        ("dice ² 1", "bad_argument"),
        ("setscore 1", "bad_argument"),
        ("setscore -1 2", "bad_argument"),
        ("setcube value 2", "bad_argument"),
        ("setcube value 2 owner me", "bad_argument"),
        ("setturn p2", "bad_argument"),
        ("newsession type duplicate", "bad_argument"),
        ("newsession type money length 3", "bad_argument"),
        ("newsession type match length x", "bad_argument"),
        ("setoption Variant backgammon", "bad_argument"),
        ("setoption name Hash value 16", "unsupported_feature"),
        ("setoption name Threads value 8", "bad_argument"),
        ("set engine.flurb 1", "unsupported_feature"),
        ("set engine.ply 0", "bad_argument"),
        ("set engine.ply", "bad_argument"),
        ("get engine.flurb", "unsupported_feature"),
        ("go role flurb", "bad_argument"),
        ("go nodes 100", "unsupported_feature"),
        ("go role turn trials 100", "unsupported_feature"),
        ("go trials 0", "bad_argument"),
        ("go trials 100001", "bad_argument"),
        ("go depth 0", "bad_argument"),
        ("go depth", "bad_argument"),
        ("go depth 1 depth 1", "bad_argument"),
        ("go movetime 99999999999999999999", "bad_argument"),
        ("isready now", "bad_argument"),
    ],
)
def test_bad_lines_get_the_draft_s_error_codes(peer: Peer, line: str, code: str) -> None:
    assert peer.hears(line).split()[:2] == ["error", code]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadPosition("4HPw"), "bad_argument"),
        (IllegalPlay("no", rule="blocked"), "bad_argument"),
        (MissingContext("dice"), "missing_context"),
        (Unsupported("plies 3"), "unsupported_feature"),
        (Busy("full"), "search_in_progress"),
        (Cancelled("gone"), "cancelled"),
        (TimedOut("late"), "timeout"),
        (ShuttingDown("bye"), "shutting_down"),
        (WeightsError("torn"), "internal"),
        (InternalError("bug"), "internal"),
    ],
)
def test_what_the_service_refuses_is_told_in_the_draft_s_words(peer: Peer, error: BgdError, code: str) -> None:
    assert peer.hears("go", error) == f"error {code} {error.message}\n"
