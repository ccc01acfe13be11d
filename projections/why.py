"""The entries that explain a number, with their corrections."""

from __future__ import annotations

from itertools import islice
from typing import Any

from ledger.corrections.actions import root_of
from ledger.events import types as events
from ledger.events.entry import Entry, lead_of
from ledger.events.facts import Source
from ledger.events.rows import PostingRow
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.values import Struct
from projections.log import Cancellation, Line, cancellation, comments_on_versions, line, tell_comment
from projections.phrases import describe_entry
from projections.sheets import sheets
from projections.wording import reason_suffix

TYPES_WITH_REASON = events.ActionStruck, events.ActionAmended, events.PlayRewound, events.QuestionDecided
"""The types of corrections with a reason. If such a correction replaced an entry, the explanation shows the reason."""


class Reason(Struct):
    """An entry that changed a number by `amount`, to the new value `balance`.

    The change takes effect at entry `since`. `thrown` is the source of its dice, if any. `spoken` has the
    comments on the entry. `replaced` describes the older versions of the entry.
    """

    seq: int
    since: int
    amount: int
    balance: int
    event: str
    thrown: Source | None
    line: Line
    spoken: tuple[str, ...]
    replaced: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the entry for JSON, with the action in words."""
        left_out = ("seq", "thrown", "line")
        facts = {name: value for name, value in self.__dict__.items() if name not in left_out}
        return {"entry": self.seq, **_action_fields(self.line), **facts}


class CanceledEntry(Struct):
    """A canceled entry, with the entry that canceled it."""

    seq: int
    amount: int
    says: str
    struck: Cancellation


class Why(Struct):
    """The value of a score, and the entries that changed it.

    - `value`: the sum of `opening_balance` and all amounts in `reasons`.
    - `reasons`: the latest entries that are not canceled, in order.
    - `gone`: the latest canceled entries.
    - `earlier`: how many older entries `reasons` leaves out.
    - `opening_balance`: the balance after these older entries.
    - `name`: the name to show for `who`.
    """

    who: str
    score: str
    value: int
    reasons: tuple[Reason, ...]
    gone: tuple[CanceledEntry, ...]
    earlier: int
    opening_balance: int
    name: str

    def as_json(self) -> dict[str, Any]:
        """Return the fields for JSON, without `earlier`, `opening_balance` and `name`."""
        struck = [{"entry": gone.seq, "amount": gone.amount, "by": gone.struck.by} for gone in self.gone]
        return {"who": self.who, "score": self.score, "value": self.value, "counts": self.reasons, "struck": struck}


class WhyMark(Struct):
    """A mark, and the actions that set it, in order. Canceled actions are left out."""

    who: str
    mark: str
    value: Any
    lines: tuple[Line, ...]
    name: str

    def as_json(self) -> dict[str, Any]:
        """Return the mark for JSON, with the actions in words."""
        counts = [{"entry": line.seq, **_action_fields(line)} for line in self.lines]
        return {"who": self.who, "mark": self.mark, "value": self.value, "counts": counts}


def _action_fields(line: Line) -> dict[str, Any]:
    return {"action": line.act, "says": line.says, "deed": line.deed}


def names_in_row(book: Book, who: str, label: str, when: AsOf = NOW) -> list[str]:
    """Return the full names of the recorded scores and marks in the row with this label.

    On a sheet without such a row, look for a mark named `label`. If nothing in the row is recorded, return the
    game's `sheet` mark. The list is empty if `label` is unknown, or if it is the name of a score.
    """
    scores, marks = book.accounts.scores(who), book.accounts.mark_names(who)
    if any(label in {full, full.partition("/")[2]} for full in scores):
        return []
    names, pages = list[str](), sheets(book, [who], when)
    for page in pages:
        shown = [name for row in page.rows if row.label == label for name in row.shows]
        names += [f"{page.system}/{name}" for name in shown or [mark for mark, _ in page.marks if mark == label]]
    written = [full for full in dict.fromkeys(names) if full in scores or full in marks]
    return written or [f"{page.system}/sheet" for page in pages if any(row.label == label for row in page.rows)]


def why_label(
    names: Names, who: str, label: str, when: AsOf = NOW, most: int | None = None
) -> tuple[list[Why], list[WhyMark]]:
    """Explain the score with this name, or else the scores and marks in this row. See `why` for `most`."""
    book = names.book
    full_names = names_in_row(book, who, label, when) or [names.posted_score(who, label)]
    scores = [full for full in full_names if full in book.accounts.scores(who)]
    marks = [why_mark(book, who, full, when) for full in full_names if full not in scores]
    return [why(book, who, full, when, most) for full in scores], marks


def why_mark(book: Book, who: str, mark: str, when: AsOf = NOW) -> WhyMark:
    """Return the actions that set a mark (full name), and the value of the mark, as of `when`."""
    as_known = AsOf(seq=when.known if when.corrected else when.seq)
    entries = (book.journal.entry(seq) for seq, _ in book.accounts.mark_entries(who, mark, when))
    counting = [entry for entry in entries if entry.type != events.ActionStruck.type]
    shown = (entry for entry in counting if cancellation(book, entry.act, as_known) is None)
    lines = (line(book, _entries_of_part(book, entry), AsOf(corrected=True, known=as_known.seq)) for entry in shown)
    value = book.reveal(book.accounts.mark(who, mark, when))
    return WhyMark(who=who, mark=mark, value=value, lines=tuple(lines), name=book.name_of(who))


def why(book: Book, who: str, score: str, when: AsOf = NOW, most: int | None = None) -> Why:
    """Explain a score (full name) with its last `most` entries that still count, and its last `most` canceled entries.

    If `most` is `None`, include all entries.
    """
    as_known = AsOf(seq=when.known if when.corrected else when.seq)
    counted = when if when.corrected else AsOf(corrected=True, known=min(when.seq, when.known))
    revised, standing, gone = set[int](), set[PostingRow](), list[tuple[PostingRow, Cancellation]]()
    alone = book.accounts.count_postings(who, score, counted)
    for row in book.accounts.backdated_postings(who, score, counted):
        entry = book.journal.entry(row.seq)
        alone -= row.seq == row.since
        revised.add(row.since)
        if entry.type != events.ActionStruck.type:
            struck = cancellation(book, entry.act, as_known)
            standing.add(row) if struck is None else gone.append((row, struck))
    latest = book.accounts.latest_postings(who, score, counted)
    counting = (row for row in latest if row.since not in revised or row in standing)
    reasons = list[Reason]()
    value = balance = book.accounts.balance(who, score, counted) or 0
    for row in islice(counting, most):
        entry = book.journal.entry(row.seq)
        entries = _entries_of_part(book, entry)
        reason = Reason(
            seq=entry.seq,
            since=entry.since,
            amount=row.amount,
            balance=balance,
            event=entry.type,
            thrown=_dice_source(book, entries[0]),
            line=line(book, entries, AsOf(corrected=True, known=as_known.seq)),
            spoken=tuple(
                f"#{comment.seq} {tell_comment(book, comment)}"
                for comment in comments_on_versions(book, entry.act, as_known)
            ),
            replaced=tuple(_replacements(book, entries[0])),
        )
        reasons.append(reason)
        balance -= row.amount
    return Why(
        who=who,
        score=score,
        value=value,
        reasons=tuple(reversed(reasons)),
        gone=tuple(
            CanceledEntry(seq=row.seq, amount=row.amount, says=describe_entry(book, row.seq), struck=struck)
            for row, struck in (gone if most is None else gone[-most:])
        ),
        earlier=alone + len(standing) - len(reasons),
        opening_balance=balance,
        name=book.name_of(who),
    )


def _entries_of_part(book: Book, entry: Entry) -> list[Entry]:
    root = root_of(book, entry)
    return [member for member in book.action(root.act) if root.seq in {member.seq, member.cause}]


def _dice_source(book: Book, root: Entry) -> Source | None:
    throws = root.event.throws if isinstance(root.event, events.MoveEvent) else ()
    dice = [book.journal.entry(seq).event for seq in throws[:1]]
    return next((throw.source for throw in dice if isinstance(throw, events.DiceThrown)), None)


def _replacements(book: Book, root: Entry) -> list[str]:
    texts = []
    before: Entry | None = root
    while before is not None and before.cause is not None:
        strike = book.journal.entry(before.cause)
        head = lead_of(book.action(before.act))
        amendment = book.entry(strike.cause or strike.seq)
        acts = book.action(strike.event.strikes) if isinstance(strike.event, events.ActionStruck) else []
        played = (entry for entry in acts if not isinstance(entry.event, events.DiceThrown | events.Correction))
        roots = (entry for entry in played if _entries_of_part(book, entry)[0] == entry)
        again = before
        before = next((entry for entry in roots if book.are_same_part(entry, again)), None)
        if before is not None:
            reason = _reason_text(amendment.event) or _reason_text(head.event)
            old, correction = describe_entry(book, before.seq), describe_entry(book, head.seq)
            texts.append(f"replaced {old} because of {correction}{reason}")
    return texts


def _reason_text(event: events.Event) -> str:
    return reason_suffix(event.why if isinstance(event, TYPES_WITH_REASON) else None)
