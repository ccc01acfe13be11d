"""A witness, which signs heads of logs, but never two that contradict each other (C2SP tlog-witness)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from ledger.errors import Malformed, Unproven, entry_count
from ledger.tlog.checkpoint import MOST_HASHES, Checkpoint, parse_checkpoint
from ledger.tlog.note import (
    COSIGNATURE,
    INT64,
    Skey,
    Vkey,
    as_text,
    from_base64,
    from_decimal,
    open_note,
    read_note,
    signature_line,
)
from ledger.tlog.tree import HASH_BYTES, verify_consistency

OK, BAD_REQUEST, FORBIDDEN, NOT_FOUND, CONFLICT, UNPROCESSABLE = 200, 400, 403, 404, 409, 422

OLD_PREFIX = "old "


class Witness(ABC):
    """A witness that signs the latest head of each known log. A subclass stores the heads.

    `logs` maps the origin of each log to the log's keys. `clock` returns seconds since 1970.
    """

    def __init__(self, logs: Mapping[str, Sequence[Vkey]], skey: Skey, clock: Callable[[], int]) -> None:
        if skey.alg != COSIGNATURE:
            raise Malformed(f"The key {skey.name}+{skey.key_id} is not a witness key.")
        self._logs = logs
        self._skey = skey
        self._clock = clock

    def add_checkpoint(self, body: bytes | str) -> tuple[int, bytes]:
        """Answer a request with an HTTP status and a body.

        - 200: the head is stored, and the body is the signature line.
        - 409: the request does not start at the latest head, and the body is the size of the latest head.
        - Any other status, such as 422 if the head does not continue the latest head: the body is an error message.
        """
        try:
            old, proof, note = _parse_request(body)
            origin = note.partition("\n")[0]
            if origin not in self._logs:
                return NOT_FOUND, _answer_body(f"The log {origin!r} is unknown here.")
            text = open_note(note, self._logs[origin]).text
            checkpoint = parse_checkpoint(text)
        except Malformed as refused:
            return BAD_REQUEST, _answer_body(refused.sentence)
        except Unproven as refused:
            return FORBIDDEN, _answer_body(refused.sentence)
        if old > checkpoint.size:
            return BAD_REQUEST, _answer_body(f"A log cannot shrink from {old} to {entry_count(checkpoint.size)}.")
        return self._sign_next_head(text, checkpoint, old, proof)

    def _sign_next_head(self, text: str, checkpoint: Checkpoint, old: int, proof: Sequence[bytes]) -> tuple[int, bytes]:
        size, root = checkpoint.size, checkpoint.root
        latest, latest_root = self._latest(checkpoint.origin)
        if latest != old:
            return CONFLICT, _answer_body(str(latest))
        try:
            if proof and not old:
                raise Unproven("The first checkpoint of a log must come without a proof.")
            if old or not size:
                verify_consistency(old, size, latest_root, root, proof)
        except Unproven as refused:
            return UNPROCESSABLE, _answer_body(refused.sentence)
        newer_size = self._store_head(checkpoint.origin, old, size, root)
        if newer_size is not None:
            return CONFLICT, _answer_body(str(newer_size))
        return OK, signature_line(text, self._skey, self._clock()).encode()

    @abstractmethod
    def _latest(self, origin: str) -> tuple[int, bytes]:
        """Return the size and root of the latest cosigned head of a log; 0 and `EMPTY_ROOT` without one."""

    @abstractmethod
    def _store_head(self, origin: str, old: int, size: int, root: bytes) -> int | None:
        """Store a head and return None, if the latest head has the size `old`.

        Otherwise, store nothing and return the size of the latest head. No other write can come between the comparison
        of the sizes and the storing.
        """


def _parse_request(body: bytes | str) -> tuple[int, list[bytes], str]:
    head, _, note = as_text(body).partition("\n\n")
    first, *lines = head.split("\n")
    if not first.startswith(OLD_PREFIX) or len(lines) > MOST_HASHES:
        raise Malformed(
            "A request must start with the old number of entries. After this number, it can list up"
            f" to {MOST_HASHES} hashes."
        )
    read_note(note)
    return from_decimal(first.removeprefix(OLD_PREFIX), INT64), [from_base64(line, HASH_BYTES) for line in lines], note


def _answer_body(text: str) -> bytes:
    return f"{text}\n".encode()
