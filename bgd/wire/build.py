"""From a verb and its fields to a request, for the dialects that name fields (text and JSON).

Every fault is told with the field's name, what was expected and what came; a name that is none gets a hint.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import UnionType
from typing import Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from bgd.errors import BadArgument, BadDice, BadPlay, BadPosition, BadValue, BgdError, InputError, UnknownCommand, hint
from bgd.wire.messages import (
    MAX_CANDIDATES,
    MAX_PLIES,
    MAX_PRIORITY,
    MAX_TEXT,
    MAX_TOKEN,
    MAX_TOP,
    MAX_TRIALS,
    REQUESTS,
    Request,
)

_FAULT: Final = re.compile(r"(?P<what>.*?)(?: - at (?:`key` in )?`\$?\.?(?P<path>[^`]*)`)?", re.DOTALL)
_WORDS_OF_BOOL: Final = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}


_EXPECTED: Final = {
    "apart": "standard errors from 0 to 100",
    "candidates": f"a number from 1 to {MAX_CANDIDATES}",
    "dice": "two dice from 1 to 6",
    "error": "an equity from 0 to 1",
    "firstplies": f"a number from 0 to {MAX_PLIES}",
    "firstturns": "a number from 0 to 1000",
    "form": "text or svg",
    "movetime": "ms from 1 to 3600000",
    "names": "names of settings",
    "noise": "a number from 0 to 1",
    "offered": "1 (single), 2 (gammon) or 3 (backgammon)",
    "play": "a play, at most 128 characters",
    "plays": f"plays, at most {MAX_CANDIDATES} of 128 characters",
    "plies": f"a number from 0 to {MAX_PLIES}",
    "position": f"a position, at most {MAX_TEXT} characters",
    "priority": f"a number from -{MAX_PRIORITY} to {MAX_PRIORITY}",
    "progress": "ms from 0 to 3600000",
    "reading": "gnubg or fibs",
    "resignation": "1 (single), 2 (gammon) or 3 (backgammon)",
    "seed": "a number from 0 to 9007199254740991",
    "target": "a tag, at most 64 characters",
    "to": "id, xgid, fibs or ogid",
    "token": f"a token, at most {MAX_TOKEN} characters",
    "top": f"a number from 0 to {MAX_TOP}",
    "topic": "a verb",
    "trials": f"a number from 1 to {MAX_TRIALS}",
    "truncate": "a number from 0 to 1000",
    "values": "settings by name, their values as text",
}
_ERROR_OF_FIELD: Final[dict[str, type[InputError]]] = {"dice": BadDice, "play": BadPlay, "position": BadPosition}


def _kinds(hint: object) -> tuple[object, ...]:
    """What a field may be, None apart or not."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


FIELDS: Final[dict[str, tuple[str, ...]]] = {verb: kind.__struct_fields__ for verb, kind in REQUESTS.items()}
"""The names of each verb's fields."""

_BOOLS: Final[dict[str, frozenset[str]]] = {
    verb: frozenset(name for name, hint in get_type_hints(kind).items() if bool in _kinds(hint))
    for verb, kind in REQUESTS.items()
}
_WORDS: Final[dict[str, frozenset[str]]] = {
    verb: frozenset(name for name, hint in get_type_hints(kind).items() if Literal in map(get_origin, _kinds(hint)))
    for verb, kind in REQUESTS.items()
}
"""The fields of each verb that are one of a few words."""


def request_kind(verb: str) -> type[Request]:
    """The class of a verb's requests. Raises UnknownCommand with the nearest verbs."""
    kind = REQUESTS.get(verb)
    if kind is None:
        raise UnknownCommand(f"Expected a verb, got `{shown(verb)}`{hint(verb, REQUESTS)}; `help` lists them")
    return kind


def build(verb: str, fields: Mapping[str, object], *, strict: bool, keys: Mapping[str, str] | None = None) -> Request:
    """The request. `strict`: types must be right as they are (JSON); otherwise text is read as what is expected.
    `keys`: what the dialect calls fields whose names are others.

    Raises UnknownCommand, BadArgument (unknown or missing fields), and the error that a field's value deserves, with
    its `path`."""
    kind = request_kind(verb)
    keys = keys or {}
    known = [keys.get(name, name) for name in FIELDS[verb]]
    for name in fields:
        if name not in FIELDS[verb]:
            told = f"fields of `{verb}`: {', '.join(known)}" if known else f"`{verb}` has no fields"
            raise BadArgument(f"Unknown field `{shown(name)}`{hint(name, known)}; {told}").at(name)
    if not strict:
        fields = {name: _plain(verb, name, value) for name, value in fields.items()}
    try:
        return msgspec.convert(fields, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise _fault(verb, fields, str(error), keys, strict) from None


def _plain(verb: str, name: str, value: object) -> object:
    """A value as text, in any case where it is one of a few words; anything else as it is, for msgspec to refuse."""
    if isinstance(value, str):
        if name in _BOOLS[verb]:
            return _WORDS_OF_BOOL.get(value.lower(), value)
        if name in _WORDS[verb]:
            return value.lower()
    return value


def _fault(verb: str, fields: Mapping[str, object], told: str, keys: Mapping[str, str], strict: bool) -> InputError:
    """msgspec's complaint in our words: field, expected, got; as JSON where that is what came."""
    match = _FAULT.fullmatch(told)
    what, path = (match["what"], match["path"] or "") if match else (told, "")
    if what.startswith("Object missing required field"):
        missing = what.split("`")[1]
        return BadArgument(f"`{verb}` needs `{keys.get(missing, missing)}`").at(missing)
    field = re.split(r"[.\[]", path, maxsplit=1)[0]
    value = fields.get(field)
    expected = _EXPECTED.get(field, "true or false" if strict else "on or off")
    got = shown(msgspec.json.encode(value).decode() if strict else str(value))
    message = f"Expected `{keys.get(field, field)}` to be {expected}"
    if field != "token":  # which nobody is to read, in no log either
        message += f", got `{got}`"
    return _ERROR_OF_FIELD.get(field, BadValue)(message).at(path)


def told(error: BgdError) -> str:
    """An error's message as one line. Whatever a peer wrote that got into it does no harm to a terminal."""
    text = " ".join(error.message.split())
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def shown(text: str, width: int = 60) -> str:
    """What a peer wrote, for an error: one line, not too long, nothing that could hurt a terminal."""
    clean = "".join(c if c.isprintable() else "?" for c in text[: width + 1]).replace("`", "'")
    return clean if len(clean) <= width else clean[: width - 3] + "..."
