"""Witnesses at their own homes: what they sign, what they refuse to sign, and what becomes of their lines."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

from engine import connection_of, create_journal
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import CloseSession, Note, Open, OpenSession
from ledger.commands.custody import RotateKey, SetPolicy
from ledger.errors import BadInput, Contradiction, DiskRefused, LedgerError, Malformed, Refused, Unproven
from ledger.journal.book import Book
from ledger.tlog.checkpoint import checkpoint_text
from ledger.tlog.note import (
    COSIGNATURE,
    Skey,
    make_skey,
    open_note,
    parse_vkey,
    read_note,
    sign_note,
    signature_line,
    to_base64,
)
from ledger.tlog.policy import parse_policy
from ledger.tlog.tree import EMPTY_ROOT
from ledger.trust.heads import last_signed_sizes, witnessed_by
from ledger.trust.home import HEADS_FILE, Head, Home
from ledger.trust.witnessing import cosign
from table import EVENING, scribe

KEY = make_skey("campaign/road", b"k" * 32)
OTHER = make_skey("campaign/other", b"o" * 32)
ANA, BEN, EVE = (make_skey(name, name[:1].encode() * 32, COSIGNATURE) for name in ("ana", "ben", "eve"))
NOW = int(EVENING.timestamp())


class Person:
    """Somebody with a home and a folder of their own, at a keyboard of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir()
        self.env = {**os.environ, "HOME": str(folder), "CAMPAIGN_HOME": str(folder / ".home")}

    def types(self, *words: str, sent: str = "") -> "CompletedProcess[str]":
        line = [sys.executable, "-m", "cli", *words]
        return subprocess.run(
            line, cwd=self.folder, env=self.env, input=sent, capture_output=True, text=True, check=False, timeout=60
        )

    def well(self, *words: str, sent: str = "") -> str:
        done = self.types(*words, sent=sent)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def people(tmp_path: Path) -> tuple[Person, Person]:
    return Person(tmp_path / "tom"), Person(tmp_path / "ana")


def begun(tom: Person, ana: Person) -> str:
    """Tom begins a campaign and names Ana; return the key that she copies onto her character sheet."""
    tom.well("init", "The road", "--gm", "Tom")
    vkey = ana.well("witness", "init", "ana").strip()
    tom.well("policy", "--witness", f"ana={vkey}")
    return tom.well("key").strip()


@pytest.mark.slow
def test_a_player_witnesses_from_a_home_of_her_own_and_the_gm_keeps_her_lines(people: tuple[Person, Person]) -> None:
    tom, ana = people
    key = begun(tom, ana)
    first = tom.well("checkpoint")
    asked = ana.types("witness", "sign", sent=first)
    assert (asked.returncode, asked.stdout) == (3, "")
    assert "You do not have the key of campaign/" in asked.stderr
    assert "campaign witness sign --key KEY" in asked.stderr
    line = ana.well("witness", "sign", "--key", key, sent=first)
    assert (
        "ana signed the history up to #3.\n1 of 1 witness has signed it. The policy asks for no more signatures."
        in tom.well("witness", "add", sent=line)
    )
    assert line in tom.well("checkpoint"), "what was witnessed stays beside its checkpoint"
    tom.well("note", "The ferry leaves.")
    alone = ana.types("witness", "sign", sent=tom.well("checkpoint"))
    assert (alone.returncode, alone.stdout) == (7, "")
    assert "Ask the GM for the output of 'campaign checkpoint --since 3'." in alone.stderr
    (ana.folder / "sent.txt").write_text(tom.well("checkpoint", "--since", "3"))
    second = ana.well("witness", "sign", "sent.txt")
    assert ana.well("witness", "sign", "sent.txt"), "the same checkpoint may be asked for again"
    assert "#4" in tom.well("witness", "add", sent=second)
    old = ana.types("witness", "sign", sent=first)
    assert (old.returncode, old.stdout) == (7, "")
    assert "is older than the checkpoint of 4 entries that you signed" in old.stderr
    assert "1 of 1 witness (ana) signed the file up to #4." in tom.well("audit")


@pytest.mark.slow
def test_two_histories_are_never_both_witnessed_however_the_second_was_made(people: tuple[Person, Person]) -> None:
    tom, ana = people
    key = begun(tom, ana)
    file = tom.folder / "the-road.campaign"
    shutil.copy(file, tom.folder / "copy")
    tom.well("note", "The ferry leaves.")
    seen = tom.well("checkpoint")
    ana.well("witness", "sign", "--key", key, sent=seen)
    shutil.copy(tom.folder / "copy", file)
    refused = tom.types("note", "The ferry stays.")
    assert (refused.returncode, "entries of this campaign. This file has" in refused.stderr) == (
        6,
        True,
    )
    forgetful = Person(tom.folder / "another-machine")
    shutil.copy(file, forgetful.folder / file.name)
    shutil.copytree(tom.folder / ".home" / "keys", forgetful.folder / ".home" / "keys")
    forgetful.well("note", "The ferry stays.")
    tom.well("note", "The ferry stays.", "--fork")
    for sent in (forgetful.well("checkpoint"), forgetful.well("checkpoint", "--since", "4")):
        caught = ana.types("witness", "sign", sent=sent)
        assert (caught.returncode, caught.stdout) == (6, "")
        assert "Two checkpoints (signed summaries of the record) contradict each other" in caught.stderr
        for head in (seen, forgetful.well("checkpoint")):
            assert head.strip() in caught.stderr, "both are shown"
    for sent, says in (
        (tom.well("checkpoint"), "Nothing shows that this checkpoint continues"),
        (
            tom.well("checkpoint", "--since", "4"),
            "does not show that this checkpoint continues the checkpoint of 4 entries",
        ),
    ):
        caught = ana.types("witness", "sign", sent=sent)
        assert (caught.returncode, caught.stdout, says in caught.stderr) == (7, "", True)


@pytest.fixture
def road(tmp_path: Path) -> "tuple[Book, Home]":
    """A campaign of 5 entries that KEY signs, and the home of Ana, who can witness."""
    home = Home(str(tmp_path / "ana"))
    home.keep_witness_key(ANA)
    book = Book(create_journal(str(tmp_path / "road.campaign")))
    scribe(book).write(Open(title="The road", gm="Tom", key=str(KEY.vkey)))
    for text in ("three", "four", "five"):
        scribe(book).write(Note(text=text))
    return book, home


def signed(book: Book, since: int | None = None) -> str:
    """The head as the GM sends it, perhaps with the proof for who saw so many entries last."""
    note = scribe(book).sign(KEY).note
    if since is None:
        return note
    proof = [to_base64(each) for each in book.journal.consistency_proof(since, book.head())]
    return "\n".join([f"old {since}", *proof, "", note])


def forked(book: Book, at: int, size: int) -> str:
    """A signed head of the same campaign that parts from the file after some entries."""
    other = Book(create_journal(f"{connection_of(book).execute('PRAGMA database_list').fetchone()[2]}.{at}.{size}"))
    for entry in book.journal.entries(1, at):
        other.journal.append(entry.seq, entry.stored)
    for seq in range(at + 1, size + 1):
        other.journal.append(seq, f'{{"seq":{seq},"told":"otherwise"}}'.encode())
    with other:
        return sign_note(checkpoint_text(KEY.name, size, other.root(size)), KEY).decode()


def test_a_head_is_on_disk_before_its_line_is_told(road: "tuple[Book, Home]") -> None:
    book, home = road
    line = cosign(home, NOW, signed(book), str(KEY.vkey))
    head = Home(home.folder).head(KEY.name, "witnessed")
    assert head is not None
    assert (head.size, head.root) == (5, book.root(5))
    assert home.trusted(KEY.name) == (str(KEY.vkey),)
    assert open_note(signed(book).partition("\n\n")[0] + "\n\n" + line, [ANA.vkey]).timestamps == {"ana": NOW}


def test_what_goes_on_is_signed_and_what_does_not_is_refused_and_changes_nothing(road: "tuple[Book, Home]") -> None:
    book, home = road
    early = signed(book)
    cosign(home, NOW, early, str(KEY.vkey))
    scribe(book).write(Note(text="six"))
    fork, longer = forked(book, 3, 5), forked(book, 3, 7)
    with_proof = signed(book, 5)
    bad = with_proof.replace(with_proof.split("\n")[1], to_base64(b"x" * 32), 1)
    refusals: list[tuple[str, type[LedgerError], str]] = [
        (signed(book), Unproven, "Nothing shows that this checkpoint continues from there"),
        (signed(book, 3), Unproven, "You last signed 5 entries"),
        (bad, Unproven, "does not show that this checkpoint continues the checkpoint of 5"),
        (fork, Contradiction, "contradict each other"),
        (f"old 5\n\n{fork}", Contradiction, "contradict each other"),
        (longer, Unproven, "Nothing shows"),
        (f"old 9\n\n{with_proof.partition(chr(10) * 2)[2]}", Malformed, "cannot shrink from 9 to 6"),
        (f"old x\n\n{fork}", Malformed, "not a whole number"),
        (f"{checkpoint_text(KEY.name, 9, bytes(32))}\n{signature_line(checkpoint_text(KEY.name, 9, bytes(32)), EVE, 1)}", Unproven, "Nothing shows"),
        (f"old 5\n\n{sign_note(checkpoint_text(KEY.name, 5, b'r' * 32), OTHER).decode()}", Unproven, "not signed by the key that you trust"),
        (sign_note(checkpoint_text("campaign/other", 5, b"r" * 32), OTHER).decode(), Refused, "do not have the key of campaign/other"),
    ]  # fmt: skip
    for sent, error, says in refusals:
        with pytest.raises(error, match=says) as refused:
            cosign(home, NOW, sent)
        assert type(refused.value) is error, sent
        head = home.head(KEY.name, "witnessed")
        assert head is not None
        assert head.size == 5
    with pytest.raises(Unproven, match="is older than the checkpoint of 5"):
        cosign(home, NOW, forked(book, 3, 4))
    with pytest.raises(Contradiction) as found:
        cosign(home, NOW, fork)
    assert found.value.heads == (early, fork), "both are shown"
    cosign(home, NOW, with_proof)


def test_the_same_head_is_signed_again_however_it_is_sent(road: "tuple[Book, Home]") -> None:
    book, home = road
    cosign(home, NOW, signed(book), str(KEY.vkey))
    for since in (None, 0, 3, 5):
        assert cosign(home, NOW, signed(book, since)).startswith("— ana ")


def test_who_has_no_key_or_another_key_is_told_so(road: "tuple[Book, Home]", tmp_path: Path) -> None:
    book, home = road
    with pytest.raises(Refused, match="You are not a witness yet"):
        cosign(Home(str(tmp_path / "nobody")), NOW, signed(book))
    with pytest.raises(Refused, match="That key belongs to campaign/other"):
        cosign(home, NOW, signed(book), str(OTHER.vkey))
    with pytest.raises(Refused, match="already exists"):
        home.keep_witness_key(BEN)
    wrong = make_skey(KEY.name, b"w" * 32)
    with pytest.raises(Unproven, match="not signed by the key that you trust"):
        cosign(home, NOW, signed(book), str(wrong.vkey))
    assert home.head(KEY.name, "witnessed") is None
    assert home.trusted(KEY.name) == (), "a key is trusted once it has signed"


class Overtaken(Home):
    """A home where another hand of the same person signs just before the head is kept."""

    def __init__(self, folder: str, meanwhile: str) -> None:
        super().__init__(folder)
        self.meanwhile = meanwhile

    def advance(self, old: int, head: Head, vkey: str) -> int | None:
        if self.meanwhile:
            sent, self.meanwhile = self.meanwhile, ""
            cosign(Home(self.folder), NOW, sent, str(KEY.vkey))
        return super().advance(old, head, vkey)


def test_of_two_hands_at_once_the_later_sees_what_the_earlier_signed(road: "tuple[Book, Home]") -> None:
    book, home = road
    head, fork = signed(book), forked(book, 3, 5)
    with pytest.raises(Contradiction):
        cosign(Overtaken(home.folder, fork), NOW, head, str(KEY.vkey))
    kept = home.head(KEY.name, "witnessed")
    assert kept is not None
    assert kept.note == fork


def test_the_same_head_signed_by_two_hands_at_once_is_no_contradiction(road: "tuple[Book, Home]") -> None:
    book, home = road
    head = signed(book)
    assert cosign(Overtaken(home.folder, head), NOW, head, str(KEY.vkey))


def test_a_home_remembers_one_head_of_a_campaign_and_nothing_of_others(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    assert (home.head("x"), home.trusted("x"), home.witness_key()) == (None, (), None)
    for size, kept in ((5, 5), (3, 5), (7, 7)):
        made = Head(origin="x", size=size, root=bytes([size]) * 32, note="n")
        home.store_known(made, may_replace=lambda known, made=made: known.size <= made.size)  # type: ignore[misc]  # bound now
        head = home.head("x")
        assert head is not None
        assert head.size == kept
    assert (home.head("y"), home.trusted("x")) == (None, ())
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_a_home_that_was_begun_and_never_written_knows_nothing(tmp_path: Path) -> None:
    (tmp_path / HEADS_FILE).touch()
    home = Home(str(tmp_path))
    assert (home.head("x"), home.trusted("x")) == (None, ())


def test_a_key_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "witness.key").mkdir()
    with pytest.raises(Refused, match="cannot be read"):
        Home(str(tmp_path)).witness_key()


def test_a_home_whose_owner_was_killed_while_it_was_written_is_as_it_was_before(tmp_path: Path) -> None:
    home, torn = Home(str(tmp_path / "home")), tmp_path / "torn"
    home.store_known(Head(origin="x", size=5, root=b"r" * 32, note="n"), may_replace=lambda _: True)
    writing = sqlite3.connect(tmp_path / "home" / HEADS_FILE, isolation_level=None)
    writing.execute("PRAGMA cache_size = 1")
    writing.execute("BEGIN IMMEDIATE")
    writing.execute("UPDATE known SET size = 9")
    for number in range(50):
        writing.execute("INSERT INTO known VALUES (?, 1, zeroblob(32), ?)", (str(number), "n" * 3000))
    shutil.copytree(tmp_path / "home", torn)
    writing.close()
    assert (torn / f"{HEADS_FILE}-journal").stat().st_size > 0
    head = Home(str(torn)).head("x")
    assert head is not None
    assert head.size == 5


def racers(home: Path, notes: list[str], count: int) -> "list[Popen[str]]":
    env = {**os.environ, "CAMPAIGN_HOME": str(home)}
    words = [sys.executable, "-m", "cli", "witness", "sign", "--key", str(KEY.vkey)]
    return [
        Popen([*words, notes[number % len(notes)]], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for number in range(count)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True], ids=["none is killed", "some are killed"])
def test_of_two_histories_of_one_size_sent_at_once_one_at_most_is_ever_signed(
    road: "tuple[Book, Home]", tmp_path: Path, killed: bool
) -> None:
    book, _ = road
    texts = [signed(book), forked(book, 2, 5)]
    notes = [str(tmp_path / "one"), str(tmp_path / "two")]
    for name, text in zip(notes, texts, strict=True):
        Path(name).write_text(text)
    chance = random.Random(5)  # noqa: S311  whom to kill, and when
    for evening in range(3):
        folder = tmp_path / f"home{evening}"
        Home(str(folder)).keep_witness_key(ANA)
        hands = racers(folder, notes, 10)
        if killed:
            time.sleep(0.15)
            for hand in chance.sample(hands, 5):
                time.sleep(chance.random() * 0.06)
                hand.send_signal(signal.SIGKILL)
        told = [(*hand.communicate(timeout=60), hand.returncode) for hand in hands]
        lines = [out for out, _, _ in told if out.endswith("\n")]
        assert killed or lines, told
        assert {code for _, _, code in told} <= {0, 6, -signal.SIGKILL}, told
        valid = {text for text in texts for line in lines if _is_of(text, line)}
        head = Home(str(folder)).head(KEY.name, "witnessed")
        assert len(valid) <= 1
        assert not lines or (head is not None and {head.note} == valid)


def _is_of(note: str, line: str) -> bool:
    try:
        return bool(open_note(f"{read_note(note)[0]}\n{line}", [ANA.vkey]))
    except Unproven:
        return False


# What becomes of the lines


def policy_of(*witnesses: Skey, quorum: str = "all") -> str:
    lines = [f"log {KEY.vkey}", *(f"witness {each.name} {each.vkey}" for each in witnesses)]
    return "\n".join([*lines, f"group g {quorum} {' '.join(each.name for each in witnesses)}", "quorum g", ""])


def line_of(note: str, witness: Skey, time: int = NOW) -> str:
    return signature_line(read_note(note)[0], witness, time)


def test_a_line_is_kept_beside_its_head_in_place_of_an_older_one_of_the_same_witness(
    road: "tuple[Book, Home]",
) -> None:
    book, _ = road
    scribe(book).write(SetPolicy(policy=policy_of(ANA, BEN)))
    with pytest.raises(Refused, match="already the current policy"):
        scribe(book).write(SetPolicy(policy=policy_of(ANA, BEN)))
    first = signed(book)
    scribe(book).write(Note(text="x"))
    second = signed(book)
    for note, witness, when, size in ((first, ANA, 1, 6), (second, ANA, 2, 7), (first, BEN, 3, 6), (first, ANA, 4, 6)):
        assert scribe(book).add_cosignatures(line_of(note, witness, when)) == [(size, witness.name)]
    kept = book.journal.checkpoints()
    assert open_note(kept[6], [ANA.vkey, BEN.vkey, KEY.vkey]).timestamps == {"ana": 4, "ben": 3}
    assert open_note(kept[7], [ANA.vkey, KEY.vkey]).timestamps == {"ana": 2}
    assert [len(read_note(note)[1]) for note in kept.values()] == [3, 2]
    assert witnessed_by(parse_policy(policy_of(ANA, BEN)), kept[6]) == {"ana", "ben"}
    assert "ana" in signed(book), "signed again, the checkpoint keeps what others said of it"


def test_a_close_proves_what_the_witnesses_of_its_policy_may_have_signed_last(road: "tuple[Book, Home]") -> None:
    book, _ = road
    hand = scribe(book)
    assert last_signed_sizes(book) == []
    hand.write(SetPolicy(policy=policy_of(ANA)))
    hand.add_cosignatures(line_of(signed(book), ANA))
    hand.write(SetPolicy(policy=policy_of(BEN)))
    hand.add_cosignatures(line_of(signed(book), BEN))
    hand.write(OpenSession(title="one", present=()))
    assert last_signed_sizes(book) == [7], "ana is no witness any more, and no session was closed"
    hand.write(CloseSession())
    assert last_signed_sizes(book) == [7], "what was closed last has no checkpoint yet"
    signed(book)
    assert last_signed_sizes(book) == [7, 9]


def test_lines_of_unknown_witnesses_forged_ones_and_those_of_other_heads_are_refused(
    road: "tuple[Book, Home]",
) -> None:
    book, _ = road
    with pytest.raises(Refused, match=r"ana\+\w+ is not a witness of this campaign"):
        scribe(book).add_cosignatures(line_of(signed(book), ANA))
    scribe(book).write(SetPolicy(policy=policy_of(ANA)))
    note = signed(book)
    before = book.journal.checkpoints()
    forged = line_of(note, ANA)[:-12] + "AAAAAAAAAA=\n"
    foreign = line_of(checkpoint_text(KEY.name, 6, b"x" * 32) + "\n" + line_of(note, ANA), ANA)
    refusals: list[tuple[str, type[LedgerError]]] = [
        (line_of(note, EVE), Refused),
        (line_of(note, make_skey("ana", b"z" * 32, COSIGNATURE)), Refused),
        (forged, Unproven),
        (foreign, Unproven),
        (signature_line(read_note(note)[0], KEY), Refused),
        ("nonsense", Malformed),
        (line_of(note, ANA) + line_of(note, ANA), Malformed),
    ]
    for line, error in refusals:
        with pytest.raises(error):
            scribe(book).add_cosignatures(line)
    assert book.journal.checkpoints() == before


@pytest.mark.slow
def test_a_policy_is_said_by_a_file_or_by_names_and_not_twice(people: tuple[Person, Person], tmp_path: Path) -> None:
    tom, ana = people
    tom.well("init", "The road", "--gm", "Tom")
    assert "This campaign has no witnesses" in tom.types("policy").stderr
    mine = ana.well("witness", "init", "ana").strip()
    assert ana.well("witness", "init", "ana").strip() == mine
    assert "You already have a key for ana." in ana.types("witness", "init", "cyd").stderr
    ben = str(BEN.vkey)
    for words, says in (
        (("policy", "--quorum", "2"), "--quorum 2 needs at least 2 witnesses."),
        (("policy", "x", "--witness", f"ana={mine}"), "Name a file or witnesses, not both."),
        (("policy", "nowhere.txt"), "nowhere.txt cannot be read"),
        (("policy", "--witness", f"ana={mine}", "--quorum", "3"), "--quorum 3 needs at least 3 witnesses."),
        (("policy", "--witness", "ana=x"), "nor a key"),
    ):
        refused = tom.types(*words)
        assert (refused.returncode, says in refused.stderr) == (2, True), refused.stderr
    tom.well("policy", "--witness", f"ana={mine}", "--witness", f"ben={ben}", "--quorum", "1")
    shown = tom.well("policy")
    assert parse_policy(shown).witnesses == {"ana": parse_vkey(mine), "ben": parse_vkey(ben)}
    (tom.folder / "again.txt").write_text(shown)
    assert "already the current policy" in tom.types("policy", "again.txt").stderr
    (tom.folder / "other.txt").write_text(shown.replace("group players 1", "group players all"))
    tom.well("policy", "other.txt")
    assert "group players all ana ben" in tom.well("policy")
    assert (
        "is not a witness of this campaign"
        in tom.types("witness", "add", sent=line_of(tom.well("checkpoint"), EVE)).stderr
    )


def test_a_policy_that_names_another_key_of_the_campaign_and_the_same_witnesses_is_no_change_of_these(
    road: "tuple[Book, Home]",
) -> None:
    book, _ = road
    scribe(book).write(SetPolicy(policy=policy_of(ANA, BEN)))
    named = policy_of(ANA, BEN).replace("log ", f"log {make_skey('campaign/other', b'o' * 32).vkey}\nlog ", 1)
    scribe(book).write(SetPolicy(policy=named))
    assert audit(book, "2026-11-20").remarks == ()


def test_a_policy_is_as_long_as_an_entry_of_it_can_be_read_again_and_no_longer(road: "tuple[Book, Home]") -> None:
    book, _ = road
    policy = f"{policy_of(ANA)}#"
    longest = policy + "x" * (20_000 - len(policy))
    scribe(book).write(SetPolicy(policy=longest))
    assert verify(book).entries == book.head()
    with pytest.raises(BadInput, match=r"A policy can have at most 20,000 characters\. This one has 20,001"):
        scribe(book).write(SetPolicy(policy=f"{longest}x"))


@pytest.mark.parametrize("root", [EMPTY_ROOT, bytes(32)], ids=["the root of nothing", "another root"])
def test_a_head_of_no_entries_is_never_signed(road: "tuple[Book, Home]", root: bytes) -> None:
    book, home = road
    empty = sign_note(checkpoint_text(KEY.name, 0, root), KEY).decode()
    with pytest.raises(Unproven, match="This checkpoint has 0 entries, but a campaign has at least one"):
        cosign(home, NOW, empty, str(KEY.vkey))
    assert home.trusted(KEY.name) == ()
    cosign(home, NOW, signed(book), str(KEY.vkey))
    with pytest.raises(Unproven, match="This checkpoint has 0 entries"):
        cosign(home, NOW, empty)


def test_a_home_that_cannot_be_made_is_no_room(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DiskRefused, match="cannot be created"):
        Home(str(tmp_path / "file" / "home")).store_known(
            Head(origin="x", size=1, root=b"r" * 32, note=""), may_replace=lambda _: True
        )


def test_a_home_that_is_no_database_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / HEADS_FILE).write_text("junk, and more of it" * 100)
    with pytest.raises(Refused, match="The record of known checkpoints on this computer"):
        Home(str(tmp_path)).head("x")
    with pytest.raises(Refused, match="cannot be read"):
        Home(str(tmp_path)).store_known(Head(origin="x", size=1, root=bytes(32), note=""), lambda _: True)


def test_a_key_takes_the_place_of_a_trusted_one_only_where_that_is_said(road: "tuple[Book, Home]") -> None:
    book, home = road
    head = signed(book)
    cosign(home, NOW, head, str(KEY.vkey))
    new = make_skey(KEY.name, b"n" * 32)
    scribe(book).write(RotateKey(new=new, old=KEY, why=None))
    text = checkpoint_text(KEY.name, book.head(), book.root(book.head()))
    proof = "".join(f"{to_base64(each)}\n" for each in book.journal.consistency_proof(5, book.head()))
    asked = f"old 5\n{proof}\n{sign_note(text, new).decode()}"
    with pytest.raises(Unproven, match="not signed by the key that you trust"):
        cosign(home, NOW, asked)
    with pytest.raises(Refused, match="You already trust a different key of campaign/road"):
        cosign(home, NOW, asked, str(new.vkey))
    assert home.trusted(KEY.name) == (str(KEY.vkey),)
    cosign(home, NOW, asked, str(new.vkey), rotated=True)
    assert home.trusted(KEY.name) == (str(KEY.vkey), str(new.vkey))
    assert cosign(home, NOW, asked).startswith("— ana ")


def test_of_several_proofs_the_one_is_taken_that_begins_with_what_was_signed_last(road: "tuple[Book, Home]") -> None:
    book, home = road
    cosign(home, NOW, signed(book), str(KEY.vkey))
    size = book.head()
    scribe(book).write(Note(text="x"))
    note = signed(book)

    def proof(old: int) -> str:
        hashes = "".join(f"{to_base64(each)}\n" for each in book.journal.consistency_proof(old, book.head()))
        return f"old {old}\n{hashes}\n"

    with pytest.raises(Malformed) as refused:
        cosign(home, NOW, f"old {size}\nno hash\n\n{note}")
    assert "\n" not in refused.value.sentence
    with pytest.raises(
        Unproven, match=f"You last signed {size} entries, but the proof starts at a different entry"
    ) as begins:
        cosign(home, NOW, f"{proof(2)}{note}")
    assert begins.value.hint == f"Ask the GM for the output of 'campaign checkpoint --since {size}'."
    with pytest.raises(Unproven, match=f"You last signed {size} entries. Nothing shows that this checkpoint continues"):
        cosign(home, NOW, f"{proof(2)}{proof(3)}{note}")
    for proofs in (proof(2) + proof(size), proof(size) + proof(2)):
        assert cosign(home, NOW, f"{proofs}{note}").startswith("— ana ")
    with pytest.raises(Unproven, match=f"This checkpoint of {size} entries is older than the checkpoint of {size + 1}"):
        cosign(home, NOW, book.journal.checkpoints()[size])


def test_a_home_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / HEADS_FILE).mkdir()
    with pytest.raises(
        DiskRefused, match=r"The record of known checkpoints on this computer .* cannot be opened or written"
    ):
        Home(str(tmp_path)).head("x")
    (tmp_path / "blocked").write_text("")
    with pytest.raises(Refused, match="cannot be read: Not a directory"):
        Home(str(tmp_path / "blocked")).head("x")


def test_a_head_and_the_key_that_is_trusted_from_it_on_are_kept_together_or_not_at_all(
    tmp_path: Path,
) -> None:
    home, head = Home(str(tmp_path)), Head(origin="x", size=1, root=bytes(32), note="n")
    home.store_known(head, lambda _: True)
    with pytest.raises(sqlite3.IntegrityError):
        home.advance(0, head, None)  # type: ignore[arg-type]  # what the table of keys does not take
    assert (home.head("x", "witnessed"), home.trusted("x")) == (None, ())
    assert home.advance(0, head, "key") is None
    assert (home.head("x", "witnessed"), home.trusted("x")) == (head, ("key",))
