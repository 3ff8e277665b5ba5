"""TLS: a real certificate, made for the test; the same bytes as without it, however they are cut and stuffed."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.testing
import trustme
from hypothesis import given, settings
from hypothesis import strategies as st

from bgd.config import Config, Limits, Tls
from bgd.daemon import server
from bgd.daemon.access import Access
from bgd.daemon.tls import TlsTransport, server_context
from bgd.daemon.transport import SocketTransport
from bgd.errors import ConfigError
from tests.conftest import DaemonProcess, LineSocket

from .test_server import a_host

BODY_LIMIT = 20


class Authority:
    """A certificate authority, and files for a server."""

    def __init__(self, folder: Path) -> None:
        self.ca = trustme.CA()
        self.certificate, self.key, self.both = (folder / name for name in ("certificate", "key", "both"))
        issued = self.ca.issue_cert("127.0.0.1", "localhost")
        for number, blob in enumerate(issued.cert_chain_pems):
            blob.write_to_path(self.certificate, append=number > 0)
        issued.private_key_pem.write_to_path(self.key)
        issued.private_key_and_cert_chain_pem.write_to_path(self.both)
        self.authorities = folder / "authorities"
        self.ca.cert_pem.write_to_path(self.authorities)
        for path in (self.key, self.both):
            path.chmod(0o600)

    @property
    def settings(self) -> Tls:
        return Tls(certificate=str(self.certificate), key=str(self.key))

    def client(self, *, certified: bool = False) -> ssl.SSLContext:
        context = ssl.create_default_context()
        self.ca.configure_trust(context)
        if certified:
            self.ca.issue_cert("client@example.org").configure_cert(context)
        return context


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls"))


# As a process


@pytest.fixture(scope="module")
def tls_daemon(authority: Authority) -> Iterator[DaemonProcess]:
    flags = ["--tls-certificate", str(authority.certificate), "--tls-key", str(authority.key)]
    with DaemonProcess.start("--host", "0.0.0.0", "--port", "0", *flags) as process:
        yield process
        assert process.stop() == 0


def connect(daemon: DaemonProcess, context: ssl.SSLContext) -> LineSocket:
    port = int(daemon.wait_for_log(r"listening on 0\.0\.0\.0:(\d+) with TLS$")[1])
    plain = socket.create_connection(("127.0.0.1", port), 60)
    return LineSocket(context.wrap_socket(plain, server_hostname="127.0.0.1", suppress_ragged_eofs=False))


def test_a_public_address_is_served_over_tls(tls_daemon: DaemonProcess, authority: Authority) -> None:
    with connect(tls_daemon, authority.client()) as client:
        assert client.ask("ping") == ["ok pong"]
        assert client.ask("best 31 position=start")[-1] == "ok 8/5 6/5"
        client.send(*["moves 11 position=start"] * 300)
        for _ in range(300):
            assert client.receive_final()[-1].startswith("ok ")


def test_quit_ends_with_tls_s_own_farewell(tls_daemon: DaemonProcess, authority: Authority) -> None:
    with connect(tls_daemon, authority.client()) as client:
        client.send("ping", "quit")
        assert client.receive_rest() == "ok pong\nok\n"  # a ragged end would raise


def test_who_does_not_trust_the_certificate_disturbs_nobody(tls_daemon: DaemonProcess, authority: Authority) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        connect(tls_daemon, ssl.create_default_context())
    tls_daemon.wait_for_log(r"127\.0\.0\.1:\d+: dropped: no TLS with it")
    with connect(tls_daemon, authority.client()) as client:
        assert client.ask("ping") == ["ok pong"]


def test_who_speaks_plain_text_gets_none_and_disturbs_nobody(tls_daemon: DaemonProcess, authority: Authority) -> None:
    port = int(tls_daemon.wait_for_log(r"listening on 0\.0\.0\.0:(\d+)")[1])
    with socket.create_connection(("127.0.0.1", port), 60) as plain:
        plain.sendall(b"ping\n")
        answer = b""
        with suppress(ConnectionResetError):
            while data := plain.recv(1000):
                answer += data
        assert b"pong" not in answer
    with connect(tls_daemon, authority.client()) as client:
        assert client.ask("ping") == ["ok pong"]


def test_a_daemon_that_leaves_waits_for_no_handshake(authority: Authority) -> None:
    environment = {"BGD_TLS_CERTIFICATE": str(authority.both), "BGD_LIMITS_HANDSHAKE_TIMEOUT": "3600"}
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", env=environment) as process:
        port = int(process.wait_for_log(r"listening on 127\.0\.0\.1:(\d+) with TLS$")[1])
        context = authority.client()
        with (
            socket.create_connection(("127.0.0.1", port), 60) as silent,
            LineSocket(
                context.wrap_socket(socket.create_connection(("127.0.0.1", port), 60), server_hostname="localhost")
            ) as client,
        ):
            assert client.ask("ping") == ["ok pong"]
            assert process.stop() == 0
            assert client.receive_rest() == ""
            assert silent.recv(1) == b""


# In one process


def while_serving(config: Config, scenario: Callable[[int], Awaitable[None]]) -> None:
    async def main() -> None:
        port = free_port()
        settings = Config(port=port, tls=config.tls, limits=config.limits)
        host = a_host(settings, Access(settings))
        with trio.fail_after(BODY_LIMIT):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(server.serve, host, settings)
                await trio.testing.wait_all_tasks_blocked()
                await scenario(port)
                nursery.cancel_scope.cancel()

    trio.run(main)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


async def open_tls(port: int, context: ssl.SSLContext) -> trio.SSLStream[trio.SocketStream]:
    return trio.SSLStream(await trio.open_tcp_stream("127.0.0.1", port), context, server_hostname="localhost")


async def ping(stream: trio.SSLStream[trio.SocketStream]) -> bytes:
    await stream.send_all(b"ping\n")
    return bytes(await stream.receive_some())


def test_the_key_may_be_in_the_file_of_the_certificate(authority: Authority) -> None:
    async def scenario(port: int) -> None:
        assert await ping(await open_tls(port, authority.client())) == b"ok pong\n"

    while_serving(Config(tls=Tls(certificate=str(authority.both))), scenario)


def test_a_client_without_a_certificate_is_not_let_in_where_one_is_wanted(authority: Authority) -> None:
    async def scenario(port: int) -> None:
        stranger = await open_tls(port, authority.client())
        with pytest.raises(trio.BrokenResourceError):
            await ping(stranger)
        assert await ping(await open_tls(port, authority.client(certified=True))) == b"ok pong\n"

    tls = Tls(certificate=str(authority.both), client_ca=str(authority.authorities))
    while_serving(Config(tls=tls), scenario)


def test_a_peer_that_finishes_no_handshake_is_dropped(authority: Authority) -> None:
    async def scenario(port: int) -> None:
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            assert await stream.receive_some() == b""

    while_serving(Config(tls=authority.settings, limits=Limits(handshake_timeout=0.05)), scenario)


def test_one_connection_too_many_is_just_closed(authority: Authority) -> None:
    async def scenario(port: int) -> None:
        first = await open_tls(port, authority.client())
        assert await ping(first) == b"ok pong\n"
        async with await trio.open_tcp_stream("127.0.0.1", port) as second:
            assert await second.receive_some() == b""

    while_serving(Config(tls=authority.settings, limits=Limits(max_connections=1)), scenario)


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 200_000), min_size=1, max_size=6),
    answers=st.lists(st.integers(1, 200_000), min_size=1, max_size=6),
)
def test_law_what_goes_in_at_one_end_comes_out_at_the_other(
    authority: Authority, sizes: list[int], answers: list[int]
) -> None:
    asked = b"".join(bytes([65 + number]) * size for number, size in enumerate(sizes))
    answered = bytearray(b"".join(bytes([97 + number]) * size for number, size in enumerate(answers)))
    context = server_context(authority.settings)
    assert context is not None

    async def main() -> None:
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        transport = TlsTransport(SocketTransport(ours), context)
        client = trio.SSLStream(
            trio.SocketStream(trio.socket.from_stdlib_socket(theirs)),
            authority.client(),
            server_hostname="localhost",
            https_compatible=True,
        )
        heard, said = bytearray(), bytearray()

        async def serve() -> None:
            await transport.handshake()
            async with trio.open_nursery() as both:
                both.start_soon(listen)
                both.start_soon(speak)
            assert transport.end_output()

        async def listen() -> None:
            while len(heard) < len(asked):
                heard.extend(transport.receive_now() or await transport.receive())

        async def speak() -> None:
            out = bytearray()
            rest = bytearray(answered)
            while rest or out:  # as a connection does: more is added behind what was not taken yet
                out += rest[:50_000]
                del rest[:50_000]
                del out[: transport.send_now(out)]
                if out:
                    del out[: await transport.send_some(out)]

        async def ask() -> None:
            await client.send_all(asked)

        async def hear() -> None:
            async for chunk in client:
                said.extend(chunk)

        with trio.fail_after(BODY_LIMIT):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(serve)
                await client.do_handshake()
                nursery.start_soon(ask)
                nursery.start_soon(hear)
        assert heard == asked
        assert said == answered
        transport.close()
        await trio.aclose_forcefully(client)

    trio.run(main)


# Settings that can't be used


def test_without_a_certificate_there_is_no_tls() -> None:
    assert server_context(Tls()) is None


def test_a_key_that_others_can_read_is_refused(authority: Authority, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(authority.key.read_bytes())
    key.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        server_context(Tls(certificate=str(authority.certificate), key=str(key)))


def test_a_key_of_another_certificate_is_refused(authority: Authority, tmp_path: Path) -> None:
    other = Authority(tmp_path)
    with pytest.raises(ConfigError, match="key values mismatch"):
        server_context(Tls(certificate=str(authority.certificate), key=str(other.key)))


def test_files_that_are_missing_or_no_pem_are_refused(authority: Authority, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        server_context(Tls(certificate=str(tmp_path / "none")))
    junk = tmp_path / "junk"
    junk.write_text("junk")
    junk.chmod(0o600)
    with pytest.raises(ConfigError, match="Expected a certificate and its key"):
        server_context(Tls(certificate=str(authority.certificate), key=str(junk)))
    with pytest.raises(ConfigError, match="Expected certificates in"):
        server_context(Tls(certificate=str(authority.both), client_ca=str(junk)))


def test_a_certificate_is_read_anew_and_a_bad_one_changes_nothing(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    access = Access(Config(tls=authority.settings))
    first = access.tls
    access.load()
    second = access.tls
    assert second is not first
    authority.key.write_text("junk")
    with pytest.raises(ConfigError):
        access.load()
    assert access.tls is second


def test_a_key_with_a_password_is_refused_instead_of_asked_for(authority: Authority, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        PrivateFormat,
        load_pem_private_key,
    )

    key = load_pem_private_key(authority.key.read_bytes(), None)
    locked = tmp_path / "key"
    locked.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))
    locked.chmod(0o600)
    with pytest.raises(ConfigError, match="not encrypted"):
        server_context(Tls(certificate=str(authority.certificate), key=str(locked)))
