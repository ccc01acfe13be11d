"""The certificate that the program makes for this computer, and keeps in the home folder.

It is signed with its own key. A phone can install it as a certificate authority. Its name constraints then limit it to
this computer's names and addresses, so even a person who steals the key cannot pretend to be another website.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from os import path, replace
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ledger.errors import NotMade
from ledger.journal.new_files import write_synced
from ledger.trust.home import make_home
from ledger.values import Struct

CERTIFICATE_FILE = "certificate.pem"

LIFETIME = timedelta(days=365)
"""The time for which a new certificate is valid. Apple's phones accept at most 825 days."""

BACKDATED_BY = timedelta(days=1)
"""The age of a new certificate. The clocks of some phones are slow, and would refuse it otherwise."""

RENEW_BEFORE_END = timedelta(days=7)
"""A certificate with less time left than this is made again, so that it does not expire during an evening."""


class Certificate(Struct):
    """A certificate. `file` is the path of a file with the certificate and its key. `der` is only the certificate."""

    file: str
    der: bytes

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the certificate, as phones show it."""
        digest = hashes.Hash(hashes.SHA256())
        digest.update(self.der)
        return digest.finalize().hex(":").upper()


def certificate_for(folder: str, names: Iterable[str], now: datetime) -> Certificate:
    """Return the certificate in `folder`. Make a new one if it is missing, lacks one of the `names`, or expires soon.

    Raise `NotMade` if the new certificate cannot be written.
    """
    file, wanted = path.join(folder, CERTIFICATE_FILE), list(dict.fromkeys(map(_general_name, names)))
    certificate = _usable_certificate(file, wanted, now)
    if certificate is None:
        make_home(folder)
        try:
            certificate = _make(file, wanted, now)
        except OSError as error:
            raise NotMade(file, error) from None
    return Certificate(file=file, der=certificate.public_bytes(serialization.Encoding.DER))


def _usable_certificate(file: str, wanted: list[x509.GeneralName], now: datetime) -> x509.Certificate | None:
    """Return the certificate in a file, or `None` if it expires soon, or lacks its key or a `wanted` name."""
    with suppress(OSError, ValueError, TypeError, x509.ExtensionNotFound):
        with open(file, "rb") as stream:
            pem = stream.read()
        stored, key = x509.load_pem_x509_certificate(pem), serialization.load_pem_private_key(pem, None)
        names_in_certificate = stored.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        in_time = stored.not_valid_before_utc <= now <= stored.not_valid_after_utc - RENEW_BEFORE_END
        if in_time and set(wanted) <= set(names_in_certificate) and key.public_key() == stored.public_key():
            return stored
    return None


def _make(file: str, names: list[x509.GeneralName], now: datetime) -> x509.Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    day = now.astimezone(UTC).date().isoformat()
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Campaign table, {day}")])
    usage = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "crl_sign"), False
    )
    made = (
        x509.CertificateBuilder()
        .subject_name(issuer)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED_BY)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.NameConstraints([_constraint(name) for name in names], None), critical=True)
        .add_extension(
            x509.KeyUsage(
                digital_signature=True, key_cert_sign=True, encipher_only=False, decipher_only=False, **usage
            ),
            critical=True,
        )
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with TemporaryDirectory(dir=path.dirname(file)) as folder:
        part = path.join(folder, CERTIFICATE_FILE)
        write_synced(part, made.public_bytes(serialization.Encoding.PEM) + secret, 0o600)
        replace(part, file)
    return made


def _general_name(name: str) -> x509.GeneralName:
    with suppress(ValueError):
        return x509.IPAddress(ip_address(name))
    return x509.DNSName(name)


def _constraint(name: x509.GeneralName) -> x509.GeneralName:
    """Return the constraint that permits one name or address."""
    return x509.IPAddress(ip_network(name.value)) if isinstance(name, x509.IPAddress) else name
