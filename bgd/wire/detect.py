"""Which dialect a connection speaks: its first line that is not blank tells."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Dialect: TypeAlias = Literal["text", "gnubg", "ubgi", "json"]
DIALECTS: Final[tuple[Dialect, ...]] = ("text", "gnubg", "ubgi", "json")

_GNUBG_VERBS: Final = frozenset({"evaluation", "fibsboard", "version"})
_GNUBG_SETTINGS: Final = frozenset({"debug", "interface", "prompt"})


def detect(line: str) -> Dialect:
    """The dialect of a conversation that opens with `line`."""
    words = line.split(None, 2)
    first = words[0].lower() if words else ""
    if first.startswith(("{", "[")):  # `[` opens a JSON-RPC batch
        return "json"
    if words and words[0] == "ubgi":
        return "ubgi"
    if first.startswith("board:") or first in _GNUBG_VERBS:
        return "gnubg"
    if first == "set" and len(words) > 1 and words[1].lower() in _GNUBG_SETTINGS:
        return "gnubg"
    return "text"
