"""A schema registry behind https: whom it and its clients trust, and what is refused."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from firesteel.errors import JobError, NotSupportedError, ValidationError
from firesteel.formats.avro.confluent import AvroConfluent
from firesteel.formats.base import Fields
from firesteel.types import sql
from tests.formats.schema_registry import running

pytest.importorskip("fastavro")

FIELDS = Fields(("c0",), (sql.INT,), ("c0",), (sql.INT,))
OF_CLIENT = "properties.schema.registry."
TRUST, KEY = "ssl.truststore.location", "ssl.keystore.location"
TRUST_PEM, KEY_PEM = (f"{OF_CLIENT}ssl.{store}.type" for store in ("truststore", "keystore"))
ANY_HOST = f"{OF_CLIENT}ssl.endpoint.identification.algorithm"


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key, encrypted, and its certificate, which trusts itself, for 127.0.0.1."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl, which makes the certificate")
    folder = tmp_path_factory.mktemp("certificates")
    key, certificate = folder / "key", folder / "certificate"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-days", "2", "-passout", "pass:s3cret"]
    more = ["-subj", "/CN=registry", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [*command, "-keyout", str(key), "-out", str(certificate), *more], check=True, capture_output=True
    )
    both = folder / "both.pem"
    both.write_text(key.read_text() + certificate.read_text())
    return both


@pytest.fixture(scope="module")
def url(pem: Path) -> Iterator[str]:
    """Of a registry that wants to know who asks."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, password="s3cret")
    context.load_verify_locations(pem)
    context.verify_mode = ssl.CERT_REQUIRED
    with running(context) as registry:
        yield registry.url


def ask(url: str, **options: str) -> None:
    rows = pa.table({"$kind": pa.array([0], pa.int8()), "f0": pa.array([1], pa.int32())})
    AvroConfluent().encoder(FIELDS, {"url": url, "subject": "s", **options}).encode(rows)


def test_both_sides_have_certificates(url: str, pem: Path) -> None:
    trusted = {TRUST: str(pem), TRUST_PEM: "PEM"}
    own = {KEY: str(pem), KEY_PEM: "PEM", f"{OF_CLIENT}ssl.key.password": "s3cret"}
    ask(url, **trusted, **own)
    older = {f"schema-registry.{TRUST}": str(pem), f"{OF_CLIENT}{KEY}": str(pem)}
    kinds = {TRUST_PEM: "PEM", KEY_PEM: "PEM", f"{OF_CLIENT}ssl.key.password": "s3cret"}
    ask(url, **older, **kinds)
    ask(url.replace("127.0.0.1", "localhost"), **trusted, **own, **{ANY_HOST: ""})
    with pytest.raises(JobError, match=r"The schema registry does not answer: .*CERTIFICATE_VERIFY_FAILED"):
        ask(url, **own)
    with pytest.raises(JobError, match=r"The schema registry does not answer: .*Hostname mismatch"):
        ask(url.replace("127.0.0.1", "localhost"), **trusted, **own)
    with pytest.raises(JobError, match=r"The schema registry does not answer"):
        ask(url, **trusted)


def test_files_that_cannot_be_used(pem: Path) -> None:
    for options, said in (
        (
            {TRUST: "/no/such.pem", TRUST_PEM: "PEM"},
            r"certificates in /no/such\.pem cannot be used: .*No such",
        ),
        ({KEY: str(pem), KEY_PEM: "PEM"}, r"certificates in .*both\.pem cannot be used"),
    ):
        with pytest.raises(JobError, match=said):
            ask("https://127.0.0.1:1", **options)


def test_what_is_refused() -> None:
    format_ = AvroConfluent()
    for options, said in (
        ({TRUST: "a.jks"}, r"The JKS file of 'avro-confluent\.ssl\.truststore\.location' cannot be read"),
        ({KEY: "a.p12", KEY_PEM: "PKCS12"}, r"The PKCS12 file of 'avro-confluent\.ssl\.keystore\.location'"),
        ({"properties.proxy.host": "x"}, r"'avro-confluent\.properties\.proxy\.host' is not supported"),
    ):
        with pytest.raises(NotSupportedError, match=said):
            format_.validate({"url": "x", **options}, ("a",), (sql.INT,))
    with pytest.raises(ValidationError, match="SSL trust store password cannot be specified for PEM format"):
        format_.validate(
            {"url": "x", TRUST: "a", TRUST_PEM: "PEM", "ssl.truststore.password": "p"}, ("a",), (sql.INT,)
        )
