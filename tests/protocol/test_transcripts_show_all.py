"""Nothing is in the protocol without a transcript that shows it: commands, fields, errors, replies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from bgd.service.settings import SETTINGS
from bgd.wire import gnubg, ubgi
from bgd.wire.messages import REPLIES, REQUESTS
from tests.protocol.test_documents import errors
from tests.protocol.test_grammar import ALL, alternatives, dialects, lines_of
from tests.protocol.transcript import Step

UNSEEN: Final = {
    "bad-weights": "only a server whose weights are damaged says it",
    "bad-config": "only a server that has already left says it",
    "internal": "a bug",
}
"""Errors that no transcript can bring about, and why."""


def steps(dialect: str) -> Iterator[Step]:
    for transcript in ALL:
        yield from (step for step, spoken in dialects(transcript) if spoken == dialect)


def said(dialect: str) -> list[str]:
    """By clients."""
    return [line for step in steps(dialect) for line in lines_of(step) if line.strip()]


def answered(dialect: str) -> list[str]:
    return [line for step in steps(dialect) for line in step.expected]


def objects(lines: list[str]) -> Iterator[dict[str, Any]]:
    """JSON objects among `lines`, those of batches one by one."""
    for line in lines:
        line = re.sub(r'(?<![\w"])\{(\w+)\}(?![\w"])', "0", line)
        try:
            whole = json.loads(line)
        except ValueError:
            continue
        yield from (each for each in (whole if isinstance(whole, list) else [whole]) if isinstance(each, dict))


def words(lines: list[str]) -> set[str]:
    return {word for line in lines for word in re.split(r"[\s=]+", re.sub(r"^#\S+ ", "", line)) if word}


def test_every_verb_and_each_of_its_fields_is_shown_in_text_and_json() -> None:
    in_text: dict[str, set[str]] = {verb: set() for verb in REQUESTS}
    for line in said("text"):
        verb, *arguments = re.sub(r"^#\S+ ", "", line.strip()).split() or [""]
        in_text.get(verb.lower(), set()).update(["", *(re.findall(r"(?:^| )(\w+)=", " ".join(arguments).lower()))])
    in_json: dict[str, set[str]] = {verb: set() for verb in REQUESTS}
    for call in objects(said("json")):
        params = call.get("params", {})
        in_json.get(str(call.get("method")), set()).update(["", *(params if isinstance(params, dict) else ())])
    missing = []
    for verb, kind in REQUESTS.items():
        missing += [f"{verb} in text"] if "" not in in_text[verb] else []
        missing += [f"{verb} in json"] if "" not in in_json[verb] else []
        for field in kind.__struct_fields__:
            if field not in in_json[verb] and {"form": "as"}.get(field, field) not in in_text[verb]:
                missing.append(f"{verb} {field}")
    assert missing == []


def test_every_result_is_of_the_type_that_the_schema_gives_its_verb() -> None:
    seen = set()
    for step in steps("json"):
        methods = {json.dumps(call["id"]): call.get("method") for call in objects(lines_of(step)) if "id" in call}
        for reply in objects(step.expected):
            if "result" in reply:
                verb = methods[json.dumps(reply["id"])]
                kind = REPLIES[verb]
                assert set(reply["result"]) <= set(kind.__struct_fields__)
                seen.add(verb)
    assert seen >= set(REQUESTS) - {"hello", "stats"}  # whose answers are all placeholders


def test_every_setting_is_shown() -> None:
    assert words(said("text")) >= set(SETTINGS)


def test_every_error_is_shown() -> None:
    in_text = {found[1] for line in answered("text") if (found := re.match(r"(?:#\S+ )?error (\S+)", line))}
    in_json = {reply["error"]["data"]["code"] for reply in objects(answered("json")) if "error" in reply}
    assert {str(error["code"]) for error in errors()} - in_text - in_json - set(UNSEEN) == set()
    in_ubgi = {line.split()[1] for line in answered("ubgi") if line.startswith("error ")}
    expected = {str(error["ubgi"]) for error in errors() if error["code"] not in UNSEEN}
    assert expected - in_ubgi <= {"cancelled", "timeout", "shutting_down"}  # as in text, but for the hyphen


def test_every_command_of_ubgi_is_shown() -> None:
    told = said("ubgi")
    assert {line.split()[0] for line in told} >= set(ubgi._COMMANDS)
    assert words(told) >= {*ubgi._ROLES, *ubgi._SETTING_OF_KEY, "movetime", "depth", "role", "type", "length"}
    assert {word.lower() for word in words(told)} >= set(ubgi._SETTING_OF_OPTION)


def test_every_word_of_gnubg_is_shown() -> None:
    assert {word.lower() for word in words(said("gnubg"))} >= {*gnubg._WORDS, *gnubg._OPTIONS}


def test_every_kind_of_data_line_is_shown() -> None:
    kinds = {re.sub(r"^#\S+ ", "", line).split()[0] for line in answered("text") if line and line != "{lines}"}
    named = alternatives("data")
    assert len(named) > 10
    assert {name.removesuffix("-data") for name in named} - {"shown"} <= kinds
    assert "|" in kinds
