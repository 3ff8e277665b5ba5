"""What `import bgd` gives: every name is there, is what it says, and costs nothing before it is used."""

from __future__ import annotations

import ast
import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import bgd

SOURCE = ast.parse(Path(bgd.__file__).read_text())


def promised() -> dict[str, object]:
    """Each public name as the type checkers see it: imported from its home."""
    [checked] = [node for node in SOURCE.body if isinstance(node, ast.If)]
    found = {}
    for node in checked.body:
        assert isinstance(node, ast.ImportFrom)
        assert node.module is not None
        for alias in node.names:
            found[alias.asname or alias.name] = getattr(importlib.import_module(node.module), alias.name)
    return found


def test_every_name_is_the_one_that_type_checkers_see() -> None:
    assert {name: getattr(bgd, name) for name in bgd.__all__} == promised()
    assert set(bgd.__all__) <= set(dir(bgd))


def test_a_name_that_is_not_there_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'flurb'"):
        bgd.flurb  # noqa: B018


def test_the_examples_of_the_library_run() -> None:
    result = doctest.testmod(bgd, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 10
    assert result.failed == 0


def test_importing_bgd_loads_nothing_else() -> None:
    code = "import bgd, sys; sys.exit(' '.join(name for name in sys.modules if name.startswith('bgd.')) or None)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_all_names_are_had_without_numba_and_numpy() -> None:
    code = "from bgd import *; import sys; sys.exit(bool({'numba', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
