"""The layers of the architecture hold: each contract of pyproject.toml, and the ones import-linter cannot say."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def modules(package: str) -> list[pathlib.Path]:
    return sorted((ROOT / "bgd" / package).rglob("*.py"))


def test_every_import_contract_is_kept() -> None:
    check = subprocess.run(
        [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert check.returncode == 0, check.stdout + check.stderr


@pytest.mark.parametrize("package", ["rules", "notation", "render", "kernels", "engine", "wire", "service"])
def test_only_the_daemon_and_the_client_are_asynchronous(package: str) -> None:
    for module in modules(package):
        tree = ast.parse(module.read_text())
        found = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith)]
        assert not found, f"{module}: async at lines {found}"


def test_importing_the_command_line_brings_no_numba() -> None:
    check = subprocess.run(
        [sys.executable, "-c", "import bgd.cli, bgd.service, sys; sys.exit('numba' in sys.modules)"], cwd=ROOT
    )
    assert check.returncode == 0, "numba takes half a second to import: hello must not wait for it"


@pytest.mark.parametrize("package", ["rules", "notation", "render", "engine", "wire", "service", "daemon"])
def test_no_handler_swallows_cancellation(package: str) -> None:
    for module in modules(package):
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                pytest.fail(f"{module}:{node.lineno}: a bare except")
