"""Who is let in over TCP: those who know a token, those who speak TLS, or anybody from this very machine."""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Iterable
from pathlib import Path

from bgd.config import Config
from bgd.daemon.auth import Tokens
from bgd.daemon.crowd import is_loopback
from bgd.daemon.listeners import name_of
from bgd.daemon.tls import server_context
from bgd.errors import ConfigError

log = logging.getLogger(__name__)


class Access:
    """Tokens and certificates in force."""

    def __init__(self, config: Config) -> None:
        """Raises ConfigError."""
        self._config = config
        self.tokens: Tokens | None = None
        self.tls: ssl.SSLContext | None = None
        self.load()

    @property
    def changeable(self) -> bool:
        """Whether there are files that might change."""
        return self.tokens is not None or self.tls is not None

    def load(self) -> None:
        """Read the files, anew for connections from now on. Raises ConfigError, and leaves all as it was."""
        config = self._config
        tokens = None if config.token_file is None else Tokens.read(Path(config.token_file))
        self.tls = server_context(config.tls)
        self.tokens = tokens

    def manner(self, listener: socket.socket) -> str:
        """How one speaks there, for the log: ` with TLS and a token`, or nothing to tell."""
        asked = [word for word, wanted in (("TLS", self.tls), ("a token", self.tokens)) if wanted is not None]
        return f" with {' and '.join(asked)}" if asked and listener.family != socket.AF_UNIX else ""

    def check(self, listeners: Iterable[socket.socket]) -> None:
        """Raise ConfigError when one of them lets in strangers that nobody has asked for."""
        for listener in listeners:
            if listener.family == socket.AF_UNIX or is_loopback(listener.getsockname()[0]):
                continue
            if not (self.changeable or self._config.insecure):
                raise ConfigError(
                    f"Others can reach {name_of(listener)}: set a token (--token-file), or TLS (--tls-certificate and"
                    " --tls-key), or say --insecure to let everybody in"
                )
            if self.tls is None and self.tokens is not None:
                log.warning("tokens and games go over %s in clear: there is no TLS", name_of(listener))
