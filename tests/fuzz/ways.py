"""Which conversations go new ways through the code: from one line to another of bgd's."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any, Final

import bgd
from tests.fuzz.mutate import seeds
from tests.fuzz.targets import TARGETS

_CODE: Final = str(Path(bgd.__file__).parent)
Way = tuple[str, int, int]
"""A file, and the numbers of two lines run one after the other in one call."""


def ways(target: str, data: bytes) -> set[Way]:
    """Those that the target goes with `data`; not what happens to be thrown away meanwhile, and says farewell."""
    gone: set[Way] = set()

    def enter(frame: FrameType, event: str, argument: object) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(_CODE):
            return None
        before = 0

        def follow(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal before
            gone.add((name, before, frame.f_lineno))
            before = frame.f_lineno
            return follow

        return follow

    collects = gc.isenabled()
    gc.disable()
    sys.settrace(enter)
    try:
        TARGETS[target](data)
    finally:
        sys.settrace(None)
        if collects:
            gc.enable()
    return gone


def new_ways(target: str, found: Iterable[bytes]) -> list[bytes]:
    """The shortest of `found` that together go all the ways which the seeds don't."""
    known = set().union(*(ways(target, data) for data in seeds(target)))
    kept = []
    for data in sorted(found, key=len):
        gone = ways(target, data)
        if not gone <= known:
            known |= gone
            kept.append(data)
    return kept
