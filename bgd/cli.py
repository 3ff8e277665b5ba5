"""The command line. What a command needs is imported when it runs, so that all of them start at once."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bgd import __version__
from bgd.errors import BgdError, ConfigError

if TYPE_CHECKING:
    from bgd.config import Config

DIALECTS: Final = ("gnubg", "ubgi", "text", "json")
LOG_LEVELS: Final = ("debug", "info", "warning", "error")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bgd",
        description="Backgammon engine daemon. Without a command: serve.",
        epilog="Settings may also come from the environment (BGD_PORT, BGD_LIMITS_GRACE, ...) and from a TOML file.",
    )
    parser.add_argument("--version", action="version", version=f"bgd {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)

    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--config", type=Path, metavar="FILE", help="settings, as TOML")
    common.add_argument("--dialect", choices=DIALECTS, help="of every line; without it a peer's first line chooses")
    common.add_argument("--plies", type=int, metavar="N", help="of requests that don't say (0)")
    common.add_argument("--weights", metavar="FILE", help="weights to play with, instead of bgd's own")
    common.add_argument("--met", metavar="FILE", help="match equity table (XML), instead of Kazaross-XG2")
    common.add_argument("--log-level", choices=LOG_LEVELS, help="of what is written to stderr (info)")
    common.add_argument("--log-format", choices=("text", "json"), help="of what is written to stderr (text)")
    workers = argparse.ArgumentParser(add_help=False)
    workers.add_argument("--workers", type=int, metavar="N", help="threads that search (one a core)")

    serve = commands.add_parser("serve", parents=[common, workers], help="answer over TCP and Unix sockets")
    serve.add_argument("--host", help="address to listen on (the loopback addresses)")
    serve.add_argument("--port", type=int, help="TCP port, 0 for any free one (4321)")
    serve.add_argument("--unix", metavar="PATH", help="listen on a Unix socket, instead of TCP unless --host is given")
    serve.add_argument("--token-file", metavar="FILE", help="tokens, one a line, of which TCP peers give one by `auth`")
    serve.add_argument("--tls-certificate", metavar="FILE", help="speak TLS on TCP, with this certificate (PEM)")
    serve.add_argument("--tls-key", metavar="FILE", help="its private key, unless that is in the same file")
    serve.add_argument("--insecure", action="store_true", default=None, help="listen for others without token and TLS")
    serve.add_argument("--metrics-port", type=int, metavar="PORT", help="of 127.0.0.1, where Prometheus finds /metrics")
    serve.add_argument("--print-config", action="store_true", help="write the settings in force as TOML, and leave")

    commands.add_parser("stdio", parents=[common, workers], help="answer on stdin and stdout")

    ask = commands.add_parser("ask", parents=[common], help="answer the requests given, then leave")
    ask.add_argument(
        "requests", nargs="+", metavar="REQUEST", help="as a peer would send it: 'moves 31 position=start'"
    )

    # These read their own arguments.
    commands.add_parser("bench", add_help=False, help="measure how right and how quick the engine is")
    commands.add_parser("train", add_help=False, help="make the weights")
    commands.add_parser("duel", add_help=False, help="let two engines play each other")
    return parser


def _settings(arguments: argparse.Namespace) -> Config:
    from bgd.config import Config, load_config

    flags: dict[str, Any] = {
        name: value for name in Config.__struct_fields__ if (value := getattr(arguments, name, None)) is not None
    }
    if arguments.command == "serve" and arguments.port is not None and arguments.unix and arguments.host is None:
        raise ConfigError("Expected --host beside --port, since --unix alone is instead of TCP; got none")
    tls = {name: value for name in ("certificate", "key") if (value := getattr(arguments, f"tls_{name}", None))}
    return load_config(arguments.config, os.environ, {**flags, "tls": tls} if tls else flags)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Returns its exit status: 0 fine, 1 a failure that stderr explains; argparse leaves with 2."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version")):
        arguments.insert(0, "serve")
    if arguments[0] == "train":
        from bgd.train import main as train

        return train(arguments[1:])
    if arguments[0] == "bench":
        from bgd.bench import main as bench

        return bench(arguments[1:])
    if arguments[0] == "duel":
        from bgd.duel.command import main as duel

        return duel(arguments[1:])
    parsed = _parser().parse_args(arguments)
    from bgd.config import as_toml
    from bgd.logs import set_up

    try:
        config = _settings(parsed)
        if parsed.command == "serve" and parsed.print_config:
            print(as_toml(config), end="")
            return 0
        set_up(config.log_level, config.log_format)
        if parsed.command == "ask":
            return _ask(config, parsed.requests)
        return _serve(config, stdio=parsed.command == "stdio")
    except BgdError as error:
        print(f"bgd: {error.message}", file=sys.stderr)
        return 1


def _ask(config: Config, requests: Sequence[str]) -> int:
    from bgd.daemon.assembly import answer_here

    return 0 if answer_here(config, requests, sys.stdout.buffer) else 1


def _serve(config: Config, *, stdio: bool) -> int:
    from bgd.daemon.assembly import serve_here

    status, idle = serve_here(config, stdio=stdio)
    if not idle:
        # A thread is compiling kernels or ends a search. The interpreter would tear itself down under its feet.
        logging.shutdown()
        os._exit(status)
    return status
