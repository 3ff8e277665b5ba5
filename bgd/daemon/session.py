"""What the daemon needs of the service."""

from __future__ import annotations

from typing import Protocol

from bgd.service.job import Errand, Job
from bgd.wire.messages import Reply, Request


class Session(Protocol):
    """What the requests of one connection mean (bgd.service.session)."""

    def handle(self, request: Request) -> Reply | Job | Errand:
        """The final reply, or the work that will give it. Raises BgdError."""
        ...
