"""Where compiled kernels are kept, and the one place that decides how they are compiled.

numba's disk cache watches only the file of the function it compiles: when a callee in another module changes, the
stale machine code is loaded without a word. So every set of kernel sources, with the numba and Python that compile
them, gets a directory of its own, named by a hash; older ones are removed when a new one is made. BGD_CACHE_DIR
overrides the user's cache directory. Where nothing can be written the kernels are compiled anew in each process,
and one warning says so.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import platformdirs
from numba.extending import register_jitable

_Function = TypeVar("_Function", bound=Callable[..., Any])
_numba_config: Any = numba.config
_KEPT = 3  # newest compiled sets kept: a development checkout and an installed copy may alternate

# No `nnan`/`ninf`: a NaN that gets in must stay visible. The rest allows sums to be vectorised.
_FAST_MATH = {"reassoc", "nsz", "arcp", "contract", "afn"}


def cache_root() -> Path:
    """The directory for everything that can be made again: $BGD_CACHE_DIR, or the user's cache directory."""
    override = os.environ.get("BGD_CACHE_DIR")
    return Path(override) if override else Path(platformdirs.user_cache_dir("bgd", appauthor=False))


def source_digest() -> str:
    """Hex digest of all kernel sources and of the compiler and interpreter that would compile them."""
    digest = hashlib.sha256(f"numba {numba.__version__} python {sys.version} fast {sorted(_FAST_MATH)}".encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _prune(parent: Path, current: Path) -> None:
    """Remove all but the newest few sets beside `current`; another process may do the same at the same time."""
    try:
        others = sorted((p for p in parent.iterdir() if p.is_dir() and p != current), key=lambda p: p.stat().st_mtime)
    except OSError:
        return
    for old in others[: -(_KEPT - 1)]:
        shutil.rmtree(old, ignore_errors=True)


def _choose_directory() -> Path | None:
    """The directory of this set of kernels, made if need be; None, with a warning, where it can't be written."""
    directory = cache_root() / "kernels" / source_digest()
    fresh = not directory.exists()
    if _writable(directory):
        if fresh:
            _prune(directory.parent, directory)
        return directory
    warnings.warn(
        f"bgd can't write {directory}: kernels are compiled anew in every process (about 20 s);"
        " set BGD_CACHE_DIR to a directory that can be written",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


KERNEL_DIRECTORY: Path | None = _choose_directory()


def _compile(function: _Function, **options: Any) -> _Function:
    # numba reads CACHE_DIR when a function is decorated; it is put back so that other users of numba keep theirs.
    before = _numba_config.CACHE_DIR
    if KERNEL_DIRECTORY is not None:
        _numba_config.CACHE_DIR = str(KERNEL_DIRECTORY)
    try:
        compiled: _Function = numba.njit(
            cache=KERNEL_DIRECTORY is not None, nogil=True, error_model="numpy", **options
        )(function)
    finally:
        _numba_config.CACHE_DIR = before
    return compiled


_NO_COUNTS = {"_nrt": False}
# numba counts references to each array taken out of a tuple or sliced, two atomic instructions a time, and its pruning
# gives up in functions with several exits: half the time of an evaluation went there.


def kernel(function: _Function) -> _Function:
    """Compile a kernel: cached, without the interpreter lock, without zero-division checks. Float arithmetic is done as
    it is written, so that the same question has the same bytes whatever a kernel was compiled beside."""
    return _compile(function)


def learning_kernel(function: _Function) -> _Function:
    """Compile a kernel of training, of float sums whose order the compiler may choose: the same bytes on every call,
    not from one compiled set to the next. What play and rollouts use is never of this kind."""
    return _compile(function, fastmath=_FAST_MATH)


def plain_kernel(function: _Function) -> _Function:
    """For Python as it is, and compiled as a part of the kernels that call it: what is too little to be compiled for
    itself."""
    plain: _Function = register_jitable(function)
    return plain


def inner_kernel(function: _Function) -> _Function:
    """`kernel` without reference counts: for functions that make no arrays. Twice as fast where they are small."""
    return _compile(function, **_NO_COUNTS)


def embedded_kernel(function: _Function) -> _Function:
    """`inner_kernel` whose code becomes a part of each caller's: for what takes many arrays. An array is seven words,
    and a network with its memory 170, which a call would write to the stack each time."""
    return _compile(function, forceinline=True, **_NO_COUNTS)


def inlined_kernel(function: _Function) -> _Function:
    """The same before anything is compiled, which saves time where there are few callers. These must not count
    references either, and the function's arithmetic is that of each of them."""
    return _compile(function, inline="always", **_NO_COUNTS)
