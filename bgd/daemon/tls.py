"""TLS on a socket: the same bytes in and out, encrypted. Only this module knows of certificates and records.

What TLS itself wants to say (its handshake, its answers to key updates) goes out as it arises. A peer that closes
without TLS's farewell is taken to have ended its input, as one that does so over plain TCP: many clients never say it.
"""

from __future__ import annotations

import ssl
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from bgd.config import Tls
from bgd.daemon.auth import check_secret
from bgd.daemon.transport import READ_SIZE, SocketTransport
from bgd.errors import ConfigError

RECORD: Final = 16_384
"""Bytes of ours in one record, at most (RFC 8446, 5.1)."""


def server_context(settings: Tls) -> ssl.SSLContext | None:
    """What `settings` ask for; None when they ask for no TLS. Raises ConfigError."""
    if settings.certificate is None:
        return None
    certificate, key = settings.certificate, settings.key or settings.certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    check_secret(Path(key))
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except OSError as error:  # ssl.SSLError among them
        raise ConfigError(
            f"Expected a certificate and its key in `{certificate}` and `{key}`: {_reason(error)}"
        ) from None
    if settings.client_ca is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(settings.client_ca)
        except OSError as error:
            raise ConfigError(f"Expected certificates in `{settings.client_ca}`: {_reason(error)}") from None
    return context


def _no_password() -> str:
    """Without it OpenSSL would ask for one at the terminal."""
    raise ConfigError("Expected a private key that is not encrypted, got one that needs a password")


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "not PEM").lower().replace("_", " ")
    return (error.strerror or str(error)).lower()


class TlsTransport:
    """A transport over another. `handshake` comes first."""

    def __init__(self, under: SocketTransport, context: ssl.SSLContext) -> None:
        self._under = under
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_side=True)
        self._records = bytearray()  # encrypted, and not handed over yet
        self._waiting = False  # a task waits for room for them; nobody else may hand them over
        self._claimed = 0  # bytes that they hold, of what the caller is going to hand over again
        self._bare = False  # our half is closed; what still comes is thrown away unread

    async def handshake(self) -> None:
        """Agree on keys. Raises BrokenResourceError, also for a peer that speaks no TLS."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._send_records()
                await self._feed()
            except ssl.SSLError as error:
                self._push()  # the alert that tells the peer why
                raise trio.BrokenResourceError(f"no TLS with it: {_reason(error)}") from error
            else:
                await self._send_records()
                return

    async def _send_records(self) -> None:
        while not self._push():
            await self._make_room()

    async def _make_room(self) -> None:
        """Wait until some of the records are handed over; there must be some."""
        self._waiting = True
        try:
            sent = await self._under.send_some(self._records)
        finally:
            self._waiting = False
        del self._records[:sent]

    async def _feed(self) -> None:
        data = await self._under.receive()
        if data:
            self._in.write(data)
        else:
            self._in.write_eof()

    def _push(self) -> bool:
        """Hand over what is encrypted, without waiting. Whether that was all."""
        self._records += self._out.read()
        if self._records and not self._waiting:
            del self._records[: self._under.send_now(self._records)]
        return not self._records

    def _decrypt(self) -> bytes | None:
        """What has come in whole records; None when there is nothing."""
        try:
            return self._tls.read(READ_SIZE)
        except ssl.SSLWantReadError:
            return None
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return b""
        except ssl.SSLError as error:
            raise trio.BrokenResourceError(f"bad TLS: {_reason(error)}") from error
        finally:
            self._push()

    async def receive(self) -> bytes:
        if self._bare:
            return await self._under.receive()
        await trio.lowlevel.checkpoint()
        while (data := self._decrypt()) is None:
            await self._feed()
        return data

    def receive_now(self) -> bytes | None:
        while True:
            data = self._decrypt()
            if data is not None:
                return data
            more = self._under.receive_now()
            if more is None:
                return None
            if more:
                self._in.write(more)
            else:
                self._in.write_eof()

    def send_now(self, data: bytes | bytearray) -> int:
        """Bytes count as handed over when the record that holds them is. Until then `data` begins with them again."""
        sent = 0
        while self._push():
            sent += self._claimed
            self._claimed = 0
            piece = data[sent : sent + RECORD]
            if not piece:
                break
            try:
                self._claimed = self._tls.write(piece)
            except ssl.SSLError as error:
                raise trio.BrokenResourceError(f"bad TLS: {_reason(error)}") from error
        return sent

    async def send_some(self, data: bytes | bytearray) -> int:
        while not (sent := self.send_now(data)):
            await self._make_room()
        return sent

    async def wait_gone(self) -> None:
        await self._under.wait_gone()

    def end_output(self) -> bool:
        with suppress(ssl.SSLError):  # the peer has not said farewell yet, and need not
            self._tls.unwrap()
        self._push()
        self._bare = True
        return self._under.end_output()

    def close(self) -> None:
        self._under.close()
