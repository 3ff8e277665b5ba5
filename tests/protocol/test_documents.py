"""The documents of the protocol agree with the code: errors, schema, and the dialogues of SPEC.md.

`python -m tests.protocol.test_documents` writes the generated parts anew."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

import bgd.errors
import bgd.rules.legality
from bgd.config import Limits
from bgd.errors import BgdError, Flooding, Foreign, InputError, LineTooLong, RefusedError
from bgd.wire.jsonrpc import JsonRpcCodec
from bgd.wire.messages import MAX_TEXT, MAX_TOP, REPLIES, REQUESTS, Progress, Reply
from bgd.wire.ubgi import UbgiCodec
from tests.protocol.test_transcripts_in_memory import replay
from tests.protocol.transcript import PLACEHOLDERS, parse_text

PROTOCOL: Final = Path(__file__).parents[2] / "protocol"
SPEC: Final = PROTOCOL / "SPEC.md"
_TREE_LINE: Final = re.compile(r"[ │]*[├└]── (?P<name>\w+) +(?P<code>[a-z-]+)  +(?P<meaning>.+)")
_TABLE: Final = re.compile(r"(<!-- errors: [^>]*-->\n)(.*?)(?=\n## )", re.DOTALL)


def _error(name: str) -> BgdError:
    kind: Any = getattr(bgd.errors, name)
    return kind("x", rule="x") if name == "IllegalPlay" else kind("x")


def errors() -> list[dict[str, object]]:
    """Every error code: what it means, whose fault it is, and how each dialect says it."""
    found: list[dict[str, object]] = []
    for line in (bgd.errors.__doc__ or "").splitlines():
        match = _TREE_LINE.match(line.strip())
        if not match:
            continue
        error = _error(match["name"])
        assert error.code == match["code"]
        fault = "asker" if isinstance(error, InputError) else "nobody" if isinstance(error, RefusedError) else "server"
        found.append(
            {
                "code": error.code,
                "meaning": match["meaning"],
                "fault": fault,
                "closes": isinstance(error, LineTooLong | Flooding | Foreign),
                "ubgi": UbgiCodec().refuse(error).split()[1].decode(),
                "jsonrpc": json.loads(JsonRpcCodec().refuse(error))["error"]["code"],
            }
        )
    return found


def errors_text() -> str:
    return "[\n" + ",\n".join(f"  {json.dumps(error, ensure_ascii=False)}" for error in errors()) + "\n]\n"


def error_table() -> str:
    rows = [f"| `{error['code']}` | {error['meaning']} | {error['ubgi']} | {error['jsonrpc']} |" for error in errors()]
    return "\n".join(["", "| code | meaning | ubgi | json |", "|---|---|---|---|", *rows, ""])


def schema_text() -> str:
    """JSON Schema of every request and reply (by the verb) and report of progress (by its name)."""

    def named(base: type) -> dict[str, type]:
        return {kind.__name__: kind for kind in sorted(base.__subclasses__(), key=lambda kind: kind.__name__)}

    replies = {verb: REPLIES[verb] for verb in REQUESTS}
    kinds: dict[str, dict[str, Any]] = {"requests": REQUESTS, "replies": replies, "progress": named(Progress)}
    wanted = list(dict.fromkeys(kind for group in kinds.values() for kind in group.values()))
    references, components = msgspec.json.schema_components(wanted, ref_template="#/$defs/{name}")
    found = dict(zip(wanted, references, strict=True))
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **{group: {name: found[kind] for name, kind in names.items()} for group, names in kinds.items()},
        "$defs": dict(sorted(components.items())),
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def with_table(spec: str) -> str:
    return _TABLE.sub(lambda found: found[1] + error_table(), spec)


def test_errors_json_is_the_error_tree() -> None:
    assert (PROTOCOL / "errors.json").read_text() == errors_text()


def test_every_error_code_is_documented() -> None:
    def codes(kind: type[BgdError]) -> set[str]:
        return {kind.code}.union(*map(codes, kind.__subclasses__()))

    own = {kind for kind in vars(bgd.errors).values() if isinstance(kind, type) and issubclass(kind, BgdError)}
    assert {kind.code for kind in own} == {error["code"] for error in errors()}
    assert codes(BgdError) == {error["code"] for error in errors()}


def test_the_table_of_errors_in_the_spec_is_up_to_date() -> None:
    assert SPEC.read_text() == with_table(SPEC.read_text())


def test_every_verb_has_its_reply_and_every_reply_its_verb() -> None:
    assert set(REPLIES) == set(REQUESTS)
    assert set(REPLIES.values()) == set(Reply.__subclasses__())


def test_schema_json_is_the_types_of_the_messages() -> None:
    assert (PROTOCOL / "schema.json").read_text() == schema_text()


DIALOGUES: Final = re.findall(r"^```transcript\n(.*?)^```", SPEC.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=range(len(DIALOGUES)))
def test_the_dialogues_of_the_spec_are_true(dialogue: str) -> None:
    replay(parse_text("SPEC", dialogue))


def test_the_spec_names_every_verb_and_its_fields() -> None:
    verbs = SPEC.read_text().split("### Verbs")[1].split("### ")[0]
    rows = {match[1]: match[0] for match in re.finditer(r"^\| `(\w+)` \|.*$", verbs, re.MULTILINE)}
    assert set(rows) == set(REQUESTS)
    in_text = {"form": "as", "values": "name=value", "names": "names", "topic": "a verb"}
    for verb, kind in REQUESTS.items():
        for field in kind.__struct_fields__:
            assert in_text.get(field, field) in rows[verb], f"{verb}: {field}"


def test_the_spec_names_every_rule_that_a_play_can_break() -> None:
    rules = re.findall(r"^    ([a-z-]+)  +\w", bgd.rules.legality.__doc__ or "", re.MULTILINE)
    assert len(rules) > 10
    assert not [rule for rule in rules if f"`{rule}`" not in SPEC.read_text()]


def test_the_spec_s_limits_are_the_code_s() -> None:
    text = SPEC.read_text()
    assert f"at most {Limits().max_line:,}\nbytes" in text
    assert f"a position {MAX_TEXT:,}" in text
    assert f"`top` is at most\n{MAX_TOP:,}" in text


def test_the_spec_names_every_limit_and_statistic_that_is_told() -> None:
    shown = "".join(path.read_text() for path in sorted((PROTOCOL / "transcripts").glob("text_*.txt")))
    named = set(re.findall(r"`(\w+)`", SPEC.read_text()))
    limits, statistics = (set(re.findall(rf"^S: {word} (\w+)=", shown, re.MULTILINE)) for word in ("limit", "stat"))
    assert "max_plies" in limits
    assert limits | statistics <= named


def test_every_placeholder_of_the_transcripts_is_explained() -> None:
    told = (PROTOCOL / "transcripts" / "README.md").read_text()
    assert set(re.findall(r"^\| `\{(\w+)\}` \|", told, re.MULTILINE)) == {*PLACEHOLDERS, "lines"}


if __name__ == "__main__":
    (PROTOCOL / "errors.json").write_text(errors_text())
    (PROTOCOL / "schema.json").write_text(schema_text())
    SPEC.write_text(with_table(SPEC.read_text()))
