"""Who may ask: tokens from a file, and the guard of one connection.

A token is a secret text of 16 to 256 letters, digits and `+/=_.~-`. The file has one a line, so that a new one can be
let in before an old one is taken out; blank lines and those that begin with `#` say nothing. Tokens are kept as
digests, compared in constant time, and never logged.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bgd.errors import BgdError, ConfigError, Unauthorized
from bgd.wire.messages import MAX_TOKEN, Auth, Done, Hello, Ping, Quit, Reply, Request

log = logging.getLogger(__name__)

NOT_NEEDED: Final = "not needed"
"""What a server that wants no token says to one."""

MIN_TOKEN: Final = 16
"""Characters. With a good token of this length guessing is hopeless however many guesses there are."""

_TOKEN: Final = re.compile(rf"[A-Za-z0-9+/=_.~-]{{{MIN_TOKEN},{MAX_TOKEN}}}")
_BEFORE: Final = (Hello, Ping, Quit)
"""What is answered before the token, beside `auth` itself."""


def check_secret(path: Path) -> None:
    """Raise ConfigError when others could read or change the secret in `path`.

    The rule is PostgreSQL's for its key files: ours and nobody else's, or root's and then our group may read it."""
    try:
        found = path.stat()
    except OSError as error:
        raise ConfigError(f"Expected a file that can be read, got `{path}`: {error.strerror}") from None
    mode = stat.S_IMODE(found.st_mode)
    if found.st_uid not in (0, os.geteuid()):
        raise ConfigError(f"Expected `{path}` to be owned by the user that runs bgd, or by root; chown it")
    if mode & (0o077 if found.st_uid == os.geteuid() else 0o027):
        raise ConfigError(f"Expected `{path}` to be readable by its owner alone, got mode `{mode:04o}`; chmod 600 it")


class Tokens:
    """The tokens that are good. Its repr shows none."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._digests = [_digest(token) for token in tokens]

    @classmethod
    def read(cls, path: Path) -> Tokens:
        """From a file. Raises ConfigError, which quotes nothing of what it holds."""
        check_secret(path)
        try:
            lines = path.read_text("ascii").splitlines()
        except OSError as error:
            raise ConfigError(f"Expected a file that can be read, got `{path}`: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ConfigError(f"Expected `{path}` to hold tokens, one a line, got bytes that are no ASCII") from None
        tokens = []
        for number, line in enumerate(lines, 1):
            token = line.strip()
            if not token or token.startswith("#"):
                continue
            if not _TOKEN.fullmatch(token):
                raise ConfigError(
                    f"{path}:{number}: expected a token of {MIN_TOKEN} to {MAX_TOKEN} letters, digits and +/=_.~-;"
                    " for instance from `openssl rand -hex 32`"
                )
            tokens.append(token)
        if not tokens:
            raise ConfigError(f"Expected a token in `{path}`, got none; for instance from `openssl rand -hex 32`")
        return cls(tokens)

    def has(self, token: str) -> bool:
        """Takes the same time whatever is right or wrong with `token`."""
        digest = _digest(token)
        found = False
        for good in self._digests:
            found |= hmac.compare_digest(good, digest)
        return found


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()


class Guard:
    """What one connection may ask: everything or, while a token is awaited, who is there."""

    def __init__(self, tokens: Tokens | None = None, *, max_bad: int = 1, name: str = "") -> None:
        """`tokens` None: none is needed. `max_bad`: the wrong ones after which the connection is to be closed."""
        self._tokens = tokens
        self._max_bad = max_bad
        self._name = name
        self.bad = 0
        """Wrong tokens so far."""
        self.open = tokens is None
        """Whether everything may be asked."""

    @property
    def gives_up(self) -> bool:
        """Whether the peer has guessed long enough."""
        return self.bad >= self._max_bad

    def answer(self, request: Request) -> Reply | BgdError | None:
        """The answer to what goes no further; None when the request is to be handled."""
        if isinstance(request, Auth):
            return self._auth(request)
        if self.open or isinstance(request, _BEFORE):
            return None
        return Unauthorized("Expected `auth` and this server's token first")

    def _auth(self, request: Auth) -> Reply | BgdError:
        if self._tokens is None:
            return Done(text=NOT_NEEDED)
        if self._tokens.has(request.token):
            self.open = True
            return Done(text="authorized")
        self.bad += 1
        log.warning("wrong token, %d of %d", self.bad, self._max_bad, extra={"peer": self._name})
        closing = "; that was the last try" if self.gives_up else ""
        return Unauthorized(f"Expected this server's token, got another{closing}")
