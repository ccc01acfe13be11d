"""Heads: functions that sign, cosign and verify the signed heads in a campaign's file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ledger.errors import Altered, Flag, Malformed, Refused, Run, Unproven, WrongEntry, entry_count
from ledger.events.entry import Entry
from ledger.events.subjects import CAMPAIGN, FORK, KEY, POLICY
from ledger.events.types import CampaignOpened, HistoryForked, KeyRotated, PolicySet, SessionClosed
from ledger.journal.book import Book
from ledger.tlog.checkpoint import Checkpoint, checkpoint_text, parse_checkpoint, rotation_text
from ledger.tlog.note import Signer, Vkey, open_note, parse_signature, parse_vkey, read_note, sign_note
from ledger.tlog.policy import Policy, parse_policy
from ledger.trust.clocks import check_witness_clock
from ledger.trust.home import Head, Home

ROOT_PATTERN = re.compile("[0-9a-f]{64}")
"""A pattern for a valid root in an entry. A forged entry may contain any other text."""

OTHER_ORIGIN_ERROR = "adds the key of a different campaign"
"""The error for a key whose name is not the campaign's origin. The two must match: homes store keys by origin."""


def campaign_keys(book: Book) -> list[tuple[int, Vkey]]:
    """Return the campaign's keys, each with its entry. Omit a new key that did not sign its own rotation."""
    pairs = [(entry, key_in(entry)) for entry in key_entries(book)]
    return [
        (entry.seq, vkey)
        for entry, vkey in pairs
        if isinstance(entry.event, CampaignOpened) or signs_rotation(book, entry, vkey)
    ]


def key_entries(book: Book) -> list[Entry]:
    """Return the entries that added a key, even unsigned rotations. Raise `WrongEntry` for another campaign's key."""
    added = [entry for entry in _entries_with(book, KEY) if isinstance(entry.event, CampaignOpened | KeyRotated)]
    for entry in added:
        if key_in(entry).name != book.origin():
            raise WrongEntry(entry.seq, OTHER_ORIGIN_ERROR)
    return added


def key_in(entry: Entry) -> Vkey:
    """Return the key that an entry added. Raise `Malformed` for an entry that added no key."""
    key = entry.event.key if isinstance(entry.event, CampaignOpened | KeyRotated) else None
    return parse_vkey(key or "")


def signs_rotation(book: Book, entry: Entry, vkey: Vkey) -> bool:
    """Return True for a key rotation with a valid signature by this key.

    The key may be the old or the new key of the rotation.
    """
    event = entry.event
    if not isinstance(event, KeyRotated):
        return False
    text = rotation_text(vkey.name, entry.seq - 1, book.root(entry.seq - 1), event.key)
    try:
        return open_note(event.note, [vkey]).text == text
    except Unproven:
        return False


def trusted_keys_in(book: Book, trusted: Sequence[Vkey]) -> list[Vkey]:
    """Return the trusted keys that belong to this campaign, and their successors in the file.

    Include a successor only if a trusted key, or an earlier successor, signed the rotation that added it.
    """
    vkeys = [vkey for vkey in dict.fromkeys(trusted) if vkey.name == book.origin()]
    for entry in key_entries(book):
        signers = [vkey for vkey in vkeys if signs_rotation(book, entry, vkey)]
        vkey = key_in(entry)
        if signers and vkey not in vkeys:
            vkeys.append(vkey)
    return vkeys


def _entries_with(book: Book, mark: str) -> Iterator[Entry]:
    """Yield the entries that set or removed a mark of the campaign, the oldest first."""
    return (book.journal.entry(seq) for seq, _ in book.accounts.mark_entries(CAMPAIGN, mark))


def recorded_forks(book: Book) -> list[tuple[int, HistoryForked]]:
    """Return the records of forks, each with its entry. A fork abandons a history that the file contradicts."""
    return [(e.seq, e.event) for e in _entries_with(book, FORK) if isinstance(e.event, HistoryForked)]


def abandoned_roots(book: Book) -> dict[bytes, int]:
    """Map the root of each abandoned history to the entry that records the fork."""
    return {bytes.fromhex(fork.root): seq for seq, fork in recorded_forks(book) if ROOT_PATTERN.fullmatch(fork.root)}


def campaign_policies(book: Book) -> list[tuple[int, Policy]]:
    """Return every policy that was ever set, with its entry, the oldest first."""
    entries = ((entry.seq, entry.event) for entry in _entries_with(book, POLICY))
    return [(seq, parse_policy(event.policy)) for seq, event in entries if isinstance(event, PolicySet)]


def sign_head(book: Book, key: Signer) -> Head:
    """Sign the current head and store it in the file. Keep earlier signatures of the same head.

    The caller holds the write lock. Raise `Refused` for a key that is not the campaign's current one.
    """
    if book.mark(CAMPAIGN, KEY) != str(key.vkey):
        raise Refused("This is not the key of this campaign.", f"See the campaign's key with {Run('key')}.")
    size = book.head()
    earlier = book.journal.checkpoint(size)
    lines = [str(line) for line in read_note(earlier)[1]] if earlier else []
    origin = key.vkey.name
    text = checkpoint_text(origin, size, book.journal.root(size))
    note = sign_note(text, key, signatures=lines).decode()
    book.journal.keep_checkpoint(size, note)
    return Head(origin=origin, size=size, root=book.journal.root(size), note=note)


def add_cosignature(book: Book, line: str, now: str) -> tuple[int, str]:
    """Add a witness's signature line to the signed head. Return the head's size and the witness's name.

    The caller holds the write lock. Raise `Refused` for a signer in no policy, and for a signing time after both this
    computer's clock (`now`) and the last entry. Raise `Unproven` for a line that signs no head of this campaign.
    """
    signed = parse_signature(line)
    policy_witnesses = [item for _, policy in campaign_policies(book) for item in policy.witnesses.items()]
    name, vkey = next(
        (i for i in policy_witnesses if (i[1].name, i[1].key_id) == (signed.name, signed.key_id)), (None, None)
    )
    if signed.name == book.origin():
        hint = f"Add the line that {Run('witness sign')} prints."
        raise Refused("No witness has signed this checkpoint.", hint)
    if name is None or vkey is None:
        hint = f"Add this witness first: {Run('policy', witness=f'{signed.name}=KEY')}"
        raise Refused(f"{signed.name}+{signed.key_id} is not a witness of this campaign.", hint)
    for size, note in reversed(book.journal.checkpoints().items()):
        text, others = read_note(note)
        try:
            times = open_note(f"{text}\n{signed}", [vkey]).timestamps
        except Unproven:
            continue
        check_witness_clock(name, times[vkey.name], now, book.journal.entry(book.head()).clock)
        lines = [str(other) for other in others if (other.name, other.key_id) != (signed.name, signed.key_id)]
        book.journal.keep_checkpoint(size, "".join([text, "\n", *lines, str(signed)]))
        return size, name
    raise Unproven(f"{name} signed something that is not a checkpoint of this campaign.")


def check_own_heads(book: Book) -> None:
    """Raise `Altered` if the entries of a file do not match its own signed heads."""
    good = 0
    for size, note in book.journal.checkpoints().items():
        try:
            head = checkpoint_of(note)
        except Malformed:
            raise Altered(
                f"The file has a checkpoint for {entry_count(size)}, but this checkpoint cannot be read."
            ) from None
        if head.size != size or not book.contains_head(size, head.root):
            where = describe_range(good + 1, size)
            raise Altered(
                f"The file was altered: {where} does not match the file's own checkpoint of {entry_count(size)}."
            )
        good = size


def describe_range(first: int, last: int) -> str:
    """Return a description of these entries: `one of the entries 3 to 5`, or `entry 3`."""
    return f"entry {first}" if first == last else f"one of the entries {first} to {last}"


def _signer_ids(note: str) -> set[tuple[str, str]]:
    """Return the name and the key id in each signature line of a head. The signatures are not verified."""
    return {(line.name, line.key_id) for line in read_note(note)[1]}


def _verified_signers(note: str, vkeys: Iterable[Vkey]) -> list[tuple[str, str]]:
    """Return the names and ids of the `vkeys` that signed a head. Raise `Unproven` for an invalid signature."""
    lines = _signer_ids(note)
    signers = [vkey for vkey in vkeys if (vkey.name, vkey.key_id) in lines]
    return open_note(note, signers).verified if signers else []


def verify_signed_by(note: str, trusted: Sequence[Vkey]) -> bool:
    """Return True if a trusted key signed a head. Raise `Unproven` if the signature of a trusted key is not valid."""
    return bool(_verified_signers(note, trusted))


def unsigned_error(what: str) -> Unproven:
    """Return the error for a head that no trusted key signed. `what` names the head in the message."""
    return Unproven(
        f"{what} is not signed by a key that you trust, so it proves nothing.",
        "Each checkpoint is signed with the key that was in use at the time. If the GM has changed the key, add the old"
        f" key and the new one: {Flag('key', 'OLD')} {Flag('key', 'NEW')}.",
    )


def check_signed(note: str, trusted: Sequence[Vkey], what: str) -> None:
    """Raise the error `unsigned_error(what)` unless a `trusted` key signed the head in `note`."""
    if not verify_signed_by(note, trusted):
        raise unsigned_error(what)


def replacing_rotation(book: Book, note: str) -> int:
    """Return the entry of the rotation that replaced the key of a signed head.

    Return 0 if there is no such rotation, or if the head ends before the entry of the rotation.
    """
    size = checkpoint_of(note).size
    for (_, old), (seq, new) in pairwise(campaign_keys(book)):
        if size >= seq and is_signed(note, [old]) and not is_signed(note, [new]):
            return seq
    return 0


def witnessed_by(policy: Policy, note: str) -> set[str]:
    """Return the policy's witnesses who cosigned a head. Raise `Unproven` if a signature of a witness is not valid."""
    return policy.names_of_signers(_verified_signers(note, policy.witnesses.values()))


def cosigners(policy: Policy, note: str) -> set[str]:
    """Return the policy's witnesses who cosigned a head, or nobody if the signature of a witness is not valid."""
    try:
        return witnessed_by(policy, note)
    except Unproven:
        return set()


def witnesses(book: Book) -> list[str]:
    """Return the names of the witnesses in the current policy; an empty list without a policy."""
    return [name for _, policy in campaign_policies(book)[-1:] for name in policy.witnesses]


def last_signed_sizes(book: Book, earlier: Sequence[Policy] = ()) -> list[int]:
    """Return the sizes of the heads that the witnesses may have signed last, smallest first.

    These are:

    - for each of the last two sessions that were closed, the first head after the close: a witness may have
      signed it, even if the file lacks the signature
    - for each witness of the current policy or of a policy in `earlier`, the last head that this witness signed

    No signature is verified. Without a current policy, return [].
    """
    policy, heads = next((last for _, last in campaign_policies(book)[-1:]), None), book.journal.checkpoints()
    if policy is None:
        return []
    sizes = sorted(heads)
    places = (bisect_left(sizes, seq) for seq in session_closes(book)[-2:])
    signer_ids = {(vkey.name, vkey.key_id) for each in (policy, *earlier) for vkey in each.witnesses.values()}
    signed = {key: size for size in sizes for key in _signer_ids(heads[size]) & signer_ids}
    return sorted({*(sizes[place] for place in places if place < len(sizes)), *signed.values()})


def session_closes(book: Book) -> list[int]:
    """Return the numbers of the entries that closed a session, the oldest first."""
    return [entry.seq for entry in _entries_with(book, "session") if isinstance(entry.event, SessionClosed)]


def recent_rotation(book: Book) -> Entry | None:
    """Return the last key rotation. Return None without a rotation, or if two or more sessions closed after it."""
    before = session_closes(book)[-2:-1]
    last = next((entry for entry in reversed(key_entries(book)) if isinstance(entry.event, KeyRotated)), None)
    return last if last is not None and all(last.seq > close for close in before) else None


def longest_witnessed(book: Book, policy: Policy, further_notes: Sequence[str] = ()) -> tuple[int, set[str]]:
    """Return the size and the witnesses of the longest head that satisfies a policy, or 0 and no names.

    The heads are those in the file and in `further_notes`. A head must match the file's entries. A log key of the
    policy, or a key that replaced a log key, must have signed the head.
    """
    logs = trusted_keys_in(book, policy.logs)
    for note in sorted(
        [*book.journal.checkpoints().values(), *further_notes], key=lambda text: -checkpoint_of(text).size
    ):
        head, names = checkpoint_of(note), cosigners(policy, note)
        if book.contains_head(head.size, head.root) and policy.is_satisfied_by(names) and is_signed(note, logs):
            return head.size, names
    return 0, set()


def longest_signed_size(book: Book, trusted: Sequence[Vkey]) -> int:
    """Return the size of the file's longest head that one of these keys signed, or 0."""
    notes = sorted(book.journal.checkpoints().items(), reverse=True)
    return next((size for size, note in notes if is_signed(note, trusted)), 0)


def is_signed(note: str, trusted: Sequence[Vkey]) -> bool:
    """Return True if a trusted key signed a head, and no signature of a trusted key is invalid."""
    try:
        return verify_signed_by(note, trusted)
    except Unproven:
        return False


def remember_head(home: Home, book: Book, head: Head, *, replace_abandoned: bool = False) -> None:
    """Store a file's head in the home. Replace a known head only if the file continues that head.

    With `replace_abandoned`, also replace a head of a history that the file abandoned, for example in a restore. Use
    this only for the person's own file. Raise `DiskRefused` or `Refused` if the home cannot be written.
    """
    abandoned = abandoned_roots(book) if replace_abandoned else {}

    def is_superseded(known: Head) -> bool:
        return known.root in abandoned or (known.size <= head.size and book.contains_head(known.size, known.root))

    home.store_known(head, is_superseded)


def checkpoint_of(note: str) -> Checkpoint:
    """Parse the head in a signed note. Raise `Malformed` if there isn't one."""
    return parse_checkpoint(read_note(note)[0])
