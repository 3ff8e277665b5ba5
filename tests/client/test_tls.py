"""Both clients with a daemon that speaks TLS and wants a token."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trustme

from bgd.client import AsyncClient, Client, Disconnected
from bgd.errors import Unauthorized
from bgd.wire.messages import Moves, MovesReply
from tests.conftest import DaemonProcess

TOKEN = "2c26b46b68ffc68ff99b453c1d304134"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture(scope="module")
def guarded(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, token = folder / "certificate.pem", folder / "token"
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(certificate))
    write_secret(certificate, certificate.read_text())
    write_secret(token, TOKEN)
    with DaemonProcess.start(
        *("--host", "127.0.0.1", "--port", "0", "--tls-certificate", str(certificate), "--token-file", str(token))
    ) as daemon:
        yield daemon
        assert daemon.stop() == 0


def write_secret(path: Path, text: str) -> None:
    path.touch(0o600)
    path.chmod(0o600)
    path.write_text(text)


def test_a_blocking_client_is_served_and_reads_all_that_was_decrypted(
    guarded: DaemonProcess, tls: ssl.SSLContext
) -> None:
    with Client.connect("127.0.0.1", guarded.port, tls=tls, token=TOKEN) as client:
        pending = [client.submit(Moves(position="start", dice="66"), MovesReply) for _ in range(300)]
        assert [len(each.result().plays) for each in pending] == [11] * 300


def test_a_trio_client_is_served(guarded: DaemonProcess, tls: ssl.SSLContext) -> None:
    async def main() -> None:
        async with AsyncClient.connect("127.0.0.1", guarded.port, tls=tls, token=TOKEN) as client:
            assert len((await client.moves(position="start", dice="66")).plays) == 11

    trio.run(main)


def test_a_wrong_token_is_told(guarded: DaemonProcess, tls: ssl.SSLContext) -> None:
    with (
        Client.connect("127.0.0.1", guarded.port, tls=tls, token="x" * 32) as client,
        pytest.raises(Unauthorized, match="this server's token"),
    ):
        client.moves(position="start", dice="66")


def test_who_is_not_trusted_is_not_spoken_to(guarded: DaemonProcess) -> None:
    strangers = ssl.create_default_context()
    with pytest.raises(ssl.SSLCertVerificationError):
        Client.connect("127.0.0.1", guarded.port, tls=strangers, token=TOKEN)

    async def main() -> None:
        with pytest.raises(ConnectionError, match="CERTIFICATE_VERIFY_FAILED"):
            await AsyncClient.connect("127.0.0.1", guarded.port, tls=strangers).__aenter__()
        with pytest.raises(Disconnected, match="CERTIFICATE_VERIFY_FAILED"):
            await AsyncClient.connect("127.0.0.1", guarded.port, tls=strangers, patience=0).ping()

    trio.run(main)
