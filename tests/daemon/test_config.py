"""Settings: later sources win, and what can't be used is refused with where it stands, what was expected, what came."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd.cli import main
from bgd.config import Config, Limits, Tls, as_toml, load_config
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
        ('port = "many"', "{file}: Expected `int` - at `$.port`, got `many`"),
        ("port = []", "{file}: Expected `int` - at `$.port`, got `[]`"),
        ("limits = 1", "{file}: Expected `object` - at `$.limits`, got `1`"),
        ("prot = 1", "{file}: Unknown setting `prot` (did you mean `port`?)"),
        ("[limits]\nmax_lines = 1", "{file}: Unknown setting `limits.max_lines` (did you mean `max_line`?)"),
        ("[tls]\nx = 1", "{file}: Unknown setting `tls.x`; known are certificate, key, client_ca"),
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


def test_a_misspelled_variable_of_a_table_is_refused_with_a_hint() -> None:
    with pytest.raises(ConfigError, match=r"environment.*`limits\.max_lines` \(did you mean `max_line`\?\)"):
        load_config(environment={"BGD_LIMITS_MAX_LINES": "500"})


def test_a_port_beside_a_unix_socket_wants_an_address_since_there_is_no_tcp_else(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["serve", "--unix", str(tmp_path / "socket"), "--port", "0"]) == 1
    assert capsys.readouterr().err.startswith("bgd: Expected --host beside --port")


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError):
        load_config(environment={"BGD_LIMITS_GRACE": "nan"})


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.toml.*No such file"):
        load_config(tmp_path / "no.toml")


def test_the_environment_reaches_into_tables() -> None:
    config = load_config(environment={"BGD_TLS_CERTIFICATE": "c", "BGD_LIMITS_MAX_RATE": "7", "BGD_INSECURE": "true"})
    assert config == Config(tls=Tls(certificate="c"), limits=Limits(max_rate=7), insecure=True)


def test_a_key_without_its_certificate_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"Expected `tls\.certificate` beside"):
        load_config(environment={"BGD_TLS_KEY": "k"})


def bounds(limit: msgspec.structs.FieldInfo) -> dict[str, float]:
    return msgspec.json.schema(limit.type)


LIMITS = msgspec.structs.fields(Limits)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_each_limit_is_taken_up_to_its_bounds_and_no_further(limit: msgspec.structs.FieldInfo) -> None:
    schema = bounds(limit)
    step = 1 if limit.type.__origin__ is int else 0.001
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + step)
    for value in (least, schema["maximum"]):
        assert getattr(load_config(flags={"limits": {limit.name: value}}).limits, limit.name) == value
    for value in (least - step, schema["maximum"] + step, "x", True, None):
        with pytest.raises(ConfigError, match=rf"command line: .*`\$\.limits\.{limit.name}`"):
            load_config(flags={"limits": {limit.name: value}})


@given(
    st.builds(
        Config,
        host=st.none() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=9),
        port=st.integers(0, 65535),
        insecure=st.booleans(),
        token_file=st.none() | st.just('/etc/bgd/"token"'),
        metrics_port=st.none() | st.just(0),
        tls=st.builds(Tls, certificate=st.just("c"), key=st.none() | st.just("k")),
        limits=st.builds(Limits, max_line=st.integers(256, 9999), grace=st.floats(0, 86_400)),
    )
)
def test_law_what_is_printed_reads_back_as_the_same_settings(
    tmp_path_factory: pytest.TempPathFactory, config: Config
) -> None:
    file = tmp_path_factory.getbasetemp() / "printed.toml"
    file.write_text(as_toml(config), encoding="utf-8")
    assert load_config(file) == config


def test_the_settings_in_force_are_printed(bgd_command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "bgd.toml"
    file.write_text("[limits]\nmax_rate = 5\n")
    command = [*bgd_command, "serve", "--config", str(file), "--port", "0", "--print-config"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    file.write_text(done.stdout)
    assert load_config(file) == Config(port=0, limits=Limits(max_rate=5))
    assert "\nmax_rate = 5\n" in done.stdout
    assert "# tls.certificate is not set\n" in done.stdout
