"""Certificates for tests, made on the spot."""

import datetime as dt
import ssl
import tempfile
from dataclasses import dataclass
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Signed:
    """A certificate and its key, in PEM."""

    certificate: bytes
    key: bytes

    def context(self, trusted: bytes = b"") -> ssl.SSLContext:
        """For a server that shows this and, where clients are `trusted`, wants to see theirs."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.certificate + self.key)
            file.flush()
            context.load_cert_chain(file.name)
        if trusted:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(cadata=trusted.decode())
        return context


class Authority:
    """Signs certificates for servers on this machine and for users."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("the authority")
        self.certificate = _pem(
            self._made(self._name, self._key, x509.BasicConstraints(ca=True, path_length=None))
        )

    def server(self, host: str = "127.0.0.1") -> Signed:
        names = x509.SubjectAlternativeName([_general(host)])
        return self._signed(_name("server"), names)

    def user(self, name: str) -> Signed:
        return self._signed(_name(name), x509.BasicConstraints(ca=False, path_length=None))

    def _signed(self, subject: x509.Name, extension: x509.ExtensionType) -> Signed:
        key = ec.generate_private_key(ec.SECP256R1())
        text = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return Signed(_pem(self._made(subject, key, extension)), text)

    def _made(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType
    ) -> x509.Certificate:
        now = dt.datetime.now(dt.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(hours=1))
            .add_extension(extension, critical=False)
            .sign(self._key, hashes.SHA256())
        )


def _general(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
