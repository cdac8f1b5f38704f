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
    if tls.ca is not None:
        trusting("tls.ca", tls.ca)
    if tls.cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    load(context, tls)
    return context


def trusting(name: str, path: str | None) -> ssl.SSLContext:
    """Return a client's context that trusts the authority of a setting, or the system's."""
    try:
        return ssl.create_default_context(cafile=path)
    except OSError as error:  # what SSL refuses is one as well
        raise ConfigError(f"{name}: {path}: {error.strerror}") from None


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


def load(context: ssl.SSLContext, tls: Tls, section: str = "tls") -> None:
    """Load the certificate and its key; on `ConfigError` the context keeps the old ones."""

    def password() -> str:
        """Refuse a key with a password: OpenSSL would ask for it on the terminal and wait."""
        raise ConfigError(
            f"{section}.key: the key has a password, which a server cannot type: openssl pkey"
            " -in KEY -out NEW"
        )

    if tls.cert is None:
        raise ConfigError("tls.cert: TLS can't be switched off in a running server")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.cert, tls.key, password)
        context.load_cert_chain(tls.cert, tls.key, password)
    except ssl.SSLError as error:
        raise ConfigError(f"{section}.cert: {tls.cert}: {_unusable(tls, error)}") from None
    except OSError as error:
        named = "cert" if tls.key is None or not os.access(tls.cert, os.R_OK) else "key"
        path = getattr(tls, named)
        raise ConfigError(f"{section}.{named}: {path}: {error.strerror}") from None


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
    return *values_of(config, WEB), *ages_of(config.tls.cert, config.tls.key)


def ages_of(*files: str | None) -> Iterator[int]:
    """Yield when each file that is named and there was last changed."""
    for file in map(Path, filter(None, files)):
        if file.exists():
            yield file.stat().st_mtime_ns
