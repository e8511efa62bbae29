"""A server speaks TLS at all its doors, to clients that trust its certificate."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.stories.processes import Process

from foveal import Settings, connect
from foveal.errors import FovealError, Invalid, StoreUnavailable, Unavailable
from foveal.model.server import Serving
from foveal.testing.servers import free_port


def _made(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate for this machine that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(who, who, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / f"{name}.pem", folder / f"{name}.key"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    return files


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    return _made(tmp_path, "server")


@pytest.fixture
def grpc_port() -> int:
    return free_port()


@pytest.fixture
def server(tmp_path: Path, certificate: tuple[Path, Path], grpc_port: int) -> Iterator[Process]:
    options = ("--certificate", str(certificate[0]), "--private-key", str(certificate[1]))
    with Process(str(tmp_path / "memory.db"), *options, "--grpc-port", str(grpc_port)) as running:
        yield running


def test_a_memory_is_reached_over_tls_at_every_door(
    server: Process, grpc_port: int, certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    assert any(f"https://127.0.0.1:{server.port}" in line for line in server.said)
    trusting = Settings(second_look="off", api_ca=str(certificate[0]))
    doors = (f"https://127.0.0.1:{server.port}", f"grpcs://127.0.0.1:{grpc_port}")
    for door in doors:
        with connect(door, ghost=False, settings=trusting) as memory:
            known = memory.write(f"said at {door[:5]}", actor_id="ada").id
        for other in doors:
            with connect(other, ghost=False, settings=trusting) as memory:
                assert memory.get(known, actor_id="ada").text == f"said at {door[:5]}"
    stranger = Settings(second_look="off", api_ca=str(_made(tmp_path, "stranger")[0]))
    for door in doors:
        with connect(door, ghost=False, settings=stranger) as memory, pytest.raises(Unavailable):
            memory.stats(actor_id="ada")


def test_who_does_not_speak_tls_learns_nothing(server: Process, grpc_port: int) -> None:
    with pytest.raises(httpx2.RequestError):
        httpx2.get(f"http://127.0.0.1:{server.port}/livez", timeout=60)
    with connect(f"grpc://127.0.0.1:{grpc_port}", ghost=False, settings=Settings(second_look="off")) as memory:
        with pytest.raises(StoreUnavailable):
            memory.stats(actor_id="ada")


def test_a_certificate_needs_its_key_and_what_is_trusted_is_a_file(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="go together"):
        Serving(certificate="server.pem")
    missing = Settings(second_look="off", api_ca=str(tmp_path / "nothing.pem"))
    for door in ("https://127.0.0.1:1", "grpcs://127.0.0.1:1"):
        with pytest.raises(FovealError, match=r"nothing\.pem"):
            connect(door, ghost=False, settings=missing)
