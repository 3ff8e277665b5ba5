"""Compiled kernels are kept where they can be, and missed without harm where they can't."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from bgd import kernels
from bgd.kernels import cache

CODE = "import bgd.kernels.cache as c; print(c.KERNEL_DIRECTORY)"


def run(directory: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"BGD_CACHE_DIR": str(directory)}
    return subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)


def test_the_directory_can_be_chosen_and_is_named_by_the_sources(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.stdout.strip() == str(tmp_path / "kernels" / cache.source_digest())
    assert done.stderr == ""


def test_a_directory_that_cannot_be_written_is_said_once_and_done_without(tmp_path: Path) -> None:
    (tmp_path / "kernels").write_text("a file where a directory should be")
    done = run(tmp_path)
    assert done.stdout.strip() == "None"
    assert done.stderr.count("BGD_CACHE_DIR") == 1


def test_old_sets_are_removed_when_a_new_one_is_made(tmp_path: Path) -> None:
    for age, name in enumerate(["newest", "newer", "old", "oldest"]):
        directory = tmp_path / "kernels" / name
        directory.mkdir(parents=True)
        os.utime(directory, (1_000_000 - age, 1_000_000 - age))
    run(tmp_path)
    assert {path.name for path in (tmp_path / "kernels").iterdir()} == {cache.source_digest(), "newest", "newer"}


def test_other_users_of_numba_keep_their_cache_directory() -> None:
    import numba

    before = numba.config.CACHE_DIR

    @cache.kernel
    def doubled(number: int) -> int:
        return 2 * number

    assert doubled(21) == 42
    assert before == numba.config.CACHE_DIR


def test_only_what_learns_lets_the_compiler_choose_the_order_of_sums() -> None:
    # Elsewhere the bytes of an answer would depend on what a kernel was compiled beside.
    for found in iter_modules(kernels.__path__, "bgd.kernels."):
        for value in vars(import_module(found.name)).values():
            if getattr(value, "targetoptions", {}).get("fastmath"):
                assert value.py_func.__module__ in {"bgd.kernels.fit", "bgd.kernels.selfplay"}, value
