"""The people at the table in a session, and the people who joined, left or took over a character before the session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ledger.events.subjects import CAST, LEFT, LENT, PLAYER, PRESENT, is_npc
from ledger.events.types import PlayerLeft, PlayersPresent
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from projections.clauses import with_quote
from projections.past_clauses import clause_in_reason
from projections.phrases import person
from projections.prose import listed, listed_clauses, sentence
from projections.prose_names import prose_name
from projections.reasons import with_reason
from projections.wording import typed_words

UNNAMED_GM = "GM"
"""The name of a GM who typed no name when the campaign was made."""


Acts = Mapping[str, Sequence[int]]
"""The actions of each character in a session, as the numbers of their entries."""


def present_players(book: Book, recorded: Sequence[str], acts: Acts, end: AsOf) -> tuple[str, ...]:
    """Return the names of the players at the table: the ones recorded as present, and the GMs.

    If nobody was recorded, add the players who acted. If no character has a player, add the characters who acted,
    except the GM's. `acts` has the entry numbers of each character's actions. `end` is the end of the session.
    """
    acted = set() if recorded else {seat for who in acts for seat in _players_of(book, who, acts, end)}
    seats = book.former_players(end) | book.players(end)
    others = (seat for seat in seats if seat in acted or book.accounts.mark(seat, "gm", end))
    characters = (person(book, who) for who in _characters_without_players(book, acts, end))
    return tuple(dict.fromkeys((*recorded, *map(book.name_of, others), *characters)))


def _characters_without_players(book: Book, acts: Iterable[str], end: AsOf) -> list[str]:
    """Return the characters who acted, without the GM's. If any character has a player, return an empty list."""
    if book.player_characters(end):
        return []
    seats = {who: book.accounts.mark(CAST, who, end) for who in acts}
    return [who for who, seat in seats.items() if seat is not None and not is_npc(seat)]


def _players_of(book: Book, who: str, acts: Acts, end: AsOf) -> set[Any]:
    """Return the handles of all players who played a character when it acted. There may be several in a session."""
    first = min(acts[who])
    changed = any(since >= first for name in (PLAYER, LENT) for _, since in book.accounts.mark_entries(who, name, end))
    return {book.player_of(who, end.replace(seq=min(seq, end.seq))) for seq in (acts[who] if changed else [end.seq])}


def attendance_text(book: Book, present: Sequence[str], acts: Acts, end: AsOf) -> str:
    """Return sentences about the `present` players and what they played. See `present_players` for `acts` and `end`."""
    handles = {book.name_of(seat): seat for seat in (book.former_players(end) | book.players(end))}
    seats = {name: handles[name] for name in present if name in handles}
    gms = [name for name, seat in seats.items() if book.accounts.mark(seat, "gm", end)]
    named = [name for name in gms if name != UNNAMED_GM]
    told = [f"{listed(named)} {'was the GM' if len(named) == 1 else 'were the GMs'}"] if named else []
    played = {name: _played(book, seat, acts, end, only_acted=name in gms) for name, seat in seats.items()}
    parts = [f"{name} played {listed(prose_name(book, who) for who in own)}" for name, own in played.items() if own]
    told += [listed_clauses(parts)] if parts else []
    rest = [name for name in seats if name not in gms and not played[name]]
    told += [f"{listed(rest)} {'was' if len(rest) == 1 else 'were'} there{', too' if told else ''}"] if rest else []
    characters = [prose_name(book, who) for who in _characters_without_players(book, acts, end)]
    told += [f"{listed(characters)} took part"] if characters else []
    return " ".join(map(sentence, told))


def _played(book: Book, seat: str, acts: Acts, end: AsOf, *, only_acted: bool) -> list[str]:
    """Return a player's characters who acted. If none acted, return all of the player's, unless `only_acted`."""
    acted = [who for who in acts if seat in _players_of(book, who, acts, end)]
    if acted or only_acted:
        return acted
    return [who for who, player in book.player_characters(end).items() if player == seat and who not in acts]


def late_arrivals(book: Book, first: int, end: AsOf) -> Iterator[str]:
    """Yield a sentence about players who came late: somebody recorded them as present after the session's first action.

    `first` is the entry of that action, and `end` is the end of the session.
    """
    marks = (
        (seq, seat)
        for seat in book.former_players(end) | book.players(end)
        for seq, _ in book.accounts.mark_entries(seat, PRESENT, end)
    )
    late = [book.name_of(seat) for seq, seat in sorted(marks) if seq > first and _is_typed_arrival(book, seq, end)]
    if late:
        yield f"{listed(late)} came late."


def _is_typed_arrival(book: Book, seq: int, end: AsOf) -> bool:
    entry = book.entry(seq)
    is_arrival = isinstance(entry.event, PlayersPresent) and not entry.event.is_automatic
    return is_arrival and not book.is_struck(entry.act, end)


def membership_changes(book: Book, number: int, last_before: int, end: AsOf, *, is_first: bool) -> Iterator[str]:
    """Yield sentences about players who joined, left or took over a character after entry `last_before`.

    `number` is the session that ends at `end`.

    In the first session, everybody is new, so no sentence says that somebody joined.
    """
    before = AsOf(seq=last_before)
    old, new, former = book.players(before), book.players(end), book.former_players(before)
    reasons = {seat: _why_left(book, seat, end) for seat in old if seat not in new}
    groups = {
        "{names} joined the group.": []
        if is_first
        else [seat for seat in new if seat not in old and seat not in former],
        "{names} came back to the group.": [seat for seat in new if seat in former],
        "{names} left the group.": [seat for seat in old if seat not in new and not reasons[seat]],
    }
    yield from (text.format(names=listed(map(book.name_of, seats))) for text, seats in groups.items() if seats)
    yield from (_left(book.name_of(seat), why) for seat, why in reasons.items() if why)
    yield from _new_gms(book, before, end)
    for who in book.accounts.subjects_with("marks", PLAYER):
        owners = [book.accounts.mark(who, PLAYER, when) for when in (before, end)]
        if None not in owners and owners[0] != owners[1]:
            earlier, later = (book.name_of(owner) for owner in owners)
            yield f"{later} took over {prose_name(book, who)} from {earlier}."
    for who in book.accounts.subjects_with("marks", LENT):
        loan, owner = book.accounts.mark(who, LENT, end), book.accounts.mark(who, PLAYER, end)
        if loan and loan["session"] == number and owner in new and owner != loan["player"]:
            yield f"{book.name_of(loan['player'])} played {prose_name(book, who)} in place of {book.name_of(owner)}."


def _left(name: str, why: str) -> str:
    """Return a sentence about a player who left, with the reason."""
    clause = clause_in_reason(f"{name} {why}")  # "wants to sleep"
    did = f"left, {clause}" if clause else with_reason("left", why)
    return with_quote(f"{name} {did or 'left'}", "" if did else why)


def _why_left(book: Book, seat: str, end: AsOf) -> str:
    """Return the reason why a player left before `end`; "" without a reason."""
    seq, _ = book.accounts.mark_entries(seat, LEFT, end)[-1]
    event = book.entry(seq).event
    return typed_words(event.why) if isinstance(event, PlayerLeft) and event.why and event.why.text else ""


def _new_gms(book: Book, before: AsOf, end: AsOf) -> Iterator[str]:
    """Yield a sentence about players who became GMs, or stopped being GMs, between the points `before` and `end`."""
    seats = [*book.former_players(end), *book.players(end)]
    old, new = ({seat for seat in seats if book.accounts.mark(seat, "gm", when)} for when in (before, end))
    started, stopped = ([book.name_of(seat) for seat in seats if seat in few] for few in (new - old, old - new))
    if started and stopped:
        yield f"{listed(stopped)} handed the role of GM over to {listed(started)}."
    elif started:
        yield f"{listed(started)} became {'a GM' if len(started) == 1 else 'GMs'}."
    elif stopped:
        yield f"{listed(stopped)} gave up the role of GM."
