"""The one engine of a daemon, loaded in a thread while requests that don't need it are answered.

First comes what answers at 0 plies, then the rest: kernels that must be compiled take half a minute, and who wants a
play has it before."""

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


Finisher = Callable[["Engine", Callable[[str], None]], None]
"""Makes the rest of it ready. Raises nothing that would keep the engine from answering, be it later."""


class EngineHost:
    """`state` is loading, ready or failed; once ready, `engine` is there, to be asked at 0 plies, once failed,
    `failure`."""

    def __init__(self, loader: Loader, finisher: Finisher | None = None) -> None:
        """`finisher` None: what was loaded is complete."""
        self._loader = loader
        self._finisher = finisher
        self._settled = trio.Event()
        self._complete = trio.Event()
        self.state: Literal["ready", "loading", "failed"] = "loading"
        self.engine: Engine | None = None
        self.failure: BgdError | None = None

    async def load(self) -> None:
        """Load all of it. Returns when that is done; failing is a state, not an exception."""
        # Threads are left behind when the daemon leaves meanwhile: compiling can't be stopped.
        thread = trio.CapacityLimiter(1)
        try:
            self.engine = await trio.to_thread.run_sync(
                self._loader, self._progress, abandon_on_cancel=True, limiter=thread
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
        if self.engine is not None and self._finisher is not None:
            try:
                await trio.to_thread.run_sync(
                    self._finisher, self.engine, self._progress, abandon_on_cancel=True, limiter=thread
                )
            except Exception:
                log.exception("not all of the engine could be made ready")
            gc.freeze()
        self._complete.set()

    @property
    def at_work(self) -> bool:
        """Whether a thread is at it."""
        return not self._complete.is_set()

    async def wait_for_all(self) -> Engine:
        """The engine, once it is complete. Raises why it could not be loaded."""
        engine = await self.wait()
        await self._complete.wait()
        return engine

    async def wait(self) -> Engine:
        """The engine, once it can be asked at 0 plies. Raises why it could not be loaded."""
        await self._settled.wait()
        if self.engine is None:
            raise self.failure or InternalError("No engine")
        return self.engine

    @staticmethod
    def _progress(line: str) -> None:
        log.info("%s", line)
