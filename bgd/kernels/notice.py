"""A notice that says what there is to do, for threads that are inside kernels and need no interpreter to read it.

Work is put up as a number of parts and one number more, which says what work it is. Who wants some takes parts by an
atomic subtraction from those that are left: many at a time while there are many, few at the end, so that all threads
are done at about the same time. The work stays what it is until all parts that were taken are done: whoever has taken
one can read the rest of the notice, and nothing before that counts. So a thread may look at the notice at any time,
and be held up at any place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from bgd.kernels.cache import inner_kernel

Notice = NDArray[np.int64]

# Entries. What is written often has a cache line (8 numbers) to itself, away from what is only read.
_LEFT, _DONE, _PARTS, _WHAT, _SHARES, _SIZE = 0, 8, 16, 17, 18, 24
MOST, FEWEST = 21, 3  # parts that are taken together: a position's rolls, about 0.1 ms, and a seventh of them
_SHARES_A_THREAD = 2  # of what is left, each time one is taken

_cgutils: Any = cgutils
_intrinsic: Any = intrinsic


def _changed(operation: str) -> Any:
    def typed(_: Any, notice: Any, entry: Any, number: Any) -> Any:
        if notice != types.Array(types.int64, 1, "C"):
            return None

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            return builder.atomic_rmw(operation, builder.gep(array.data, [arguments[1]]), arguments[2], "seq_cst")

        return types.int64(notice, types.int64, types.int64), code

    return typed


def _typed_add(context: Any, notice: Any, entry: Any, number: Any) -> Any:
    return _changed("add")(context, notice, entry, number)


def _typed_put(context: Any, notice: Any, entry: Any, number: Any) -> Any:
    return _changed("xchg")(context, notice, entry, number)


def _typed_read(_: Any, notice: Any, entry: Any) -> Any:
    if notice != types.Array(types.int64, 1, "C"):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load_atomic(builder.gep(array.data, [arguments[1]]), "seq_cst", 8)

    return types.int64(notice, types.int64), code


_add: Callable[[Notice, int, int], int] = _intrinsic(_typed_add)
"""Add to an entry that others change; returns what it was before."""

_put: Callable[[Notice, int, int], int] = _intrinsic(_typed_put)
"""Set such an entry; returns what it was before."""

_read: Callable[[Notice, int], int] = _intrinsic(_typed_read)
"""Such an entry as it is now."""


def notice_for(threads: int) -> Notice:
    """With nothing to do yet, for so many threads."""
    notice = np.zeros(_SIZE, np.int64)
    notice[_SHARES] = _SHARES_A_THREAD * threads
    return notice


@inner_kernel
def put_up(notice: Notice, what: int, parts: int) -> None:
    """There is work of so many parts. All that was taken before must be done."""
    notice[_WHAT] = what
    notice[_PARTS] = parts
    notice[_DONE] = 0
    _put(notice, _LEFT, parts)


@inner_kernel
def take(notice: Notice, looks: int) -> tuple[int, int]:
    """The first of the parts that the caller is to do next and the one after the last; equal when there are none, after
    so many looks, of a quarter of a nanosecond or more, for some to come."""
    while True:
        rest = _read(notice, _LEFT)
        if rest > 0:
            size = min(max(rest // notice[_SHARES], FEWEST), MOST)
            rest = _add(notice, _LEFT, -size)
            if rest > 0:
                parts = notice[_PARTS]
                return parts - rest, min(parts - rest + size, parts)
        if looks <= 0:
            return 0, 0
        looks -= 1


@inner_kernel
def what(notice: Notice) -> int:
    """What work it is of which the caller has taken parts."""
    number: int = notice[_WHAT]
    return number


@inner_kernel
def tell_done(notice: Notice, parts: int) -> None:
    """So many parts that were taken are done, and what was written can be read."""
    _add(notice, _DONE, parts)


@inner_kernel
def take_down(notice: Notice) -> int:
    """There is nothing to do any more; returns how many parts nobody took."""
    return max(_put(notice, _LEFT, 0), 0)


@inner_kernel
def all_done(notice: Notice, parts: int, looks: int) -> bool:
    """Whether so many parts are done, at the last of so many looks."""
    while looks > 0 and _read(notice, _DONE) < parts:
        looks -= 1
    return bool(_read(notice, _DONE) >= parts)


def left(notice: Notice) -> int:
    """How many parts there are to take."""
    return max(int(notice[_LEFT]), 0)
