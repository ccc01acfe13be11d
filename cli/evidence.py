"""Checks of a campaign's file against saved keys and heads, checks of proofs without a file, and signing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from cli.context import Invocation
from cli.pasted import FOR_PLAYERS
from cli.render import pages, proofs, terminal
from ledger import errors
from ledger.errors import LedgerError, Refused, Run, Unproven, entry_count
from ledger.events.subjects import CAMPAIGN, KEY
from ledger.journal.book import Book
from ledger.tlog.checkpoint import Checkpoint, parse_checkpoint, parse_tlog_proof
from ledger.tlog.note import Signer, Skey, Vkey, parse_vkey, read_note
from ledger.tlog.policy import Policy, parse_policy
from ledger.tlog.tree import leaf_hash, verify_inclusion
from ledger.trust import heads
from ledger.trust.agreements import policies_to_send
from ledger.trust.compare import SavedHead, compare_head, compare_with_saved
from ledger.trust.home import Head, Home, HomeSnapshot
from ledger.trust.restored import restore_error, restores_not_signed

if TYPE_CHECKING:
    from ledger.audit.remembered import Memory

SAVED_CHECKPOINT = "the checkpoint that this computer saved"
HISTORY_REPLACED = (
    f"According to the file, the history of this checkpoint was replaced, for example by a backup. See {Run('audit')}."
)
OLDER_BACKUP = (
    f"If the file is a backup, this is normal. To see what it lacks: {Run('restore', 'BACKUP', dry_run=True)}"
)
KEY_ELSEWHERE = (
    f"The key is not on this computer. Run {Run('key export', 'FILE')} on the computer that has the key, and then"
    f" {Run('key import', 'FILE')} here."
)
UNCHECKED_SENTENCE = "The signature was not checked."
ADD_KEY_HINT = "Add --key KEY with the key from your character sheet, or add --policy FILE."


def check_file(
    invocation: Invocation,
    book: Book,
    memory: HomeSnapshot,
    named_notes: Sequence[tuple[str, str]],
    trusted: Sequence[Vkey],
    policy_text: str | None,
    checked: Memory,
    *,
    json: bool,
) -> None:
    """Check a campaign's file, then the heads from the command line and from this computer, then the policy.

    Show the results, and raise the most serious error. Save the heads if there is no error and the keys are trusted.
    `checked` remembers what earlier checks found.
    """
    from ledger.audit.verify import verify  # a signature needs no audit

    policy = None if policy_text is None else parse_policy(policy_text)
    with terminal.progress(book.journal.head()) as count:
        verified, other_tables = verify(book, count, checked), book.journal.storage.foreign_names()
    vkeys = [*trusted, *(policy.logs if policy else ())] or trusted_keys_at_home(memory, book)
    believed, stranger = _believed_keys(book, vkeys)
    saved_texts = [note for _, note in named_notes]
    named_heads = [(name, compare_head(book, note, believed, saved_texts)) for name, note in named_notes]
    named_heads += compare_saved_heads(memory, book, believed, saved_texts)
    wrongs = [_error_of(book, *named) for named in named_heads]
    facts: dict[str, Any] = {"whole": True, **verified.__dict__, "also_holds": other_tables}
    facts["remembered"] = proofs.remembered_json(checked.earlier_check)
    facts["moved_to"] = book.journal.storage.moved_to()
    if json:
        facts["heads"] = [proofs.head_comparison_json(name, head) for name, head in named_heads]
    else:
        good = [] if any(wrongs) else [(head.checkpoint.size, name) for name, head in named_heads if not head.left_in]
        longest = max(good, default=(0, ""))
        pages.show_verified(verified, longest, heads.longest_signed_size(book, believed), contradicted=any(wrongs))
        proofs.show_remembered(checked, verified.entries, Run("verify", all=True))
        proofs.show_foreign_tables(other_tables)
        for (name, kept_head), error in zip(named_heads, wrongs, strict=True):
            proofs.show_head(name, kept_head, wrong=error is not None)
    notes = [head.note for _, head in named_heads]
    missing = None if policy is None else proofs.show_witnessed_entry(book, policy, notes, json=json, facts=facts)
    if json:
        terminal.say_json([facts])
    worst = stranger or next(filter(None, wrongs), missing)
    if worst is not None:
        raise worst
    if vkeys or has_readable_key(invocation, book):  # otherwise only the file itself vouches for its keys
        for _, kept_head in named_heads:
            head = kept_head.checkpoint
            remember_head(
                invocation, book, Head(origin=head.origin, size=head.size, root=head.root, note=kept_head.note)
            )


def trusted_keys_at_home(memory: HomeSnapshot, book: Book) -> list[Vkey]:
    """Return the keys that the user, as a witness, trusts for this campaign; [] if the user is not a witness."""
    return [parse_vkey(text) for text in memory.trusted(book.origin())]


def compare_saved_heads(
    memory: HomeSnapshot, book: Book, believed: Sequence[Vkey], skipped_notes: Sequence[str]
) -> list[tuple[str, SavedHead]]:
    """Compare a file with the saved heads of its campaign. Return each result with a name for the head.

    Check the signatures with the `believed` keys. Skip heads whose notes are in `skipped_notes`.

    The file may record that it replaced the history of a head, for example in a restore. Then the finding is `left`,
    which is not an error. For a head that the user signed as a witness, such a record is ignored.
    """
    origin = book.origin()
    comparisons: dict[str, tuple[str, SavedHead]] = {}
    saved = {"the checkpoint that you signed": memory.head(origin, "witnessed"), SAVED_CHECKPOINT: memory.head(origin)}
    for name, head in saved.items():
        if head is not None and head.note not in {"", *skipped_notes, *comparisons}:
            kept_head = compare_head(book, head.note, believed)
            # Signatures were checked when the heads were saved. An older copy of the file does not contain later keys.
            if kept_head.finding in {"truncated", "left"}:
                kept_head = kept_head.replace(signed=True)
            if name == SAVED_CHECKPOINT and kept_head.finding not in {"same", "shorter"}:
                seq = heads.abandoned_roots(book).get(head.root, 0)
                kept_head = kept_head.replace(finding="left", conflicting="", left_in=seq) if seq else kept_head
            comparisons[head.note] = name, kept_head
    return list(comparisons.values())


def check_not_contradicted(
    memory: HomeSnapshot, book: Book, trusted: Sequence[Vkey], *, may_be_older: bool = False
) -> None:
    """Raise an error if a file contradicts a trusted key or saved head. With `may_be_older`, accept a shorter file."""
    believed, stranger = _believed_keys(book, trusted or trusted_keys_at_home(memory, book))
    named_heads = compare_saved_heads(memory, book, believed, ())
    checked = [named for named in named_heads if not (may_be_older and named[1].finding == "truncated")]
    wrong = stranger or next(filter(None, (_error_of(book, *named) for named in checked)), None)
    if isinstance(wrong, errors.Contradiction):
        proofs.show_evidence(wrong.heads)
    if wrong is not None:
        raise wrong


def check_against_home(home: Home, side: Book | Checkpoint, note: str, *, signed: bool) -> None:
    """Raise an error if a campaign or head contradicts the saved heads and keys. An older campaign or head is accepted.

    If no trusted key signed the head (`signed` is false), the error is `Unproven`.
    """
    if isinstance(side, Book):
        check_not_contradicted(home.snapshot(), side, (), may_be_older=True)
        return
    _check_against_saved(side, note, home, "Add --key KEY with the key from your character sheet.", signed=signed)


def _check_against_saved(head: Checkpoint, note: str, home: Home, hint: str, *, signed: bool) -> int:
    """Raise an error if `head` contradicts a head saved on this computer.

    If `signed` is false (no trusted key signed `head`), the error is `Unproven` with this `hint`. If the two heads
    cannot be compared, return the size of the saved head. Return 0 in all other cases.
    """
    finding, kept = compare_with_saved(head, home.heads(head.origin))
    if kept is None or finding == "same":
        return 0
    if finding == "unproved":
        return kept.size
    if signed:
        raise proofs.show_fork((note, kept.note), head.size)
    differs = f"This checkpoint of {entry_count(head.size)} differs from the one that this computer has saved."
    raise Unproven(f"{differs} {UNCHECKED_SENTENCE}", hint)


def remember_head(invocation: Invocation, book: Book, head: Head, *, replace_abandoned: bool = False) -> None:
    """Save a head on this computer, to notice later if entries are missing. If saving fails, only print a warning.

    With `replace_abandoned`, also replace a saved head whose history the file abandoned, for example in a restore.
    """
    try:
        heads.remember_head(invocation.home(), book, head, replace_abandoned=replace_abandoned)
    except (errors.WriteFailed, Refused) as error:
        terminal.aside(f"The checkpoint was not saved on this computer. {error.sentence}")


def _believed_keys(book: Book, vkeys: Sequence[Vkey]) -> tuple[list[Vkey], LedgerError | None]:
    """Return the keys to check a file with: the trusted `vkeys`, or the file's own keys if `vkeys` is empty.

    The second value is an error if the `vkeys` belong to another campaign, or if the file contains neither these keys
    nor their successors. Otherwise, it is `None`.
    """
    ours = [vkey for _, vkey in heads.campaign_keys(book)]
    believed = heads.trusted_keys_in(book, vkeys or ours)
    if vkeys and not believed:
        sentence = f"The key belongs to {vkeys[0].name}, not to this campaign ({book.origin() or 'unsigned'})."
        return believed, Unproven(sentence)
    if believed and not set(believed) & set(ours):
        return believed, errors.Altered("The file names a different key than the one that you trust.")
    return believed, None


def has_readable_key(invocation: Invocation, book: Book) -> bool:
    """Return True if the current private key is in a file on this computer, and readable."""
    try:
        return isinstance(invocation.key(book), Skey)
    except LedgerError:
        return False


def can_sign(invocation: Invocation, book: Book) -> bool:
    """Return True if this computer has the current key, or a program that may have it."""
    try:
        return invocation.key(book) is not None
    except LedgerError:
        return False


def _error_of(book: Book, name: str, head: SavedHead) -> LedgerError | None:
    size = head.checkpoint.size
    if not head.signed:
        return heads.unsigned_error(f"The checkpoint of {entry_count(size)}")
    if head.finding in {"same", "shorter"}:
        return None
    if head.finding == "left":  # for a head that is only remembered, this person restored the backup
        return None if name == SAVED_CHECKPOINT else restore_error(book, head.left_in, size)
    doubt = key_warning(book, head.note)
    if head.finding == "forked":
        return errors.Contradiction(head.note, head.conflicting, doubt)
    hint = HISTORY_REPLACED if head.checkpoint.root in heads.abandoned_roots(book) else ""
    if head.finding == "truncated":
        says = (
            f"A checkpoint covers {entry_count(size)}, but the file has fewer. The file is an older copy, its end was"
            " cut off, or it belongs to a different history."
        )
        return errors.Truncated(f"{says} {doubt}".rstrip(), hint or OLDER_BACKUP)
    entries = heads.describe_range(*head.wrong_range)
    says = f"The file was altered: {entries} does not match the checkpoint of {entry_count(size)}."
    return errors.Altered(f"{says} {doubt}".rstrip(), hint)


def key_warning(book: Book, note: str) -> str:
    """Return a warning if the head in a note was signed with a key that had already been replaced; else ""."""
    seq = heads.replacing_rotation(book, note)
    if not seq:
        return ""
    size = heads.checkpoint_of(note).size
    return (
        f"The checkpoint of {entry_count(size)} is signed with an old key, which was replaced at #{seq}."
        " Anyone who has the old key could have made this checkpoint, so it may be fake."
    )


def check_proof(text: str, home: Home, trusted: Sequence[Vkey], policy_text: str | None, *, json: bool) -> None:
    """Check the proof of one entry without the campaign's file. Use the heads saved on this computer.

    Without a trusted key, show what the proof claims, then raise `Unproven`. Raise `Malformed` for an invalid entry.
    """
    from ledger.audit.structure import entry_of

    index, hashes, note, stored = parse_tlog_proof(text)
    if stored is None:
        raise errors.Malformed("The proof does not contain the entry that it is supposed to prove.")
    policy = None if policy_text is None else parse_policy(policy_text)
    head = parse_checkpoint(read_note(note)[0])
    vkeys = [*trusted, *(policy.logs if policy else ())] or _keys_for(head, home)
    believed = [vkey for vkey in vkeys if vkey.name == head.origin]
    verify_inclusion(leaf_hash(stored), index, head.size, hashes, head.root)
    if vkeys and not believed:
        raise Unproven(f"The proof is from {head.origin}, but none of the keys that you gave belongs to that campaign.")
    if believed:
        heads.check_signed(note, believed, f"The checkpoint of {entry_count(head.size)}")
    difference = _check_against_saved(head, note, home, ADD_KEY_HINT, signed=bool(believed))
    names = sorted(heads.witnessed_by(policy, note)) if policy else []
    try:
        entry = entry_of(index + 1, stored, leaf_hash(stored))
    except errors.WrongEntry:
        seq = index + 1
        raise errors.Malformed(f"The proof contains entry {seq}, but that entry is not valid.") from None
    proofs.show_proof(entry, head, names, difference, signed=bool(believed), json=json)
    if policy and not policy.is_satisfied_by(names):
        signed_by = ", ".join(names) or "nobody"
        raise Unproven(f"The policy asks for more signatures. This checkpoint is signed by: {signed_by}.")
    if not believed:
        raise Unproven(UNCHECKED_SENTENCE, ADD_KEY_HINT)


def _keys_for(head: Checkpoint, home: Home) -> list[Vkey]:
    """Return the trusted keys that may sign a head.

    If the user is a witness, only the newest key may sign a head as long as the user's last signed head, or longer.
    """
    vkeys = [parse_vkey(text) for text in home.trusted(head.origin)]
    witnessed = home.head(head.origin, "witnessed")
    return vkeys[-1:] if witnessed is not None and head.size >= witnessed.size else vkeys


def sign_head(invocation: Invocation, book: Book, use: Callable[[Head], object] | None = None) -> Head:
    """Sign the head of the history, call `use` with it, and save it on this computer. If `use` raises, save nothing."""
    key = signing_key(invocation, book)
    while True:
        try:
            head = invocation.scribe(book).sign(key, use)
        except Refused:
            before, key = key, signing_key(invocation, book)  # somebody may have rotated the key meanwhile
            if key == before:
                raise
        else:
            remember_head(invocation, book, head, replace_abandoned=True)
            return head


def signing_key(invocation: Invocation, book: Book) -> Signer:
    """Return the key that signs the campaign. Raise `Refused` if this computer does not have it."""
    key = invocation.key(book)
    if key is None:
        public_key(book)
        raise Refused(KEY_ELSEWHERE)
    return key


def public_key(book: Book) -> str:
    """Return the current public key, in the form that players copy to sheets. Raise `Refused` if there is none."""
    line = book.mark(CAMPAIGN, KEY)
    if line is None:
        raise Refused("This campaign has no key.", f"Make one with {Run('key rotate')}.")
    return str(line)


def restore_proof_hint(names: Sequence[str], size: int, seq: int) -> str:
    """Say how to prove the restore in entry `seq` to a witness (`names`) whose last signed head has `size` entries."""
    witness = " or ".join(names)
    return (
        f"If {witness} last signed when the campaign had {entry_count(size)}, type {Run('prove', seq)}. Then send the"
        " new file to that witness."
    )


def check_and_sign(invocation: Invocation, book: Book, *, json: bool) -> None:
    """Verify a long campaign, so that later checks are quick. Then sign and show its head. If a check fails, stop."""
    from ledger.audit.remembered import LEAST_ENTRIES

    if book.head() >= LEAST_ENTRIES:
        from ledger.audit.verify import verify

        try:
            with terminal.progress(book.head()) as count:
                verify(book, count, invocation.memory_of_checks("verify"))
        except LedgerError:
            terminal.aside("The record up to the end of this session is not signed.")
            raise
    show_signed_head(invocation, book, json=json)


def show_signed_head(invocation: Invocation, book: Book, *, json: bool) -> None:
    """Sign the head after a session, and print it with instructions for witnesses. If signing fails, print why."""
    proven: dict[int, list[bytes]] = {}
    shown: list[tuple[int, Policy]] = []

    def prove_each(head: Head) -> None:
        shown.extend(policies_to_send(book))
        sizes = [size for size in heads.last_signed_sizes(book, [policy for _, policy in shown]) if size < head.size]
        proven.update({size: book.journal.consistency_proof(size, head.size) for size in sizes})

    try:
        head = sign_head(invocation, book, prove_each)
    except LedgerError as error:
        terminal.aside(
            f"The record up to the end of this session is not signed. {error.sentence} {error.hint}".rstrip()
        )
        return
    if json:
        proofs.show_head_json(head, [])
        return
    if rotated := heads.recent_rotation(book):
        terminal.aside(f"The campaign has had a new key since #{rotated.seq}. Copy this line to every character sheet:")
        terminal.aside(str(heads.key_in(rotated)))
    if names := heads.witnesses(book):
        who = ", ".join(names)
        says = f"Send the output to {who}." if terminal.is_redirected() else f"Send the text below to {who}."
        # One line: the readers of pasted text skip lines that start with "Send".
        terminal.aside(f"{says} To sign the checkpoint, a witness types: {Run('witness sign')}")
    for seq, size, missing in restores_not_signed(book):
        terminal.aside(f"A backup was restored in #{seq}. {restore_proof_hint(missing, size, seq)}")
    if not terminal.is_redirected():
        terminal.aside(FOR_PLAYERS)
    proofs.show_request(head, proven, shown)
