"""Amending the GM's name, which `init` wrote in the opening: the rest of the opening stays."""

from collections.abc import Callable
from typing import Any

import pytest

from audits import decided
from ledger.audit.verify import verify
from ledger.commands.custody import Erase
from ledger.commands.decider import BookDraft, Command
from ledger.commands.seats import Seat
from ledger.corrections.answers import Decide, Dispute
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void
from ledger.errors import Refused, WrongEntry, WrongFaces
from ledger.events.commitments import CommittedText
from ledger.events.facts import Mark
from ledger.events.subjects import PLAYERS, STRUCK
from ledger.events.types import ActionAmended, ActionStruck, Event, NoteWritten, PlayerSeated
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.rules.system import Remark
from projections.log import line
from projections.phrases import tell
from projections.replay import entries_between
from projections.side_effects import side_effects
from table import scribe


def amend(about: int, *faces: int, **inputs: Any) -> Amend:
    return Amend(named=about, inputs=inputs, faces=faces or None, cascade=False, why="so")


def renamed(book: Book, about: int = 2, name: str = "Kate") -> int:
    """Amend the name in a seating, and return the new seating."""
    return scribe(book).write(amend(about, name=name)).entries[-1].seq


def name_of(book: Book, when: AsOf = NOW) -> str:
    return book.players(when)["p1"]


def is_right(book: Book) -> None:
    """Return True if the file verifies and every action, decided again, has the same result."""
    verify(book)
    assert decided(book)[0] == []


def test_the_gms_name_can_be_amended_like_any_players(book: Book) -> None:
    before = book.head()
    seating = renamed(book)
    assert name_of(book) == "Kate"
    assert name_of(book, AsOf(seq=before)) == "Tom"
    assert name_of(book, AsOf(seq=before, corrected=True)) == "Kate"
    assert book.mark("p1", "gm") is True
    assert not book.is_struck(1)
    assert [(entry.type, entry.since) for entry in book.action(before + 1)] == [
        ("action-amended", before + 1),
        ("player-seated", 2),
    ]
    assert tell(book, book.entry(seating)) == "Kate is player p1 (GM)"
    is_right(book)


def test_an_undo_brings_back_the_name_that_the_gm_had_and_a_redo_the_new_one(book: Book) -> None:
    renamed(book)
    scribe(book).write(Undo())
    assert (name_of(book), book.mark("p1", "gm")) == ("Tom", True)
    scribe(book).write(Redo())
    assert (name_of(book), book.mark("p1", "gm")) == ("Kate", True)
    scribe(book).write(Undo())
    renamed(book, name="Kim")
    assert name_of(book) == "Kim"
    is_right(book)


def test_the_amendment_of_the_name_is_amended_like_any_other(book: Book) -> None:
    first = renamed(book)
    with pytest.raises(Refused, match=rf"#2 was amended by #{first - 1}\.") as refused:
        scribe(book).write(amend(2, name="Kim"))
    assert refused.value.hint == f"#{first} replaced #2."
    again = renamed(book, first - 1, "Kim")
    assert name_of(book) == "Kim"
    renamed(book, again, "Kate B.")
    assert name_of(book) == "Kate B."
    scribe(book).write(Undo())
    scribe(book).write(Undo())
    assert name_of(book) == "Kate"
    is_right(book)


def test_two_amendments_of_the_name_never_count_side_by_side(book: Book) -> None:
    first = renamed(book) - 1
    undo = scribe(book).write(Undo()).entries[0].seq
    second = renamed(book, name="Kim") - 1
    with pytest.raises(Refused, match=f"#{first} and #{second} both replace #1"):
        scribe(book).write(Void(strikes=undo, why="so"))
    scribe(book).write(Void(strikes=second, why="so"))
    scribe(book).write(Void(strikes=undo, why="so"))
    assert name_of(book) == "Kate"
    is_right(book)


@pytest.mark.parametrize("seating", [2, 3])
@pytest.mark.parametrize("names_the_new", [False, True])
def test_an_erasure_reaches_both_names_of_a_player_and_the_amendment(
    book: Book, seating: int, *, names_the_new: bool
) -> None:
    again = renamed(book, seating)
    amendment = book.entry(again).act
    erasure = scribe(book).write(Erase(entries=(again if names_the_new else seating,))).entries[0]
    assert erasure.body["erased"] == {
        str(seating): ["name"],
        str(amendment): ["inputs.name", "why"],
        str(again): ["name"],
    }
    assert "Kate" not in book.players().values()
    verify(book)
    assert {type(fault) for fault in decided(book)[0]} <= {Remark}


def test_only_the_name_of_the_gm_is_amended(book: Book) -> None:
    says = r"#2 added the GM when the campaign was created\. You can amend only the GM's name\."
    for inputs in ({"plays": ("mara",)}, {"gm": False}, {"name": "Kate", "gm": False}):
        with pytest.raises(Refused, match=says):
            scribe(book).write(amend(2, **inputs))
    with pytest.raises(WrongFaces, match="#2 rolled no dice"):
        scribe(book).write(amend(2, 3, name="Kate"))
    with pytest.raises(Refused, match="Ana is already at the table, as p2"):
        scribe(book).write(amend(2, name="ana"))
    with pytest.raises(Refused, match="cannot cancel the start of the campaign") as refused:
        scribe(book).write(amend(1, name="Kate"))
    assert refused.value.hint == "To correct the GM's name: campaign amend 2 --name NAME --why TEXT"
    assert name_of(book) == "Tom"


def test_an_amendment_of_the_name_keeps_what_the_opening_said_of_the_gm(book: Book) -> None:
    seating = renamed(book)
    for inputs in ({"plays": ("mara",)}, {"gm": False}):
        with pytest.raises(Refused, match=r"You can amend only the GM's name\."):
            scribe(book).write(amend(seating, **inputs))


def test_a_dispute_about_the_name_of_the_gm_is_decided_by_an_amendment(book: Book) -> None:
    dispute = scribe(book).write(Dispute(about=2, player="p2", claim="she is Kate")).entries[0].seq
    decision = Decide(question=dispute, choice="void", why="so", inputs={}, faces=None, cascade=False)
    with pytest.raises(Refused, match="cannot cancel the start of the campaign"):
        scribe(book).write(decision)
    scribe(book).write(decision.replace(choice="amend", inputs={"name": "Kate"}))
    assert (name_of(book), book.questions()) == ("Kate", [])
    is_right(book)


def test_a_rewind_leaves_the_new_name_of_the_gm(book: Book) -> None:
    before = book.head()
    renamed(book)
    with pytest.raises(Refused, match="nothing to cancel"):
        scribe(book).write(Rewind(to=before))


def test_a_later_seating_with_the_old_name_is_named_when_a_name_is_amended(book: Book) -> None:
    later = scribe(book).write(Seat(name="Tom", plays=("wolf",), gm=False)).entries[0].seq
    again = scribe(book).write(Seat(name="Ana", plays=("owl",), gm=False)).entries[0].seq
    for first, second, old, new in ((2, later, "Tom", "Kate"), (3, again, "Ana", "Eva")):
        entries = scribe(book).write(amend(first, name=new)).entries
        assert [one.says for one in side_effects(book, line(book, entries))] == [
            f"#{second} still has the name {old}; to change it there, amend #{second}"
        ]
        renamed(book, second, new)
        assert side_effects(book, line(book, entries)) == []
    assert book.players() == {"p1": "Kate", "p2": "Eva"}
    assert book.mark("wolf", "player") == "p1"
    is_right(book)


def test_a_corrected_replay_seats_the_gm_once(book: Book) -> None:
    head = book.head()
    seating = renamed(book)
    assert entries_between(book, 1, 3, NOW.replace(corrected=True)) == [1, seating, 3]
    assert entries_between(book, 1, head, AsOf(corrected=True, known=head)) == [*range(1, head + 1)]


# Forged entries


class Written(Command):
    """A forged amendment of an entry, with these events after it."""

    about: int
    more: Any
    since: int = 2

    def decide(self, draft: BookDraft) -> None:
        name = CommittedText(text="Kate")
        amendment = ActionAmended(
            named=self.about, about=self.about, inputs={"name": name}, faces=None, cascade=False, why=None
        )
        cause = draft.add(amendment)
        for event in self.more(draft.next):
            cause = draft.add(event, cause, None if isinstance(event, ActionStruck) else self.since)


def seated(seq: int, player: str = "p1", plays: tuple[str, ...] = (), *, gm: bool = True) -> PlayerSeated:
    marks = [Mark(who=who, name="player", value=player) for who in plays]
    marks += [Mark(who=player, name="gm", value=True)] if gm else []
    marks.append(Mark(who=PLAYERS, name=player, value=seq))
    return PlayerSeated(player=player, name=CommittedText(text="Kate"), gm=gm, plays=plays, marks=tuple(marks))


FORGED: dict[str, tuple[int, int, Callable[[int], list[Event]]]] = {
    "another handle": (2, 2, lambda seq: [seated(seq, "p2")]),
    "a new handle": (2, 2, lambda seq: [seated(seq, "p3")]),
    "no longer the GM": (2, 2, lambda seq: [seated(seq, gm=False)]),
    "characters": (2, 2, lambda seq: [seated(seq, plays=("mara",))]),
    "two seatings": (2, 2, lambda seq: [seated(seq), seated(seq + 1)]),
    "a note": (2, 2, lambda seq: [NoteWritten(text=CommittedText(text="Kate"))]),
    "no seating": (2, 2, lambda seq: []),
    "the place of the opening itself": (2, 1, lambda seq: [seated(seq)]),
    "another player's place": (2, 3, lambda seq: [seated(seq)]),
    "another player's seating": (3, 3, lambda seq: [seated(seq, "p2", ("mara",), gm=False)]),
    "the first entry": (1, 2, lambda seq: [seated(seq)]),
    "the first entry, in its place": (1, 1, lambda seq: [seated(seq)]),
    "a strike of the opening": (
        2,
        2,
        lambda seq: [
            ActionStruck(strikes=1, how="amend", why=None, marks=(Mark(who=STRUCK, name="1", value=seq),)),
            seated(seq + 1),
        ],
    ),
}


@pytest.mark.parametrize(("about", "since", "more"), FORGED.values(), ids=FORGED)
def test_only_the_new_name_can_replace_part_of_the_opening(
    book: Book, about: int, since: int, more: Callable[[int], list[Event]]
) -> None:
    head = book.head()
    scribe(book).write(Written(about=about, since=since, more=more))
    with pytest.raises(WrongEntry, match=f"Entry ({head + 1}|{head + 2}|{head + 3}) "):
        verify(book)


def test_a_second_amendment_beside_the_first_is_found(book: Book) -> None:
    seating = renamed(book)
    scribe(book).write(Written(about=2, more=lambda seq: [seated(seq)]))
    with pytest.raises(
        WrongEntry,
        match=f"Entry {seating + 2} takes the place of an earlier entry, but its action did not cancel that entry",
    ):
        verify(book)


def test_an_amendment_of_the_amendment_cannot_make_somebody_else_the_gm(book: Book) -> None:
    seating = renamed(book)
    first = book.entry(seating).act

    def struck(seq: int) -> list[Event]:
        return [
            ActionStruck(strikes=first, how="amend", why=None, marks=(Mark(who=STRUCK, name=str(first), value=seq),)),
            seated(seq + 1, "p2"),
        ]

    scribe(book).write(Written(about=seating, more=struck))
    with pytest.raises(WrongEntry, match="amends the entry that added the GM, and gives the GM another player number"):
        verify(book)


def test_a_name_that_the_amendment_does_not_say_is_found(book: Book) -> None:
    scribe(book).write(Written(about=2, more=lambda seq: [seated(seq).replace(name=CommittedText(text="Eve"))]))
    verify(book)
    assert decided(book)[0] != []
