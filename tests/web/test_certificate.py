"""The certificate that the program makes: names, dates, its place in the home, and real connections with it."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509 import verification
from cryptography.x509.oid import ExtendedKeyUsageOID

from at_page import Place
from certificate import certificate
from ledger.errors import NotMade
from web.certificate import CERTIFICATE_FILE, LIFETIME, RENEW_BEFORE_END, certificate_for

NAMES = ("127.0.0.1", "localhost", "table.local", "192.168.1.5")
NOW = datetime(2026, 11, 26, 19, 0, tzinfo=UTC)


def test_it_names_this_computer_alone_and_lasts_a_year(tmp_path: Path) -> None:
    made = x509.load_der_x509_certificate(certificate_for(str(tmp_path), NAMES, NOW).der)
    named = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(each.value) for each in named] == [*NAMES]
    assert (made.not_valid_before_utc, made.not_valid_after_utc) == (NOW - timedelta(days=1), NOW + LIFETIME)
    assert timedelta(days=825) >= LIFETIME, "Apple's phones accept no longer ones"


def test_its_file_is_for_its_owner_alone_and_nothing_else_remains(tmp_path: Path) -> None:
    home = tmp_path / "home"
    made = certificate_for(str(home), NAMES, NOW)
    assert made.file == str(home / CERTIFICATE_FILE)
    assert [(path.name, path.stat().st_mode & 0o777) for path in home.iterdir()] == [(CERTIFICATE_FILE, 0o600)]
    assert home.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("names", "later", "same"),
    [
        (NAMES, timedelta(0), True),
        (NAMES[:2], LIFETIME - RENEW_BEFORE_END, True),  # without --lan
        (NAMES, LIFETIME - RENEW_BEFORE_END + timedelta(seconds=1), False),
        (NAMES, -timedelta(days=2), False),  # the clock was wrong when it was made
        ((*NAMES[:3], "192.168.1.6"), timedelta(0), False),
        ((*NAMES, "other.local"), timedelta(0), False),
    ],
)
def test_it_is_made_again_if_the_names_of_this_computer_change_or_it_expires(
    tmp_path: Path, names: tuple[str, ...], later: timedelta, same: bool
) -> None:
    first = certificate_for(str(tmp_path), NAMES, NOW)
    second = certificate_for(str(tmp_path), names, NOW + later)
    assert (first == second) == same
    assert second == certificate_for(str(tmp_path), names, NOW + later)


def test_a_file_that_cannot_be_used_is_replaced(tmp_path: Path) -> None:
    made, other = certificate_for(str(tmp_path / "a"), NAMES, NOW), certificate_for(str(tmp_path / "b"), NAMES, NOW)
    file = Path(made.file)
    pem, _, key = file.read_text().partition("-----BEGIN PRIVATE")
    foreign = Path(other.file).read_text().partition("-----BEGIN PRIVATE")[0]
    certificate(tmp_path, both="locked.pem", password=b"secret")
    for stored in ("", pem, f"{foreign}-----BEGIN PRIVATE{key}", (tmp_path / "locked.pem").read_text()):
        file.write_text(stored)
        again = certificate_for(str(tmp_path / "a"), NAMES, NOW)
        assert again.der != made.der
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(again.file)


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / CERTIFICATE_FILE).mkdir()
    with pytest.raises(NotMade):
        certificate_for(str(tmp_path), NAMES, NOW)
    assert [path.name for path in tmp_path.iterdir()] == [CERTIFICATE_FILE]


def signed_with(file: str, name: str) -> x509.Certificate:
    """A certificate for a name, signed with a stolen key."""
    pem, key = Path(file).read_bytes(), ec.generate_private_key(ec.SECP256R1())
    stolen = serialization.load_pem_private_key(pem, None)
    assert isinstance(stolen, ec.EllipticCurvePrivateKey)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name(x509.load_pem_x509_certificate(pem).subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW)
        .not_valid_after(NOW + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(stolen.public_key()), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(stolen, hashes.SHA256())
    )


@pytest.mark.parametrize(("name", "trusted"), [("table.local", True), ("bank.example", False)])
def test_a_stolen_key_speaks_for_no_other_website(tmp_path: Path, name: str, trusted: bool) -> None:
    made = certificate_for(str(tmp_path), NAMES, NOW)
    store = verification.Store([x509.load_der_x509_certificate(made.der)])
    verifier = verification.PolicyBuilder().store(store).time(NOW).build_server_verifier(x509.DNSName(name))
    try:
        verifier.verify(signed_with(made.file, name), [])
    except verification.VerificationError:
        assert not trusted
    else:
        assert trusted


def test_a_page_without_a_certificate_of_the_program_has_none_to_send(place: Place) -> None:
    assert place.ask("nobody", "GET", "/certificate").body == b"a certificate"
    place.site.certificate = b""
    assert place.ask("nobody", "GET", "/certificate").status == 404
