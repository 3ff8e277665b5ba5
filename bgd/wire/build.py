"""From a verb and its fields to a request, for the dialects that name fields (text and JSON).

Every fault is told with the field's name, what was expected and what came; a name that is none gets a hint.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Final, get_args, get_origin, get_type_hints

import msgspec

from bgd.errors import BadArgument, BadDice, BadPlay, BadPosition, BadValue, BgdError, InputError, UnknownCommand
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


def _is_bool(hint: object) -> bool:
    return hint is bool or (get_origin(hint) is UnionType and bool in get_args(hint))


FIELDS: Final[dict[str, tuple[str, ...]]] = {verb: kind.__struct_fields__ for verb, kind in REQUESTS.items()}
"""The names of each verb's fields."""

_BOOLS: Final[dict[str, frozenset[str]]] = {
    verb: frozenset(name for name, hint in get_type_hints(kind).items() if _is_bool(hint))
    for verb, kind in REQUESTS.items()
}


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
            raise _at(name, BadArgument(f"Unknown field `{shown(name)}`{hint(name, known)}; {told}"))
    if not strict:
        fields = {name: _bool(value) if name in _BOOLS[verb] else value for name, value in fields.items()}
    try:
        return msgspec.convert(fields, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise _fault(verb, fields, str(error), keys) from None


def _bool(value: object) -> object:
    """The truth of an `on` or `off`; anything else as it is, for msgspec to refuse."""
    return _WORDS_OF_BOOL.get(value.lower(), value) if isinstance(value, str) else value


def _fault(verb: str, fields: Mapping[str, object], told: str, keys: Mapping[str, str]) -> InputError:
    """msgspec's complaint in our words: field, expected, got."""
    match = _FAULT.fullmatch(told)
    what, path = (match["what"], match["path"] or "") if match else (told, "")
    if what.startswith("Object missing required field"):
        missing = what.split("`")[1]
        return _at(missing, BadArgument(f"`{verb}` needs `{keys.get(missing, missing)}`"))
    field = re.split(r"[.\[]", path, maxsplit=1)[0]
    expected, got = _EXPECTED.get(field, "on or off"), shown(str(fields.get(field)))
    message = f"Expected `{keys.get(field, field)}` to be {expected}"
    if field != "token":  # which nobody is to read, in no log either
        message += f", got `{got}`"
    return _at(path, _ERROR_OF_FIELD.get(field, BadValue)(message))


def _at(path: str, error: InputError) -> InputError:
    error.path = path
    return error


def hint(word: str, known: Iterable[str]) -> str:
    """` (did you mean `x`?)`, or nothing when no known word is near."""
    near = difflib.get_close_matches(word.lower(), list(known), n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""


def told(error: BgdError) -> str:
    """An error's message as one line. Whatever a peer wrote that got into it does no harm to a terminal."""
    text = " ".join(error.message.split())
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def shown(text: str, width: int = 60) -> str:
    """What a peer wrote, for an error: one line, not too long, nothing that could hurt a terminal."""
    clean = "".join(c if c.isprintable() else "?" for c in text[: width + 1]).replace("`", "'")
    return clean if len(clean) <= width else clean[: width - 3] + "..."
