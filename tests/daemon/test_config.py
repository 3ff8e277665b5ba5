"""Settings: later sources win, and what can't be used is refused with where it stands, what was expected, what came."""

from __future__ import annotations

from pathlib import Path

import pytest

from bgd.config import Config, Limits, load_config
from bgd.errors import ConfigError


def test_without_any_setting_the_defaults_hold() -> None:
    assert load_config() == Config(port=4321, limits=Limits(max_line=8192))


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "bgd.toml"
    file.write_text('port = 1\nplies = 1\nlog_level = "debug"\n[limits]\ngrace = 1\nlinger = 2\n')
    environment = {"BGD_PORT": "2", "BGD_PLIES": "2", "BGD_LIMITS_GRACE": "3.5"}
    config = load_config(file, environment, {"port": 3, "dialect": None})
    assert config == Config(port=3, plies=2, log_level="debug", limits=Limits(grace=3.5, linger=2.0))


def test_the_environment_may_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "bgd.toml"
    file.write_text('host = "::1"')
    assert load_config(environment={"BGD_CONFIG": str(file)}).host == "::1"


def test_variables_of_others_are_left_alone() -> None:
    assert load_config(environment={"BGD_CACHE_DIR": "/somewhere", "PORT": "9"}) == Config()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("port = 99999", "{file}: Expected `int` <= 65535 - at `$.port`, got `99999`"),
        ('port = "many"', "{file}: Expected `int`, got `str` - at `$.port`, got `many`"),
        ("prot = 1", "{file}: Object contains unknown field `prot`"),
        ("[limits]\ngrace = -1", "{file}: Expected `float` >= 0.0 - at `$.limits.grace`, got `-1`"),
        ('dialect = "fibs"', "{file}: Invalid enum value 'fibs' - at `$.dialect`, got `fibs`"),
        ("port =", "{file}: expected TOML, got `Invalid value (at end of document)`"),
    ],
)
def test_a_bad_setting_is_refused_with_its_place(tmp_path: Path, content: str, complaint: str) -> None:
    file = tmp_path / "bgd.toml"
    file.write_text(content)
    with pytest.raises(ConfigError) as error:
        load_config(file)
    assert error.value.message == complaint.format(file=file)


def test_a_bad_variable_is_refused_too() -> None:
    with pytest.raises(ConfigError, match=r"environment.*limits\.max_line.*`1`"):
        load_config(environment={"BGD_LIMITS_MAX_LINE": "1"})


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError):
        load_config(environment={"BGD_LIMITS_GRACE": "nan"})


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.toml.*No such file"):
        load_config(tmp_path / "no.toml")
