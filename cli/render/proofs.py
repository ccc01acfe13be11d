"""Proofs: heads, witnesses and what they show, as they read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.render.terminal import BAD, GOOD, INDENT, as_json, colored, plainly, say, talk
from ledger.errors import Altered, Contradiction, LedgerError, Malformed, NotCanonical, Unproven, shortened

if TYPE_CHECKING:
    from ledger.audit.report import Audited
    from ledger.journal.book import Book
    from ledger.tlog.checkpoint import Checkpoint
    from ledger.tlog.policy import Policy
    from ledger.trust.compare import Compared, KeptHead
    from ledger.trust.home import Head


def request(head: "Head", since: int | None, proof: Sequence[bytes]) -> None:
    """Show a head, alone or with the proof that a witness asks for."""
    if since is not None:
        from ledger.tlog.note import to_base64

        say(f"old {since}")
        for each in proof:
            say(to_base64(each))
        say("")
    say(head.note.removesuffix("\n"))


def head_json(head: "Head", proof: Sequence[bytes]) -> None:
    """Write a head as JSON."""
    as_json(
        [
            {
                "origin": head.origin,
                "size": head.size,
                "root": head.root.hex(),
                "note": head.note,
                "proof": [each.hex() for each in proof],
            }
        ]
    )


def cosigned(book: "Book", size: int, name: str) -> None:
    """Say whose line was kept, and how many have witnessed that head by now."""
    from ledger.trust.heads import policies, witnessed_by

    _, policy = policies(book)[-1]
    if name not in policy.witnesses:
        say(f"{name} has witnessed the history up to #{size}, but is not named by the policy that is in force.")
        return
    names = witnessed_by(policy, book.journal.checkpoints()[size])
    enough = "enough for the policy" if policy.satisfied(names) else "not enough for the policy yet"
    say(f"{name} has witnessed the history up to #{size}; {len(names)} of {len(policy.witnesses)} have, {enough}.")


SAYS = {
    "same": "is the head of this file",
    "shorter": "is in this file, which goes on from it",
    "truncated": "speaks of more entries than this file has",
    "altered": "is of other entries than this file has",
    "forked": "contradicts a head that this file carries, signed by the same key",
    "left": "is of a history that this file left, as it says itself; 'campaign audit' says where",
}


def held(name: str, each: "KeptHead") -> None:
    """Say in words which head somebody's copy holds, and what it is to the file."""
    good = each.signed and each.finding in {"same", "shorter"}
    mark = colored(GOOD, "good") if good else colored(BAD, "bad")
    signed = "signed by the campaign's key" if each.signed else "not signed by the campaign's key"
    names = f", witnessed by {', '.join(each.cosigned)}" if each.cosigned else ""
    say(f"{mark} {name}: a head of {each.checkpoint.size} entries, {signed}{names}; it {SAYS[each.finding]}.")
    if each.beside:
        for note in (each.note, each.beside):
            say(INDENT + note.removesuffix("\n").replace("\n", f"\n{INDENT}"))


def held_json(name: str, each: "KeptHead") -> dict[str, Any]:
    """The finding about a head, as JSON."""
    return {
        "name": name,
        "size": each.checkpoint.size,
        "root": each.checkpoint.root.hex(),
        "signed": each.signed,
        "witnesses": list(each.cosigned),
        "finding": each.finding,
        "wrong": list(each.wrong) if each.wrong[0] else None,
    }


def witnessed(
    book: "Book", policy: "Policy", brought: Sequence["KeptHead"], *, json: bool, facts: dict[str, Any]
) -> Unproven | None:
    """Show how far the history was witnessed as a policy asks; return what is lacking, None where nothing is."""
    from ledger.trust.heads import longest_witnessed

    size, names = longest_witnessed(book, policy, [each.note for each in brought])
    if json:
        facts["policy"] = {"witnessed": size, "witnesses": sorted(names)}
    elif size:
        by = ", ".join(sorted(names)) or "nobody, as it asks for none"
        later = "" if size == book.head() else "; what came later is not witnessed"
        say(f"{GOOD} The policy is satisfied up to #{size}, by {by}{later}.")
    if size:
        return None
    hint = "Let the witnesses sign what 'campaign checkpoint' prints."
    return Unproven("No head of this file was witnessed as the policy asks.", hint)


def proved(stored: bytes, seq: int, head: "Checkpoint", names: Sequence[str], *, signed: bool, json: bool) -> None:
    """Say what the proof of an entry shows, and the entry."""
    body = _entry_of(stored)
    if body.get("seq") != seq:
        raise Malformed(f"The proof is of entry {seq}, and holds another one.")
    if json:
        as_json([{"entry": body, "size": head.size, "origin": head.origin, "signed": signed, "witnesses": list(names)}])
        return
    whose = f"of {head.origin}" if signed else f"that calls itself {head.origin}"
    witnesses = f", witnessed by {', '.join(names)}" if names else ""
    say(f"{GOOD} Entry {seq} stands in the history {whose}, of {head.size} entries{witnesses}.")
    say(f"{INDENT}#{seq} {_shortly(body)}; all of it, as it is hashed, with --json")


def _entry_of(stored: bytes) -> dict[str, Any]:
    """The entry that a proof carries, which anybody may have written; refuses (`Malformed`) what is none."""
    from ledger.events.canonical import parse_json

    try:
        body = parse_json(stored)
    except NotCanonical:
        body = None
    if not isinstance(body, dict):
        raise Malformed("What the proof holds is no entry of a campaign.")
    return body


def _shortly(body: Mapping[str, Any]) -> str:
    """A line about an entry from its body alone, which lacks the words."""
    verdict = body.get("verdict")
    told = verdict if isinstance(verdict, dict) else {}
    margin, dice = told.get("margin"), body.get("dice")
    faces = [die.get("face") for die in dice if isinstance(die, dict)] if isinstance(dice, list) else []
    named = " ".join(str(body[name]) for name in ("who", "system", "move") if body.get(name))
    parts = [
        named or str(body.get("type")),
        str(told.get("says") or ""),
        f"margin {plainly(margin)}" if isinstance(margin, int) else "",
        f"dice {' '.join(map(str, faces))}" if faces else "",
        f"by {body.get('by')}, {body.get('at')}",
    ]
    return ", ".join(part if part.isprintable() else shortened(part) for part in parts if part)


def compared(found: "Compared", names: Sequence[str], *, signed: bool, json: bool) -> None:
    """Say what two histories are to each other."""
    from ledger.tlog.note import to_base64

    if json:
        proof = [to_base64(each) for each in found.proof]
        facts = {"finding": found.finding, "sizes": list(found.sizes), "proof": proof, "parts": found.parts or None}
        as_json([{**facts, "signed": signed}])
        return
    one, other = names
    if found.finding == "same":
        say(f"{GOOD} {one} and {other} are the same history of {found.sizes[0]} entries.")
    elif found.finding == "extension":
        shorter, longer = (one, other) if found.sizes[0] < found.sizes[1] else (other, one)
        same, more = min(found.sizes), max(found.sizes) - min(found.sizes)
        say(f"{GOOD} {longer} goes on from {shorter}: {same} entries are the same, and {more} came after them.")
        for each in found.proof:
            say(f"{INDENT}{to_base64(each)}")
    elif found.finding == "fork":
        where = f"; they part at entry {found.parts}" if found.parts else ""
        say(f"{BAD} {one} and {other} are two histories{where}.")
    else:
        sizes = f"{one} has {found.sizes[0]} entries and {other} has {found.sizes[1]}"
        say(f"? {sizes}; whether they go together is not shown.")
    if not signed:
        talk("No key was given, so that whose heads they are was not checked; say --key KEY.")


def audited(found: "Audited") -> None:
    """Say what an audit came to: the tier, the classes, what was found, and what cannot be known."""
    tier = found.tier
    say(f"The history is whole: {tier.whole} entries, as the file has them.")
    say(f"It is signed up to #{tier.signed} by the campaign's key." if tier.signed else "It is not signed.")
    if tier.witnessed:
        names = f"{len(tier.witnesses)} of {tier.of}, {', '.join(tier.witnesses)}"
        asks = f"the policy of #{tier.policy} asks"
        enough = f"as {asks}" if tier.satisfied else f"fewer than {asks}"
        say(f"It is witnessed up to #{tier.witnessed} by {names}; {enough}.")
    else:
        fewer = f"0 of {tier.of}; fewer than the policy of #{tier.policy} asks"
        say(f"It is witnessed by {fewer if tier.of else 'nobody'}.")
    classes = Counter(name for _, name in found.outcomes)
    for title, counts in (("Outcomes", classes), ("Counted", found.counts)):
        say(f"{title}: {', '.join(f'{count} {name}' for name, count in sorted(counts.items())) or 'none'}.")
    for each in found.remarks:
        say(f"Remark, #{each.seq}: {each.says}")
    for each in found.findings:
        say(colored(f"{BAD} Finding, #{each.seq}: {each.says}", "bad"))
    if not found.findings:
        say("There is no finding.")
    say("What this cannot know:")
    for text in found.unknown:
        say(f"  {text}")


def audited_json(found: "Audited") -> None:
    """Write what an audit came to as JSON."""
    as_json(
        [
            {
                "whole": found.whole.__dict__,
                "tier": {**found.tier.__dict__, "witnesses": list(found.tier.witnesses)},
                "outcomes": [{"entry": seq, "class": name} for seq, name in found.outcomes],
                "counts": dict(found.counts),
                "findings": [{"entry": each.seq, "says": each.says} for each in found.findings],
                "remarks": [{"entry": each.seq, "says": each.says} for each in found.remarks],
                "unknown": list(found.unknown),
            }
        ]
    )


def evidence(notes: Sequence[str]) -> None:
    """Show signed heads whole, as they can be kept."""
    for note in notes:
        talk(note.removesuffix("\n"))


def forked(notes: Sequence[str], parts: int) -> LedgerError:
    """Show the heads of two histories that part at an entry; return that they contradict, where both reach it."""
    from ledger.tlog.checkpoint import parse_checkpoint
    from ledger.tlog.note import read_note

    evidence(notes)
    reaching = [note for note in notes if parse_checkpoint(read_note(note)[0]).size >= parts]
    if len(reaching) > 1:
        return Contradiction(*reaching)
    return Altered("They are two histories, and not both have a signed head that reaches beyond where they part.")
