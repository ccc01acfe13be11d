"""Pages: sheets, registers, questions, settings and games, as they read."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.render.terminal import INDENT, as_json, colored, plainly, say, talk

if TYPE_CHECKING:
    from ledger.audit.verify import Whole
    from ledger.journal.book import Book
    from ledger.rules.system import System
    from projections.diff import Change
    from projections.questions import Waiting
    from projections.register import Posted
    from projections.sheets import Sheet
    from projections.why import Why


def sheets(found: Sequence["Sheet"]) -> None:
    """Show sheets, one under the other."""
    for place, sheet in enumerate(found):
        if place:
            say("")
        say(colored(f"{sheet.who} · {sheet.system}" if sheet.system else sheet.who, "title"))
        width = max((len(name) for name, *_ in (*((s.name,) for s in sheet.scores), *sheet.marks)), default=0)
        for score in sheet.scores:
            most = "" if score.most is None else f" of {score.most}"
            say(f"  {score.name:<{width}}  {plainly(score.value)}{most}")
        for name, held in sheet.marks:
            say(f"  {name:<{width}}  {plainly(held)}")
        if sheet.hold:
            say(colored(f"  waits for the answer to #{sheet.hold}", "waits"))


def sheets_json(found: Sequence["Sheet"]) -> None:
    """Write sheets, one JSON object a line."""
    as_json(
        {
            "who": sheet.who,
            "system": sheet.system,
            "scores": {score.name: score.value for score in sheet.scores},
            "marks": dict(sheet.marks),
            "hold": sheet.hold,
        }
        for sheet in found
    )


def register(who: str, score: str, rows: Sequence["Posted"]) -> None:
    """Show the register of a score."""
    say(colored(f"{who} · {score}", "title"))
    numbers = max((len(str(row.seq)) for row in rows), default=1)
    amounts = max((len(f"{row.amount:+d}") for row in rows), default=1)
    balances = max((len(plainly(row.balance)) for row in rows), default=1)
    for row in rows:
        amount = f"{row.amount:+d}".replace("-", "−")
        since = "" if row.since == row.seq else f", counts since #{row.since}"
        number = colored(f"#{row.seq:<{numbers}}", "number")
        say(f"  {number}  {amount:>{amounts}}  {plainly(row.balance):>{balances}}  {row.says}{since}")


def why(found: "Why", most: int | None) -> None:
    """Show why a number is what it is: what counts, the latest first, with its working and what was said about it."""
    from cli.render.lines import headline, working  # a sheet has no lines

    say(colored(f"{found.who} · {_short(found.score)} is {plainly(found.value)}", "title"))
    shown = found.reasons if most is None else found.reasons[-most:]
    for reason in reversed(shown):
        amount = f"{reason.amount:+d}".replace("-", "−")
        say(f"├─ {amount} → {plainly(reason.balance)}  {headline(reason.line)}")
        event = "" if reason.seq == reason.line.seq else f"{reason.event} #{reason.seq}"
        since = "" if reason.since == reason.seq else f"counts since #{reason.since}"
        thrown = {"typed": "thrown by hand", "machine": "thrown by the machine"}.get(reason.thrown, "")
        facts = ", ".join(each for each in (event, since, thrown) if each)
        for text in (facts, *working(reason.line), *reason.replaced, *reason.spoken):
            if text:
                say(f"│       {text}")
    earlier = found.reasons[: len(found.reasons) - len(shown)]
    if earlier:
        say(f"├─ {len(earlier)} earlier entries made it {plainly(earlier[-1].balance)}; see them all with -n all.")
    for gone in found.gone if most is None else found.gone[-most:]:
        amount = f"{gone.amount:+d}".replace("-", "−")
        say(f"├─ counts no more: {amount}  {gone.says}, {gone.struck.how} by #{gone.struck.by}")
    say(f"└─ {len(found.reasons)} {'entry counts' if len(found.reasons) == 1 else 'entries count'}.")


def why_json(found: "Why") -> dict[str, Any]:
    """Return why a number is what it is, as JSON has it."""
    return {
        "who": found.who,
        "score": found.score,
        "value": found.value,
        "counts": [
            {
                "entry": reason.seq,
                "since": reason.since,
                "amount": reason.amount,
                "balance": reason.balance,
                "event": reason.event,
                "action": reason.line.act,
                "says": reason.line.says,
                "replaced": list(reason.replaced),
                "spoken": list(reason.spoken),
            }
            for reason in found.reasons
        ],
        "struck": [{"entry": gone.seq, "amount": gone.amount, "by": gone.struck.by} for gone in found.gone],
    }


def changes(found: Sequence["Change"]) -> None:
    """Show what changed, by character and score, each with the entries that did it."""
    who = ""
    for each in found:
        if each.who != who:
            who = each.who
            say(colored(who, "title"))
        say(f"  {_short(each.name)}  {plainly(each.before)} → {plainly(each.after)}")
        for did in each.did:
            amount = "" if did.amount is None else f"{did.amount:+d}  ".replace("-", "−")
            say(f"{INDENT}#{did.seq}  {amount}{did.says}")
    if not found:
        talk("Nothing on any sheet changed.")


def change_json(each: "Change") -> dict[str, Any]:
    """A change as JSON has it."""
    return {
        "who": each.who,
        "name": each.name,
        "before": each.before,
        "after": each.after,
        "entries": [{"entry": did.seq, "amount": did.amount} for did in each.did],
    }


def _short(full: str) -> str:
    return full.partition("/")[2]


def since_held(book: "Book", who: str, scores: Sequence[str]) -> None:
    """Show the register of scores since the last time that somebody's paper agreed with the book."""
    from projections.register import last_held
    from projections.register import register as rows

    for full in scores:
        held = last_held(book, who, full)
        say(f"{INDENT}Since #{held}, where paper and book agreed:" if held else f"{INDENT}Since the beginning:")
        register(who, _short(full), rows(book, who, full, after=held))


def questions(found: Sequence[tuple["Waiting", str]]) -> None:
    """Show what waits, each with the words that settle it."""
    from ledger.events.types import DisputeRaised  # a sheet has no events

    for each, answer in found:
        who = f"{each.who} " if each.who and each.type != DisputeRaised.type else ""
        dice = f" [{' '.join(map(str, each.dice))}]" if each.dice else ""
        waits = f"{dice} waits for a choice" if each.asks else ""
        say(f"{colored(f'#{each.seq}', 'waits')} {who}{each.says}{waits}.")
        say(f"{INDENT}{answer}")
    if not found:
        talk("Nothing waits for anybody.")


def settings(found: "System", in_force: Mapping[str, Any]) -> None:
    """Show the settings of a game, with what each means."""
    if not found.settings:
        say(f"{found.name} has no settings.")
    for setting in found.settings:
        value = in_force[setting.name]
        say(f"{found.name} {setting.name} = {setting.shows(value) if setting.shows else plainly(value)}")
        say(f"{INDENT}{setting.says}")


def system(found: "System") -> None:
    """Show a game: what stands on its sheet, what may be decided, what can be played and tried."""
    say(colored(f"{found.title} ({found.edition})", "title"))
    rulebook = found.rulebook()
    sections = {
        "Scores": [(score.name, score.says) for score in found.scores],
        "Marks": [(mark.name, mark.says) for mark in found.marks],
        "Settings": [(setting.name, setting.says) for setting in found.settings],
        "Moves": [(move.name(), (move.__doc__ or "").splitlines()[0]) for move in rulebook.moves],
        "Rules": [*rulebook.page.items()],
        "To try": [(rule.name, ", ".join(rule.ids)) for rule in rulebook.rules],
    }
    for title, rows in sections.items():
        if rows:
            say(f"{title}:")
            width = max(len(name) for name, _ in rows)
            for name, text in rows:
                say(f"  {name:<{width}}  {text}")


def system_facts(found: "System") -> dict[str, Any]:
    """A game as JSON has it."""
    rulebook = found.rulebook()
    return {
        "name": found.name,
        "edition": found.edition,
        "title": found.title,
        "scores": [score.name for score in found.scores],
        "marks": [mark.name for mark in found.marks],
        "settings": [setting.name for setting in found.settings],
        "moves": [move.name() for move in rulebook.moves],
        "page": dict(rulebook.page),
        "rules": [rule.name for rule in rulebook.rules],
        "consequences": [kind.name for kind in rulebook.kinds],
    }


def whole(found: "Whole", kept: int = 0) -> None:
    """Say what was found whole, and what that does not prove; `kept` is the longest head that somebody brought."""
    say(
        f"The journal is whole: {found.entries} entries without gaps, each in canonical form and matching its leaf;"
        f" {found.postings} postings and {found.marks} marks as the entries say; {found.words} words as committed to."
    )
    if found.away:
        say(f"{found.away} secrets are not in this file: it is a copy for players, or they were taken out.")
    if kept:
        say(f"The first {kept} entries are those that were signed; nobody wrote them anew since that head was kept.")
    else:
        say("This shows that the file agrees with itself, not that nobody wrote it anew.")
