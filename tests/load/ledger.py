"""What was asked, what came back, and what was wrong with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

EXAMPLES: Final = 20
"""Faults that are remembered in full."""


@dataclass
class Ledger:
    """Counts of one run. `requests` are those that somebody waited for an answer to; `abandoned` those whose asker left
    on purpose. `lost`, `doubled`, `wrong` and `broken` must stay 0; `faults` tells of the first ones."""

    requests: int = 0
    replies: int = 0
    abandoned: int = 0
    cancelled: int = 0
    progress: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0
    broken: int = 0
    """Visits that ended as no visit should: the connection was lost, or silent for too long."""
    visits: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)
    """Seconds, of plays at 0 plies asked one after another."""
    faults: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        return not (self.lost or self.doubled or self.wrong or self.broken)

    def fault(self, kind: str, told: str) -> None:
        setattr(self, kind, getattr(self, kind) + 1)
        if len(self.faults) < EXAMPLES:
            self.faults.append(f"{kind}: {told}")

    def judge(self, visit: str, expected: Sequence[bytes], received: bytes) -> None:
        """Replies that must have come in this order, and nothing else."""
        self.requests += len(expected)
        rest, before = received, b""
        for reply in expected:
            while before and not rest.startswith(reply) and rest.startswith(before):
                self.fault("doubled", f"{visit}: {before!r}")
                rest = rest[len(before) :]
            if rest.startswith(reply):
                rest = rest[len(reply) :]
                self.replies += 1
            elif not rest:
                self.fault("lost", f"{visit}: {reply!r}")
            else:
                lines = reply.count(b"\n")
                got = b"".join(rest.splitlines(keepends=True)[:lines])
                self.fault("wrong", f"{visit}: expected {reply!r}, got {got!r}")
                rest = rest[len(got) :]
            before = reply
        if rest:
            self.fault("doubled", f"{visit}: nobody asked for {rest[:300]!r}")

    def judge_beginning(self, visit: str, expected: bytes, received: bytes) -> None:
        """Of one who left early: what came until then."""
        if not expected.startswith(received):
            self.fault("wrong", f"{visit}: got {received[-300:]!r}")

    def judge_each(self, visit: str, allowed: dict[str, tuple[bytes, ...]], replies: list[tuple[str, bytes]]) -> None:
        """Replies in any order, by tag; each must be one of those allowed, as a whole or as a pattern for all of it."""
        self.requests += len(allowed)
        came = Counter(tag for tag, _ in replies)
        for tag in allowed:
            if not came[tag]:
                self.fault("lost", f"{visit}: #{tag} {allowed[tag]!r}")
        for tag, reply in replies:
            if tag not in allowed:
                self.fault("doubled", f"{visit}: nobody asked for {tag} {reply!r}")
            elif not any(reply == one or _matches(one, reply) for one in allowed[tag]):
                self.fault("wrong", f"{visit}: expected {allowed[tag]!r}, got {reply!r}")
            else:
                self.replies += 1
                self.cancelled += b"cancelled" in reply and b"error" in reply
        for tag, times in came.items():
            if tag in allowed and times > 1:
                self.replies -= times - 1
                self.fault("doubled", f"{visit}: {times} replies to #{tag}")


def _matches(pattern: bytes, reply: bytes) -> bool:
    return pattern.startswith(b"^") and re.fullmatch(pattern[1:], reply, re.DOTALL) is not None
