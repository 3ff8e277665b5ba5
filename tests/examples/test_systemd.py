"""The units in examples/systemd are what systemd and bgd understand."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bgd.config import load_config

UNITS = Path(__file__).parents[2] / "examples" / "systemd"


def test_systemd_finds_nothing_wrong_with_them(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    program = tmp_path / "bgd"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS.iterdir():
        (tmp_path / unit.name).write_text(unit.read_text().replace("/usr/local/bin/bgd", str(program)))
    done = subprocess.run(
        ["systemd-analyze", "verify", *(str(tmp_path / unit.name) for unit in UNITS.iterdir())],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_settings_in_them_are_settings_of_bgd() -> None:
    unit = (UNITS / "bgd.service").read_text()
    given = dict(re.findall(r"(BGD_\w+)=(\S+)", unit))
    del given["BGD_CACHE_DIR"]
    config = load_config(environment=given)
    assert config.token_file == "%d/token"
    assert (config.tls.certificate, config.tls.key) == ("%d/certificate.pem", "%d/key.pem")
    assert set(given) == {"BGD_TOKEN_FILE", "BGD_TLS_CERTIFICATE", "BGD_TLS_KEY"}


def test_systemd_waits_longer_than_the_daemon_takes_to_leave() -> None:
    limits = load_config().limits
    stop = int(re.search(r"^TimeoutStopSec=(\d+)$", (UNITS / "bgd.service").read_text(), re.MULTILINE)[1])
    assert stop > limits.grace + limits.linger
