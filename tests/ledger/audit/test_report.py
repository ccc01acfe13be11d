"""The audit: one thing wrong in a campaign is one finding, at its entry, and honest evenings have none."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits import decided
from coin import Draw, Give
from engine import connection_of, create_journal
from evenings import evening
from ledger.audit.report import PASSES, Finding, audit
from ledger.commands.at_table import Adjust, CloseSession, Note, Open, OpenSession, SetMarks
from ledger.commands.custody import AgreeToPolicy, Erase, RotateKey, SetPolicy
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.commands.seats import Seat
from ledger.corrections.answers import Decide, Dispute, Override
from ledger.corrections.seals import Reveal, Sealed
from ledger.corrections.undoing import Amend, Rewind, Undo, Void
from ledger.errors import TablesDiffer, WrongEntry
from ledger.journal.book import Book
from ledger.systems import installed
from ledger.systems.edge import rules
from ledger.systems.edge.moves_check import Check
from ledger.tlog.checkpoint import checkpoint_text
from ledger.tlog.note import COSIGNATURE, Skey, make_skey, read_note, sign_note, signature_line
from ledger.tlog.policy import agreement_text
from ledger.trust.agreements import changes_in
from ledger.trust.home import Head, Home
from table import EVENING, TODAY, every_game, opened_book, opening, scribe
from tampering import fields, fitted, rewritten
from terminal import Type

KEY = make_skey("campaign/road", b"k" * 32)
NEXT = make_skey("campaign/road", b"n" * 32)
STRANGER = make_skey("campaign/road", b"s" * 32)
ANA, BEN = (make_skey(name, name[:1].encode() * 32, COSIGNATURE) for name in ("ana", "ben"))
CHECK = PlayMove(system="edge", move=Check(who="mara", skill=11))
NOW = int(EVENING.timestamp())

Do = Callable[[Book], object]


@pytest.fixture
def road(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Book:
    """A campaign of 8 entries that KEY signs and ANA and BEN witness; 9 10 a check."""
    monkeypatch.chdir(tmp_path)
    book = Book(create_journal(str(tmp_path / "road.campaign")))
    scribe(book).write(Open(title="The salt road", gm="Tom", key=str(KEY.vkey)))
    for command in opening()[1:]:
        scribe(book).write(command)
    scribe(book).write(SetPolicy(policy=policy(ANA, BEN)))
    scribe(book).write(CHECK, faces=(7, 6))
    assert book.head() == 10
    return book


def policy(*witnesses: Skey) -> str:
    lines = [f"log {KEY.vkey}", *(f"witness {each.name} {each.vkey}" for each in witnesses)]
    return "\n".join([*lines, f"group g all {' '.join(each.name for each in witnesses)}", "quorum g", ""])


NOBODY = f"log {KEY.vkey}\nquorum none\n"
"""A policy without witnesses."""


def agrees(seq: int, witness: Skey) -> Callable[[Book], object]:
    """Return a step in which a witness agrees to the policy of an entry."""

    def agree(book: Book) -> None:
        change = next(each for each in changes_in(book) if each.seq == seq)
        text = agreement_text(str(book.origin()), seq, change.new, change.old)
        scribe(book).write(AgreeToPolicy(policy=seq, line=signature_line(text, witness, NOW)))

    return agree


def seen(book: Book, *witnesses: Skey, after: int = 0) -> None:
    """Sign the head, and let witnesses cosign it so many seconds after the evening began."""
    note = scribe(book).sign(KEY).note
    for each in witnesses:
        clock = EVENING + timedelta(seconds=after)
        scribe(book, clock=lambda clock=clock: clock).add_cosignatures(
            signature_line(read_note(note)[0], each, NOW + after)
        )


def seal(until: str | None) -> Do:
    return lambda book: scribe(book).write(Sealed(command=CHECK, until=until, unseen=False))


def write(*commands: Any) -> Do:
    return lambda book: [scribe(book).write(command) for command in commands]


def written(**later: int) -> Do:
    """Write a note, so much later in the evening or after it."""
    return lambda book: scribe(book, clock=lambda: EVENING + timedelta(**later)).write(Note(text="x"))


def all_of(*each: Do) -> Do:
    return lambda book: [do(book) for do in each]


def changed(seq: int, change: Callable[[str], str]) -> Do:
    """Change an entry of the last ones, and make the whole file fit again, accounts too."""

    def tamper(book: Book) -> None:
        rewritten(seq, change)(connection_of(book))
        fitted(book)

    return tamper


def introduced_otherwise(book: Book) -> None:
    """Let a key that nobody brought stand in the entry that says which signs from here on."""
    scribe(book).write(RotateKey(new=NEXT, old=KEY, why=None))
    note = sign_note(checkpoint_text(KEY.name, 10, book.root(10)), STRANGER).decode()
    changed(11, fields(note=note))(book)


def keeps(size: int, key: Skey) -> Do:
    """Keep a head of the file that this key signed."""

    def keep(book: Book) -> None:
        note = sign_note(checkpoint_text(KEY.name, size, book.root(size)), key).decode()
        book.journal.keep_checkpoint(size, note)

    return keep


def forged_line(book: Book) -> None:
    """Put a line under Ana's name beside a head that she never signed."""
    note = scribe(book).sign(KEY).note
    line = signature_line(read_note(note)[0], ANA, NOW)
    book.journal.keep_checkpoint(book.head(), note + line[:-8] + ("A" if line[-8] != "A" else "B") + line[-7:])


def forks(book: Book) -> None:
    home = Home("home")
    home.store_known(Head(origin=KEY.name, size=30, root=b"r" * 32, note=""), may_replace=lambda _: True)
    scribe(book, home=home).write(Note(text="x"), fork=True)


def late(book: Book) -> None:
    """An hour after the evening Ana and Ben see its head; what is written next says that it was written before."""
    seen(book, ANA, BEN, after=3600)
    scribe(book).write(Note(text="x"))


def too_late(book: Book) -> None:
    """The head that Ana and Ben saw ends in an entry that is dated an hour later."""
    scribe(book, clock=lambda: EVENING + timedelta(hours=1)).write(Note(text="x"))
    seen(book, ANA, BEN)


def disputed(book: Book) -> None:
    """11 and 12 are disputes of the check, 13 decides the first."""
    for claim in ("one", "two"):
        scribe(book).write(Dispute(about=10, player="p2", claim=claim))
    scribe(book).write(Decide(question=11, choice="uphold", why="so", inputs={}, faces=None, cascade=False))


def posts(body: str) -> str:
    return body.replace('"postings":[]', '"postings":[{"amount":1,"score":"edge/edge","who":"mara"}]')


STRUCK = "This dispute was canceled without a decision."
TAKEN_BACK = "This sealed roll was canceled after it was revealed, so it no longer counts."

LESS = Adjust(who="mara", amounts={"edge/edge": -1}, why="so")
SESSION = OpenSession(title="x", present=())

WRONG: list[tuple[str, Do, list[tuple[int, str]]]] = [
    ("a checkpoint that somebody else signed", keeps(10, STRANGER), [(10, "The checkpoint stored here is not signed with the key that the campaign had at that time.")]),
    ("a checkpoint that a later key signed", all_of(write(RotateKey(new=NEXT, old=KEY, why=None)), keeps(10, NEXT)), [(10, "The checkpoint stored here is not signed with the key that the campaign had at that time.")]),
    ("a checkpoint that ends with the new key, and that the old one signed", all_of(write(RotateKey(new=NEXT, old=KEY, why=None)), keeps(11, KEY)), [(11, "The checkpoint stored here is not signed with the key that the campaign had at that time.")]),
    ("a line that a witness did not sign", forged_line, [(10, "The checkpoint stored here has a signature under the name ana, but this signature is invalid.")]),
    ("another key, of another checkpoint", all_of(write(RotateKey(new=NEXT, old=KEY, why=None)), changed(9, lambda body: body.replace('"once":null', '"once":"x"'))), [(11, "The new key did not sign this entry.")]),
    ("another key, by the note of a stranger", introduced_otherwise, [(11, "The new key did not sign this entry.")]),
    ("a ruling that the rules do not make", changed(10, lambda body: body.replace('"margin":4', '"margin":5')), [(10, "The record has the verdict 'marginal success (+5), good', but today's rules give 'marginal success (+4), good'.")]),
]  # fmt: skip

WORTH_A_LOOK: list[tuple[str, Do, list[tuple[int, str]]]] = [
    ("a seal until the end of a session that has ended", all_of(write(SESSION), seal("session-end"), write(CloseSession())), [(12, "This sealed roll should have been revealed by now.")]),
    ("a seal until a day that is over", seal("2026-11-19"), [(11, "This sealed roll should have been revealed by now.")]),
    ("a seal that was struck", all_of(seal(None), write(Undo())), [(11, "This sealed roll was canceled before it was revealed.")]),
    ("a seal that was told and taken back, and struck", all_of(seal(None), write(Reveal(entry=11), Undo(), Void(strikes=11, why="so"))), [(11, TAKEN_BACK)]),
    ("a seal that was revealed, and rewound with what it revealed", all_of(seal(None), write(Reveal(entry=11), Rewind(to=10))), [(11, TAKEN_BACK)]),
    ("a reason of a gift that was erased", all_of(write(LESS), write(Erase(entries=(11,)))), [(11, "#12 erased this entry's texts (why).")]),
    ("a dispute that was struck", write(Dispute(about=10, player="p2", claim="no"), Undo()), [(11, STRUCK)]),
    ("a dispute whose decision was taken back", all_of(write(Dispute(about=10, player="p2", claim="no"), Decide(question=11, choice="uphold", why="so", inputs={}, faces=None, cascade=False), Undo(), Void(strikes=11, why="so"))), [(11, STRUCK)]),
    ("a question", write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True))), [(12, "This question is still open.")]),
    ("another policy", write(SetPolicy(policy=policy(ANA))), [(11, "This policy changes the witnesses. No witness of the previous policy has agreed to the change.")]),
    ("another key", write(RotateKey(new=NEXT, old=None, why=None)), [(11, "From here on, the campaign has a new key. The previous key did not sign this change.")]),
    ("a fork", forks, [(11, "Play continued from this copy. This entry comes from a computer that had seen a different history of 30 entries.")]),
    ("an entry of the day after the next, and one more", all_of(written(days=2), written(days=3)), [(11, "When this was written, the clock said 2026-11-22, but today is 2026-11-20. One of the clocks is wrong.")]),
    ("the words of a correction that were erased", all_of(write(Override(about=10, verdict="x", good=False, why="so")), write(Erase(entries=(11,)))), [(11, "#12 erased this entry's texts (verdict, why).")]),
    ("an entry that is dated later than it was seen", too_late, [(11, "By the clocks, a witness signed this entry before it was written. One of the clocks was wrong.")]),
]  # fmt: skip


@pytest.mark.parametrize(("what", "do", "found"), WRONG, ids=[each[0] for each in WRONG])
def test_what_is_wrong_is_found_at_its_entry_and_nothing_else(
    road: Book, what: str, do: Do, found: list[tuple[int, str]]
) -> None:
    with road:
        assert audit(road, TODAY).findings == ()
        do(road)
        assert audit(road, TODAY).findings == tuple(Finding(seq=seq, says=says) for seq, says in found)


@pytest.mark.parametrize(("what", "do", "found"), WORTH_A_LOOK, ids=[each[0] for each in WORTH_A_LOOK])
def test_what_commands_alone_can_bring_about_is_a_remark_and_accuses_nobody(
    road: Book, what: str, do: Do, found: list[tuple[int, str]]
) -> None:
    with road:
        do(road)
        told = audit(road, TODAY)
        assert (told.findings, told.remarks) == ((), tuple(Finding(seq=seq, says=says) for seq, says in found))


RIGHT: list[tuple[str, Do]] = [
    ("a seal on its last day", seal("2026-11-20")),
    ("a seal without an end", seal(None)),
    ("a seal while the session goes on", all_of(write(SESSION), seal("session-end"))),
    ("a seal that was revealed in time", all_of(write(SESSION), seal("session-end"), write(Reveal(entry=12), CloseSession()))),
    ("a dispute that was decided, and struck then", write(Dispute(about=10, player="p2", claim="no"), Decide(question=11, choice="uphold", why="so", inputs={}, faces=None, cascade=False), Void(strikes=11, why="so"))),
    ("a session whose end was struck", all_of(write(SESSION), seal("session-end"), write(CloseSession(), Undo()))),
    ("a key that the old one brought", write(RotateKey(new=NEXT, old=KEY, why=None))),
    ("witnesses where the policy before named none", all_of(write(SetPolicy(policy=NOBODY)), agrees(11, BEN), write(SetPolicy(policy=policy(ANA))))),
    ("a policy that a witness before agreed to", all_of(write(SetPolicy(policy=policy(ANA))), agrees(11, BEN))),
    ("a witness within ten minutes", all_of(lambda book: seen(book, ANA, BEN, after=600), write(Note(text="x")))),
    ("an entry within ten minutes of the witness who saw it", all_of(written(seconds=600), lambda book: seen(book, ANA, BEN))),
    ("a checkpoint that ends with the new key, which signed it", all_of(write(RotateKey(new=NEXT, old=KEY, why=None)), keeps(11, NEXT))),
    ("erased words", all_of(write(Note(text="x")), write(Erase(entries=(11,))))),
    ("a number that was put right before", all_of(write(LESS), write(Amend(named=11, inputs={"amounts": {"edge/edge": -2}}, faces=None, cascade=False, why="so")))),
    ("an override", write(Override(about=10, verdict="x", good=False, why="so"))),
    ("a strike", write(Void(strikes=9, why="so"))),
    ("an entry of the next day, by a clock of another place", written(days=1)),
]  # fmt: skip


@pytest.mark.parametrize(("what", "do"), RIGHT, ids=[each[0] for each in RIGHT])
def test_what_is_as_it_should_be_is_no_finding_and_no_remark(road: Book, what: str, do: Do) -> None:
    with road:
        do(road)
        report = audit(road, TODAY)
        assert (report.findings, report.remarks) == ((), ())


LOOKED: list[tuple[str, Callable[[str], str], str]] = [
    ("a score", lambda body: body.replace('"edge/edge":4', '"edge/edge":5'), "This ruling used a value for edge/edge of mara that differs from the record at that time."),
    ("a setting that the game has not", lambda body: body.replace('"settings":{', '"settings":{"luck":"1",'), "This ruling used a value for the setting luck that differs from the record at that time."),
    ("a setting", lambda body: body.replace('"minor","serious"', '"minor","grave"'), "This ruling used a value for the setting injuries that differs from the record at that time."),
]  # fmt: skip


@pytest.mark.parametrize(("what", "change", "says"), LOOKED, ids=[each[0] for each in LOOKED])
def test_a_ruling_that_looked_at_what_did_not_stand_is_found(
    road: Book, what: str, change: Callable[[str], str], says: str
) -> None:
    with road:
        done = scribe(road).write(
            PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True, drop=3)), faces=(7, 3, 7)
        )
        seq = next(entry.seq for entry in done.entries if entry.type == "move-played")
        assert decided(road)[0] == []
        body = road.journal.entry(seq).stored.decode()
        assert change(body) != body, body
        changed(seq, change)(road)
        assert (seq, says) in decided(road)[0]


def test_a_game_that_is_not_installed_is_no_finding_but_attested(road: Book) -> None:
    with road:
        changed(10, fields(system="chess"))(road)
        assert installed("chess") is None
        found = audit(road, TODAY)
        assert found.findings == ()
        assert found.outcomes == ((10, "attested, and not known here"),)
        assert [(each.seq, each.says) for each in found.remarks] == [(10, "The game chess is not installed here.")]


def test_a_ruling_of_another_edition_is_a_remark(road: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    with road:
        for seq in range(1, 11):
            changed(seq, fields(edition="edge/0"))(road) if "system" in road.journal.entry(seq).raw else None
        monkeypatch.setattr(rules, "BANDS", ((4, "complete_success"), *rules.BANDS[1:]))
        found = audit(road, TODAY)
        assert (found.findings, found.outcomes) == ((), ((10, "attested, under another edition"),))
        assert len(found.remarks) == 1


def test_an_outcome_that_is_not_worked_out_again_says_why(road: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    with road:
        changed(10, lambda body: body.replace('"margin":4', '"margin":5'))(road)
        scribe(road).write(PlayMove(system="coin", move=Draw(who="mara", number=41, secret=True)), faces=(73,))
        drawn = road.head()
        connection_of(road).execute("DELETE FROM words WHERE (seq, field) = (?, 'inputs.number')", (drawn,))
        given = scribe(road).write(PlayMove(system="coin", move=Give(who="mara", to=("brak",), why="a debt")))
        scribe(road).write(Erase(entries=(given.entries[0].seq,)))
        told = Give.ruling
        monkeypatch.setattr(
            Give, "ruling", lambda self, table, faces: told(self.replace(each=len(self.why)), table, faces)
        )
        assert audit(road, TODAY).outcomes == (
            (10, "not as the rules say"),
            (drawn, "attested, for a secret that is not here"),
            (given.entries[0].seq, "erased"),
        )


MOVES = "has score changes that do not match its content"
TEN = ',{"digits":null,"dropped":null,"face":10,"sides":10}'
SECOND = '{"amount":-1,"score":"edge/edge","who":"mara"}'

REFUSED: list[tuple[str, Do, int, str]] = [
    ("a note that moves a score", all_of(write(Note(text="x")), changed(11, posts)), 11, MOVES),
    ("an adjustment of another amount", all_of(write(LESS), changed(11, lambda body: body.replace('"amount":-1', '"amount":-2'))), 11, MOVES),
    ("an adjustment that moves twice", all_of(write(LESS), changed(11, lambda body: body.replace(SECOND, f"{SECOND},{SECOND}"))), 11, MOVES),
    ("a sheet that begins with more than was said", changed(4, lambda body: body.replace('"amount":6', '"amount":7')), 4, MOVES),
    ("a session that moves a score", all_of(write(SESSION), changed(11, lambda body: body.replace('"amount":1', '"amount":2'))), 11, MOVES),
    ("a mark of another value", changed(1, lambda body: body.replace(f'"value":"{KEY.vkey}"', f'"value":"{NEXT.vkey}"')), 1, "has stored values that do not match its content"),
    ("a key that is none", all_of(write(RotateKey(new=NEXT, old=KEY, why=None)), changed(11, lambda body: body.replace(str(NEXT.vkey), "x"))), 11, "contains an invalid key or policy"),
    ("a policy that is none", all_of(write(SetPolicy(policy=policy(ANA))), changed(11, fields(policy="x"))), 11, "contains an invalid key or policy"),
    ("a seal until what is no day", all_of(seal("2026-12-24"), changed(11, fields(until="Friday"))), 11, "is sealed until a date that does not exist"),
    ("an erasure of what is to come", all_of(write(Note(text="x"), Erase(entries=(11,))), changed(12, fields(erased={"11": ["text"], "13": ["text"]}))), 12, "should name at least one entry to erase, and only earlier entries"),
    ("an erasure that names words twice", all_of(write(Note(text="x"), Erase(entries=(11,))), changed(12, fields(erased={"11": ["text", "text"]}))), 12, "erases texts that #11 did not have"),
    ("an erasure of itself", all_of(write(Note(text="x"), Erase(entries=(11,))), changed(12, fields(erased={"11": ["text"], "12": ["text"]}))), 12, "should name at least one entry to erase, and only earlier entries"),
    ("an erasure of no entry", all_of(write(Note(text="x"), Erase(entries=(11,))), changed(12, fields(erased={"0": ["text"], "11": ["text"]}))), 12, "should name at least one entry to erase, and only earlier entries"),
    ("a die of the highest face that nobody counted", all_of(lambda book: scribe(book).write(CHECK, faces=(7, 10)), changed(12, lambda body: body.replace(TEN, ""))), 12, "uses dice that were not rolled"),
    ("a dispute of itself", all_of(disputed, changed(11, lambda body: body.replace('"about":10', '"about":11'))), 11, "refers to itself or to a later entry"),
    ("an answer to itself", all_of(disputed, changed(13, fields(question=13))), 13, "answers an entry that is not a question"),
    ("a note in the place that the action before it freed", all_of(write(LESS, Undo(), Note(text="x")), changed(13, fields(since=11))), 13, "takes the place of an earlier entry, but its action did not cancel that entry"),
    ("a number that is true", all_of(write(SESSION), changed(11, lambda body: body.replace('"value":1', '"value":true'))), 11, "has stored values that do not match its content"),
    ("a die that does not say all", changed(9, lambda body: body.replace('"digits":null,', "")), 9, "is not a valid dice-thrown entry (the problem is in dice.0.digits)"),
    ("a line of working without its numbers", changed(10, lambda body: re.sub(r'"numbers":[^]]*],', "", body, count=1)), 10, ".numbers)"),
    ("a verdict without its margin", changed(10, lambda body: body.replace('"margin":4,', "")), 10, "(the problem is in verdict.margin)"),
    ("a decision that settles another question", all_of(disputed, changed(13, lambda body: body.replace('"name":"11"', '"name":"12"'))), 13, "marks question #12 as settled, but does not answer it"),
    ("a decision that settles it elsewhere", all_of(disputed, changed(13, lambda body: body.replace('"value":13', '"value":12'))), 13, "marks question #11 as settled, but does not answer it"),
    ("a strike of two", all_of(write(LESS, Note(text="x"), Undo()), changed(13, lambda body: body.replace('"marks":[', '"marks":[{"name":"11","value":13,"who":"#struck"},'))), 13, "also cancels #11, which does not depend on #12"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "do", "seq", "says"), REFUSED, ids=[each[0] for each in REFUSED])
def test_what_no_program_of_ours_writes_is_not_whole_and_is_not_judged(
    road: Book, what: str, do: Do, seq: int, says: str
) -> None:
    with road:
        do(road)
        with pytest.raises(WrongEntry) as found:
            audit(road, TODAY)
        assert (found.value.seq, says in found.value.sentence) == (seq, True), found.value.sentence


def test_what_is_not_whole_is_refused_before_it_is_judged(road: Book) -> None:
    with road:
        rewritten(10, lambda body: body.replace('"margin":4', '"margin":5'))(connection_of(road))
        with pytest.raises(TablesDiffer, match="the fingerprints \\(hashes\\) stored with entry 10 do not match"):
            audit(road, TODAY)


# How far it can be trusted


def test_a_history_is_trusted_as_far_as_it_is_signed_and_witnessed(road: Book, type_in: Type) -> None:
    def told() -> list[str]:
        return type_in("audit").stdout.splitlines()[:3]

    with road:
        with opened_book() as alone:
            assert not audit(alone, TODAY).tier.satisfied, "nobody is asked for"
        whole = "The file is complete: 10 entries, none missing or altered."
        assert told() == [
            whole,
            "The file is not signed.",
            "No witness has signed the file. The policy of #8 asks for more signatures.",
        ]
        seen(road)
        signed = "The campaign's key signed the file up to #10."
        assert told() == [
            whole,
            signed,
            "No witness has signed the file. The policy of #8 asks for more signatures.",
        ]
        seen(road, ANA)
        assert told() == [
            whole,
            signed,
            "1 of 2 witnesses (ana) signed the file up to #10. The policy of #8 asks for more signatures.",
        ]
        assert "rewrite the history? Nobody can say, because no witness has signed it." in type_in("audit").stdout
        seen(road, BEN)
        assert told() == [
            whole,
            signed,
            "2 of 2 witnesses (ana, ben) signed the file up to #10.",
        ]
        assert "rewrote what no witness" not in type_in("audit").stdout
        scribe(road).write(Note(text="x"))
        seen(road, ANA)
        assert told()[2] == "2 of 2 witnesses (ana, ben) signed the file up to #10."
        assert (
            "rewrite entries after #10? Nobody can say, because no witness has signed these entries."
            in type_in("audit").stdout
        )
        tier = json.loads(type_in("audit --json").stdout)["tier"]
        assert tier == {
            "whole": 11,
            "signed": 11,
            "witnessed": 10,
            "witnesses": ["ana", "ben"],
            "of": 2,
            "policy": 8,
            "satisfied": True,
            "agreed": [],
        }


def test_a_campaign_without_a_policy_is_witnessed_by_nobody(folder: Path, type_in: Type) -> None:
    assert "No witness has signed the file." in type_in("audit").stdout


def test_an_entry_that_is_dated_back_is_a_remark_since_a_witness_may_sign_late(road: Book) -> None:
    with road:
        late(road)
        found = audit(road, "2026-11-20")
    says = "By its date, this entry is older than a witness's signature for #1 to #10. Either the entry is backdated, or the witness did not see it."
    assert [(each.seq, each.says) for each in found.remarks] == [(11, says)]
    assert found.findings == ()


def decided_as_kept(question: int) -> Decide:
    return Decide(question=question, choice="uphold", why="x", inputs={}, faces=None, cascade=False)


def test_a_question_that_a_player_decides_is_a_remark_with_the_name(road: Book) -> None:
    with road:
        gm, ana = scribe(road), scribe(road, by="p2")
        ana.write(Dispute(about=10, player="p2", claim="x"))
        ana.write(decided_as_kept(11))
        gm.write(Dispute(about=10, player="p2", claim="y"))
        gm.write(decided_as_kept(13))
        ana.write(Override(about=10, verdict="x", good=True, why="so"))
        gm.write(Dispute(about=10, player="p1", claim="z"))
        ana.write(decided_as_kept(16))
        ana.write(Undo())
        found = audit(road, TODAY)
    assert [(each.seq, each.says) for each in found.remarks if "Ana" in each.says] == [
        (12, "Ana raised dispute #11, and also decided it."),
        (15, "Ana overrode the verdict of #10, but is not a GM."),
    ]


def test_an_adjustment_is_the_gms_only_if_a_gm_wrote_it(road: Book, type_in: Type) -> None:
    with road:
        scribe(road).write(LESS)
        scribe(road, by="p2").write(LESS)
        scribe(road).write(Seat(name="Ana", plays=(), gm=True))
        scribe(road, by="p2").write(LESS)
    assert "Outcomes: 1 adjusted by a player, 2 adjusted by the GM, 1 recomputed." in type_in("audit").stdout


def test_an_overridden_result_is_listed_once_and_not_as_an_adjustment(road: Book, type_in: Type) -> None:
    with road:
        hand = scribe(road)
        hand.write(CHECK)
        hand.write(Override(about=12, verdict="x", good=True, why="so"))
        hand.write(LESS)
    shown = type_in("audit").stdout
    assert "Outcomes: 1 adjusted by the GM, 1 overridden, 1 recomputed." in shown
    assert shown.count("overridden") == 1


def test_every_outcome_has_a_class_and_what_is_no_finding_is_counted(road: Book, type_in: Type) -> None:
    with road:
        hand = scribe(road)
        hand.write(CHECK)
        hand.write(Override(about=12, verdict="x", good=True, why="so"))
        hand.write(LESS)
        hand.write(SetMarks(who="mara", values={"edge/care": "yes"}, why="so"))
        hand.write(Roll(who="mara", notation="3d6"))
        for until in (None, "2026-12-24", "2026-11-25"):
            hand.write(Sealed(command=CHECK, until=until, unseen=False))
        hand.write(LESS)
        hand.write(Undo())
        hand.write(Note(text="x"))
        hand.write(Erase(entries=(road.head(),)))
        hand.write(OpenSession(title="x", present=()))
        hand.write(Sealed(command=CHECK, until="session-end", unseen=True))
    told = json.loads(type_in("audit --json").stdout)
    assert [(each["entry"], each["class"]) for each in told["outcomes"]] == [
        (10, "worked out again"),
        (12, "overridden"),
        (14, "attested by hand"),
        (15, "attested by hand"),
        (17, "worked out again"),
        (18, "sealed without an end"),
        (19, "sealed until 2026-12-24"),
        (20, "sealed until 2026-11-25"),
        (26, "sealed until the session ends"),
    ]
    assert told["counts"] == {
        "typed in": 1,
        "rolled by the computer": 2,
        "overridden": 1,
        "sealed": 4,
        "struck": 1,
        "erased (note-written text)": 1,
    }
    assert (told["findings"], told["remarks"]) == ([], [])


def test_an_audit_says_what_it_cannot_know_and_ends_by_what_it_found(road: Book, type_in: Type) -> None:
    with road:
        good = type_in("audit")
        assert good.exit_code == 0
        assert "No problems found.\nThis record cannot answer these questions:\n" in good.stdout
        for says in ("Were the typed dice", "Who was at the keyboard", "What happened at the table"):
            assert says in good.stdout
        assert "machine" not in good.stdout.partition("cannot answer")[2]
        assert "Whose keys are in this record" in good.stdout
        assert "between two checkpoints" not in good.stdout
        scribe(road).write(CHECK.replace(move=Check(who="mara", skill=11, target=30, secret=True)))
        connection_of(road).execute("DELETE FROM words WHERE seq = 12 AND field = 'inputs.target'")
        away = type_in("audit")
        assert (away.exit_code, "What is in the secret missing from this file?" in away.stdout) == (0, True)
        assert "Did the computer roll only once" in away.stdout
        scribe(road).sign(KEY)
        assert "between two checkpoints" in type_in("audit").stdout
        keeps(road.head(), STRANGER)(road)
        bad = type_in("audit --json")
        assert (bad.exit_code, "The audit found 1 problem." in bad.stderr) == (7, True)
        assert json.loads(bad.stdout)["unknown"]
        assert f"✗ Finding, #{road.head()}: The checkpoint stored here is not signed" in type_in("audit").stdout
        rewritten(10, lambda body: body.replace('"margin":4', '"margin":5'))(connection_of(road))
        refused = type_in("audit")
        assert (refused.exit_code, refused.stdout) == (6, "")


@given(data=st.data())
def test_honest_evenings_have_no_finding(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 12, correcting=data.draw(st.booleans()))
        assert audit(book, TODAY).findings == ()


def test_an_opened_book_is_as_it_should_be() -> None:
    with opened_book() as book:
        scribe(book).write(Seat(name="Bo", plays=("brak",), gm=False))
        found = audit(book, TODAY)
        assert (found.findings, found.tier.signed, found.tier.of) == ((), 0, 0)
        assert (found.tier.policy, found.tier.witnessed, found.tier.satisfied) == (0, 0, False)
        assert not any("Whose keys are in this record" in each for each in found.unknown)


def test_the_progress_of_an_audit_counts_each_entry_three_times(book: Book) -> None:
    counted: list[int] = []
    audit(book, TODAY, counted.append)
    assert sum(counted) == PASSES * book.head()
