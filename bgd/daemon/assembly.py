"""Putting a daemon together: settings, service, engine, and a loop to run them in."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Final

from bgd import __version__
from bgd.engine import Engine
from bgd.service.session import EngineState, Service

if TYPE_CHECKING:
    from bgd.config import Config


PATIENCE: Final = 1.0
"""Seconds for which `bgd ask` says nothing of loading the engine: usually it is there by then."""


SWITCH_INTERVAL: Final = 0.0005
"""Seconds after which a thread of plain Python lets another one go on, instead of 5 ms. The loop may have to wait so
long several times a request while a thread lists plays; kernels hold nobody up."""


def _load_engine(config: Config, progress: Callable[[str], None]) -> Engine:
    weights, met = (None if path is None else Path(path) for path in (config.weights, config.met))
    return Engine.load(weights, progress, met)


def _service(config: Config, engine_state: Callable[[], EngineState]) -> Service:
    limits = config.limits
    told = {
        "max_line": limits.max_line,
        "max_pending": limits.max_pending,
        "max_queued": limits.max_queued,
        "max_connections": limits.max_connections,
        "max_rate": limits.max_rate,
        "idle_timeout": round(limits.idle_timeout * 1000),
        "min_progress": round(limits.min_progress * 1000),
    }
    return Service(version=__version__, engine_state=engine_state, limits=told, plies=config.plies)


def serve_here(config: Config, *, stdio: bool) -> tuple[int, bool]:
    """Serve until told to leave. The exit status, and whether no thread of the daemon is at work any more.

    Raises ConfigError when it can't listen."""
    import trio

    from bgd.daemon import server
    from bgd.daemon import stdio as standard_streams
    from bgd.daemon.access import Access
    from bgd.daemon.engine import EngineHost
    from bgd.daemon.host import Host
    from bgd.daemon.memory import give_back_memory
    from bgd.daemon.notify import Manager

    give_back_memory()
    sys.setswitchinterval(SWITCH_INTERVAL)
    engines = EngineHost(partial(_load_engine, config), Engine.complete)
    service = _service(config, lambda: engines.state)
    if stdio:
        host = Host(config, engines, service.open_session)
        return trio.run(standard_streams.serve, host), host.idle
    host = Host(config, engines, service.open_session, access=Access(config), manager=Manager(os.environ))
    return trio.run(server.serve, host, config), host.idle


def answer_here(config: Config, requests: Sequence[str], out: BinaryIO) -> bool:
    """Answer `requests` in this process. Whether all replies were ok."""
    from bgd.daemon.ask import ask

    began = monotonic()

    def progress(line: str) -> None:
        if monotonic() - began > PATIENCE:
            print(f"bgd: {line}", file=sys.stderr)

    service = _service(config, lambda: "ready")
    return ask(
        requests,
        out,
        dialect=config.dialect or "text",
        open_session=service.open_session,
        load_engine=partial(_load_engine, config),
        progress=progress,
    )
