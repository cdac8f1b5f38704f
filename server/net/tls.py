"""The certificate for all ports, renewed without a restart.

One context serves every listener. Loading a renewed certificate into it changes what new
connections see; open connections keep the old one.
"""

import os  # noqa: TID251  # files in memory
import ssl
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path  # noqa: TID251  # the type; settings name the files
from typing import Final, NamedTuple, TypedDict

from ..config.annotations import WEB, values_of
from ..config.settings import Config, ConfigError, Tls

CLOSE_TIMEOUT_S: Final = 2.0


def context_of(tls: Tls) -> ssl.SSLContext | None:
    """Return the TLS context, or None without a certificate; raise `ConfigError` where it fails."""
    _check_authority(tls.ca)
    if tls.cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    load(context, tls)
    return context


def _check_authority(path: str | None) -> None:
    if path is None:
        return
    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:  # what SSL refuses is one as well
        raise ConfigError(f"tls.ca: {path}: {error.strerror}") from None


class HandshakeTimes(TypedDict, total=False):
    """Options of ``create_server``, in seconds."""

    ssl_handshake_timeout: float
    ssl_shutdown_timeout: float


def handshake_times(context: ssl.SSLContext | None, handshake_s: float) -> HandshakeTimes:
    """Return the options of ``create_server`` that bound TLS' handshakes; a plain port has none.

    asyncio's own bounds are a minute for the opening and half of one for the closing.
    """
    if context is None:
        return {}
    return {"ssl_handshake_timeout": handshake_s, "ssl_shutdown_timeout": CLOSE_TIMEOUT_S}


def load(context: ssl.SSLContext, tls: Tls) -> None:
    """Load the certificate and its key; on `ConfigError` the context keeps the old ones."""
    if tls.cert is None:
        raise ConfigError("tls.cert: TLS can't be switched off in a running server")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.cert, tls.key, _password)
        context.load_cert_chain(tls.cert, tls.key, _password)
    except ssl.SSLError as error:
        raise ConfigError(f"tls.cert: {tls.cert}: {_unusable(tls, error)}") from None
    except OSError as error:
        named = "tls.cert" if tls.key is None or not os.access(tls.cert, os.R_OK) else "tls.key"
        path = tls.cert if named == "tls.cert" else tls.key
        raise ConfigError(f"{named}: {path}: {error.strerror}") from None


def _password() -> str:
    """Refuse a key with a password: OpenSSL would ask for it on the terminal and wait."""
    raise ConfigError(
        "tls.key: the key has a password, which a server cannot type: openssl pkey -in KEY -out NEW"
    )


def _unusable(tls: Tls, error: ssl.SSLError) -> str:
    key = tls.key or "the same file"
    if error.reason == "KEY_VALUES_MISMATCH":
        return f"the key in {key} is that of another certificate"
    if error.reason is None:
        return f"it is no certificate in PEM, or {key} has no key in PEM"
    return f"no usable certificate: {error}"


class Pem(NamedTuple):
    """What the files of a certificate and of its key held when they were loaded."""

    cert: bytes
    key: bytes | None


def read(tls: Tls) -> Pem | None:
    """Return a certificate for processes that begin later; None without one, or off Linux."""
    if tls.cert is None or sys.platform != "linux":
        return None
    return Pem(Path(tls.cert).read_bytes(), Path(tls.key).read_bytes() if tls.key else None)


@contextmanager
def as_files(pem: Pem) -> Iterator[Tls]:
    """Keep a certificate in files of this process' memory, since OpenSSL loads nothing else."""
    with ExitStack() as files:

        def path_of(content: bytes) -> str:
            memory = files.enter_context(os.fdopen(os.memfd_create("tls"), "wb", 0))
            memory.write(content)
            return f"/proc/self/fd/{memory.fileno()}"

        yield Tls(cert=path_of(pem.cert), key=path_of(pem.key) if pem.key else None)


def stamp(config: Config) -> tuple[object, ...]:
    """Return what changes when a web process has to begin anew: settings, and the certificate."""
    files = [Path(path) for path in (config.tls.cert, config.tls.key) if path is not None]
    return *values_of(config, WEB), *(path.stat().st_mtime_ns for path in files if path.exists())
