"""A check for actions that a player entered, although the web page refuses them to this player."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.audit.decided import Decided
from ledger.events import types as events
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import CAMPAIGN
from ledger.rules.system import Remark

MOST_NUMBERS = 5
"""The maximum number of entries that a remark names. If there are more, the remark counts them."""


class AuthorsCheck(EntryCheck):
    """A check that players entered only what the page allows them.

    It yields only remarks, because anybody can name another player with `--by`. All entries of one player for the same
    characters share one remark.
    """

    def __init__(self, decided: Decided) -> None:
        self._decided = decided
        self._entries: dict[tuple[str, tuple[str, ...]], list[int]] = {}

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        for act, refused_for in sorted(self._decided.refused_for.items()):
            entry = past.entry(act)
            if past.is_in_force(entry):
                yield from self._check_action(entry, refused_for, past)
        for (by, whose), (first, *others) in self._entries.items():
            name, names = past.book.name_of(by), [past.book.name_of(who) for who in whose]
            says = f"{name} entered this for {' and '.join(names)}, but does not play {' or '.join(names)}."
            if whose == (CAMPAIGN,):
                says = f"{name} entered this, but is not a GM."
            yield Remark(first, f"{says}{_others_sentence(others)}")

    def _check_action(self, entry: Entry, refused_for: tuple[str, ...], past: PastEntries) -> Iterator[Fault]:
        lead = lead_of(past.book.journal.action(entry.act))
        name = past.book.name_of(entry.by)
        match lead.event:
            case events.QuestionDecided(question=seq):
                asked = past.entry(seq).event
                objected = isinstance(asked, events.DisputeRaised) and asked.player == entry.by
                decided = f"{name} decided question #{seq}, but is not a GM."
                yield Remark(lead.seq, f"{name} raised dispute #{seq}, and also decided it." if objected else decided)
            case events.VerdictOverridden(about=about):
                yield Remark(lead.seq, f"{name} overrode the verdict of #{about}, but is not a GM.")
            case _:
                whose = (CAMPAIGN,) if CAMPAIGN in refused_for else refused_for
                self._entries.setdefault((entry.by, whose), []).append(lead.seq)


def _others_sentence(seqs: Sequence[int]) -> str:
    numbers = [f"#{seq}" for seq in seqs[:MOST_NUMBERS]]
    if more := len(seqs) - len(numbers):
        numbers.append(f"{more:,} more")
    *first, last = numbers or [""]
    entries = f"{', '.join(first)} and {last}" if first else last
    return f" The same goes for {entries}." if last else ""
