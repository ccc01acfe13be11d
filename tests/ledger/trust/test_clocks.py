"""Clocks: an impossible clock refuses commands until somebody confirms that it is right."""

from datetime import timedelta

import pytest

from exported import KEY, signed_book
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.commands.custody import SetPolicy
from ledger.errors import ClockDiffers, Damaged, Refused
from ledger.journal.book import Book
from ledger.scribe import Written
from ledger.tlog.note import COSIGNATURE, make_skey, read_note, signature_line
from ledger.tlog.policy import policy_text
from ledger.trust.clocks import LONGEST_PAUSE_DAYS, check_clock, check_witness_clock
from ledger.trust.home import Head, Home
from table import EVENING, opened_book, scribe

NOW = int(EVENING.timestamp())
ANA = make_skey("ana", b"a" * 32, COSIGNATURE)


def note(book: Book, by: timedelta, *, clock_ok: bool = False, home: Home | None = None) -> Written:
    """Write a note while the clock differs from the evening's by this much."""
    return scribe(book, clock=lambda: EVENING + by, clock_ok=clock_ok, home=home).write(Note(text="x"))


def remarks(book: Book, today: str) -> list[tuple[int, str]]:
    """List the audit's remarks about clocks and dates."""
    about = [remark for remark in audit(book, today).remarks if "clock" in remark.says or "dated" in remark.says]
    return [(remark.seq, remark.says) for remark in about]


@pytest.mark.parametrize(
    "by", [-timedelta(minutes=5), timedelta(), timedelta(days=7), timedelta(days=LONGEST_PAUSE_DAYS)], ids=str
)
def test_a_clock_that_may_be_right_is_taken_without_a_question(by: timedelta) -> None:
    with opened_book() as book:
        assert note(book, by).entries


@pytest.mark.parametrize(
    ("by", "says"),
    [
        (
            -timedelta(minutes=5, seconds=1),
            "19:24 UTC. The last entry has a later time than the clock: 2026-11-20 19:30 UTC",
        ),
        (
            timedelta(days=LONGEST_PAUSE_DAYS, seconds=1),
            "19:30 UTC. The last entry was made 400 days earlier: 2026",
        ),
    ],
    ids=str,
)
def test_a_clock_that_cannot_be_right_is_refused_with_both_times_and_nothing_is_written(
    by: timedelta, says: str
) -> None:
    with opened_book() as book:
        head = book.head()
        with pytest.raises(ClockDiffers, match="Nothing was written") as refused:
            note(book, by)
        assert says in refused.value.sentence
        assert "--clock-ok" in refused.value.hint
        assert book.head() == head


def test_a_confirmed_clock_is_kept_beside_the_time_that_keeps_the_order() -> None:
    with opened_book() as book:
        behind = note(book, -timedelta(days=1), clock_ok=True).entries[0]
        assert (behind.at, behind.body["clock"]) == ("2026-11-20T19:30:00Z", "2026-11-19T19:30:00Z")
        right = note(book, timedelta(hours=1)).entries[0]
        assert (right.at, right.body["clock"]) == ("2026-11-20T20:30:00Z", None)
        verify(book)


def test_one_confirmation_is_enough_after_a_clock_was_a_century_ahead() -> None:
    with opened_book() as book:
        century = timedelta(days=36525)
        note(book, century, clock_ok=True)
        with pytest.raises(ClockDiffers):
            note(book, timedelta(minutes=1))
        note(book, timedelta(minutes=1), clock_ok=True)
        last = note(book, timedelta(minutes=2)).entries[0]
        assert (last.at, last.clock) == ("2126-11-21T19:30:00Z", "2026-11-20T19:32:00Z")
        verify(book)


def test_a_small_difference_is_kept_and_nobody_is_asked_about_it() -> None:
    with opened_book() as book:
        done = note(book, -timedelta(seconds=30)).entries[0]
        assert (done.at, done.clock) == ("2026-11-20T19:30:00Z", "2026-11-20T19:29:30Z")
        assert remarks(book, "2026-11-20") == []


def test_the_audit_names_each_run_of_entries_whose_clock_disagreed_with_both_times_for_good() -> None:
    with opened_book() as book:
        first = note(book, timedelta(days=7)).entries[0].seq + 1
        note(book, timedelta(days=1), clock_ok=True)
        assert remarks(book, "2028-01-01")[0][1].endswith(" One of the clocks was wrong.")
        note(book, timedelta(days=1, minutes=1))
        assert [seq for seq, _ in remarks(book, "2026-11-21")] == [first - 1, first]
        for today in ("2026-11-28", "2028-01-01"):
            assert remarks(book, today)[:1] == [
                (
                    first,
                    "When this was written, the clock said 2026-11-21 19:30 UTC, but an earlier entry is dated"
                    f" 2026-11-27 19:30 UTC. One of the clocks was wrong. The same applies to all entries up to #{first + 1}.",
                )
            ]
        note(book, timedelta(days=8))
        note(book, timedelta(days=7, hours=20), clock_ok=True)
        note(book, timedelta(days=7, hours=10), clock_ok=True)
        assert [seq for seq, _ in remarks(book, "2028-01-01")] == [first, first + 3, first + 4]


def test_the_audit_names_a_clock_that_was_far_ahead_of_the_entry_before_it_for_good() -> None:
    with opened_book() as book:
        seq = note(book, timedelta(days=500), clock_ok=True).entries[0].seq
        says = "When this was written, the clock said 2028-04-03 19:30 UTC. That is 500 days after the previous entry."
        assert (seq, says) in remarks(book, "2028-05-01")


def witnessed(book: Book, ahead: timedelta, now: timedelta | None = None) -> str:
    """Sign the head, keep the line of a witness whose clock is ahead by this much, and return the note."""
    signed = scribe(book).sign(KEY).note
    line = signature_line(read_note(signed)[0], ANA, NOW + int(ahead.total_seconds()))
    clock = EVENING + (ahead if now is None else now)
    scribe(book, clock=lambda: clock).add_cosignatures(line)
    kept = book.journal.checkpoint(book.head())
    assert kept is not None
    return kept


def policy(book: Book) -> None:
    scribe(book).write(SetPolicy(policy=policy_text(str(KEY.vkey), {"ana": str(ANA.vkey)}, 1)))


def test_a_clock_behind_what_a_witness_signed_is_refused_until_an_entry_follows() -> None:
    with signed_book() as book:
        policy(book)
        witnessed(book, timedelta(hours=2))
        with pytest.raises(ClockDiffers, match="ana signed as a witness at 2026-11-20 21:30 UTC"):
            note(book, timedelta(hours=1))
        note(book, timedelta(hours=1), clock_ok=True)
        assert note(book, timedelta(hours=1, minutes=1)).entries


def test_a_clock_behind_what_this_home_has_seen_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = Home(str(tmp_path_factory.mktemp("home")))
    with signed_book() as book:
        policy(book)
        kept, size = witnessed(book, timedelta(hours=2)), book.head()
        book.journal.keep_checkpoint(size, kept[: kept.index("\N{EM DASH} ana")])
        assert note(book, timedelta(hours=1)).entries
        book.journal.keep_checkpoint(book.head(), scribe(book).sign(KEY).note)
        witnessed(book, timedelta(hours=3))
        seen = book.journal.checkpoints()[book.head()]
        home.store_known(
            Head(origin=KEY.name, size=book.head(), root=book.root(book.head()), note=seen), may_replace=lambda _: True
        )
        book.journal.keep_checkpoint(book.head(), seen[: seen.index("\N{EM DASH} ana")])
        with pytest.raises(ClockDiffers, match="ana signed as a witness at 2026-11-20 22:30 UTC"):
            note(book, timedelta(hours=2), home=home)


def test_a_witness_line_from_the_future_is_not_kept_and_both_times_are_named() -> None:
    with signed_book() as book:
        policy(book)
        says = (
            "By ana's own clock, the signature was made at 2027-11-20 19:30 UTC. This computer's clock says 2026-11-20 19:30 UTC, and"
            " the last entry was made at 2026-11-20 19:30 UTC. The signature was not saved."
        )
        with pytest.raises(Refused) as refused:
            witnessed(book, timedelta(days=365), now=timedelta())
        assert refused.value.sentence == says
        assert read_note(book.journal.checkpoints()[book.head()])[1][-1].name == KEY.name


def test_a_witness_may_be_five_minutes_ahead() -> None:
    with signed_book() as book:
        policy(book)
        witnessed(book, timedelta(minutes=5), now=timedelta())


@pytest.mark.parametrize("seconds", [253_402_300_800, 2**63 - 1])
def test_a_witness_line_with_an_impossible_year_is_not_kept(seconds: int) -> None:
    with pytest.raises(Refused, match="the signature was made after the year 9999"):
        check_witness_clock("ana", seconds, "2026-11-20T19:30:00Z", "2026-11-20T19:30:00Z")


def test_the_audit_names_the_clock_of_a_witness_that_was_ahead_and_accuses_no_entry() -> None:
    with signed_book() as book:
        policy(book)
        size = book.head()
        witnessed(book, timedelta(days=365))
        note(book, timedelta(hours=1), clock_ok=True)
        says = "ana signed as a witness here. ana's clock was ahead: it said 2027-11-20 19:30 UTC."
        assert remarks(book, "2026-11-20") == [(size, says)]
        witnessed(book, timedelta(hours=1))
        note(book, timedelta(hours=1))
        assert remarks(book, "2028-11-20") == [(size, says)]


def test_an_entry_with_an_invalid_time_is_reported_as_damage() -> None:
    with pytest.raises(Damaged, match="is not a time"):
        check_clock("2026-11-20T19:30:00Z", "z" * 20, ())
