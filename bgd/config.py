"""Settings of the daemon: from a TOML file, the environment (BGD_*) and flags, later ones winning.

A table of the file, `[limits]`, is BGD_LIMITS_... in the environment.

All limits of the daemon are named here, in `Limits`, with their units and defaults. A setting that can't be used
raises ConfigError, which says where it stands, what was expected and what was found.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import tomli_w
from msgspec import Meta, Struct, field

from bgd.errors import ConfigError, hint

DEFAULT_PORT: Final = 4321
LOOPBACK: Final = ("127.0.0.1", "::1")
"""GNU Backgammon's client looks `localhost` up, which may give either."""

ENVIRONMENT_PREFIX: Final = "BGD_"

Dialect = Literal["gnubg", "ubgi", "text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]
Port = Annotated[int, Meta(ge=0, le=65535)]
Seconds = Annotated[float, Meta(ge=0, le=86_400)]
Patience = Annotated[float, Meta(gt=0, le=86_400)]
PathText = Annotated[str, Meta(min_length=1, max_length=4096)]


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What bounds a peer. Lines and buffers in bytes, times in seconds."""

    max_line: Annotated[int, Meta(ge=256, le=1_048_576)] = 8192
    """Longest line; a longer one is answered with `line-too-long` and closes the connection."""

    max_pending: Annotated[int, Meta(ge=1, le=65_536)] = 256
    """Requests of one connection read and not answered yet. At the limit reading waits; nothing is lost."""

    max_queued: Annotated[int, Meta(ge=1, le=1_048_576)] = 4096
    """Requests of all connections that wait for a thread. At the limit more are answered with `busy`, but for one of a
    connection that has none there."""

    max_connections: Annotated[int, Meta(ge=1, le=65_536)] = 256
    """Connections open at once. One more is answered with `busy` and closed."""

    max_per_address: Annotated[int, Meta(ge=1, le=65_536)] = 64
    """Those of them from one address, of IPv6 from one /64. One more is answered with `busy` and closed. Unix sockets
    and the loopback addresses, which all local users and proxies share, are not counted."""

    max_rate: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 200_000
    """Lines of one connection in a second (in a batch of JSON-RPC, requests), after a rest as many at once. One more is
    answered with `flooding` and closes the connection. 0: no limit."""

    max_bad_tokens: Annotated[int, Meta(ge=1, le=1000)] = 3
    """Wrong tokens of one connection, each answered with `unauthorized`. The last one closes it."""

    auth_timeout: Patience = 30.0
    """Where a token is asked for: a peer that has given none for so long is told `unauthorized`; that closes the
    connection."""

    handshake_timeout: Patience = 10.0
    """A peer that has not finished the handshake of TLS for so long is dropped."""

    idle_timeout: Seconds = 0.0
    """A peer that asks nothing for so long, with nothing left to answer, is told `timeout`; that closes the connection.
    0: it may think for days."""

    max_unsent: Annotated[int, Meta(ge=4096, le=1_073_741_824)] = 262_144
    """Bytes of replies that a peer has not taken yet. At the limit reading waits."""

    min_progress: Seconds = 0.1
    """Shortest time between two reports of progress of one request, whatever it asks for."""

    send_timeout: Seconds = 60.0
    """A peer that takes no byte of its replies for so long is dropped."""

    grace: Seconds = 10.0
    """After SIGTERM: time for what was asked to be answered; what is left then is answered with `shutting-down`."""

    linger: Seconds = 1.0
    """After the last reply: how long to wait for the peer to close, so that the reply isn't lost on its way."""


class Tls(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """TLS on TCP, at least version 1.2. Files are PEM."""

    certificate: PathText | None = None
    """The server's certificate and those that lead to its root. Without it TCP is not encrypted."""

    key: PathText | None = None
    """Its private key, not encrypted itself; None: in the same file."""

    client_ca: PathText | None = None
    """Certificates of those whose clients are let in; None: clients need no certificate."""


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set. `unix` is a path; `dialect` None means that the first line of a peer chooses."""

    host: Annotated[str, Meta(min_length=1, max_length=255)] | None = None
    """Address to listen on; None: the loopback addresses, IPv6's where there is one."""

    port: Port = DEFAULT_PORT
    """TCP port; 0 takes a free one and says which."""

    unix: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    """Path of a Unix socket to listen on, instead of TCP unless a host is given too."""

    dialect: Dialect | None = None
    plies: Annotated[int, Meta(ge=0, le=4)] = 0
    """Plies of requests that don't say: as GNU Backgammon counts, 0 is the static evaluation."""

    workers: Annotated[int, Meta(ge=0, le=1024)] = 0
    """Threads that search; 0: as many as there are cores."""

    weights: Annotated[str, Meta(min_length=1)] | None = None
    """A weights file to use instead of the one that came with bgd."""

    met: Annotated[str, Meta(min_length=1)] | None = None
    """A match equity table in GNU Backgammon's XML form to use instead of the one that came with bgd."""

    token_file: PathText | None = None
    """File of the tokens, one a line, that a TCP connection gives by `auth`. Unix sockets have their permissions."""

    insecure: bool = False
    """Listen where others can reach it with neither a token nor TLS."""

    metrics_port: Port | None = None
    """Port of 127.0.0.1 on which Prometheus finds /metrics, 0 for a free one; None: none. Needs bgd[metrics]."""

    log_level: LogLevel = "info"
    log_format: LogFormat = "text"
    """What is written to stderr: lines for people, or a JSON object each."""

    tls: Tls = field(default_factory=Tls)
    limits: Limits = field(default_factory=Limits)


_TABLES: Final[dict[str, type[Struct]]] = {"tls": Tls, "limits": Limits}
"""The settings that are tables of their own."""


def _from_file(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{path}: expected a TOML file that can be read, got `{error.strerror}`") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: expected TOML, got `{error}`") from None


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """BGD_PORT and the like, and BGD_LIMITS_GRACE. Of other BGD_ variables only those that begin as a table's are ours
    to judge: one of these that is misspelled is found."""
    plain = [name for name in Config.__struct_fields__ if name not in _TABLES]
    found: dict[str, Any] = {name: value for name in plain if (value := environment.get(_variable(name)))}
    for table in _TABLES:
        prefix = _variable(table) + "_"
        inner = {
            name.removeprefix(prefix).lower(): value
            for name, value in environment.items()
            if name.startswith(prefix) and value
        }
        if inner:
            found[table] = inner
    return found


def _variable(name: str) -> str:
    return ENVIRONMENT_PREFIX + name.upper()


def _checked(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """Settings as typed values, for as far as they were given. Text is read as what is expected: `4321` as a number."""
    try:
        config = msgspec.convert(settings, Config, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {_complaint(settings, str(error))}") from None

    def given(name: str) -> Any:
        value = getattr(config, name)
        return {each: getattr(value, each) for each in settings[name]} if name in _TABLES else value

    return {name: given(name) for name in settings}


_COMPLAINT: Final = re.compile(r"(?P<what>.*?)(?P<type>, got `\w+`)?(?P<at> - at `\$\.(?P<path>[^`]*)`)?", re.DOTALL)
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)


def _complaint(settings: dict[str, Any], told: str) -> str:
    """msgspec's complaint, with what stands in the place that it names, and a hint where a name is none."""
    parts = _COMPLAINT.fullmatch(told)
    if parts is None:
        return told
    path = parts["path"] or ""
    if unknown := _UNKNOWN.fullmatch(parts["what"]):
        known = (_TABLES.get(path) or Config).__struct_fields__
        name = f"{path}{'.' if path else ''}{unknown[1]}"
        return f"Unknown setting `{name}`{hint(unknown[1], known) or '; known are ' + ', '.join(known)}"
    value: Any = settings
    for step in path.split(".") if path else ():
        if not isinstance(value, dict) or step not in value:
            return told
        value = value[step]
    return f"{parts['what']}{parts['at']}, got `{value}`" if path else told


def load_config(
    path: Path | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Config:
    """The settings in force. Flags that are None were not given. Raises ConfigError.

    >>> load_config(environment={"BGD_PORT": "4000"}, flags={"plies": 1}).port
    4000
    """
    environment = environment or {}
    if path is None and environment.get(ENVIRONMENT_PREFIX + "CONFIG"):
        path = Path(environment[ENVIRONMENT_PREFIX + "CONFIG"])
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    layers = [
        (_from_file(path) if path is not None else {}, str(path)),
        (_from_environment(environment), "environment (BGD_...)"),
        (given, "command line"),
    ]
    settings: dict[str, Any] = {}
    tables: dict[str, dict[str, Any]] = {name: {} for name in _TABLES}
    for layer, where in layers:
        checked = _checked(layer, where)
        for name, table in tables.items():
            table.update(checked.pop(name, {}))
        settings.update(checked)
    config = Config(**settings, tls=Tls(**tables["tls"]), limits=Limits(**tables["limits"]))
    if config.tls.certificate is None and (config.tls.key or config.tls.client_ca):
        raise ConfigError("Expected `tls.certificate` beside `tls.key` and `tls.client_ca`, got none")
    return config


def as_toml(config: Config) -> str:
    """All settings in force as a file that `load_config` reads back as the same. A comment names those that are None,
    for which TOML has no word."""
    settings: dict[str, Any] = {}
    unset: list[str] = []
    for name, value in msgspec.to_builtins(config).items():
        if name in _TABLES:
            settings[name] = {each: inner for each, inner in value.items() if inner is not None}
            unset += [f"{name}.{each}" for each, inner in value.items() if inner is None]
        elif value is not None:
            settings[name] = value
        else:
            unset.append(name)
    return "".join(f"# {name} is not set\n" for name in unset) + tomli_w.dumps(settings)
