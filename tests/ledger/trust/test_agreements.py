"""Agreements: a policy that replaces witnesses or their keys is agreed only if an old witness signs for it."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import connection_of, create_journal
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import CloseSession, Note, Open, OpenSession
from ledger.commands.custody import AgreeToPolicy, SetPolicy
from ledger.errors import Malformed, Refused, WrongEntry
from ledger.events.canonical import canonical_json
from ledger.events.types import PolicyAgreed
from ledger.journal.book import Book, open_book
from ledger.tlog.checkpoint import parse_checkpoint
from ledger.tlog.note import COSIGNATURE, Skey, make_skey, signature_line
from ledger.tlog.pasted_text import policies_sent
from ledger.tlog.policy import agreeing_witness, agreement_text, parse_policy, policy_text
from ledger.trust.agreements import changes_in, find_agreement, policies_to_send
from paths import ROOT
from table import EVENING, hashed_anew, scribe
from tampering import fields, rewritten
from terminal import Type, command, typed_at_a_terminal

KEY = make_skey("campaign/road", b"k" * 32)
ANA, BEN, OWN = (
    make_skey(name, seed * 32, COSIGNATURE) for name, seed in (("ana", b"a"), ("ben", b"b"), ("ana", b"o"))
)
NOW = int(EVENING.timestamp())
FIRST = policy_text(str(KEY.vkey), {"ana": str(ANA.vkey), "ben": str(BEN.vkey)}, None)
SECOND = FIRST.replace(str(ANA.vkey), str(OWN.vkey))


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Make a campaign in which the policy of entry 4 changes Ana's key from entry 3."""
    book = Book(create_journal(str(tmp_path / "road.campaign")))
    scribe(book).write(Open(title="The road", gm="Tom", key=str(KEY.vkey)))
    for policy in (FIRST, SECOND):
        scribe(book).write(SetPolicy(policy=policy))
    return book


def agreement(key: Skey = ANA, origin: str = KEY.name, seq: int = 4, policy: str = SECOND, old: str = FIRST) -> str:
    text = agreement_text(origin, seq, parse_policy(policy), parse_policy(old))
    return signature_line(text, key, NOW)


def remarks(book: Book) -> list[int]:
    return [remark.seq for remark in audit(book, "2026-11-23").remarks]


def test_the_remark_about_a_policy_ends_when_a_witness_of_the_policy_before_agrees(book: Book) -> None:
    assert remarks(book) == [4]
    scribe(book).write(AgreeToPolicy(policy=4, line=agreement()))
    assert verify(book).entries == 5
    assert remarks(book) == []
    assert audit(book, "2026-11-23").tier.agreed == ("ana",)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (agreement(OWN), "a key that the policy before does not name"),
        (agreement(origin="campaign/other"), "another campaign"),
        (agreement(seq=3), "another entry"),
        (agreement(policy=FIRST), "another policy"),
        (agreement(old=SECOND), "another policy before"),
        (signature_line("campaign/road\n4\nAAAA\n", ANA, NOW), "a text that is no agreement"),
    ],
    ids=lambda value: "" if "\n" in value else value,
)
def test_no_line_counts_as_an_agreement_that_is_of(book: Book, line: str, why: str) -> None:
    assert find_agreement(book, line) is None, why
    with pytest.raises(
        Refused, match="This signature line does not prove that a witness listed in #3 agrees to the policy of #4"
    ):
        scribe(book).write(AgreeToPolicy(policy=4, line=line))
    assert book.head() == 4


@pytest.mark.parametrize("seq", [1, 3])
def test_a_first_policy_cannot_be_agreed_to(book: Book, seq: int) -> None:
    with pytest.raises(Refused, match=f"#{seq} did not replace an earlier policy, so nobody has to agree to it"):
        scribe(book).write(AgreeToPolicy(policy=seq, line=agreement()))


def test_in_a_campaign_without_a_key_an_agreement_names_no_campaign(tmp_path: Path) -> None:
    book = Book(create_journal(str(tmp_path / "road.campaign")))
    scribe(book).write(Open(title="The road", gm="Tom"))
    seqs = [scribe(book).write(SetPolicy(policy=policy)).entries[0].seq for policy in (FIRST, SECOND)]
    scribe(book).write(AgreeToPolicy(policy=seqs[1], line=agreement(origin="", seq=seqs[1])))
    assert [change.agreed for change in changes_in(book)] == [{"ana": book.head()}]


def test_the_same_witness_agrees_once(book: Book) -> None:
    scribe(book).write(AgreeToPolicy(policy=4, line=agreement()))
    with pytest.raises(Refused, match="ana already agreed to the policy of #4, in #5"):
        scribe(book).write(AgreeToPolicy(policy=4, line=agreement()))
    scribe(book).write(AgreeToPolicy(policy=4, line=agreement(BEN)))
    assert audit(book, "2026-11-23").tier.agreed == ("ana", "ben")


def test_an_agreement_to_one_policy_does_not_count_for_the_next(book: Book) -> None:
    scribe(book).write(AgreeToPolicy(policy=4, line=agreement()))
    scribe(book).write(SetPolicy(policy=FIRST))
    assert remarks(book) == [6]
    scribe(book).write(AgreeToPolicy(policy=6, line=agreement(BEN, seq=6, policy=FIRST, old=SECOND)))
    assert remarks(book) == []


def test_a_request_does_not_show_a_policy_for_ever_if_the_policy_before_had_no_witnesses(tmp_path: Path) -> None:
    book = Book(create_journal(str(tmp_path / "new.campaign")))
    scribe(book).write(Open(title="The road", gm="Tom", key=str(KEY.vkey)))
    for policy in (f"log {KEY.vkey}\nquorum none\n", FIRST):
        scribe(book).write(SetPolicy(policy=policy))
    assert [seq for seq, _ in policies_to_send(book)] == [3, 4], "it is new"
    for evening in (OpenSession(title="One", present=()), CloseSession()) * 2:
        scribe(book).write(evening)
    assert policies_to_send(book) == []
    assert remarks(book) == []


def test_an_agreement_that_somebody_else_signed_is_a_finding(book: Book) -> None:
    scribe(book).write(AgreeToPolicy(policy=4, line=agreement()))
    forged = agreement(OWN).rpartition(" ")[2].strip()
    rewritten(5, lambda body: body.replace(agreement().rpartition(" ")[2].strip(), forged))(connection_of(book))
    hashed_anew(book.journal)
    verify(book)
    assert [finding.seq for finding in audit(book, "2026-11-23").findings] == [5]
    assert 4 in remarks(book)


@pytest.mark.parametrize(("was", "now"), [('"policy":4', '"policy":1'), ("— ana ", "- ana ")])
def test_an_agreement_without_a_policy_or_a_signature_is_not_a_valid_entry(book: Book, was: str, now: str) -> None:
    scribe(book).write(AgreeToPolicy(policy=4, line=agreement()))
    rewritten(5, lambda body: body.replace(was, now))(connection_of(book))
    hashed_anew(book.journal)
    with pytest.raises(WrongEntry, match="Entry 5 should agree to an earlier policy, but the agreement is not valid"):
        verify(book)


def test_an_agreement_that_stands_before_the_changed_policy_does_not_count(tmp_path: Path) -> None:
    book = Book(create_journal(str(tmp_path / "early.campaign")))
    scribe(book).write(Open(title="The road", gm="Tom", key=str(KEY.vkey)))
    for early in (SetPolicy(policy=FIRST), Note(text="x"), SetPolicy(policy=SECOND)):
        scribe(book).write(early)
    scribe(book).write(AgreeToPolicy(policy=5, line=agreement(seq=5)))
    assert [change.agreed for change in changes_in(book)] == [{"ana": 6}]
    stored = book.journal.entry(6).body
    rewritten(6, fields(policy=3))(connection_of(book))
    rewritten(4, lambda body: canonical_json({**stored, "seq": 4, "act": 4, "since": 4}).decode())(connection_of(book))
    assert [change.agreed for change in changes_in(book)] == [{}]


@given(st.text(alphabet="0123456789abc/=+AB", min_size=1), st.integers(0, 2**62))
def test_an_agreement_can_never_be_taken_for_a_head(origin: str, seq: int) -> None:
    with pytest.raises(Malformed):
        parse_checkpoint(agreement_text(origin, seq, parse_policy(FIRST), parse_policy(SECOND)))


def test_a_line_with_the_id_of_a_witness_and_another_signature_agrees_to_nothing() -> None:
    text = agreement_text(KEY.name, 4, parse_policy(SECOND), parse_policy(FIRST))
    line = signature_line(agreement_text(KEY.name, 5, parse_policy(SECOND), parse_policy(FIRST)), ANA, NOW)
    assert agreeing_witness(parse_policy(FIRST), text, line) is None


def calls_of_an_audit(file: Path, count: int) -> int:
    """Count the function calls of an audit with this many witnessed heads under this many policies."""
    book = Book(create_journal(str(file)))
    scribe(book).write(Open(title="The road", gm="Tom", key=str(KEY.vkey)))
    for number in range(count):
        witness = make_skey("ana", number.to_bytes(32, "big"), COSIGNATURE)
        scribe(book).write(SetPolicy(policy=policy_text(str(KEY.vkey), {"ana": str(witness.vkey)}, None)))
        note = scribe(book).sign(KEY).note
        scribe(book).add_cosignatures(signature_line(note.partition("\n\n")[0] + "\n", witness, NOW))
    calls = 0

    def called(frame: object, event: str, arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(called)
    try:
        assert len(audit(book, "2026-11-23").remarks) == count - 1
    finally:
        sys.setprofile(None)
    return calls


def test_an_audit_of_four_times_as_many_heads_and_policies_takes_about_four_times_as_long(tmp_path: Path) -> None:
    assert calls_of_an_audit(tmp_path / "many", 80) < 6 * calls_of_an_audit(tmp_path / "few", 20)


# At the keyboard


class Table:
    """A GM and Ana, each with their own home."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> None:
        self._folder, self._monkeypatch, self._type_in = folder, monkeypatch, type_in
        self.aside = ""

    def types(self, who: str, words: str, sent: str = "", code: int = 0) -> str:
        self._monkeypatch.setenv("CAMPAIGN_HOME", str(self._folder / f"home-{who}"))
        done = self._type_in(words, input=sent)
        assert done.exit_code == code, done.output
        self.aside = done.stderr
        return str(done.stdout)

    @property
    def told(self) -> str:
        """Return the messages on stderr as one line."""
        return " ".join(self.aside.split())


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> Table:
    """Make a table where Ana signed a head as a witness, and the GM then gave her name to another key."""
    monkeypatch.chdir(tmp_path)
    table = Table(tmp_path, monkeypatch, type_in)
    table.types("tom", "init Road --gm Tom")
    key = table.types("tom", "key").strip()
    ana = table.types("ana", "witness init ana").strip()
    table.types("tom", f"policy --witness ana={ana} --witness ben={BEN.vkey} --quorum 1")
    table.types("tom", "session open One")
    line = table.types("ana", f"witness sign --key {key}", table.types("tom", "session close"))
    table.types("tom", "witness add", line)
    table.types("tom", f"policy --witness ana={OWN.vkey} --witness cyd={BEN.vkey} --quorum 1")
    return table


def test_the_log_names_the_witnesses_whose_keys_changed(table: Table) -> None:
    assert "witness signatures needed: 1 of ana, cyd; new keys for: ana" in table.types("tom", "log -n 1")


def test_a_witness_sees_a_changed_policy_and_says_whether_they_agree(table: Table) -> None:
    sent = table.types("tom", "checkpoint --since 5")
    assert table.types("ana", "witness sign", sent, code=2) == ""
    for says in (
        "The policy of #6 replaces the policy of #3:",
        f"ana: A DIFFERENT KEY: {OWN.vkey}",
        "ben: no longer a witness",
        f"cyd: a new witness with the key {BEN.vkey}",
        "Signatures needed: 1 of ana, cyd (before: 1 of ana, ben).",
        "Add --policy to agree to the change, or --no-policy to sign only the checkpoint.",
    ):
        assert says in table.told
    alone = table.types("ana", "witness sign --no-policy", sent)
    assert alone.count("\u2014 ana ") == 1
    both = table.types("ana", "witness sign --policy", sent)
    assert both.count("\u2014 ana ") == 2
    assert "Send all of these lines to the GM" in table.told
    assert "ana has agreed to the policy that was set in #6. The agreement is in #7." in table.types(
        "tom", "witness add", both
    )
    assert "ana agrees to the policy of #6" in table.types("tom", "log -n 1")
    assert "Remark, #6" not in table.types("tom", "audit")
    assert "ana agreed to the latest policy change." in table.types("tom", "audit")


def test_a_witness_who_was_shown_another_old_policy_has_agreed_to_nothing(table: Table) -> None:
    sent = table.types("tom", "checkpoint --since 5")
    forged = sent.replace("witness ben ", "witness cyd ").replace(" ana ben\n", " ana cyd\n")
    both = table.types("ana", "witness sign --policy", forged)
    assert "cyd: the same key" in table.told
    table.types("tom", "witness add", both, code=7)
    assert "ana signed something that is not a checkpoint of this campaign." in table.told
    assert "Remark, #6" in table.types("tom", "audit")


def test_an_agreement_that_is_added_twice_is_kept_once(table: Table) -> None:
    both = table.types("ana", "witness sign --policy", table.types("tom", "checkpoint --since 5"))
    for _ in range(2):
        assert "ana has agreed to the policy that was set in #6. The agreement is in #7." in table.types(
            "tom", "witness add", both
        )
    with open_book("road.campaign") as book:
        assert [entry.seq for entry in book.journal.entries() if isinstance(entry.event, PolicyAgreed)] == [7]


def test_a_line_and_an_agreement_are_both_kept_or_neither(table: Table) -> None:
    both = table.types("ana", "witness sign --policy", table.types("tom", "checkpoint --since 5"))
    heads = Path("home-tom") / "heads.db"
    kept, before = heads.read_bytes(), Path("road.campaign").read_bytes()
    heads.write_bytes(b"junk" * 1000)
    assert table.types("tom", "witness add", both, code=3) == ""
    heads.write_bytes(kept)
    assert Path("road.campaign").read_bytes() == before
    assert "ana has agreed to the policy that was set in #6. The agreement is in #7." in table.types(
        "tom", "witness add", both
    )


def test_a_witness_who_declines_is_not_asked_again_and_may_still_agree(table: Table) -> None:
    table.types("ana", "witness sign --no-policy", table.types("tom", "checkpoint --since 5"))
    table.types("tom", "note more")
    sent = table.types("tom", "checkpoint --since 6")
    assert table.types("ana", "witness sign", sent).count("\u2014 ana ") == 1
    assert table.types("ana", "witness sign --policy", sent).count("\u2014 ana ") == 2


def test_the_end_of_a_session_shows_a_new_policy_to_the_witnesses_of_the_one_before(table: Table) -> None:
    table.types("tom", "session open Two")
    sent = table.types("tom", "session close")
    assert "policy 6\n" in sent
    both = table.types("ana", "witness sign --policy", sent)
    table.types("tom", "witness add", both)
    for title in ("Three", "Four"):
        table.types("tom", f"session open {title}")
        sent = table.types("tom", "session close")
    assert "policy 6" not in sent, "everybody was shown it, and somebody agreed"


def test_a_policy_is_agreed_to_only_where_one_is_shown(table: Table) -> None:
    table.types("ana", "witness sign --policy", table.types("tom", "checkpoint"), code=3)
    assert "This request contains no policy that you can agree to." in table.told
    assert "'campaign checkpoint --since 5', or sign without --policy." in table.told
    table.types("dora", "witness sign --policy", table.types("tom", "checkpoint"), code=3)
    assert "You are not a witness yet." in table.told


def test_a_new_witness_has_no_policy_to_agree_to_and_signs_without(table: Table) -> None:
    table.types("dora", "witness init dora")
    Path("tom.key.txt").write_text(table.types("tom", "key"))
    sent = table.types("tom", "checkpoint --since 5")
    table.types("dora", "witness sign --policy --key tom.key.txt", sent, code=3)
    assert "You have never signed a checkpoint of this campaign" in table.told
    assert "Hint: Sign without --policy." in table.told
    assert "\u2014 dora " in table.types("dora", "witness sign --key tom.key.txt", sent)


@pytest.mark.parametrize(("answer", "lines"), [("y", 2), ("n", 1)])
def test_at_a_terminal_the_witness_is_asked(table: Table, answer: str, lines: int) -> None:
    Path("sent.txt").write_text(table.types("tom", "checkpoint --since 5"))
    sign = command(Path("road.campaign"), "witness", "sign", "sent.txt")
    screen = typed_at_a_terminal(
        sign, [("Do you agree to this change?", answer)], CAMPAIGN_HOME="home-ana", PYTHONPATH=str(ROOT)
    )
    assert screen.count("\u2014 ana ") == lines


def test_policies_are_read_after_a_chat_wrapped_their_lines() -> None:
    block = f"policy 4\n{SECOND}\n"
    wrapped = block.replace("log ", "log\n").replace(str(OWN.vkey), f"{str(OWN.vkey)[:40]}\n{str(OWN.vkey)[40:]}")
    for text in (
        block,
        wrapped,
        block.replace("\n", "\n\n"),
        f"> {block}".replace("\n", "\r\n> "),
        f"hi\n{block}old 5\n",
    ):
        assert policies_sent(text) == [(4, parse_policy(SECOND))], text
    assert policies_sent("policy 4\nlog x\nand no more\n") == []
    assert policies_sent("policy 4\n") == []
    with pytest.raises(Malformed, match=r"In this text, entry #4 has a list of witnesses .policy. that cannot be read"):
        policies_sent("policy 4\nlog x\nquorum none\n")
