"""Policies: the logs that a table trusts, and the witnesses that must sign a checkpoint (C2SP tlog-policy)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256

from ledger.errors import Malformed, Unproven, quoted
from ledger.tlog.note import (
    COSIGNATURE,
    ED25519,
    UINT64,
    Vkey,
    from_decimal,
    note_text,
    open_note,
    parse_signature,
    parse_vkey,
    to_base64,
)
from ledger.values import Struct

AGREEMENT_HEADER = "campaign-ledger/policy-agreement/v1"
"""The first line of a text in which a witness agrees to a policy."""

NO_WITNESSES = "none"
"""The quorum of a policy that needs no witnesses."""

_FORBIDDEN_BYTE_PATTERN = re.compile(rb"[^\t\n\x20-\x7e\x80-\xff]")
_ITEM_PATTERN = re.compile("[^ \t]+")


class Group(Struct):
    """A group of witnesses and other groups. At least `threshold` members must sign a checkpoint."""

    threshold: int
    members: tuple[str, ...]


class Policy(Struct):
    """The logs and witnesses that a table trusts. `str` gives the lines of the policy.

    Witnesses and groups are in the order of their lines. `urls` maps a key, as text, to an address. In names, bytes
    that are not UTF-8 are stored as surrogates.
    """

    logs: tuple[Vkey, ...]
    witnesses: dict[str, Vkey]
    groups: dict[str, Group]
    quorum: str
    urls: dict[str, str]

    def __str__(self) -> str:
        lines = [
            *(f"log {self._key(vkey)}" for vkey in self.logs),
            *(f"witness {name} {self._key(vkey)}" for name, vkey in self.witnesses.items()),
            *(f"group {name} {group.threshold} {' '.join(group.members)}" for name, group in self.groups.items()),
            f"quorum {self.quorum}",
        ]
        return "".join(f"{line}\n" for line in lines)

    def _key(self, vkey: Vkey) -> str:
        return " ".join([str(vkey), *(url for key, url in self.urls.items() if key == str(vkey))])

    def names_of_signers(self, verified: Iterable[tuple[str, str]]) -> set[str]:
        """Return the witnesses whose key is in `verified`, by their names in the policy.

        `verified` has the name and the id of each key.
        """
        keys = set(verified)
        return {name for name, vkey in self.witnesses.items() if (vkey.name, vkey.key_id) in keys}

    def quorum_text(self) -> str:
        """Describe the witnesses that must sign: `2 of ana, ben`, `ana` or `nobody`."""
        group = self.groups.get(self.quorum)
        if group is not None:
            return f"{group.threshold} of {', '.join(group.members)}"
        return "nobody" if self.quorum == NO_WITNESSES else self.quorum

    def differs_from(self, old: Policy) -> bool:
        """Return True if the witnesses, the groups or the quorum differ from an old policy."""
        return (old.witnesses, old.groups, old.quorum) != (self.witnesses, self.groups, self.quorum)

    def witnesses_with_new_keys(self, old: Policy) -> list[str]:
        """Return the names of witnesses whose key was different in an old policy."""
        return [name for name, vkey in self.witnesses.items() if old.witnesses.get(name, vkey) != vkey]

    def is_satisfied_by(self, names: Iterable[str]) -> bool:
        """Return True if the signatures of these witnesses are enough. Ignore unknown names."""
        signed = {NO_WITNESSES, *(self.witnesses.keys() & set(names))}
        for name, group in self.groups.items():
            if len(signed.intersection(group.members)) >= group.threshold:
                signed.add(name)
        return self.quorum in signed


def parse_policy(text: str | bytes) -> Policy:
    """Parse a policy. Raise `Malformed` with the number of the wrong line."""
    try:
        octets = text if isinstance(text, bytes) else text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise Malformed("This is not UTF-8 text, so some of its characters cannot be read.") from None
    parser = _PolicyParser()
    for number, line in enumerate(octets.split(b"\n"), 1):
        try:
            parser.line(line)
        except Malformed as refused:
            raise Malformed(f"Line {number} of the policy: {refused.sentence}") from None
    return parser.policy()


class _PolicyParser:
    def __init__(self) -> None:
        self.logs: list[Vkey] = []
        self.witnesses: dict[str, Vkey] = {}
        self.groups: dict[str, Group] = {}
        self.quorums: list[str] = []
        self.urls: dict[str, str] = {}
        self.members: set[str] = set()

    def policy(self) -> Policy:
        if not self.quorums:
            raise Malformed("The policy has no quorum line.")
        return Policy(
            logs=tuple(self.logs), witnesses=self.witnesses, groups=self.groups, quorum=self.quorums[0], urls=self.urls
        )

    def line(self, octets: bytes) -> None:
        wrong = _FORBIDDEN_BYTE_PATTERN.search(octets)
        if wrong:
            raise Malformed(f"This line contains a character that is not allowed (byte 0x{wrong[0].hex()}).")
        items = _ITEM_PATTERN.findall(octets.decode(errors="surrogateescape"))
        if not items or items[0].startswith("#"):
            return
        match items:
            case ["log", vkey, *url]:
                self.logs.append(self._key(vkey, url, ED25519, self.logs))
            case ["witness", name, vkey, *url]:
                self._check_is_free(name)
                self.witnesses[name] = self._key(vkey, url, COSIGNATURE, self.witnesses.values())
            case ["group", name, rule, _, *_]:
                self._check_is_free(name)
                self.groups[name] = self._group(rule, tuple(items[3:]))
            case ["quorum", name]:
                self._quorum(name)
            case _:
                raise Malformed(f"{quoted(' '.join(items))} is not a log, witness, group or quorum line.")

    def _key(self, text: str, url: list[str], alg: int, others: Iterable[Vkey]) -> Vkey:
        vkey = parse_vkey(text)
        if vkey.alg != alg:
            raise Malformed(f"{quoted(text)} is the wrong kind of key for this line.")
        if vkey.key in {other.key for other in others}:
            raise Malformed(f"The policy lists the key {quoted(text)} twice.")
        if len(url) > 1:
            raise Malformed(f"Remove {quoted(url[1])}. The address must be the last part of the line.")
        self.urls.update({str(vkey): address for address in url})
        return vkey

    def _group(self, rule: str, members: tuple[str, ...]) -> Group:
        for member in members:
            if not self._is_named(member):
                raise Malformed(f"No line above defines {quoted(member)}.")
            if member in self.members:
                raise Malformed(f"{quoted(member)} is already in a group.")
            self.members.add(member)
        shorthand = {"all": len(members), "any": 1}
        threshold = shorthand[rule] if rule in shorthand else from_decimal(rule, UINT64)
        if not 1 <= threshold <= len(members):
            most = len(members)
            raise Malformed(f"This group must require at least 1 and at most {most} signatures, not {threshold}.")
        return Group(threshold=threshold, members=members)

    def _quorum(self, name: str) -> None:
        if self.quorums:
            raise Malformed("The policy already has a quorum line.")
        if name != NO_WITNESSES and not self._is_named(name):
            raise Malformed(f"No line above defines {quoted(name)}.")
        self.quorums.append(name)

    def _is_named(self, name: str) -> bool:
        return name in self.witnesses or name in self.groups

    def _check_is_free(self, name: str) -> None:
        if name == NO_WITNESSES or self._is_named(name):
            raise Malformed(f"The name {quoted(name)} is already taken.")


def policy_text(key: str, witnesses: Mapping[str, str], quorum: int | None) -> str:
    """Return the text of a policy: the log's key, the witnesses with their keys, and how many must sign (None: all)."""
    lines = [f"log {key}", *(f"witness {name} {vkey}" for name, vkey in witnesses.items())]
    lines += [f"group players {quorum or 'all'} {' '.join(witnesses)}", "quorum players"]
    return "".join(f"{line}\n" for line in lines)


def agreement_text(origin: str, number: int, policy: Policy, old: Policy) -> str:
    """Return the text that a witness signs to agree that `policy` (set in entry `number`) replaces `old`.

    The text contains the hashes of both policies, so an agreement is valid for one change only. The second line is
    never a number, so nobody can mistake the text for a checkpoint.
    """
    lines = [AGREEMENT_HEADER, f"origin {origin}", f"entry {number}"]
    lines += [f"policy {_digest(policy)}", f"replaces {_digest(old)}"]
    return note_text("".join(f"{line}\n" for line in lines))


def _digest(policy: Policy) -> str:
    return to_base64(sha256(str(policy).encode(errors="surrogateescape")).digest())


def agreeing_witness(old: Policy, text: str, line: str) -> str | None:
    """Return the name of the old policy's witness who signed `text` with this line, or None if no witness did."""
    signed = parse_signature(line)
    for name, vkey in old.witnesses.items():
        if (vkey.name, vkey.key_id) == (signed.name, signed.key_id):
            try:
                open_note(f"{text}\n{signed}", [vkey])
            except Unproven:
                return None
            return name
    return None
