"""Checking: what players keep, put beside a campaign's file; and proofs that need no file."""

from typing import TYPE_CHECKING, Any

from cli import render
from cli.desk import Desk
from cli.render import pages, proofs
from ledger.errors import Altered, Contradiction, LedgerError, Malformed, Truncated, Unproven
from ledger.facts import CAMPAIGN, FORK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.book import Book
    from ledger.heads import Held
    from ledger.note import Vkey


def file(
    at_desk: Desk,
    book: "Book",
    brought: "Sequence[tuple[str, str]]",
    trusted: "Sequence[Vkey]",
    policy: str | None,
    *,
    json: bool,
) -> None:
    """Check a file, then each head that was brought or is kept at home, then the policy; refuse with the worst."""
    from ledger.heads import held, keys, trusted_on
    from ledger.policy import parse_policy
    from ledger.verify import verify

    asked = None if policy is None else parse_policy(policy)
    bar = render.progress(book.journal.head())
    whole = verify(book, bar.update)
    bar.done()
    ours = [vkey for _, vkey in keys(book)]
    said = [*trusted, *(asked.logs if asked else ())] or at_home(at_desk, book)
    believed = trusted_on(book, said or ours)
    brought = [*brought, *kept_at_home(at_desk, book, [note for _, note in brought])]
    found = [(name, held(book, note, believed, [other for _, other in brought])) for name, note in brought]
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
        render.as_json([facts])
    worst = _stranger(believed, ours) or next((each for each in map(_wrong, heads) if each is not None), missing)
    if worst is not None:
        raise worst
    if said or at_desk.key(book) is not None:  # else the file itself says whom to believe
        for each in heads:
            _remember(at_desk, book, each)


def at_home(at_desk: Desk, book: "Book") -> "list[Vkey]":
    """Return the key that the person at the keyboard trusts for a campaign, as a witness of it; none for a stranger."""
    from ledger.note import parse_vkey

    origin = book.origin()
    trusted = None if origin is None else at_desk.home().trusted(origin)
    return [] if trusted is None else [parse_vkey(trusted)]


def kept_at_home(at_desk: Desk, book: "Book", brought: "Sequence[str]") -> "list[tuple[str, str]]":
    """Return the heads of a campaign that are kept at home, which nobody has to bring."""
    home, origin = at_desk.home(), book.origin()
    heads = [home.head(origin, kind) for kind in ("witnessed", "known")] if origin is not None else []
    left = None if origin is None else book.mark(CAMPAIGN, FORK)  # play went on from elsewhere, and the book says so
    known = (head for head in heads if head is not None and head.root.hex() != left)
    notes = dict.fromkeys(head.note for head in known if head.note not in {"", *brought})
    return [("the head kept at home", note) for note in notes]


def contradicted(at_desk: Desk, book: "Book", trusted: "Sequence[Vkey]") -> None:
    """Refuse a file that a key which is trusted, or heads which are kept at home, contradict."""
    from ledger.heads import held, keys, trusted_on

    ours = [vkey for _, vkey in keys(book)]
    believed = trusted_on(book, [*trusted] or at_home(at_desk, book) or ours)
    heads = (held(book, note, believed) for _, note in kept_at_home(at_desk, book, ()))
    wrong = _stranger(believed, ours) or next((each for each in map(_wrong, heads) if each is not None), None)
    if wrong is not None:
        raise wrong


def _stranger(believed: "Sequence[Vkey]", ours: "Sequence[Vkey]") -> Altered | None:
    """Return that none of the keys which are trusted signs for a file, None where one does."""
    if not believed or set(believed) & set(ours):
        return None
    return Altered("The file says that another key signs for it than the one that you trust.")


def _remember(at_desk: Desk, book: "Book", each: "Held") -> None:
    """Know the head from here on, so that a shorter file is not gone on with."""
    from ledger.home import Head

    head = each.checkpoint
    kept = Head(origin=head.origin, size=head.size, root=head.root, note=each.note)
    at_desk.home().know(kept, over=lambda known: book.holds(known.size, known.root))


def _wrong(each: "Held") -> LedgerError | None:
    size = each.checkpoint.size
    if not each.signed:
        hint = "If the campaign's key was rotated, say the new one: --key KEY."
        return Unproven(f"The head of {size} entries is not signed by a key that is trusted; it proves nothing.", hint)
    if each.finding == "truncated":
        ends = f"The file ends before the {size} entries that a signed head speaks of"
        return Truncated(f"{ends}; its tail was cut off, or it is another history.")
    if each.finding == "forked":
        return Contradiction(each.note, each.beside)
    if each.finding == "altered":
        from ledger.heads import among

        where = among(*each.wrong)
        return Altered(f"The file was altered: {where} is not what the signed head of {size} entries speaks of.")
    return None


def proof(text: str, trusted: "Sequence[Vkey]", policy: str | None, *, json: bool) -> None:
    """Check the proof of one entry, offline; without a key it shows only what the proof says of itself."""
    from ledger.checkpoint import parse_checkpoint, parse_tlog_proof
    from ledger.heads import witnessed_by
    from ledger.note import open_note, read_note
    from ledger.policy import parse_policy
    from ledger.tree import leaf_hash, verify_inclusion

    index, hashes, note, stored = parse_tlog_proof(text)
    if stored is None:
        raise Malformed("The proof does not hold its entry.")
    asked = None if policy is None else parse_policy(policy)
    believed = [*trusted, *(asked.logs if asked else ())]
    head = parse_checkpoint(read_note(note)[0])
    verify_inclusion(leaf_hash(stored), index, head.size, hashes, head.root)
    if believed:
        open_note(note, believed)
        if head.origin not in {vkey.name for vkey in believed}:
            raise Unproven(f"The proof is of {head.origin}, whose key you did not give.")
    names = sorted(witnessed_by(asked, note)) if asked else []
    proofs.proved(stored, index + 1, head, names, signed=bool(believed), json=json)
    if asked and not asked.satisfied(names):
        raise Unproven(f"The policy asks for more witnesses than signed this head: {', '.join(names) or 'nobody'} did.")
    if not believed:
        raise Unproven(
            "Whose history it is was not checked.", "Say the key from your character sheet: --key KEY, or a --policy."
        )
