"""Whatever is asked, in any dialect, through wire and service: an answer comes, in the dialect's form, and one only."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from bgd.wire.messages import REQUESTS
from tests.protocol.test_transcripts_in_memory import ENGINE, MemoryServer
from tests.wire.replies import BOARD, START

POSITIONS = [
    "start",
    START,
    f"{START}:cAkAAAAAAAAE",
    "4HPwATDgc/ABUA",
    "/z0AADDeaxsAAA",
    "AAAAAQAADAAAAA",
    "AAAAAAAAAAAAAA",
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:4:0:7:10",
    "XGID=-b----E-C---eE---c-e----B-:1:1:1:D:4:2:1:5:10",
    "XGID=-A------------------------:0:0:1:00:0:0:0:0:10",
    "XGID=-b----E-C---eE---c-e----B-:9:0:-1:B:0:0:3:0:0",
    BOARD,
    BOARD.replace(":3:1:3:1:", ":0:0:0:0:"),
    BOARD.replace(":A:B:0:0:0:", ":A:B:5:4:4:"),
    "11ccccchhhjjjjj:66666888dddddoo:N0N",
    "11ccccchhhjjjjj:66666888dddddoo:W3O:16:B:R:2:1:3C:13",
    "flurb",
]
positions = st.sampled_from(POSITIONS)
dice = st.sampled_from(["31", "66", "13", "77", "3", "none", "3-1", "²1"])
plays = st.sampled_from(
    ["8/5 6/5", "bar/22*", "off", "24/18(2) 13/7(2)", "13/3", "25/0", "8/5/4", "(2)", "/", "cannot move"]
)
fields = st.fixed_dictionaries(
    {},
    optional={
        "position": positions,
        "dice": dice,
        "play": plays,
        "plies": st.sampled_from(["0", "1", "4", "9", "x"]),
        "top": st.sampled_from(["0", "1", "3", "4096", "-1"]),
        "movetime": st.sampled_from(["1", "0"]),
        "jacoby": st.sampled_from(["on", "off"]),
        "crawford": st.sampled_from(["on", "off"]),
        "beavers": st.sampled_from(["on", "off", "maybe"]),
        "noise": st.sampled_from(["0.01", "nan"]),
        "resignation": st.sampled_from(["1", "3", "4"]),
        "to": st.sampled_from(["id", "xgid", "fibs", "ogid", "sgf"]),
        "as": st.sampled_from(["text", "svg"]),
        "reading": st.sampled_from(["gnubg", "fibs"]),
    },
)
KNOWN = {verb: {"as" if name == "form" else name for name in kind.__struct_fields__} for verb, kind in REQUESTS.items()}


@st.composite
def text_requests(draw: st.DrawFn) -> str:
    verb = draw(st.sampled_from([verb for verb in REQUESTS if verb not in ("quit", "set", "get")]))
    given_ = {name: value for name, value in draw(fields).items() if name in KNOWN[verb]}
    return " ".join([verb, *(f'{name}="{value}"' for name, value in given_.items())])


settings = st.dictionaries(
    st.sampled_from(["match", "score", "cube", "owner", "crawford", "dice", "turn", "plies", "reading"]),
    st.sampled_from(
        ["0", "1", "2", "7", "64", "9999", "0-0", "4-2", "6-6", "centre", "bottom", "top", "on", "31", "fibs"]
    ),
    min_size=1,
    max_size=4,
).map(lambda values: "set " + " ".join(f"{name}={value}" for name, value in values.items()))


@given(st.lists(text_requests() | settings | positions.map(lambda text: f"position {text}"), min_size=1, max_size=6))
def test_in_text_every_request_gets_data_lines_and_one_final_line(lines: list[str]) -> None:
    server = MemoryServer("text", ENGINE)
    for line in lines:
        *data, final = server.receive(f"{line}\n".encode()).decode().splitlines()
        assert re.match(r"ok( |$)|error [a-z-]+ ", final), final
        assert not [told for told in data if re.match(r"(ok|error)( |$)", told)]
        assert "internal" not in final


@given(st.lists(positions, min_size=1, max_size=4), st.sampled_from(["", " resignation 2", " plies 1", " beavers no"]))
def test_in_gnubg_every_board_gets_one_line(boards: list[str], options: str) -> None:
    server = MemoryServer("gnubg", ENGINE)
    for board in boards:
        answer = server.receive(f"{board}{options}\n".encode()).decode()
        assert answer.count("\n") == 1


ubgi_lines = st.one_of(
    positions.map(lambda text: f"position {'xgid' if text.startswith('XGID') else 'gnubgid'} {text}"),
    dice.map(lambda text: f"dice {text}"),
    st.sampled_from(
        [
            "go role chequer",
            "go cube",
            "go role turn",
            "go depth 2",
            "eval",
            "newgame",
            "setscore 2 4",
            "setturn p1",
            "newsession type match length 5",
            "setcube value 2 owner p1",
            "setcube value 64 owner p0",
            "setscore 4 2",
        ]
    ),
)


@given(st.lists(ubgi_lines, min_size=1, max_size=12))
def test_in_ubgi_every_go_gets_one_best_or_error(lines: list[str]) -> None:
    server = MemoryServer("ubgi", ENGINE)
    for line in lines:
        answer = server.receive(f"{line}\n".encode()).decode().splitlines()
        finals = [told for told in answer if told.startswith(("best", "error ", "eval "))]
        assert len(finals) == 1 if line.startswith(("go", "eval")) else len(finals) <= 1
        assert not [told for told in answer if told.startswith("error internal")]


@given(st.sampled_from(sorted(REQUESTS)), fields)
def test_in_json_every_call_gets_one_object_with_its_id(verb: str, params: dict[str, str]) -> None:
    params = {name: value for name, value in params.items() if name in KNOWN[verb]}
    call = {"jsonrpc": "2.0", "id": 1, "method": verb, "params": params}
    answer = MemoryServer("json", ENGINE).receive(f"{json.dumps(call)}\n".encode()).decode()
    assert answer.count("\n") == 1
    assert json.loads(answer)["id"] == 1
