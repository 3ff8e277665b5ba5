"""The one engine of a daemon, loaded in a thread while requests that don't need it are answered."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import trio

from bgd.errors import BgdError, InternalError

if TYPE_CHECKING:
    from bgd.engine import Engine

log = logging.getLogger(__name__)

Loader = Callable[[Callable[[str], None]], "Engine"]
"""Makes an engine; is given a function that takes lines of progress. Raises BgdError."""


class EngineHost:
    """`state` is loading, ready or failed; once ready, `engine` is there, once failed, `failure`."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._settled = trio.Event()
        self.state: Literal["ready", "loading", "failed"] = "loading"
        self.engine: Engine | None = None
        self.failure: BgdError | None = None

    async def load(self) -> None:
        """Load it. Returns when that is done; failing is a state, not an exception."""
        try:
            # Left behind when the daemon leaves meanwhile: compiling can't be stopped.
            self.engine = await trio.to_thread.run_sync(
                self._loader, self._progress, abandon_on_cancel=True, limiter=trio.CapacityLimiter(1)
            )
        except BgdError as error:
            log.error("the engine can't be loaded: %s", error.message)
            self.failure = error
        except Exception:
            log.exception("the engine can't be loaded")
            self.failure = InternalError("The engine can't be loaded; the daemon's log says why")
        # The compiler leaves some 10**5 objects that live as long as the process; without this every full collection
        # would walk through them all, and hold up the loop for tens of milliseconds.
        gc.freeze()
        self.state = "ready" if self.failure is None else "failed"
        self._settled.set()

    async def wait(self) -> Engine:
        """The engine, once it is loaded. Raises why it could not be."""
        await self._settled.wait()
        if self.engine is None:
            raise self.failure or InternalError("No engine")
        return self.engine

    @staticmethod
    def _progress(line: str) -> None:
        log.info("%s", line)
