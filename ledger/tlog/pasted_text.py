"""Parsers for heads, signature lines and keys in a text that a chat or mail program changed.

Such a text may be indented, wrapped or quoted. Empty lines may be missing or doubled, and other dashes and spaces may
replace the original ones. The parsers find the parts of a head and restore their exact form. They verify nothing: the
caller checks the signatures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ledger.errors import Malformed
from ledger.tlog.checkpoint import parse_checkpoint
from ledger.tlog.note import DASH, INT64, SIGNATURE_BYTES, TIME_BYTES, from_decimal, parse_signature, read_note
from ledger.tlog.policy import Policy, parse_policy
from ledger.tlog.witness import OLD_PREFIX

LINE_END_PATTERN = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
INVISIBLE_PATTERN = re.compile("[\xad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
QUOTE_MARKS_PATTERN = re.compile(r"^\s*(?:>\s?)*\s*")

BASE64_CHAR = "[A-Za-z0-9+/]"
HASH_PATTERN = f"(?:{BASE64_CHAR} ?){{43}}="
DASH_PATTERN = "(?:[\u2014\u2013\u2015\u2012\u2212\u2010\u2011\u2022*]|-{1,3})"

SIGNATURE_LENGTHS = {SIGNATURE_BYTES, TIME_BYTES + SIGNATURE_BYTES}

MOST_EXTENSIONS = 100
"""The maximum number of lines after the root of a head. Without a limit, the search takes quadratic time."""

_SIGNATURE_PATTERN = re.compile(
    # 76 bytes for a cosignature, 68 for the author's signature; a space in them comes from a wrapped line
    rf"(?<!\S){DASH_PATTERN} ?([^\s+]+) ((?:{BASE64_CHAR} ?){{102}}==|(?:{BASE64_CHAR} ?){{91}}=)(?![A-Za-z0-9+/=])"
)
_HEAD_PATTERN = re.compile(rf"(?<!\S)(\S+) ([0-9]+) ({HASH_PATTERN})(?= )")
_PROOF_PATTERN = re.compile(rf"(?<!\S)old ([0-9]+)((?: {HASH_PATTERN})*)(?!\S)")
_VKEY_PATTERN = re.compile(
    rf"(?<!\S)([^\s+]+\+[0-9a-f]{{8}}\+)((?:{BASE64_CHAR} ?){{43}}{BASE64_CHAR})(?![A-Za-z0-9+/=])"
)
_EXACT_REQUEST_PATTERN = re.compile(
    rf"(?:^old [0-9]+\n(?:{BASE64_CHAR}{{43}}=\n)*\n)*"  # proofs
    rf"^.+\n[0-9]+\n{BASE64_CHAR}{{43}}=\n(?:.+\n){{0,{MOST_EXTENSIONS}}}\n(?:{DASH}.+\n)+",
    re.MULTILINE,
)
_EXACT_SIGNATURE_PATTERN = re.compile(rf"^{DASH}.+\n", re.MULTILINE)
_POLICY_TITLE_PATTERN = re.compile("policy ([1-9][0-9]*)")
_POLICY_KEYWORD_PATTERN = re.compile("(?:log|witness|group|quorum)(?: |$)")
_QUORUM_PATTERN = re.compile(r"quorum \S+")
_PART_OF_KEY_PATTERN = re.compile(rf"\S+\+[0-9a-f]{{8}}\+{BASE64_CHAR}{{0,43}}")


def newest_request(text: str) -> str | None:
    """Return the request in a text: the largest signed head, and the proofs before it. Return None without a head.

    If a head can be read in several ways, prefer the reading that the head's own log signed, then the one with
    more signature lines, then the one that appears in the text without changes.
    """
    candidates = [*(match.group() for match in _EXACT_REQUEST_PATTERN.finditer(text)), *_rebuilt_requests(text)]
    readable = [(rank, request) for request in candidates for rank in _rank(request)]
    if readable:
        return max(readable, key=lambda each: each[0])[1]
    return candidates[0] if candidates else None


def signature_lines(text: str) -> list[str]:
    """Return the signature lines in a text, in order and without duplicates."""
    matches = _SIGNATURE_PATTERN.findall(_one_line(text))
    rebuilt = [str(parse_signature(f"{DASH}{name} {_without_spaces(blob)}")) for name, blob in matches]
    if rebuilt:
        return [*dict.fromkeys(rebuilt)]
    return _EXACT_SIGNATURE_PATTERN.findall(text)


def vkey_text(text: str) -> str | None:
    """Find the first public key in a text; None if there isn't one."""
    match = _VKEY_PATTERN.search(_one_line(text))
    return None if match is None else match[1] + _without_spaces(match[2])


def policies_sent(text: str) -> list[tuple[int, Policy]]:
    """Return the policies in a request, each with its entry. Raise `Malformed` for an invalid policy."""
    blocks: list[tuple[int, list[str]]] = []
    reading = False
    for line in filter(None, _plain_lines(text)):
        if match := _POLICY_TITLE_PATTERN.fullmatch(line):
            blocks.append((from_decimal(match[1], INT64), []))
            reading = True
        elif reading:
            lines = blocks[-1][1]
            if not lines or _POLICY_KEYWORD_PATTERN.match(line):
                lines.append(line)
            else:  # the rest of a wrapped line
                part = _PART_OF_KEY_PATTERN.fullmatch(lines[-1].rpartition(" ")[2])
                lines[-1] += line if part else f" {line}"
            reading = not _QUORUM_PATTERN.fullmatch(lines[-1])
    return [(seq, _policy(seq, lines)) for seq, lines in blocks if lines and _QUORUM_PATTERN.fullmatch(lines[-1])]


def _policy(seq: int, lines: Sequence[str]) -> Policy:
    try:
        return parse_policy("".join(f"{line}\n" for line in lines))
    except Malformed as wrong:
        raise Malformed(
            f"In this text, entry #{seq} has a list of witnesses (policy) that cannot be read. {wrong.sentence}"
        ) from None


def _rebuilt_requests(text: str) -> Iterator[str]:
    line, end = _one_line(text), 0
    for match in _HEAD_PATTERN.finditer(line):
        origin, size, root = match.groups()
        signed: list[str] = []
        after = match.end()
        while signature := _SIGNATURE_PATTERN.match(line, after + 1):
            signed.append(f"{DASH}{signature[1]} {_without_spaces(signature[2])}\n")
            after = signature.end()
        if signed:
            proofs = (_proof(*old.groups()) for old in _PROOF_PATTERN.finditer(line, end, match.start()))
            head = f"{origin}\n{size}\n{_without_spaces(root)}\n\n"
            yield "".join(["".join(proofs), head, *signed])
            end = after


def split_request(request: str) -> list[str]:
    """Split a request into its proofs (each a size and hashes) and, as the last part, the signed note."""
    proofs = []
    while request.startswith(OLD_PREFIX):
        proof, _, request = request.partition("\n\n")
        proofs.append(proof)
    return [*proofs, request]


def _proof(size: str, hashes: str) -> str:
    nodes = re.findall(HASH_PATTERN, hashes)
    return "\n".join([f"{OLD_PREFIX}{size}", *map(_without_spaces, nodes), "\n"])


def _rank(request: str) -> Iterator[tuple[int, bool, int]]:
    """Yield the rank of a request: the head's size, True if the log signed the head, and the number of signatures.

    Yield nothing for an invalid request.
    """
    with suppress(Malformed):
        text, lines = read_note(split_request(request)[-1])
        # Only known lengths count, because the start of a wrapped line may look like a short signature.
        head, complete = parse_checkpoint(text), [line for line in lines if len(line.blob) in SIGNATURE_LENGTHS]
        yield head.size, any(line.name == head.origin for line in complete), len(complete)


def _without_spaces(text: str) -> str:
    return text.replace(" ", "")


def _plain_lines(text: str) -> list[str]:
    from html import unescape  # only pasted text needs it

    plain = INVISIBLE_PATTERN.sub("", unescape(text))
    return [" ".join(QUOTE_MARKS_PATTERN.sub("", line).split()) for line in LINE_END_PATTERN.split(plain)]


def _one_line(text: str) -> str:
    return " ".join(filter(None, _plain_lines(text)))
