"""Evidence: what players keep, put beside a campaign's file; and proofs that need no file."""

from typing import TYPE_CHECKING, Any

from cli.context import Invocation
from cli.pasted import FOR_PLAYERS
from cli.render import pages, proofs, terminal
from ledger.errors import (
    Altered,
    Contradiction,
    LedgerError,
    Malformed,
    NothingWritten,
    Refused,
    Truncated,
    Unproven,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.journal.book import Book
    from ledger.tlog.note import Skey, Vkey
    from ledger.trust.compare import KeptHead
    from ledger.trust.home import Head, Remembered

KEPT = "the head kept at home"


def file(
    invocation: Invocation,
    book: "Book",
    kept: "Remembered",
    brought: "Sequence[tuple[str, str]]",
    trusted: "Sequence[Vkey]",
    policy: str | None,
    *,
    json: bool,
) -> None:
    """Check a file, then each head that was brought or is kept at home, then the policy; refuse with the worst."""
    from ledger.audit.verify import verify
    from ledger.tlog.policy import parse_policy
    from ledger.trust.compare import held
    from ledger.trust.home import Head

    asked = None if policy is None else parse_policy(policy)
    bar = terminal.progress(book.journal.head())
    whole = verify(book, bar.update)
    bar.done()
    said = [*trusted, *(asked.logs if asked else ())] or at_home(kept, book)
    believed, stranger = _believed(book, said)
    found = [(name, held(book, note, believed, [other for _, other in brought])) for name, note in brought]
    found += kept_at_home(kept, book, believed, [note for _, note in brought])
    facts: dict[str, Any] = {"whole": True, **whole.__dict__}
    if json:
        facts["heads"] = [proofs.held_json(name, each) for name, each in found]
    else:
        good = [each.checkpoint.size for _, each in found if each.signed and each.finding in {"same", "shorter"}]
        pages.whole(whole, max(good, default=0))
        for name, each in found:
            proofs.held(name, each)
    heads = [each for _, each in found]
    missing = None if asked is None else proofs.witnessed(book, asked, heads, json=json, facts=facts)
    if json:
        terminal.as_json([facts])
    worst = stranger or next((each for each in map(_wrong, heads) if each is not None), missing)
    if worst is not None:
        raise worst
    if said or _keeps_the_key(invocation, book):  # else the file itself says whom to believe
        for each in heads:
            head = each.checkpoint
            remember(invocation, book, Head(origin=head.origin, size=head.size, root=head.root, note=each.note))


def at_home(kept: "Remembered", book: "Book") -> "list[Vkey]":
    """The keys that the person at the keyboard trusts, as a witness of the campaign; none for a stranger."""
    from ledger.tlog.note import parse_vkey

    return [parse_vkey(each) for each in kept.trusted(book.origin())]


def kept_at_home(
    kept: "Remembered", book: "Book", believed: "Sequence[Vkey]", brought: "Sequence[str]"
) -> "list[tuple[str, KeptHead]]":
    """Say of the heads of a campaign that are kept at home, which nobody has to bring, what they are to a file.

    One that was witnessed is held against it, whatever the file says; one that was only known there may have been left.
    """
    from ledger.trust.compare import held
    from ledger.trust.heads import left

    origin = book.origin()
    found: dict[str, tuple[str, KeptHead]] = {}
    for name, head in (("the head that you witnessed", kept.head(origin, "witnessed")), (KEPT, kept.head(origin))):
        if head is not None and head.note not in {"", *brought, *found}:
            each = held(book, head.note, believed)
            gone = name == KEPT and each.finding not in {"same", "shorter"} and head.root in left(book)
            found[head.note] = name, each.replace(finding="left", beside="") if gone else each
    return list(found.values())


def contradicted(kept: "Remembered", book: "Book", trusted: "Sequence[Vkey]") -> None:
    """Refuse a file that a key which is trusted, or heads which are kept at home, contradict."""
    believed, stranger = _believed(book, trusted or at_home(kept, book))
    heads = kept_at_home(kept, book, believed, ())
    wrong = stranger or next((each for each in (_wrong(head) for _, head in heads) if each is not None), None)
    if wrong is not None:
        raise wrong


def remember(invocation: Invocation, book: "Book", head: "Head", *, leaving: bool = False) -> None:
    """Know a head at home from here on, so that a shorter file is not gone on with; say so where that cannot be."""
    from ledger.trust.heads import remember as keep

    try:
        keep(invocation.home(), book, head, leaving=leaving)
    except (NothingWritten, Refused) as failed:
        terminal.talk(f"This machine does not remember the head. {failed.sentence}")


def _believed(book: "Book", said: "Sequence[Vkey]") -> "tuple[list[Vkey], LedgerError | None]":
    """The keys that are believed of a file, those that it brings where nothing is `said`, and what is wrong.

    Wrong is that none of what was said is of this campaign, or that the file says that another key signs for it.
    """
    from ledger.trust.heads import keys, trusted_on

    ours = [vkey for _, vkey in keys(book)]
    believed = trusted_on(book, said or ours)
    if said and not believed:
        sentence = f"The key is of {said[0].name}, and not of this campaign, which is {book.origin() or 'unsigned'}."
        return believed, Unproven(sentence)
    if believed and not set(believed) & set(ours):
        return believed, Altered("The file says that another key signs for it than the one that you trust.")
    return believed, None


def _keeps_the_key(invocation: Invocation, book: "Book") -> bool:
    try:
        return invocation.key(book) is not None
    except LedgerError:
        return False


def _wrong(each: "KeptHead") -> LedgerError | None:
    size = each.checkpoint.size
    if not each.signed:
        hint = "A head is signed with the key of its time; where that was rotated, say both: --key OLD --key NEW."
        return Unproven(f"The head of {size} entries is not signed by a key that is trusted; it proves nothing.", hint)
    if each.finding == "truncated":
        ends = f"The file ends before the {size} entries that a signed head speaks of"
        return Truncated(f"{ends}; its tail was cut off, or it is another history.")
    if each.finding == "forked":
        return Contradiction(each.note, each.beside)
    if each.finding == "altered":
        from ledger.trust.heads import among

        where = among(*each.wrong)
        return Altered(f"The file was altered: {where} is not what the signed head of {size} entries speaks of.")
    return None


def proof(text: str, trusted: "Sequence[Vkey]", policy: str | None, *, json: bool) -> None:
    """Check the proof of one entry, offline; without a key it shows only what the proof says of itself."""
    from ledger.tlog.checkpoint import parse_checkpoint, parse_tlog_proof
    from ledger.tlog.note import open_note, read_note
    from ledger.tlog.policy import parse_policy
    from ledger.tlog.tree import leaf_hash, verify_inclusion
    from ledger.trust.heads import witnessed_by

    index, hashes, note, stored = parse_tlog_proof(text)
    if stored is None:
        raise Malformed("The proof does not hold its entry.")
    asked = None if policy is None else parse_policy(policy)
    head = parse_checkpoint(read_note(note)[0])
    said = [*trusted, *(asked.logs if asked else ())]
    believed = [vkey for vkey in said if vkey.name == head.origin]
    verify_inclusion(leaf_hash(stored), index, head.size, hashes, head.root)
    if said and not believed:
        raise Unproven(f"The proof is of {head.origin}, whose key you did not give.")
    if believed:
        open_note(note, believed)
    names = sorted(witnessed_by(asked, note)) if asked else []
    proofs.proved(stored, index + 1, head, names, signed=bool(believed), json=json)
    if asked and not asked.satisfied(names):
        raise Unproven(f"The policy asks for more witnesses than signed this head: {', '.join(names) or 'nobody'} did.")
    if not believed:
        raise Unproven(
            "Whose history it is was not checked.", "Say the key from your character sheet: --key KEY, or a --policy."
        )


def new_origin(invocation: Invocation) -> str:
    """A name by which a campaign signs: nothing that anybody typed is in it, so that titles can be erased."""
    return f"campaign/{invocation.seed()[:8].hex()}"


def signed(invocation: Invocation, book: "Book") -> "Head":
    """Sign the head of the history, and know it on this machine from here on."""
    head = invocation.scribe(book).sign(signing_key(invocation, book))
    remember(invocation, book, head, leaving=True)
    return head


def signing_key(invocation: Invocation, book: "Book") -> "Skey":
    """The private key of the campaign; refuses (`Refused`) where it is not at hand."""
    found = invocation.key(book)
    if found is None:
        if book.origin() is None:
            raise Refused("This campaign has no key.", "Make one with 'campaign key rotate'.")
        where = f"It belongs in {invocation.key_place(book)}, or its text in CAMPAIGN_KEY."
        raise Refused("The key that signs for this campaign is not at hand.", where)
    return found


def head_signed(invocation: Invocation, book: "Book", *, json: bool) -> None:
    """Sign the head after a session, and show it; without a key say that it is not signed."""
    try:
        head = signed(invocation, book)
    except LedgerError as unsigned:
        terminal.talk(f"Its head is not signed. {unsigned.sentence} {unsigned.hint}".rstrip())
        return
    if json:
        proofs.head_json(head, [])
        return
    terminal.talk(FOR_PLAYERS)
    terminal.say(head.note.removesuffix("\n"))
