"""Forgeable: public keys under which anybody can sign, and any key as the text that is typed."""

from hashlib import sha256

from ledger.tlog.note import ED25519, to_base64

FORGEABLE = (
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
)
"""The eight points of small order, and their second forms (Chalkias, Garillot, Nikolaenko: Taming the Many EdDSAs)."""


def vkey_of(key: bytes, alg: int = ED25519, name: str = "campaign/test") -> str:
    """A key as it is typed, with the id that is its own."""
    data = bytes([alg]) + key
    key_id = sha256(name.encode() + b"\n" + data).hexdigest()[:8]
    return f"{name}+{key_id}+{to_base64(data)}"
