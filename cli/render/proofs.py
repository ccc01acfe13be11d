"""Heads, witnesses, proofs and audits as text."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.render.terminal import BAD, GOOD, INDENT, aside, colored, print_exactly, say, say_json
from ledger.corrections.actions import replacement_of
from ledger.errors import Altered, Contradiction, LedgerError, Run, Unproven, count_of, entry_count, quoted
from ledger.events.entry import Entry
from ledger.journal.book import Book
from ledger.tlog.checkpoint import Checkpoint, parse_checkpoint
from ledger.tlog.note import read_note, to_base64
from ledger.tlog.policy import Policy
from ledger.trust import heads
from ledger.trust.agreements import PolicyChange
from ledger.trust.compare import Comparison, SavedHead
from ledger.trust.home import Head
from projections.wording import sheet_value_text

if TYPE_CHECKING:
    from ledger.audit.remembered import EarlierCheck, Memory
    from ledger.audit.report import AuditResult


def show_request(
    head: Head, proven: Mapping[int, Sequence[bytes]], policies: Sequence[tuple[int, Policy]] = ()
) -> None:
    """Show everything that a witness needs in order to sign: first new policies, then proofs, and last the head.

    `policies` has each policy with its entry number. `proven` maps the size of each earlier head to a list of hashes,
    which proves that the new `head` continues the earlier one.
    """
    for seq, policy in policies:
        say(f"policy {seq}")
        print_exactly(f"{policy}\n")
    for size, proof in proven.items():
        say(f"old {size}")
        for node in proof:
            say(to_base64(node))
        say("")
    print_exactly(head.note)


def show_head_json(head: Head, proof: Sequence[bytes]) -> None:
    """Print a head as a JSON object, with the proof that it continues an earlier head."""
    facts = {**head.__dict__, "root": head.root.hex(), "proof": [node.hex() for node in proof]}
    say_json([facts])


def show_cosigned(book: Book, size: int, name: str) -> None:
    """Print that a witness signed the head of `size` entries, and how many witnesses of the policy have signed it."""
    _, policy = heads.campaign_policies(book)[-1]
    if name not in policy.witnesses:
        say(f"{name} signed the history up to #{size}, but is not a witness in the current policy.")
        return
    names = heads.witnessed_by(policy, book.journal.checkpoints()[size])
    enough = (
        "The policy asks for no more signatures."
        if policy.is_satisfied_by(names)
        else "The policy asks for more signatures."
    )
    say(f"{name} signed the history up to #{size}.")
    say(f"{len(names)} of {count_of(len(policy.witnesses), 'witness has', 'witnesses have')} signed it. {enough}")


def show_policy_change(change: PolicyChange) -> None:
    """Show how a new policy differs from the old one: the witnesses, their keys, and how many must sign."""
    aside(f"The policy of #{change.seq} replaces the policy of #{change.old_seq}:")
    for name in change.old.witnesses | change.new.witnesses:
        old, new = change.old.witnesses.get(name), change.new.witnesses.get(name)
        if old == new:
            aside(f"{INDENT}{name}: the same key")
        elif new is None:
            aside(f"{INDENT}{name}: no longer a witness")
        else:
            says = "a new witness with the key" if old is None else "A DIFFERENT KEY:"
            aside(f"{INDENT}{name}: {says} {new}")
    new_quorum, old_quorum = change.new.quorum_text(), change.old.quorum_text()
    aside(f"{INDENT}Signatures needed: {new_quorum} (before: {old_quorum}).")


HEAD_PHRASES = {
    "same": "It covers all entries of this file.",
    "shorter": "It matches this file, but the file has more entries.",
    "truncated": "It covers more entries than this file has.",
    "altered": "It does not match the entries in this file.",
    "forked": "It contradicts a checkpoint in this file, and the same key signed both checkpoints.",
    "left": f"It covers entries that are no longer in this file. To see why: {Run('show', '{entry}')}",
}


def show_head(name: str, head: SavedHead, *, wrong: bool) -> None:
    """Show a head: the size, the signers, and how it fits the file. `wrong` marks a head that failed its check."""
    mark = colored(BAD, "bad") if wrong else "Remark:" if head.left_in else colored(GOOD, "good")
    signed = "signed by the campaign's key" if head.signed else "not signed by the campaign's key"
    witnesses = f", witnesses: {', '.join(head.cosigned)}" if head.cosigned else ""
    finding = HEAD_PHRASES[head.finding].format(entry=head.left_in)
    say(f"{mark} {name}: a checkpoint of {entry_count(head.checkpoint.size)}, {signed}{witnesses}. {finding}")
    if head.conflicting:
        for note in (head.note, head.conflicting):
            print_exactly(note, indent=INDENT)


def head_comparison_json(name: str, head: SavedHead) -> dict[str, Any]:
    """Return the result of comparing a head with the file, as a JSON object."""
    return {
        "name": name,
        "size": head.checkpoint.size,
        "root": head.checkpoint.root.hex(),
        "signed": head.signed,
        "witnesses": list(head.cosigned),
        "finding": head.finding,
        "wrong": list(head.wrong_range) if head.wrong_range[0] else None,
        "left_in": head.left_in or None,
    }


def show_witnessed_entry(
    book: Book, policy: Policy, notes: Sequence[str], *, json: bool, facts: dict[str, Any]
) -> Unproven | None:
    """Show the last entry that has all the signatures that the policy asks for.

    The signatures are in the file and in `notes`. With `json`, add the entry to `facts` instead. Return the error to
    raise if there is no such entry.
    """
    size, names = heads.longest_witnessed(book, policy, notes)
    if json:
        facts["policy"] = {"witnessed": size, "witnesses": sorted(names)}
    elif size:
        signers = ", ".join(sorted(names)) or "no witness needed"
        later = "" if size == book.head() else " No witness has signed the later entries."
        say(f"{GOOD} Up to #{size}, the history has all signatures that the policy asks for ({signers}).{later}")
    if size:
        return None
    hint = f"Ask the witnesses to sign the checkpoint that {Run('checkpoint')} prints."
    return Unproven("No checkpoint of this file has the signatures that the policy asks for.", hint)


def cancellation_sentence(book: Book, seq: int) -> str:
    """Return a sentence that says what canceled this entry, and what replaced it; "" if the entry still counts."""
    from projections.log import cancellation  # only a proof needs it

    struck = cancellation(book, book.entry(seq).act)
    if struck is None:
        return ""
    instead = replacement_of(book, seq)
    says = f"#{seq} was {struck.how} by #{struck.by}"
    return f"{says}, and #{instead} replaced #{seq}." if instead else f"{says}."


def show_proof(
    entry: Entry, head: Checkpoint, names: Sequence[str], incomparable_size: int, *, signed: bool, json: bool
) -> None:
    """Show an entry from a proof, and the head of the history that contains the entry.

    `names` are the witnesses who signed the head. `signed` is true if a trusted key signed the head.
    `incomparable_size` is the size of a saved head that cannot be compared with this head, or 0 if there is none.
    """
    body = entry.body
    if json:
        facts = {"entry": body, "size": head.size, "origin": head.origin, "signed": signed, "witnesses": list(names)}
        say_json([{**facts, "apart": incomparable_size or None}])
        return
    campaign = head.origin if signed else f"{head.origin} (name not checked)"
    witnesses = f", witnesses: {', '.join(names)}" if names else ""
    say(f"{GOOD} Entry {entry.seq} is in the history of {campaign} ({entry_count(head.size)}{witnesses}).")
    say(f"{INDENT}#{entry.seq} {_entry_in_short(body)}; add --json for the complete entry")
    say(f"{INDENT}The proof does not show whether the entry was canceled later. To find out, see the campaign itself.")
    if incomparable_size:
        say(
            f"This computer's checkpoint covers {entry_count(incomparable_size)}, and the proof's checkpoint covers"
            f" {head.size:,}. The two checkpoints may belong to different histories."
        )


def _entry_in_short(body: Mapping[str, Any]) -> str:
    """Describe an entry in one line. Leave out typed texts, because `body` has only their hashes."""
    ruling = body.get("verdict") or {}
    margin = ruling.get("margin")
    faces = [die["face"] for die in body.get("dice", ())]
    text = " ".join(str(body[name]) for name in ("who", "system", "move") if body.get(name))
    parts = [
        text or str(body.get("type")),
        str(ruling.get("says") or ""),
        f"margin {sheet_value_text(margin)}" if isinstance(margin, int) else "",
        f"dice {' '.join(map(str, faces))}" if faces else "",
        f"by {body.get('by')}, {body.get('at')}",
    ]
    return ", ".join(part if part.isprintable() else quoted(part) for part in parts if part)


def show_comparison(result: Comparison, names: Sequence[str], *, signed: bool, json: bool) -> None:
    """Show the result of comparing two histories, with the proof if one continues the other.

    `names` are the names of the two histories. `signed` is true if the signatures were checked.
    """
    if json:
        proof = [to_base64(node) for node in result.proof]
        facts = {"finding": result.finding, "sizes": list(result.sizes), "proof": proof, "parts": result.split or None}
        say_json([{**facts, "signed": signed}])
        return
    one, other = names
    if result.finding == "same":
        say(f"{GOOD} {one} and {other} are the same history of {entry_count(result.sizes[0])}.")
    elif result.finding == "extension":
        shorter, longer = (one, other) if result.sizes[0] < result.sizes[1] else (other, one)
        both = count_of(min(result.sizes), "entry is the same", "entries are the same")
        added = count_of(max(result.sizes) - min(result.sizes), "follows", "follow")
        say(f"{GOOD} {longer} continues {shorter}: {both}, and {added}.")
        for node in result.proof:
            say(f"{INDENT}{to_base64(node)}")
    elif result.finding == "fork":
        first = f" The first difference is in entry {result.split}." if result.split else ""
        say(f"{BAD} {one} and {other} are different histories.{first}")
    else:
        sizes = f"{one} has {entry_count(result.sizes[0])} and {other} has {result.sizes[1]:,}"
        alone = "The number of entries alone does not show whether two checkpoints belong to the same history."
        say(f"? {sizes}. {alone}")
    if not signed:
        aside("The signatures were not checked, because you gave no key. Add --key KEY.")


def show_audit(report: AuditResult, checked: Memory, warning: str) -> None:
    """Show an audit: signatures, counts, remarks (including `warning`), findings, and questions that stay open.

    `checked` is the memory that the audit used.
    """
    tier = report.tier
    say(f"The file is complete: {entry_count(tier.whole)}, none missing or altered.")
    say(f"The campaign's key signed the file up to #{tier.signed}." if tier.signed else "The file is not signed.")
    asks = "" if tier.satisfied else f" The policy of #{tier.policy} asks for more signatures."
    if tier.witnessed:
        number, names = len(tier.witnesses), ", ".join(tier.witnesses)
        witnesses = count_of(tier.of, "witness", "witnesses")
        say(f"{number} of {witnesses} ({names}) signed the file up to #{tier.witnessed}.{asks}")
    else:
        say(f"No witness has signed the file.{asks if tier.of else ''}")
    if tier.agreed:
        say(f"{' and '.join(tier.agreed)} agreed to the latest policy change.")
    outcomes = Counter(name for _, name in report.outcomes)
    others = {name: count for name, count in report.counts.items() if name not in outcomes}
    for title, counts in (("Outcomes", outcomes), ("Counted", others)):
        listed = (f"{count} {OUTCOME_PHRASES.get(name, name)}" for name, count in sorted(counts.items()))
        say(f"{title}: {', '.join(listed) or 'none'}.")
    show_remembered(checked, tier.whole, Run("audit", all=True))
    show_foreign_tables(report.also_holds)
    if warning:
        say(f"Remark: {warning}")
    for remark in report.remarks:
        say(f"Remark, #{remark.seq}: {remark.says}")
    for finding in report.findings:
        say(colored(f"{BAD} Finding, #{finding.seq}: {finding.says}", "bad"))
    if not report.findings:
        say("No problems found.")
    say("This record cannot answer these questions:")
    for text in report.unknown:
        say(f"  {text}")


def show_remembered(checked: Memory, entries: int, again: Run) -> None:
    """Print which entries were checked now, and which only by an earlier check. Or print why nothing is remembered.

    `again` is the command that checks all entries again.
    """
    earlier = checked.earlier_check
    if checked.is_open:
        from ledger.audit.remembered import HAS_OWNERS  # already loaded

        say(
            f"Other users of this computer can open the folder {checked.folder}, so the next check starts from the"
            f" beginning. To close the folder: chmod 700 {shlex.quote(checked.folder)}"
            if HAS_OWNERS
            else "The program cannot tell who may change its own folder on this system, so the next check starts from"
            " the beginning."
        )
    if earlier is not None:
        new = entry_count(entries - earlier.entries) if entries > earlier.entries else "no new entries"
        say(
            f"Checked now: {new}. #1 to #{earlier.entries} are unchanged since a check on {earlier.since}."
            f" To check them again: {again}"
        )


def remembered_json(earlier: EarlierCheck | None) -> dict[str, Any] | None:
    """Return the entries that only an earlier check has checked, as a JSON object; `None` without an earlier check."""
    return None if earlier is None else {"entries": earlier.entries, "since": earlier.since}


def show_foreign_tables(names: Sequence[str]) -> None:
    """Print the names of other programs' tables in the file, if there are any."""
    if names:
        say(f"Remark: the file also contains data from another program ({', '.join(names)}).")


OUTCOME_PHRASES = {
    "worked out again": "recomputed",
    "attested by hand": "adjusted by the GM",
    "attested by a player": "adjusted by a player",
    "attested, under another edition": "under another edition of the rules",
    "attested, and not known here": "from a game that is not installed here",
    "attested, for a secret that is not here": "based on a secret that is not in this copy",
    "struck": "canceled",
}
"""The printed words for some outcomes and counts of an audit. JSON uses the internal names, the keys."""


def show_audit_json(report: AuditResult, warning: str) -> None:
    """Print an audit as a JSON object that includes `warning`."""
    facts = {
        "whole": report.file_counts,
        "tier": report.tier,
        "outcomes": [{"entry": seq, "class": name} for seq, name in report.outcomes],
        "counts": dict(report.counts),
        "findings": [{"entry": finding.seq, "says": finding.says} for finding in report.findings],
        "remarks": [{"entry": remark.seq, "says": remark.says} for remark in report.remarks],
        "unknown": report.unknown,
        "also_holds": report.also_holds,
        "remembered": remembered_json(report.earlier_check),
        "read_by_others": bool(warning),
    }
    say_json([facts])


def show_evidence(notes: Sequence[str]) -> None:
    """Print complete signed heads to standard error, so that people can save them as evidence."""
    for note in notes:
        print_exactly(note, err=True)


def show_fork(notes: Sequence[str], differ_at: int, doubt: str = "") -> LedgerError:
    """Show the heads of a fork, and return the error for the caller to raise.

    The histories differ at entry `differ_at` or before it. If at least two heads include entry `differ_at`, the
    error is `Contradiction`, else `Altered`. The sentence `doubt` is added to a `Contradiction`.
    """
    show_evidence(notes)
    reaching = [note for note in notes if parse_checkpoint(read_note(note)[0]).size >= differ_at]
    if len(reaching) > 1:
        return Contradiction(reaching[0], reaching[1], doubt)
    return Altered(
        "These are different histories. In at least one of them, no signature covers the entries where they differ."
    )
