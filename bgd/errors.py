"""Every error bgd raises on purpose, by whose fault it is. Each class has a stable code, the word seen on the wire.

    BgdError
    ├── InputError                what was asked is wrong: the asker can mend it
    │   ├── BadPosition           bad-position     no such arrangement of checkers, or an ID that does not decode
    │   ├── BadDice               bad-dice         not two dice from 1 to 6
    │   ├── BadPlay               bad-play         text that is no play
    │   ├── IllegalPlay           illegal          a play the rules forbid; carries the rule it breaks
    │   ├── IllegalAction         illegal-action   a step of the game out of turn or out of its rules
    │   ├── BadValue              bad-value        a field out of its bounds
    │   ├── BadArgument           bad-argument     a request whose form is wrong: unknown, missing or doubled fields
    │   ├── UnknownCommand        unknown-command  no such verb
    │   ├── MissingContext        missing-context  the request needs something not given yet: a position, dice
    │   ├── LineTooLong           line-too-long    a line over the limit; the connection closes
    │   ├── Flooding              flooding         more lines in a second than the limit; the connection closes
    │   ├── Foreign               foreign          a first line of HTTP, which bgd does not speak; the connection closes
    │   └── Unsupported           unsupported      known, and not done here
    ├── RefusedError              nothing wrong with the request: not now
    │   ├── Unauthorized          unauthorized     the server's token comes first, by `auth`; or it was a wrong one
    │   ├── Busy                  busy             a queue or connection limit is reached
    │   ├── Cancelled             cancelled        the asker, or his leaving, stopped it
    │   ├── TimedOut              timeout          a deadline passed with no answer to give
    │   └── ShuttingDown          shutting-down    the daemon is leaving
    └── ServerError               bgd's own fault, or its installation's
        ├── WeightsError          bad-weights      a weights or table file that is damaged or of another version
        ├── ConfigError           bad-config       a setting that cannot be used
        └── InternalError         internal         a bug: please report it

Messages say what was expected, what came (in backquotes) and where.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import ClassVar, Self


def hint(word: str, known: Iterable[str]) -> str:
    """For messages about an unknown word: ` (did you mean `x`?)`, or nothing when no known one is near."""
    near = get_close_matches(word.lower(), list(known), n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""


class BgdError(Exception):
    """Base of the tree. `code` is stable between versions; the message is for people and may change."""

    code: ClassVar[str] = "internal"

    @property
    def message(self) -> str:
        return str(self.args[0]) if self.args else self.code


class InputError(BgdError):
    """`path` is the field of the request that is at fault, as `plies`; empty when it is not known to be one field's."""

    code = "bad-argument"
    path: str = ""

    def at(self, path: str) -> Self:
        """The error itself, with the field that is at fault, unless it knows that more closely."""
        self.path = self.path or path
        return self


class BadPosition(InputError):
    code = "bad-position"


class BadDice(InputError):
    code = "bad-dice"


class BadPlay(InputError):
    code = "bad-play"


class IllegalPlay(InputError):
    """A play that the rules forbid. `rule` is a stable word for the rule that it breaks (see bgd.rules.legality)."""

    code = "illegal"

    def __init__(self, message: str, rule: str) -> None:
        super().__init__(message)
        self.rule = rule


class IllegalAction(InputError):
    code = "illegal-action"


class BadValue(InputError):
    code = "bad-value"


class BadArgument(InputError):
    code = "bad-argument"


class UnknownCommand(InputError):
    code = "unknown-command"


class MissingContext(InputError):
    code = "missing-context"


class LineTooLong(InputError):
    code = "line-too-long"


class Flooding(InputError):
    code = "flooding"


class Foreign(InputError):
    code = "foreign"


class Unsupported(InputError):
    code = "unsupported"


class RefusedError(BgdError):
    code = "busy"


class Unauthorized(RefusedError):
    code = "unauthorized"


class Busy(RefusedError):
    code = "busy"


class Cancelled(RefusedError):
    code = "cancelled"


class TimedOut(RefusedError):
    code = "timeout"


class ShuttingDown(RefusedError):
    code = "shutting-down"


class ServerError(BgdError):
    code = "internal"


class WeightsError(ServerError):
    code = "bad-weights"


class ConfigError(ServerError):
    code = "bad-config"


class InternalError(ServerError):
    code = "internal"
