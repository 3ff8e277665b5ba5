"""grammar.abnf describes what is said: by the transcripts, by the dialogues of SPEC.md, and by every kind of reply."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from abnf import ParseError, Rule

from bgd.service.settings import SETTINGS
from bgd.wire.detect import detect
from bgd.wire.jsonrpc import JsonRpcCodec
from bgd.wire.messages import REQUESTS, Incoming, Ping, Progress, RolloutProgress, SearchProgress
from bgd.wire.text import TextCodec
from bgd.wire.ubgi import UbgiCodec
from tests.protocol.test_documents import DIALOGUES, errors
from tests.protocol.transcript import PLACEHOLDERS, Step, Transcript, parse_text, transcripts
from tests.wire.replies import REPLIES

GRAMMAR: Final = Path(__file__).parents[2] / "protocol" / "grammar.abnf"
TEXT: Final = GRAMMAR.read_text()

EXAMPLES: Final = {
    "number": "0.2500",
    "count": "4",
    "equity": "+0.1594",
    "probability": "0.5511",
    "float6": "0.147194",
    "play": "13/8 24/22*",
    "id": "4HPwATDgc/ABMA",
    "matchid": "cAkAAAAAAAAE",
    "version": "0.1.0",
    "double": "roll",
    "cube": "double",
    "take": "take",
    "accept": "reject",
    "yesno": "yes",
    "word": "5",
    "text": "what was expected, and what came",
}


IN_PLACE: Final = (
    ("engine={word}", "engine=ready"),
    ('label="{text}"', 'label="no double/take"'),
    ("[{text}]", "[]"),
    ("{{text}}", "{}"),
    ("8192,{text}", "8192"),
    ('"double":{word}', '"double":true'),
    ("hello name=bgd {text}", "hello name=bgd version=0.1.0 protocol=1 engine=loading author=x"),
)
"""What stands for a placeholder where not everything that it matches would do."""


class Grammar(Rule):  # type: ignore[misc]
    pass


Grammar.load_grammar(TEXT.replace("\n", "\r\n"))


def parses(rule: str, line: str) -> bool:
    try:
        Grammar(rule).parse_all(line)
    except ParseError:
        return False
    return True


def filled(line: str) -> str:
    """A server's line with examples for its placeholders."""
    if line == "{play}":  # in numbers, as GNU Backgammon answers
        return "13/8 24/22* "
    for place, example in IN_PLACE:
        line = line.replace(place, example)
    return re.sub(r"\{(\w+)\}", lambda found: EXAMPLES[found[1]], line)


def dialects(transcript: Transcript) -> Iterator[tuple[Step, str]]:
    """Each step with its dialect. A token ahead of all else is given in text, and chooses none."""
    dialect = transcript.dialect
    for step in transcript.steps:
        if dialect is None:
            first = next((line for line in lines_of(step) if line.strip()), "")
            dialect = None if first.startswith("auth ") else detect(first)
        yield step, dialect or "text"


def lines_of(step: Step) -> list[str]:
    """What the client says in it, as far as it is text at all, without what a file of its words may begin with."""
    found = []
    for line in step.sent.replace(b"\0", b"").splitlines():
        try:
            found.append(line.decode().removeprefix("\ufeff"))
        except UnicodeDecodeError:
            continue
    return found


ALL: Final = [*transcripts(), *(parse_text(f"SPEC {n}", dialogue) for n, dialogue in enumerate(DIALOGUES))]


@pytest.mark.parametrize("transcript", ALL, ids=lambda transcript: transcript.name)
def test_what_a_client_says_is_in_the_grammar_or_answered_with_an_error(transcript: Transcript) -> None:
    for step, dialect in dialects(transcript):
        refused = sum(bool(re.search(r'^(#\S+ )?error |^Error: |"error":', line)) for line in step.expected)
        strange = [line for line in lines_of(step) if line.strip() and not parses(f"{dialect}-request", line)]
        assert len(strange) <= refused, f"{transcript.name}:{step.line}: {strange}"


@pytest.mark.parametrize("transcript", ALL, ids=lambda transcript: transcript.name)
def test_what_the_server_answers_is_in_the_grammar(transcript: Transcript) -> None:
    for step, dialect in dialects(transcript):
        for line in step.expected:
            known = line == "{lines}" or parses(f"{dialect}-line", filled(line))
            assert known, f"{transcript.name}:{step.line}: {line}"


REPORTS: Final[list[Progress]] = [
    SearchProgress(plies=1, equity=-0.25),
    SearchProgress(plies=2, equity=0.0, play="bar/22* 13/7(2) 6/off"),
    RolloutProgress(trials=36, equity=0.1, error=0.01234, play="8/5 6/5"),
]


@pytest.mark.parametrize("tag", [None, "a"])
def test_every_kind_of_reply_is_in_the_grammar(tag: str | None) -> None:
    incoming = Incoming(Ping(), tag)
    data = b"".join(TextCodec().encode(incoming, reply) for reply in REPLIES)
    data += b"".join(TextCodec().report(incoming, report) for report in REPORTS)
    for line in data.decode().splitlines():
        assert parses("text-line", line), line


def test_in_json_too() -> None:
    incoming = Incoming(Ping(), "1")
    data = b"".join(JsonRpcCodec().encode(incoming, reply) for reply in REPLIES)
    data += b"".join(JsonRpcCodec().report(incoming, report) for report in REPORTS)
    for line in data.decode().splitlines():
        assert parses("json-line", line), line


def test_reports_of_progress_are_in_ubgi_s_part_of_it() -> None:
    for report in REPORTS:
        line = UbgiCodec().report(Incoming(Ping()), report).decode()
        assert parses("ubgi-line", line.rstrip("\n")), line


def alternatives(rule: str) -> set[str]:
    """The words or names that a rule chooses from, `=/` included."""
    parts = re.findall(rf"^{rule}\s+=/?((?:.*)(?:\n[ \t]+.*)*)", TEXT, re.MULTILINE)
    body = re.sub(r"\s;.*", "", " / ".join(parts))
    return {part.strip().removeprefix("%s").strip('"') for part in body.split("/")}


def test_the_grammar_has_every_verb_and_its_fields() -> None:
    assert alternatives("verb") == set(REQUESTS)
    in_text = {"form": "as"}
    for verb, kind in REQUESTS.items():
        body = " ".join(re.findall(rf"^{verb}\s+= (.*)", TEXT, re.MULTILINE))
        for group in ("search-field", "rules-field"):
            if group in body:
                body += " " + " ".join(alternatives(group))
        fields = set(re.findall(r"(\w+)-field", body)) - {"search", "rules"}
        if verb not in ("set", "get"):  # these have settings in the place of fields
            assert fields == {in_text.get(name, name) for name in kind.__struct_fields__}, verb


def test_the_grammar_has_every_setting() -> None:
    assert alternatives("setting") == set(SETTINGS)


def test_the_grammar_has_every_error_code() -> None:
    assert alternatives("code") == {str(error["code"]) for error in errors()}
    assert alternatives("ubgi-code") == {str(error["ubgi"]) for error in errors()}


def test_every_placeholder_has_an_example() -> None:
    assert set(EXAMPLES) == set(PLACEHOLDERS)
    for name, example in EXAMPLES.items():
        assert re.fullmatch(PLACEHOLDERS[name], example), name
