"""The ten promises of SPEC.md, kept in each dialect as far as it can carry them, by a daemon whose engine is slow."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.daemon.fakes import Peer
from tests.protocol.slow import SlowDaemon, with_a_slow_engine
from tests.wire.replies import BOARD

SPEC = Path(__file__).parents[2] / "protocol" / "SPEC.md"
SLOW_BOARD = f"{BOARD} plies 1"
MAX_LINE = 8192


def call(number: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


async def hear_json(peer: Peer) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(await peer.hear())
    return found


async def ready(peer: Peer) -> Peer:
    """Past UBGI's handshake, at the beginning of a game, with a 31 to be played."""
    await peer.say("ubgi", "position gnubgid 4HPwATDgc/ABMA", "dice 3 1")
    while await peer.hear() != "ubgiok":
        pass
    return peer


def test_every_promise_has_tests_that_name_its_number() -> None:
    promises = re.findall(r"^(\d+)\. ", SPEC.read_text().split("## Promises")[1].split("\n## ")[0], re.MULTILINE)
    tested = {found[1] for name in globals() if (found := re.match(r"test_promise_(\d+)_", name))}
    assert promises == [str(number) for number in range(1, 11)]
    assert tested == set(promises)


# 1. Reading goes on while it thinks; requests may be pipelined. Nothing sent is silently lost.


@with_a_slow_engine()
async def test_promise_1_in_text_reading_goes_on_while_it_thinks(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say("#a best 31 plies=1 top=0 position=start")
    await daemon.thinks()
    await peer.say("#b ping", "#c moves 66 position=4HPwATDgc/ABUA")
    assert [await peer.hear(), await peer.hear()] == ["#b ok pong", "#c ok no legal play"]
    daemon.judge.finish()
    assert (await peer.hear()).startswith("#a ok ")


@with_a_slow_engine()
async def test_promise_1_in_json_reading_goes_on_while_it_thinks(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say(call(1, "eval", position="start", plies=1))
    await daemon.thinks()
    await peer.say(call(2, "ping"))
    assert (await hear_json(peer))["id"] == 2
    daemon.judge.finish()
    assert (await hear_json(peer))["result"]["plies"] == 1


@with_a_slow_engine()
async def test_promise_1_in_ubgi_isready_is_answered_while_it_thinks(daemon: SlowDaemon) -> None:
    peer = await ready(daemon.connect())
    await peer.say("go role chequer depth 2")
    await daemon.thinks()
    await peer.say("isready")
    assert await peer.hear() == "readyok"
    daemon.judge.finish()
    lines = [await peer.hear()]
    while lines[-1].startswith("info "):
        lines.append(await peer.hear())
    assert lines[-1].startswith("bestmove ")


@with_a_slow_engine()
async def test_promise_1_in_gnubg_what_is_sent_while_it_thinks_is_answered(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say(SLOW_BOARD, "help", SLOW_BOARD)
    await daemon.thinks()
    await peer.say("set debug on")
    daemon.judge.finish()
    play, told, same, last = [await peer.hear() for _ in range(4)]
    assert re.fullmatch(r"\d+/\d+\*? \d+/\d+\*? ", play)
    assert (told, same, last) == ("\tNo help information available", play, "Debug output ON")


# 2. Every request gets exactly one final reply, also when cancelled, failed or out of time.


@with_a_slow_engine()
async def test_promise_2_in_text_one_final_reply_to_each(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say("position start", "#a best 31 plies=1", "#b eval plies=1 movetime=1", "#c best 77")
    await daemon.thinks()
    await peer.say("cancel #a", "cancel #a", "cancel #b", "ping")
    await peer.stream.send_eof()
    heard = await peer.hear_all()
    finals = sorted(line for line in heard if re.match(r"(#\S+ )?(ok|error)", line))
    assert [re.sub(r" (?=[A-Z]).*", "", line) for line in finals if line.startswith("#a")] == ["#a error cancelled"]
    assert len([line for line in finals if line.startswith("#b")]) == 1
    assert [line.split(" ")[2] for line in finals if line.startswith("#c")] == ["bad-dice"]
    assert len([line for line in finals if not line.startswith("#")]) == 5


@with_a_slow_engine()
async def test_promise_2_in_json_one_reply_to_each(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    asked = {"position": "start", "plies": 1}
    await peer.say(call(1, "eval", **asked), call(2, "cube", **asked, movetime=1), call(3, "eval", **asked, flurb=1))
    await daemon.thinks()
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}
    await peer.say(json.dumps(cancel), json.dumps(cancel), call(4, "ping"))
    await peer.stream.send_eof()
    replies = {reply["id"]: reply for reply in map(json.loads, await peer.hear_all())}
    assert sorted(replies) == [1, 2, 3, 4]
    assert replies[1]["error"]["code"] == -32800
    assert replies[2]["result"]["plies"] == 0
    assert replies[3]["error"]["data"]["path"] == "$.params.flurb"


@with_a_slow_engine()
async def test_promise_2_in_ubgi_stop_brings_the_one_bestmove(daemon: SlowDaemon) -> None:
    peer = await ready(daemon.connect())
    await peer.say("go role chequer depth 2")
    await daemon.thinks()
    await peer.say("stop", "stop", "isready", "quit")
    heard = await peer.hear_all()
    assert len([line for line in heard if line.startswith("bestmove ")]) == 1
    assert heard.count("readyok") == 1


# 3. Tagged requests may be answered in any order; untagged ones in the order sent.


@with_a_slow_engine()
async def test_promise_3_in_text_untagged_requests_are_answered_in_the_order_sent(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say("eval plies=1 position=start", "ping", "#a ping", "flurb", "eval plies=0 position=start")
    await daemon.thinks()
    assert await peer.hear() == "#a ok pong"
    daemon.judge.finish()
    heard = [await peer.hear() for _ in range(6)]
    assert [line.split(" ")[0] for line in heard] == ["eval", "ok", "ok", "error", "eval", "ok"]
    assert ["plies=1" in heard[0], "plies=0" in heard[4]] == [True, True]


@with_a_slow_engine()
async def test_promise_3_in_json_requests_are_answered_as_they_are_done(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say(call(1, "eval", position="start", plies=1), call(2, "eval", position="start"))
    assert (await hear_json(peer))["id"] == 2
    daemon.judge.finish()
    assert (await hear_json(peer))["id"] == 1


# 4. A bad line is answered with an error and the connection lives on. Only some close it, after an error.


@with_a_slow_engine()
async def test_promise_4_a_bad_line_is_answered_and_the_connection_lives_on(daemon: SlowDaemon) -> None:
    for opening, bad, error, good, answer in (
        ("ping", "flurb", "error unknown-command ", "ping", "ok pong"),
        (call(1, "ping"), "{", '{"jsonrpc":"2.0","id":null,"error":', call(1, "ping"), '{"jsonrpc":"2.0","id":1,"res'),
        ("version", "flurb", "Error: syntax error", "set debug on", "Debug output ON"),
        ("ubgi", "flurb", "error unknown_command ", "isready", "readyok"),
    ):
        peer = daemon.connect()
        await peer.say(opening, bad, good)
        while not (line := await peer.hear()).startswith(error):
            assert not line.startswith(answer) or opening != bad
        assert (await peer.hear()).startswith(answer)


@with_a_slow_engine()
async def test_promise_4_a_line_over_the_limit_closes_the_connection_after_an_error(daemon: SlowDaemon) -> None:
    for opening, error in (
        ("ping", "error line-too-long "),
        (call(1, "ping"), '"code":"line-too-long"'),
        ("version", "Error: Expected at most 8192 bytes"),
        ("ubgi", "error bad_argument Expected at most 8192 bytes"),
    ):
        peer = daemon.connect()
        await peer.say(opening, "x" * (MAX_LINE + 1), opening)
        assert error in (await peer.hear_all())[-1]


# 5. End of input means: finish what was asked, answer it, then close.


@with_a_slow_engine()
async def test_promise_5_what_was_asked_before_the_end_of_input_is_answered(daemon: SlowDaemon) -> None:
    for lines, last in (
        (["#a eval plies=1 position=start", "ping"], "#a ok"),
        ([call(1, "eval", position="start", plies=1)], re.escape('{"jsonrpc":"2.0","id":1,"result":')),
        (["version", SLOW_BOARD], r"\d+/\d+ \d+/\d+ $"),
        (["ubgi", "position gnubgid 4HPwATDgc/ABMA", "set engine.ply 2", "dice 3 1", "go"], "bestmove "),
    ):
        peer = daemon.connect()
        await peer.say(*lines)
        await peer.stream.send_eof()
        daemon.judge.finish()
        heard = await peer.hear_all()
        assert re.match(last, heard[-1])


# 6. Every number names its point of view and unit.


@with_a_slow_engine()
async def test_promise_6_equities_are_the_side_on_roll_s_in_each_dialect(daemon: SlowDaemon) -> None:
    """The judge likes to be ahead in the race: of a lead the leader says +, the other -."""
    text, calls, board, ubgi = (daemon.connect() for _ in range(4))
    await ready(ubgi)
    ahead = "XGID=-ABC--------c-------------:0:0:1:00:0:0:0:0:10"
    behind = ahead.replace(":0:0:1:", ":0:0:-1:")
    signs = []
    for position in (ahead, behind):
        await text.say(f"eval position={position}")
        told = re.search(r" equity=([+-])\d\.\d{4} ", await text.hear())
        assert told
        await text.hear()
        await calls.say(call(1, "eval", position=position))
        value = (await hear_json(calls))["result"]["equity"]
        await text.say(f"convert fibs position={position}")
        fibs = (await text.hear()).removeprefix("ok ")
        while not fibs.startswith("board:"):
            fibs = (await text.hear()).removeprefix("ok ")
        await board.say(f"evaluation fibsboard {fibs}")
        six = [float(word) for word in (await board.hear()).split()]
        await ubgi.say(f"position xgid {position}", "eval")
        equity = re.match(r"eval eq (\S+) pwin (\S+)", await ubgi.hear())
        assert equity
        assert all(0 <= number <= 1 for number in six[:5])
        signs.append((told[1] == "+", value > 0, six[5] > 0, float(equity[1]) > 0))
    assert signs == [(True,) * 4, (False,) * 4]


# 7. Same request, same seed, same version, same number of plies: same bytes.


@with_a_slow_engine()
async def test_promise_7_the_same_request_gets_the_same_bytes(daemon: SlowDaemon) -> None:
    daemon.judge.finish()
    for lines in (
        ["best 31 plies=1 top=9 position=start", "cube plies=1 position=start", "eval noise=0.01 position=start"],
        [call(1, "best", position="start", dice="31", plies=1, top=9)],
        [SLOW_BOARD, f"evaluation fibsboard {BOARD} plies 1 noise 0.05"],
        ["ubgi", "position gnubgid 4HPwATDgc/ABMA", "dice 3 1", "go depth 2", "eval"],
    ):
        heard = []
        for _ in range(3):
            peer = daemon.connect()
            await peer.say(*lines)
            await peer.stream.send_eof()
            heard.append(await peer.hear_all())
        assert heard[0] == heard[1] == heard[2]


# 8. The server rejects unknown fields of a request by name, with a hint.


@with_a_slow_engine()
async def test_promise_8_an_unknown_field_is_rejected_by_name_with_a_hint(daemon: SlowDaemon) -> None:
    text, calls = daemon.connect(), daemon.connect()
    await text.say("best 31 plise=2 position=start")
    line = await text.hear()
    assert line.startswith("error bad-argument Unknown field `plise` (did you mean `plies`?)")
    await calls.say(call(1, "best", plise=2))
    error = (await hear_json(calls))["error"]
    assert "`plise` (did you mean `plies`?)" in error["message"]
    assert error["data"] == {"code": "bad-argument", "path": "$.params.plise"}


# 9. It never emits an illegal play. With no legal play it says so.


@with_a_slow_engine()
async def test_promise_9_with_no_legal_play_it_says_so_in_each_dialect(daemon: SlowDaemon) -> None:
    daemon.judge.finish()
    closed = "4HPwATDgc/ABUA"  # on the bar against the 6 point
    text, calls, gnubg, ubgi = daemon.connect(), daemon.connect(), daemon.connect(), await ready(daemon.connect())
    await text.say(f"position {closed}", "set dice=66", "convert fibs")
    while not (board := (await text.hear()).removeprefix("ok ")).startswith("board:"):
        pass
    for plies in (0, 1):
        await text.say(f"best 66 plies={plies} position={closed}")
        assert await text.hear() == "ok no legal play"
        await calls.say(call(1, "best", position=closed, dice="66", plies=plies))
        assert (await hear_json(calls))["result"] == {"play": "", "plays": [], "plies": plies}
        await ubgi.say(f"position gnubgid {closed}", "dice 6 6", f"set engine.ply {plies + 1}", "go")
        assert await ubgi.hear() == "bestmove pass"
        await gnubg.say(f"{board} plies {plies}")
        assert await gnubg.hear() == ""


# 10. A deadline always yields the best legal answer so far.


@with_a_slow_engine()
async def test_promise_10_in_text_out_of_time_comes_the_best_so_far(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say("moves 31 position=start")
    legal = set()
    while not (line := await peer.hear()).startswith("ok "):
        legal.add(line.split('"')[1])
    await peer.say("best 31 plies=4 movetime=20 position=start")
    play = re.match(r'play "(.+?)" rank=1 .* plies=0 ', await peer.hear())
    assert play
    assert play[1] in legal
    assert await peer.hear() == f"ok {play[1]}"
    for verb in ("eval", "cube", "resign"):
        await peer.say(f"{verb} plies=2 movetime=20 position=start")
        assert " plies=0" in await peer.hear()
        assert (await peer.hear()).startswith("ok")
    await peer.say("turn 31 plies=2 movetime=20 position=start")
    assert (await peer.hear()).startswith("turn cube=roll play=")


@with_a_slow_engine()
async def test_promise_10_in_json_out_of_time_comes_the_best_so_far(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say(call(1, "best", position="start", dice="31", plies=4, movetime=20))
    result = (await hear_json(peer))["result"]
    assert result["plies"] == 0
    assert result["play"] == result["plays"][0]["play"] != ""


@with_a_slow_engine()
async def test_promise_10_in_ubgi_out_of_time_comes_the_best_so_far(daemon: SlowDaemon) -> None:
    peer = await ready(daemon.connect())
    await peer.say("go role chequer movetime 20 depth 3")
    assert (await peer.hear()).startswith("info role chequer depth 1 ")
    assert re.fullmatch(r"bestmove \d+/\d+ \d+/\d+", await peer.hear())
    await peer.say("go role cube movetime 20 depth 3")
    assert (await peer.hear()).startswith("info role cube depth 1 ")
    assert await peer.hear() in ("bestcube double", "bestcube nodouble")


# Reports of progress, which promises 2 and 3 bind too.


@with_a_slow_engine()
async def test_promise_3_in_text_progress_comes_before_the_final_reply_and_never_after(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say("#a eval plies=1 progress=1 position=start", "eval plies=1 progress=1 position=start")
    for _ in range(2):
        await daemon.thinks()
    assert {await peer.hear(), await peer.hear()} == {
        "#a progress plies=0 equity=+0.0000",
        "progress plies=0 equity=+0.0000",
    }
    daemon.judge.finish()
    finals = sorted([await peer.hear() for _ in range(4)], key=lambda line: line.startswith("#a"))
    assert [line.split(" ")[0] for line in finals[:2]] == ["eval", "ok"]
    assert [line.split(" ")[1] for line in finals[2:]] == ["eval", "ok"]
    await peer.stream.send_eof()
    assert await peer.hear_all() == []


@with_a_slow_engine()
async def test_promise_2_in_json_progress_carries_the_id_as_its_token(daemon: SlowDaemon) -> None:
    peer = daemon.connect()
    await peer.say(call(7, "best", position="start", dice="31", plies=1, progress=1))
    report = await hear_json(peer)
    assert report["method"] == "$/progress"
    assert report["params"]["token"] == 7
    assert set(report["params"]["value"]) == {"plies", "equity", "play"}
    daemon.judge.finish()
    assert (await hear_json(peer))["id"] == 7
