"""Compare: what players keep, put beside the GM's file; and proofs that need no file."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from cli.context import Invocation
from cli.render import terminal
from engine import connection_of, create_journal, full_disk
from leaves import inclusion_proof
from leaves import root as root_over
from ledger.audit.verify import verify
from ledger.commands.at_table import Note, Open
from ledger.commands.custody import SetPolicy
from ledger.commands.decider import BookDraft, Command
from ledger.corrections.undoing import Void
from ledger.errors import Altered, OldCopy, Refused
from ledger.events.facts import Mark
from ledger.events.subjects import CAMPAIGN, FORK
from ledger.events.types import HistoryForked
from ledger.journal import new_files
from ledger.journal.book import Book, open_book
from ledger.journal.store import Journal
from ledger.scribe import Scribe
from ledger.tlog.checkpoint import checkpoint_text, format_tlog_proof, parse_checkpoint
from ledger.tlog.note import COSIGNATURE, Skey, from_base64, make_skey, read_note, sign_note, signature_line, to_base64
from ledger.tlog.policy import parse_policy
from ledger.tlog.tree import leaf_hash, verify_consistency
from ledger.trust.compare import compare
from ledger.trust.heads import longest_witnessed, remember_head
from ledger.trust.home import Head, Home
from paths import GOLDEN
from table import EVENING, hashed_anew, scribe
from tampering import rewritten, unguarded
from terminal import Type, rows

KEY = make_skey("campaign/road", b"k" * 32)
OTHER = make_skey("campaign/other", b"o" * 32)
ANA, BEN = (make_skey(name, name[:1].encode() * 32, COSIGNATURE) for name in ("ana", "ben"))
V1 = GOLDEN / "campaigns" / "v1.campaign"
NOW = int(EVENING.timestamp())
POLICY = f"log {KEY.vkey}\nwitness ana {ANA.vkey}\nwitness ben {BEN.vkey}\ngroup g any ana ben\nquorum g\n"
BOTH = POLICY.replace("any", "all")


class Left(Command):
    """Say, in one action, that other histories were left."""

    roots: tuple[str, ...]
    size: int

    def decide(self, draft: BookDraft) -> None:
        for root in self.roots:
            draft.add(HistoryForked(size=self.size, root=root, marks=(Mark(who=CAMPAIGN, name=FORK, value=root),)))


@pytest.fixture
def road(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a campaign of 3 entries that KEY signs and a policy, and the key of it."""
    folder = tmp_path / "gm"
    folder.mkdir()
    monkeypatch.chdir(folder)
    with Book(create_journal("road.campaign")) as book:
        scribe(book).write(Open(title="The road", gm="Tom", key=str(KEY.vkey)))
        scribe(book).write(SetPolicy(policy=POLICY))
    Path("road.key").write_text(f"{KEY}\n")
    Path("policy").write_text(POLICY)
    Path("both").write_text(BOTH)
    return folder


def told(*texts: str, file: str = "road.campaign") -> None:
    with open_book(file) as book:
        for text in texts:
            scribe(book).write(Note(text=text))


def kept(name: str, file: str = "road.campaign") -> str:
    """Sign the head of a file, and keep it under a name."""
    with open_book(file) as book:
        Path(name).write_text(scribe(book).sign(KEY).note)
    return name


def seen(result: Result, code: int) -> str:
    assert result.exit_code == code, result.output
    return result.output


def altered(seq: int, was: str, now: str, file: str = "road.campaign") -> None:
    """Change an entry, and make all hashes and the signed heads of the file fit again."""
    with open_book(file) as book:
        rewritten(seq, lambda body: body.replace(was, now))(connection_of(book))
        hashed_anew(book.journal)
        connection_of(book).execute("DELETE FROM checkpoints")


def cut(size: int, file: str = "road.campaign") -> None:
    """Cut the tail off, and all that belongs to it."""
    with open_book(file) as book:
        tables = ("entries", "words", "postings", "marks")
        unguarded(*(f"DELETE FROM {table} WHERE seq > {size}" for table in tables))(connection_of(book))
        connection_of(book).execute("DELETE FROM checkpoints WHERE size > ?", (size,))
        hashed_anew(book.journal)


# Proofs of one entry


@pytest.fixture
def proof(road: Path, type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A proof of entry 5 of 7, in an empty folder where no campaign is; its head is witnessed by Ana."""
    told("four", "five", "six", "seven")
    note = Path(kept("head")).read_text()
    with open_book("road.campaign") as book:
        scribe(book).add_cosignatures(signature_line(read_note(note)[0], ANA, NOW))
    seen(type_in("prove 5"), 0)
    empty = tmp_path / "ana"
    empty.mkdir()
    for name in ("entry-5.tlog-proof", "policy", "both"):
        shutil.copy(name, empty / name)
    monkeypatch.chdir(empty)
    return empty / "entry-5.tlog-proof"


def test_a_proof_is_checked_in_an_empty_folder_with_the_key_or_a_policy(proof: Path, type_in: Type) -> None:
    shown = seen(type_in(["verify", "--proof", proof.name, "--key", str(KEY.vkey)]), 0)
    assert "Entry 5 is in the history of campaign/road (7 entries)." in shown
    assert "#5 note-written" in shown
    shown = seen(type_in(["verify", "--proof", proof.name, "--policy", "policy"]), 0)
    assert "(7 entries, witnesses: ana)." in shown
    told_ = json.loads(seen(type_in(["verify", "--proof", proof.name, "--policy", "policy", "--json"]), 0))
    assert (told_["entry"]["seq"], told_["size"], told_["signed"], told_["witnesses"]) == (5, 7, True, ["ana"])


def test_who_proves_what_was_struck_is_told_by_what_and_what_is_in_its_place(road: Path, type_in: Type) -> None:
    seen(type_in("join mara edge edge=3 maximum=4"), 0)
    seen(type_in("adjust mara edge=-1 --why x"), 0)
    with open_book("road.campaign") as book:
        adjusted = book.head()
    seen(type_in(f"amend {adjusted} edge=-2 --why x --yes"), 0)
    struck = f"#{adjusted} was amended by #{adjusted + 1}, and #{adjusted + 3} replaced #{adjusted}."
    for flags in ("", " -o -"):
        assert struck in type_in(f"prove {adjusted}{flags}").stderr
    assert "was voided" not in type_in(f"prove {adjusted + 3}").stderr
    seen(type_in("undo"), 0)
    assert f"#{adjusted + 1} was undone by #{adjusted + 4}." in type_in(f"prove {adjusted + 1}").stderr
    shown = seen(type_in(["verify", "--proof", f"entry-{adjusted}.tlog-proof", "--key", str(KEY.vkey)]), 0)
    assert (
        "The proof does not show whether the entry was canceled later. To find out, see the campaign itself." in shown
    )


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([], 7, "The signature was not checked."),
        (["--policy", "both"], 7, "The policy asks for more signatures. This checkpoint is signed by: ana."),
        (["--key", str(OTHER.vkey)], 7, "none of the keys that you gave"),
        (
            ["--key", str(make_skey("campaign/road", b"w" * 32).vkey)],
            7,
            "entries is not signed by a key that you trust",
        ),
        (["--key", str(ANA.vkey)], 7, "none of the keys that you gave"),
        (["--key", "nonsense"], 2, "nor a key"),
        (["--checkpoint", "policy", "--key", str(KEY.vkey)], 2, "--proof cannot be combined with --checkpoint"),
    ],
    ids=[
        "nothing",
        "too few witnesses",
        "of another",
        "of the same name",
        "a witness",
        "nor a key",
        "with a checkpoint",
    ],
)
def test_a_proof_proves_nothing_to_who_does_not_know_whose_it_is(
    proof: Path, type_in: Type, words: list[str], code: int, says: str
) -> None:
    assert says in seen(type_in(["verify", "--proof", proof.name, *words]), code)


def other_head(size: int, key: Skey = KEY) -> Head:
    note = sign_note(checkpoint_text(KEY.name, size, b"x" * 32), key).decode()
    return Head(origin=KEY.name, size=size, root=b"x" * 32, note=note)


@pytest.mark.parametrize("kind", ["witnessed", "known"])
def test_a_proof_that_contradicts_a_head_kept_at_home_is_refused_and_both_heads_are_shown(
    proof: Path, type_in: Type, kind: str
) -> None:
    home, head = Home(os.environ["CAMPAIGN_HOME"]), other_head(7)
    if kind == "witnessed":
        home.advance(0, head, str(KEY.vkey))
    else:
        home.store_known(head, lambda _: True)
    for words in (["--key", str(KEY.vkey)], ["--policy", "policy"], ["--policy", "both"]):
        shown = type_in(["verify", "--proof", proof.name, *words])
        assert (
            "Two checkpoints (signed summaries of the record) contradict each other: the campaign has two histories."
            in seen(shown, 6)
        )
        assert shown.stdout == ""
        assert head.note in shown.stderr
        assert proof.read_text().partition("\n\n")[2] in shown.stderr


def test_a_proof_against_a_head_kept_at_home_accuses_nobody_whose_signature_was_not_checked(
    proof: Path, type_in: Type
) -> None:
    Home(os.environ["CAMPAIGN_HOME"]).store_known(other_head(7), lambda _: True)
    shown = type_in(["verify", "--proof", proof.name])
    assert "The signature was not checked" in seen(shown, 7)
    assert "This checkpoint of 7 entries differs from the one that this computer has saved" in shown.stderr
    assert shown.stdout == ""


def test_a_proof_of_another_size_than_the_heads_kept_at_home_stands_and_says_that_nothing_connects_them(
    proof: Path, type_in: Type
) -> None:
    home = Home(os.environ["CAMPAIGN_HOME"])
    home.store_known(other_head(4), lambda _: True)
    home.advance(0, other_head(20), str(KEY.vkey))
    shown = seen(type_in(["verify", "--proof", proof.name, "--key", str(KEY.vkey)]), 0)
    assert "Entry 5 is in the history of campaign/road (7 entries)." in shown
    assert "This computer's checkpoint covers 20 entries, and the proof's checkpoint covers 7. The two" in shown
    (facts,) = rows(seen(type_in(["verify", "--proof", proof.name, "--key", str(KEY.vkey), "--json"]), 0))
    assert (facts["signed"], facts["apart"]) == (True, 20)


def test_a_proof_of_the_very_head_that_is_kept_at_home_is_connected(proof: Path, type_in: Type) -> None:
    home = Home(os.environ["CAMPAIGN_HOME"])
    note = proof.read_text().partition("\n\n")[2]
    head = parse_checkpoint(read_note(note)[0])
    home.advance(0, Head(origin=head.origin, size=head.size, root=head.root, note=note), str(KEY.vkey))
    home.store_known(other_head(4), lambda _: True)
    assert "perhaps of a different history" not in seen(
        type_in(["verify", "--proof", proof.name, "--key", str(KEY.vkey)]), 0
    )


def test_a_witness_need_not_say_the_key_that_is_trusted_at_home(proof: Path, type_in: Type) -> None:
    note = proof.read_text().partition("\n\n")[2]
    head = parse_checkpoint(read_note(note)[0])
    kept = Head(origin=head.origin, size=head.size, root=head.root, note=note)
    Home(os.environ["CAMPAIGN_HOME"]).advance(0, kept, str(KEY.vkey))
    assert "is in the history of campaign/road" in seen(type_in(["verify", "--proof", proof.name]), 0)
    Path(os.environ["CAMPAIGN_HOME"], "heads.db").write_text("junk")
    assert "cannot be read" in seen(type_in(["verify", "--proof", proof.name]), 3)


def test_a_proof_of_which_any_line_was_changed_is_refused(proof: Path, type_in: Type) -> None:
    lines = proof.read_text().split("\n")
    for number, line in enumerate(lines):
        if not line or line.startswith("— ana"):
            continue
        middle = len(line) // 2
        for changed in (line[:middle] + ("x" if line[middle] != "x" else "y") + line[middle + 1 :], None):
            told_ = [each for place, each in enumerate(lines) if place != number or changed is not None]
            if changed is not None:
                told_[number] = changed
            Path("changed").write_text("\n".join(told_))
            refused = type_in(["verify", "--proof", "changed", "--key", str(KEY.vkey)])
            assert (refused.exit_code in {2, 7}, refused.stdout) == (True, ""), (line, changed)


def test_a_line_of_a_witness_in_a_proof_that_was_changed_counts_for_nothing(proof: Path, type_in: Type) -> None:
    text = proof.read_text()
    line = next(each for each in text.split("\n") if each.startswith("— ana"))
    Path("changed").write_text(text.replace(line, line[:-6] + ("A" if line[-6] != "A" else "B") + line[-5:]))
    assert "is not valid" in seen(type_in("verify --proof changed --policy policy"), 7)


def test_a_proof_that_carries_another_entry_or_none_is_refused(proof: Path, type_in: Type) -> None:
    first, extra, *rest = proof.read_text().split("\n")
    other = to_base64(from_base64(extra.removeprefix("extra ")).replace(b'"seq":5', b'"seq":6'))
    for lines, code in (([first, f"extra {other}", *rest], 7), ([first, *rest], 2)):
        Path("changed").write_text("\n".join(lines))
        seen(type_in(["verify", "--proof", "changed", "--key", str(KEY.vkey)]), code)


def test_a_proof_is_written_once_into_a_file_or_shown(road: Path, type_in: Type) -> None:
    told("four")
    seen(type_in("prove 2 -o mine"), 0)
    assert "mine already exists." in seen(type_in("prove 2 -o mine"), 3)
    assert "cannot be created" in seen(type_in("prove 2 -o nowhere/mine"), 4)
    assert type_in("prove 2 -o -").stdout == Path("mine").read_text()
    assert "There is no entry #9" in seen(type_in("prove 9"), 3)


def test_a_proof_whose_head_is_not_stored_leaves_no_file_and_may_be_written_again(road: Path, type_in: Type) -> None:
    before = sorted(road.iterdir())
    with full_disk(4000):  # the proof matches, the head does not
        assert "The disk could not save the data" in seen(type_in("prove 2 -o mine"), 4)
    assert not Path("mine").exists()
    seen(type_in("prove 2 -o mine"), 0)
    assert sorted(road.iterdir()) == sorted([*before, Path("mine").absolute()])


def test_whoever_proves_takes_the_folder_before_the_campaign_as_a_rotation_does(
    road: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    lock, begin = new_files._lock_folder, Journal.writing

    def locked(folder: str) -> int | None:
        order.append("folder")
        return lock(folder)

    def writing(journal: Journal) -> AbstractContextManager[None]:
        order.append("campaign")
        return begin(journal)

    monkeypatch.setattr(new_files, "_lock_folder", locked)
    monkeypatch.setattr(Journal, "writing", writing)
    for words in ("prove 2", "key rotate"):
        order.clear()
        seen(type_in(words), 0)
        assert order == ["folder", "campaign"], words


def test_a_head_is_signed_again_only_if_the_key_was_rotated_meanwhile(
    road: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign, keys = Scribe.sign, list[str]()

    def rotated(self: Scribe, key: Skey, use: Any = None) -> Any:
        keys.append(str(key.vkey))
        if len(keys) <= 2:
            seen(type_in("key rotate"), 0)
        return sign(self, key, use)

    def refuses(self: Scribe, key: Skey, use: Any = None) -> Any:
        keys.append(str(key.vkey))
        raise Refused("No.")

    for signs, code, times in ((rotated, 0, 3), (refuses, 3, 1)):
        keys.clear()
        monkeypatch.setattr(Scribe, "sign", signs)
        seen(type_in("checkpoint"), code)
        assert len(set(keys)) == len(keys) == times


# Heads beside the file


def test_a_head_of_the_file_is_the_same_or_is_gone_on_from(road: Path, type_in: Type) -> None:
    told("four")
    kept("early")
    told("five")
    kept("late")
    shown = seen(type_in("verify --checkpoint early --checkpoint late"), 0)
    assert (
        "early: a checkpoint of 4 entries, signed by the campaign's key. It matches this file, but the file has more entries."
        in shown
    )
    assert "late: a checkpoint of 5 entries, signed by the campaign's key. It covers all entries of this file." in shown
    facts = json.loads(type_in("verify --checkpoint early --json").stdout)
    assert [(each["finding"], each["wrong"], each["signed"]) for each in facts["heads"][:1]] == [
        ("shorter", None, True)
    ]


def test_a_tail_that_was_cut_off_is_told_from_an_alteration(road: Path, type_in: Type) -> None:
    told("four", "five", "six")
    kept("late")
    cut(4)
    shown = seen(type_in("verify --checkpoint late"), 6)
    assert (
        "late: a checkpoint of 6 entries, signed by the campaign's key. It covers more entries than this file has."
        in shown
    )
    assert (
        "A checkpoint covers 6 entries, but the file has fewer. The file is an older copy, its end was cut off, or it belongs to a different history."
        in shown
    )


@pytest.mark.parametrize(
    ("heads", "says"),
    [
        (("8",), "one of the entries 1 to 8 does not match the checkpoint of 8 entries"),
        (("8", "4"), "one of the entries 5 to 8 does not match"),
        (("4", "8"), "one of the entries 5 to 8 does not match"),
        (("8", "4", "6"), "one of the entries 5 to 6 does not match"),
        (("6", "8"), "one of the entries 1 to 6 does not match"),
        (("8", "6", "5", "4"), "entry 5 does not match"),
        (("8", "stranger"), "one of the entries 1 to 8 does not match"),
    ],
    ids=[
        "one",
        "and one before",
        "in any order",
        "between",
        "none before",
        "to the entry",
        "an unsigned one counts not",
    ],
)
def test_an_alteration_lies_after_the_last_head_that_agrees_and_within_the_first_that_does_not(
    road: Path, type_in: Type, heads: tuple[str, ...], says: str
) -> None:
    for size in range(4, 9):
        with open_book("road.campaign") as book:
            scribe(book).write(Note(text="x"), once=f"note {size}")
        kept(str(size))
    altered(5, '"once":"note 5"', '"once":"note V"')
    with open_book("road.campaign") as book:
        stranger = sign_note(checkpoint_text(KEY.name, 7, book.root(7)), make_skey(KEY.name, b"w" * 32))
        Path("stranger").write_bytes(stranger)
    seen(type_in("verify"), 0)
    brought = [word for name in heads for word in ("--checkpoint", name)]
    assert says in seen(type_in(["verify", *brought]), 6)


def test_a_head_that_the_files_own_later_head_contradicts_is_shown_beside_it(road: Path, type_in: Type) -> None:
    shutil.copy("road.campaign", "copy.campaign")
    told("four", "five")
    note = Path(kept("seen")).read_text()
    told("FOUR", "FIVE", "SIX", file="copy.campaign")
    beside = Path(kept("own", "copy.campaign")).read_text()
    shown = seen(type_in("-f copy.campaign verify --checkpoint seen"), 6)
    assert "contradicts a checkpoint in this file, and the same key signed both" in shown
    assert "Two checkpoints (signed summaries of the record) contradict each other" in shown
    for text in (note, beside):
        assert text.split("\n")[2] in shown
    facts = json.loads(type_in("-f copy.campaign verify --checkpoint seen --json").stdout)
    assert (facts["heads"][0]["finding"], facts["heads"][0]["wrong"]) == ("forked", [1, 5])


def test_a_later_head_of_the_file_that_a_stranger_signed_contradicts_nothing(road: Path, type_in: Type) -> None:
    shutil.copy("road.campaign", "copy.campaign")
    told("four")
    kept("seen")
    told("FOUR", "FIVE", file="copy.campaign")
    with open_book("copy.campaign") as book:
        text = checkpoint_text(KEY.name, 5, book.root(5))
        book.journal.keep_checkpoint(5, sign_note(text, make_skey(KEY.name, b"w" * 32)).decode())
        book.journal.keep_checkpoint(3, sign_note(checkpoint_text(KEY.name, 3, book.root(3)), KEY).decode())
    assert "one of the entries 1 to 4 does not match" in seen(type_in("-f copy.campaign verify --checkpoint seen"), 6)


def test_a_head_of_before_a_rotation_is_still_the_campaigns(road: Path, type_in: Type) -> None:
    told("four")
    kept("early")
    seen(type_in("key rotate"), 0)
    Path("late").write_text(type_in("checkpoint").stdout)
    shown = seen(type_in("verify --checkpoint early --checkpoint late"), 0)
    assert shown.count("signed by the campaign's key") == 2


def test_a_file_whose_entries_are_not_those_of_its_own_head_is_altered(road: Path) -> None:
    told("four")
    kept("early")
    told("five")
    kept("late")
    with open_book("road.campaign") as book:
        sql = "UPDATE checkpoints SET note = (SELECT note FROM checkpoints WHERE size = 4) WHERE size = 5"
        connection_of(book).execute(sql)
        with pytest.raises(Altered, match="entry 5 does not match the file's own checkpoint of 5"):
            verify(book)
        connection_of(book).execute("UPDATE checkpoints SET note = 'nonsense' WHERE size = 5")
        with pytest.raises(Altered, match="has a checkpoint for 5 entries, but this checkpoint cannot be read"):
            verify(book)


def test_heads_that_nobody_known_signed_prove_nothing_and_are_not_remembered(road: Path, type_in: Type) -> None:
    told("four")
    text = checkpoint_text(KEY.name, 9, b"x" * 32)
    Path("unsigned").write_bytes(sign_note(text, make_skey(KEY.name, b"w" * 32)))
    shown = seen(type_in("verify --checkpoint unsigned"), 7)
    assert "not signed by the campaign's key" in shown
    assert "The checkpoint of 9 entries is not signed by a key that you trust, so it proves nothing." in shown
    Path("foreign").write_bytes(sign_note(checkpoint_text("campaign/other", 4, b"x" * 32), OTHER))
    assert "This checkpoint belongs to campaign/other, not to this campaign" in seen(
        type_in("verify --checkpoint foreign"), 3
    )
    kept("good")
    strange = seen(type_in(["verify", "--checkpoint", "good", "--key", str(OTHER.vkey)]), 7)
    assert "The key belongs to campaign/other, not to this campaign (campaign/road)." in strange
    Path("bent").write_text(Path("good").read_text().replace("\n4\n", "\n5\n"))
    assert "is not valid" in seen(type_in("verify --checkpoint bent"), 7)
    seen(type_in("note five"), 0)


def test_a_policy_of_ones_own_asks_who_has_witnessed_the_file(
    road: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    told("four")
    note = Path(kept("head")).read_text()
    assert "No checkpoint of this file has the signatures that the policy asks for." in seen(
        type_in("verify --policy policy"), 7
    )
    line = signature_line(read_note(note)[0], ANA, NOW)
    Path("witnessed").write_text(note + line)
    shown = seen(type_in("verify --policy policy --checkpoint witnessed"), 0)
    assert "Up to #4, the history has all signatures that the policy asks for (ana" in shown
    with open_book("road.campaign") as book:
        scribe(book).add_cosignatures(line)
    told("five")
    assert "asks for (ana" in seen(type_in("verify --policy policy"), 0)
    facts = json.loads(type_in("verify --policy policy --json").stdout)
    assert facts["policy"] == {"witnessed": 4, "witnesses": ["ana"]}
    seen(type_in("verify --policy both"), 7)
    Path("none").write_text(f"log {KEY.vkey}\nquorum none\n")
    assert "no witness needed" in seen(type_in("verify --policy none"), 0)
    with open_book("road.campaign") as book:
        forged = line[:-8] + ("A" if line[-8] != "A" else "B") + line[-7:]
        book.journal.keep_checkpoint(4, note + forged)
    monkeypatch.setenv("CAMPAIGN_HOME", "a home that knows nothing yet")
    assert "No checkpoint of this file has the signatures" in seen(type_in("verify --policy policy"), 7)


# Histories that are known


@pytest.fixture
def restored(road: Path, type_in: Type) -> bytes:
    """The file is an older copy of 4 entries; a head of 6 was checked against the newer one, and is known at home."""
    told("four")
    old = Path("road.campaign").read_bytes()
    told("five", "six")
    kept("late")
    seen(type_in("verify --checkpoint late"), 0)
    shutil.copy("road.campaign", "newer.campaign")
    Path("road.campaign").write_bytes(old)
    return old


def test_a_repeat_under_the_same_id_is_answered_and_writes_nothing_in_an_older_copy_too(
    road: Path, type_in: Type
) -> None:
    seen(type_in("note x --once a"), 0)
    old = Path("road.campaign").read_bytes()
    told("five")
    kept("late")
    seen(type_in("verify --checkpoint late"), 0)
    Path("road.campaign").write_bytes(old)
    for words in ("note x --once a", "note x --once a --fork"):
        assert "A command with this ID was already written" in seen(type_in(words), 0)
    with open_book("road.campaign") as book:
        assert book.journal.entry(book.head()).type == "note-written"


class SigningMeanwhile(Home):
    """A home in which, as it is read, somebody else writes and signs, and this machine comes to know that head."""

    def heads(self, origin: str) -> list[Head]:
        with open_book("road.campaign") as others:
            hand = scribe(others)
            hand.write(Note(text="meanwhile"))
            self.store_known(hand.sign(KEY), may_replace=lambda _: True)
        return super().heads(origin)


def test_a_head_that_is_signed_while_a_correction_is_rehearsed_is_no_other_history(road: Path) -> None:
    told("four")
    home = SigningMeanwhile(os.environ["CAMPAIGN_HOME"])
    with open_book("road.campaign") as book:
        done = scribe(book, home=home).write(Void(strikes=book.head(), why="so"), dry=True)
        assert done.entries[0].type == "action-struck"


WRITING = ["note x", "note x --dry-run", "checkpoint", "prove 2", "undo", "session open x", "key rotate", "note x --once a", "erase 4 --yes"]  # fmt: skip


@pytest.mark.parametrize("words", WRITING)
def test_an_older_copy_is_not_written_to_where_a_longer_history_is_known(
    restored: bytes, type_in: Type, words: str
) -> None:
    refused = type_in(f"-f road.campaign {words}")
    assert "This computer has seen 6 entries of this campaign. This file has 4" in seen(refused, 6)
    assert refused.stdout == ""
    assert Path("road.campaign").read_bytes() == restored
    assert sorted(each.name for each in Path().iterdir() if "entry" in each.name or "new" in each.suffix) == []


def test_an_older_copy_can_be_looked_at(restored: bytes, type_in: Type) -> None:
    for words in ("log", "sheets", "show 3", "questions", "key"):
        seen(type_in(f"-f road.campaign {words}"), 0)
    for words in ("verify", "audit"):
        assert "its end was cut off" in seen(type_in(f"-f road.campaign {words}"), 6)


def test_a_fork_goes_on_says_so_once_and_play_goes_on_without_it(restored: bytes, type_in: Type) -> None:
    seen(type_in("-f road.campaign note x --fork --dry-run"), 0)
    assert Path("road.campaign").read_bytes() == restored
    seen(type_in("-f road.campaign note x --fork"), 0)
    left = "the checkpoint that this computer saved: a checkpoint of 6 entries, signed by the campaign's key. It covers entries that are no longer in this file"
    shown = seen(type_in("-f road.campaign verify"), 0)
    assert f"Remark: {left}" in shown
    assert "✗" not in shown, "all is well"
    seen(type_in("-f road.campaign note y"), 0)
    seen(type_in("-f road.campaign note z --fork"), 0)
    seen(type_in("-f road.campaign checkpoint"), 0)
    assert "left" not in seen(type_in("-f road.campaign verify"), 0)
    with open_book("road.campaign") as book, open_book("newer.campaign") as newer:
        types = [entry.type for entry in book.journal.entries(5)]
        assert types == ["history-forked", "note-written", "note-written", "note-written"]
        assert book.journal.entry(5).body["size"] == 6
        assert book.mark(CAMPAIGN, "fork") == newer.root(6).hex()
        assert verify(book).entries == 8
    shown = seen(type_in("-f road.campaign audit"), 0)
    assert (
        "Remark, #5: Play continued from this copy. This entry comes from a computer that had seen a different history of 6 entries."
        in shown
    )
    assert (
        "play continues from this copy of the campaign; the computer that wrote this entry had seen a different history of 6 entries"
        in seen(type_in("-f road.campaign log"), 0)
    )
    refused = type_in("-f newer.campaign note x")
    assert "seen 8 entries of this campaign. This file has 6" in seen(refused, 6)


@pytest.mark.parametrize(
    "words",
    ["undo", "undo 1", "redo", "void 4 --why so", "amend 4 --text x --why so"],
)
def test_a_command_that_shows_its_plan_first_continues_an_older_copy_with_fork(
    restored: bytes, type_in: Type, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    if words == "redo":
        seen(type_in("-f road.campaign undo --fork"), 0)
    assert "would be" in seen(type_in(f"-f road.campaign {words} --fork --dry-run"), 0)
    monkeypatch.setattr(terminal, "is_interactive", lambda: True)
    asked = seen(type_in(f"-f road.campaign {words} --fork", input="y\n"), 0)
    assert ("Save this?" in asked) is (words.split(maxsplit=1)[0] not in {"undo", "redo"})
    assert "a different history of 6 entries" in seen(type_in("-f road.campaign log -n all"), 0)


def test_a_second_old_copy_is_not_written_to_after_a_fork(restored: bytes, type_in: Type) -> None:
    """What was signed since the fork is known, though it is shorter than what was left."""
    seen(type_in("-f road.campaign checkpoint"), 6)
    seen(type_in("-f road.campaign note x --fork"), 0)
    shutil.copy("road.campaign", "backup.campaign")
    seen(type_in("-f road.campaign note y"), 0)
    seen(type_in("-f road.campaign checkpoint"), 0)
    assert "seen 7 entries of this campaign. This file has 6" in seen(type_in("-f backup.campaign note z"), 6)


def test_a_head_that_was_witnessed_is_held_against_a_file_whatever_it_says(restored: bytes, type_in: Type) -> None:
    """That play went on from an old copy is no answer to who signed the longer one; nor is it to be written on."""
    seen(type_in(["witness", "init", "ana"]), 0)
    seen(type_in(["witness", "sign", "late", "--key", str(KEY.vkey)]), 0)
    (Path(str(os.environ["CAMPAIGN_HOME"])) / "heads.db").rename("heads.db")
    seen(type_in("-f road.campaign checkpoint"), 0)
    told("five otherwise", "six otherwise")
    with open_book("newer.campaign") as newer, open_book("road.campaign") as book:
        root = newer.root(6).hex()
        connection_of(book).execute("DELETE FROM checkpoints")
    home = Path(str(os.environ["CAMPAIGN_HOME"]))
    (home / "heads.db").unlink()
    Path("heads.db").rename(home / "heads.db")
    with open_book("road.campaign") as book:
        hand = scribe(book, clock=lambda: EVENING + timedelta(hours=1))
        hand.write(Left(roots=(root,), size=6))
    for words in ("verify", "audit"):
        assert "The file was altered" in seen(type_in(f"-f road.campaign {words}"), 6)
    assert "the checkpoint that you signed: a checkpoint of 6 entries" in type_in("-f road.campaign verify").output


def test_a_head_that_was_witnessed_is_known_to_whoever_writes(road: Path, type_in: Type) -> None:
    told("four")
    shutil.copy("road.campaign", "old.campaign")
    told("five")
    kept("late")
    seen(type_in("witness init ana"), 0)
    seen(type_in(["witness", "sign", "late", "--key", str(KEY.vkey)]), 0)
    assert "seen 5 entries of this campaign. This file has 4" in seen(type_in("-f old.campaign note x"), 6)
    seen(type_in("-f old.campaign note x --fork"), 0)
    seen(type_in("-f old.campaign note y"), 0)
    with open_book("old.campaign") as book:
        assert [entry.type for entry in book.journal.entries(5)] == ["history-forked", "note-written", "note-written"]


@pytest.mark.parametrize("words", ["verify", "audit"])
def test_a_head_that_another_process_signs_meanwhile_accuses_nobody(
    road: Path, type_in: Type, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst moment for another hand to write and to sign: just before a command turns to what is kept at home."""
    home = Invocation.home

    def signed_meanwhile(invocation: Invocation) -> Home:
        told("meanwhile")
        with open_book("road.campaign") as book:
            remember_head(home(invocation), book, scribe(book).sign(KEY))
        return home(invocation)

    monkeypatch.setattr(Invocation, "home", signed_meanwhile)
    shown = type_in(f"-f road.campaign {words}")
    assert (shown.exit_code, "its end was cut off" in shown.output) == (0, False)
    assert "the checkpoint that this computer saved: a checkpoint of" in seen(type_in("verify"), 0)


@pytest.mark.parametrize(
    "words",
    [
        "verify --checkpoint road.campaign",
        "policy road.campaign",
        "policy --witness ana=road.campaign",
        "witness add road.campaign",
        "compare road.campaign road.campaign",
        "verify --policy road.campaign",
    ],
)
def test_a_text_that_is_the_campaign_itself_is_read_before_it_is_opened(road: Path, type_in: Type, words: str) -> None:
    """`conftest.py` watches what is opened beside SQLite."""
    assert type_in(words).exit_code in {0, 2}


@pytest.mark.parametrize("words", ["verify", "audit"])
def test_a_home_that_cannot_be_read_is_no_matter_to_a_campaign_without_a_key(
    tmp_path: Path, type_in: Type, words: str
) -> None:
    shutil.copy(V1, tmp_path / "v1.campaign")
    (Path(os.environ["CAMPAIGN_HOME"]) / "heads.db").write_text("no checkpoints")
    assert "cannot be read" not in seen(type_in(["-f", str(tmp_path / "v1.campaign"), words]), 0)


def test_what_is_altered_is_named_before_a_home_that_cannot_be_read(road: Path, type_in: Type) -> None:
    (Path(os.environ["CAMPAIGN_HOME"]) / "heads.db").write_text("no checkpoints")
    assert "The record of known checkpoints on this computer" in seen(type_in("verify"), 3)
    with open_book("road.campaign") as book:
        unguarded("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 2")(connection_of(book))
    assert "Entry 2 does not match its fingerprint (hash)" in seen(type_in("verify"), 6)


def test_who_goes_on_beside_two_other_histories_says_so_of_both_and_the_file_is_whole(
    restored: bytes, type_in: Type
) -> None:
    seen(type_in(["witness", "init", "ana"]), 0)
    seen(type_in(["witness", "sign", "late", "--key", str(KEY.vkey)]), 0)
    told("seven", file="newer.campaign")
    seen(type_in(["-f", "newer.campaign", "verify", "--checkpoint", kept("later", "newer.campaign")]), 0)
    seen(type_in("-f road.campaign note x --fork"), 0)
    with open_book("road.campaign") as book:
        assert [entry.type for entry in book.journal.entries(5)] == ["history-forked", "history-forked", "note-written"]
        assert [entry.act for entry in book.journal.entries(5)] == [5, 6, 7]
        assert verify(book).entries == 7
    told_of = seen(type_in("-f road.campaign log"), 0)
    assert all(f"a different history of {size} entries" in told_of for size in (6, 7))


def test_two_forks_that_stand_in_one_action_as_they_once_did_are_whole(road: Path) -> None:
    with open_book("road.campaign") as book:
        hand = scribe(book, clock=lambda: EVENING + timedelta(hours=1))
        hand.write(Left(roots=("aa" * 32, "bb" * 32), size=9))
    with open_book("road.campaign") as book:
        assert {entry.act for entry in book.journal.entries(4)} == {4}
        assert verify(book).entries == 5


def test_who_follows_a_rotation_as_a_witness_goes_on_checking(road: Path, type_in: Type) -> None:
    told("four")
    seen(type_in("witness init ana"), 0)
    seen(type_in(["witness", "sign", kept("one"), "--key", str(KEY.vkey)]), 0)
    seen(type_in("verify"), 0)
    new = str(seen(type_in("key rotate"), 0).splitlines()[-2])
    Path("two").write_text(type_in("checkpoint --since 4").stdout)
    seen(type_in(["witness", "sign", "two", "--key", new, "--rotated"]), 0)
    for words in ("verify", "audit", "verify --checkpoint one", "verify --checkpoint two"):
        seen(type_in(words), 0)


def test_a_key_signs_for_the_campaign_of_its_name_alone(road: Path, type_in: Type) -> None:
    told("four")
    text = checkpoint_text(KEY.name, 9, b"x" * 32)
    Path("forged").write_bytes(sign_note(text, OTHER))
    Path("two").write_text(f"log {OTHER.vkey}\n{POLICY}")
    assert "is not signed by a key that you trust" in seen(type_in("verify --checkpoint forged --policy two"), 7)
    with open_book("road.campaign") as book:
        stored, head = (
            book.journal.entry(2).stored,
            checkpoint_text(KEY.name, 1, leaf_hash(book.journal.entry(2).stored)),
        )
    Path("proof").write_text(format_tlog_proof(0, [], sign_note(head, OTHER), stored))
    assert "is not signed by a key that you trust" in seen(type_in("verify --proof proof --policy two"), 7)


def test_a_policy_is_satisfied_by_heads_of_the_file_that_its_log_signed_alone(road: Path, type_in: Type) -> None:
    told("four")
    Path("none").write_text(f"log {KEY.vkey}\nquorum none\n")
    text = checkpoint_text(KEY.name, 50, b"x" * 32)
    Path("longer").write_bytes(sign_note(text, KEY))
    shown = seen(type_in("verify --policy none --checkpoint longer"), 6)
    assert "is satisfied" not in shown
    with open_book("road.campaign") as book:
        stranger = make_skey(KEY.name, b"w" * 32)
        note = sign_note(checkpoint_text(KEY.name, 4, book.root(4)), stranger).decode()
        book.journal.keep_checkpoint(4, note)
    assert "No checkpoint of this file has the signatures that the policy asks for." in seen(
        type_in("verify --policy none"), 7
    )
    kept("good")
    assert "Up to #4, the history has all signatures that the policy asks for (no witness needed)" in seen(
        type_in("verify --policy none"), 0
    )


def test_a_head_of_the_file_with_a_signature_that_does_not_hold_counts_for_no_policy(road: Path, type_in: Type) -> None:
    told("four")
    kept("good")
    with open_book("road.campaign") as book:
        ((size, note),) = book.journal.checkpoints().items()
        mangled = note[:-10] + ("A" if note[-10] != "A" else "B") + note[-9:]
        book.journal.keep_checkpoint(size, mangled)
        policy = parse_policy(f"log {KEY.vkey}\nquorum none\n")
        assert longest_witnessed(book, policy) == (0, set())
        assert longest_witnessed(book, policy, [note]) == (4, set())


@pytest.mark.parametrize(("quorum", "says"), [("none", "nobody"), ("ana", "ana"), ("g", "1 of ana, ben")])
def test_a_policy_is_told_by_whom_it_asks(road: Path, type_in: Type, quorum: str, says: str) -> None:
    Path("mine").write_text(POLICY.replace("quorum g", f"quorum {quorum}") + "# mine\n")
    assert f"witness signatures needed: {says}\n" in seen(type_in("policy mine"), 0)


def test_a_policy_that_names_another_campaigns_key_is_not_put_in_force(road: Path, type_in: Type) -> None:
    Path("theirs").write_text(POLICY.replace(str(KEY.vkey), str(OTHER.vkey)))
    refused = seen(type_in("policy theirs"), 3)
    assert "The policy does not list this campaign's current key." in refused
    assert f"log {KEY.vkey}" in refused


def test_a_home_that_takes_nothing_leaves_all_as_it_was_and_says_so(
    road: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("blocked").write_text("")
    monkeypatch.setenv("CAMPAIGN_HOME", str(Path("blocked").absolute() / "home"))
    for words in ("note four", "checkpoint", "verify"):
        assert "blocked" in seen(type_in(words), 3)
    monkeypatch.setenv("CAMPAIGN_HOME", "/proc/nobody/home")
    seen(type_in("note four"), 0)
    assert "The checkpoint was not saved on this computer." in type_in("checkpoint").stderr
    assert "The checkpoint was not saved on this computer." in type_in(["verify", "--checkpoint", kept("good")]).stderr


def test_a_scribe_without_a_home_knows_of_no_other_history(road: Path, tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    home.store_known(Head(origin=KEY.name, size=9, root=b"x" * 32, note=""), may_replace=lambda _: True)
    with open_book("road.campaign") as book:
        scribe(book).write(Note(text="x"))
        with pytest.raises(OldCopy):
            scribe(book, home=home).write(Note(text="x"))
        with pytest.raises(OldCopy):
            scribe(book, home=home).sign(KEY)


# Two histories


def grown() -> None:
    """The file grows by three notes; `one` is its head at 4, `two` at 5, `three` at 6."""
    for name, text in (("one", "four"), ("two", "five"), ("three", "six")):
        told(text)
        kept(name)


def other_history(*texts: str) -> None:
    """`fork.campaign` parts from the file at 5; `fork` is its head."""
    shutil.copy("road.campaign", "fork.campaign")
    cut(4, "fork.campaign")
    told(*texts, file="fork.campaign")


COMPARED: list[tuple[str, str, str, int, str]] = [
    ("a checkpoint and itself", "two", "two", 0, "two and two are the same history of 5 entries."),
    ("two checkpoints", "one", "two", 7, "one has 4 entries and two has 5. The number of entries alone does not show whether two checkpoints belong to the same history."),
    ("a file and its checkpoint", "road.campaign", "three", 0, "are the same history of 6 entries."),
    ("a file and an earlier checkpoint", "road.campaign", "one", 0, "road.campaign continues one: 4 entries are the same, and 2 follow."),
    ("a file and a later checkpoint", "short.campaign", "three", 7, "The number of entries alone does not show whether two checkpoints belong to the same history."),
    ("two files", "short.campaign", "road.campaign", 0, "road.campaign continues short.campaign: 4 entries are the same, and 2"),
    ("two files of one history", "road.campaign", "same.campaign", 0, "are the same history of 6 entries."),
    ("two checkpoints of two histories", "two", "fork", 6, "are different histories."),
    ("a file and a checkpoint of two histories", "road.campaign", "fork", 6, "are different histories."),
    ("two files of two histories", "road.campaign", "fork.campaign", 6, "are different histories. The first difference is in entry 5."),
    ("two files, of which one was never signed", "road.campaign", "silent.campaign", 6, "are different histories. The first difference is in entry 5."),
    ("two campaigns", "one", "foreign", 3, "These are from two different campaigns: "),
    ("a campaign and the checkpoint of another", "road.campaign", "foreign", 3, "These are from two different campaigns: "),
    ("two unsigned files", "v1.campaign", "v1b.campaign", 0, "are the same history of 31 entries."),
]  # fmt: skip


@pytest.mark.parametrize(("what", "one", "two", "code", "says"), COMPARED, ids=[each[0] for each in COMPARED])
@pytest.mark.parametrize("turned", [False, True], ids=["", "turned"])
def test_of_two_histories_it_is_said_whether_one_goes_on_from_the_other(
    road: Path, type_in: Type, what: str, one: str, two: str, code: int, says: str, turned: bool
) -> None:
    grown()
    shutil.copy("road.campaign", "same.campaign")
    other_history("FIVE")
    shutil.copy("fork.campaign", "silent.campaign")
    kept("fork", "fork.campaign")
    shutil.copy("road.campaign", "short.campaign")
    cut(4, "short.campaign")
    Path("foreign").write_bytes(sign_note(checkpoint_text("campaign/other", 4, b"x" * 32), OTHER))
    for name in ("v1.campaign", "v1b.campaign"):
        shutil.copy(V1, name)
    with open_book("v1.campaign") as book:
        says = says.replace("31", str(book.head()))
    names = [two, one] if turned else [one, two]
    result = type_in(["compare", *names])
    shown = seen(result, code)
    if turned and "are" in says:
        says = says.replace(f"{one} and {two}", f"{two} and {one}")
    assert (says in shown) or (turned and "has" in says), shown
    if "FIVE" not in says and "two histories" in says:
        assert ("Two checkpoints (signed summaries of the record) contradict" in shown) is ("silent" not in two), shown
    if not any("campaign" in name for name in names):
        assert code == 3 or "because you gave no key" in result.stderr


def test_the_proof_that_one_file_goes_on_from_another_is_shown_and_holds(road: Path, type_in: Type) -> None:
    grown()
    early, late = (parse_checkpoint(read_note(Path(name).read_text())[0]) for name in ("one", "three"))
    facts = json.loads(seen(type_in("compare one road.campaign --json"), 0))
    assert (facts["finding"], facts["sizes"], facts["signed"]) == ("extension", [4, 6], True)
    proof = [from_base64(each) for each in facts["proof"]]
    verify_consistency(4, 6, early.root, late.root, proof)
    for line in facts["proof"]:
        assert line in type_in("compare one road.campaign").stdout
    assert json.loads(type_in("compare road.campaign one --json").stdout)["sizes"] == [6, 4]


def test_both_heads_of_a_fork_are_shown_whole(road: Path, type_in: Type) -> None:
    grown()
    other_history("FIVE")
    kept("fork", "fork.campaign")
    for words in ("compare two fork", f"compare two fork --key {KEY.vkey}", "compare road.campaign fork.campaign"):
        shown = type_in(words).stderr
        assert Path("fork").read_text() in shown
        assert Path("three" if "campaign fork" in words else "two").read_text() in shown


def test_what_is_compared_or_imported_is_held_against_the_head_that_is_kept_at_home(road: Path, type_in: Type) -> None:
    grown()
    other_history("FIVE", "SIX")
    kept("fork", "fork.campaign")
    seen(type_in("-f fork.campaign export forged"), 0)
    seen(type_in("-f road.campaign export honest"), 0)
    home, true = Home(os.environ["CAMPAIGN_HOME"]), parse_checkpoint(read_note(Path("three").read_text())[0])
    head = Head(origin=str(true.origin), size=true.size, root=true.root, note=Path("three").read_text())
    home.advance(0, head, str(KEY.vkey))
    for words in (
        "compare fork fork",
        "compare fork.campaign fork",
        f"compare fork fork.campaign --key {KEY.vkey}",
        "-f new.campaign import forged --yes",
        "-f new.campaign import forged --dry-run",
    ):
        result = type_in(words)
        assert (result.exit_code, result.stdout) == (6, ""), (words, result.output)
        assert head.note in result.stderr or "was altered" in result.stderr, words
    assert not list(road.glob("new*"))
    for words in ("compare three road.campaign", "compare one road.campaign", "-f new.campaign import honest --yes"):
        seen(type_in(words), 0)


def test_heads_are_compared_as_signed_where_a_key_is_given(road: Path, type_in: Type) -> None:
    grown()
    assert "No key" not in seen(type_in(["compare", "one", "one", "--key", str(KEY.vkey)]), 0)
    seen(type_in(["compare", "one", "one", "--key", str(OTHER.vkey)]), 7)
    assert "nowhere cannot be read: No such file or directory." in seen(type_in("compare one nowhere"), 2)
    assert ". cannot be read: Is a directory." in seen(type_in("compare one ."), 2)
    piped = type_in("compare one -", input=Path("one").read_text())
    assert "are the same history of 4 entries" in seen(piped, 0)


def test_a_file_whose_tree_is_not_of_its_entries_is_never_the_same_as_a_head(road: Path, type_in: Type) -> None:
    grown()
    with open_book("road.campaign") as book:
        rewritten(2, lambda body: body.replace('"by":"p1"', '"by":"p2"'))(connection_of(book))
    for words in ("compare one road.campaign", "compare road.campaign one --json"):
        result = type_in(words)
        assert (result.exit_code, result.stdout) == (6, "")
        assert "Error: Entry 2 " in result.stderr


def test_a_made_up_head_that_no_known_key_signed_accuses_nobody(
    road: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown()
    Path("made-up").write_bytes(
        sign_note(checkpoint_text("campaign/road", 4, b"\1" * 32), make_skey("campaign/road", b"z" * 32))
    )
    monkeypatch.setenv("CAMPAIGN_HOME", str(road.parent / "ana"))
    seen(type_in("witness init ana"), 0)
    seen(type_in(f"witness sign one --key {KEY.vkey}"), 0)
    for words in ("one made-up", "made-up made-up"):
        assert "made-up is not signed by a key that you trust" in seen(type_in(f"compare {words}"), 7)
    monkeypatch.setenv("CAMPAIGN_HOME", str(road.parent / "ben"))
    head = parse_checkpoint(read_note(Path("one").read_text())[0])
    known = Head(origin=head.origin, size=head.size, root=head.root, note=Path("one").read_text())
    Home(os.environ["CAMPAIGN_HOME"]).store_known(known, lambda _: False)
    shown = seen(type_in("compare made-up made-up"), 7)
    assert "This checkpoint of 4 entries differs from the one that this computer has saved." in shown


def test_a_head_that_comes_with_the_proof_is_shown_to_go_on_from_the_other(road: Path, type_in: Type) -> None:
    grown()
    Path("asked").write_text(type_in("checkpoint --since 4").stdout)
    Path("further").write_text(type_in("checkpoint --since 5").stdout)
    for words in ("one asked", "asked one"):
        shown = seen(type_in(f"compare {words}"), 0)
        assert "asked continues one: 4 entries are the same, and 2 follow." in shown
    seen(type_in("compare one further"), 7)


def test_what_is_pasted_is_found_among_what_was_said_around_it(road: Path, type_in: Type) -> None:
    """A whole screen, a chat, a quotation, an editor of another system."""
    told("four")
    screen = type_in("session open one").output + type_in("session close").stdout
    for sent in (screen, f"Tom, 21:03:\n{screen}see you!\n", "> " + screen.replace("\n", "\r\n> ")):
        assert "It covers all entries of this file." in seen(type_in("verify --checkpoint -", input=sent), 0)
        seen(type_in("verify --checkpoint -", input=sent.encode("utf-16")), 0)
    Path("screen").write_text(screen)
    seen(type_in("witness init ana"), 0)
    seen(type_in(["witness", "sign", "screen", "--key", f" {KEY.vkey} "]), 0)
    Path("quoted.key").write_text(f"> {KEY.vkey}  \r\n")
    seen(type_in("verify --checkpoint screen --key quoted.key"), 0)
    proof = type_in("prove 2 -o -").stdout
    for sent in ("> " + proof.replace("\n", "\n> "), proof.replace("\n", " \n")):
        seen(type_in(["verify", "--proof", "-", "--key", str(KEY.vkey)], input=sent), 0)


def test_the_lines_of_several_witnesses_are_taken_at_once(road: Path, type_in: Type) -> None:
    told("four")
    text = read_note(Path(kept("head")).read_text())[0]
    lines = "".join(signature_line(text, each, NOW) for each in (ANA, BEN))
    shown = seen(type_in("witness add -", input=f"here they are:\n{lines}\nthat is all\n"), 0)
    assert "ana signed" in shown
    assert "ben signed" in shown
    assert "The text contains no signature." in seen(type_in("witness add -", input="bogus\n"), 2)


NOTE = (
    '{"act":1,"at":"2026-11-20T19:30:00Z","by":"p1","cause":null,"marks":[],"once":null,"postings":[],"seq":1,"since":1,"text":{"word":"%s"},"type":"note-written"}'
    % ("a" * 64)
).encode()


def test_a_proof_of_an_entry_that_this_program_could_have_written_is_taken(road: Path, type_in: Type) -> None:
    head = sign_note(checkpoint_text(KEY.name, 1, leaf_hash(NOTE)), KEY)
    Path("proof").write_text(format_tlog_proof(0, [], head, NOTE))
    assert "Entry 1 is in the history" in seen(type_in(["verify", "--proof", "proof", "--key", str(KEY.vkey)]), 0)


@pytest.mark.parametrize(
    "held",
    [
        b"nope",
        b"[]",
        b"5",
        b"{}",
        b"\xff",
        b"[" * 9000,
        b'{"seq":7}',
        b'{"seq":1}',
        b'{"seq":1,"dice":[5],"verdict":[]}',
        NOTE.replace(b":", b": ", 1),
        NOTE.replace(b'"act":1,', b"")[:-1] + b',"act":1}',
        NOTE.replace(b'"act":1,', b'"act":7,"act":1,'),
        NOTE.replace(b'"seq":1', b'"seq":2'),
        NOTE.replace(b'"seq":1', b'"seq":true'),
        NOTE.replace(b'"by":"p1",', b""),
        NOTE.replace(b"note-written", b"blessing"),
        NOTE.replace(b'"once"', b'"more":5,"once"'),
        NOTE.replace(b'"p1"', b'"p\xc2\x9b1"'),
        NOTE + b"\n",
    ],
)
def test_a_proof_of_something_else_is_one_sentence(road: Path, type_in: Type, held: bytes) -> None:
    head = sign_note(checkpoint_text(KEY.name, 1, leaf_hash(held)), KEY)
    Path("proof").write_text(format_tlog_proof(0, [], head, held))
    told_ = type_in(["verify", "--proof", "proof", "--key", str(KEY.vkey)])
    assert seen(told_, 2) == "Error: The proof contains entry 1, but that entry is not valid.\n"


def test_a_closed_pipe_is_nothing_pasted(road: Path) -> None:
    words = f"{sys.executable} -m cli witness add <&-"
    done = subprocess.run(words, shell=True, capture_output=True, text=True, check=False)  # noqa: S602  only a shell closes a stream
    assert (done.returncode, done.stderr) == (2, "Error: Nothing was pasted.\n")


def test_a_campaign_that_was_brought_over_goes_on_from_its_old_file(type_in: Type, road: Path) -> None:
    for name in ("old.campaign", "new.campaign"):
        shutil.copy(V1, name)
    seen(type_in("-f new.campaign key rotate"), 0)
    assert "new.campaign continues old.campaign" in seen(type_in("compare old.campaign new.campaign"), 0)


def test_every_first_differing_entry_is_found(tmp_path: Path) -> None:
    with Book(create_journal(str(tmp_path / "a"))) as one, Book(create_journal(str(tmp_path / "b"))) as other:
        for seq in range(1, 9):
            one.journal.append(seq, f'{{"seq":{seq}}}'.encode())
        for parts in range(1, 9):
            connection_of(other).execute("DROP TRIGGER IF EXISTS entries_remain")
            for table in ("entries", "nodes"):
                connection_of(other).execute(f"DELETE FROM {table}")
            for seq in range(1, 9):
                told_ = '"x":1,' if seq >= parts else ""
                other.journal.append(seq, f'{{{told_}"seq":{seq}}}'.encode())
            assert compare(one, other).split == parts


def test_whoever_trusts_the_old_key_trusts_the_one_that_it_introduced(road: Path, type_in: Type) -> None:
    told("four")
    kept("old")
    new = str(seen(type_in("key rotate"), 0).splitlines()[-2])
    assert new.startswith(KEY.name)
    Path("new").write_text(seen(type_in("checkpoint"), 0))
    for key in (str(KEY.vkey), new):
        seen(type_in(["verify", "--checkpoint", "new", "--key", key]), 0)
    assert "--key OLD --key NEW" in seen(type_in(["verify", "--checkpoint", "old", "--key", new]), 7)


AROUND = [
    ("a byte order mark", "\ufeff{}"),
    ("a fence", "```\n{}```\n"),
    ("a quotation", "> {}"),
    ("what the program says before it", "#10   session 1 closed\nFor the players to keep:\n{}"),
    ("blanks at the ends", "{} \n\n"),
    ("the end of lines of another system", "{}\r\n"),
    ("what a witness is asked", "old 0\n\n{}"),
]


@pytest.mark.parametrize(("what", "around"), AROUND, ids=[each[0] for each in AROUND])
def test_a_head_is_read_through_what_a_chat_puts_around_it(road: Path, type_in: Type, what: str, around: str) -> None:
    told("four")
    note = Path(kept("good")).read_text()
    sent = around.replace("{}", note.replace("\n", "\n> ") if what == "a quotation" else note)
    assert "It covers all entries of this file." in seen(type_in("verify --checkpoint -", input=sent), 0)


def test_what_is_no_head_is_one_sentence_that_says_what_one_is(road: Path, type_in: Type) -> None:
    told("four")
    lines = Path(kept("good")).read_text().split("\n")
    for sent in ("\n".join(lines[:3]), "hello", "\n".join(lines[1:])):
        assert "A checkpoint has three lines, an empty line" in seen(type_in("verify --checkpoint -", input=sent), 2)
    assert "is too big" in seen(type_in("verify --checkpoint -", input="x" * (2**20 + 1)), 2)
    assert "key.txt is neither a file nor a key." in seen(type_in("verify --key key.txt"), 2)


# After a rotation


@pytest.fixture
def rotated(road: Path, type_in: Type) -> Path:
    """Make two sessions with a head each and a key rotation between them; return both keys and an early proof."""
    for number in ("1", "2"):
        seen(type_in("session open evening"), 0)
        Path(f"head{number}").write_text(type_in("session close").stdout)
        Path(f"key{number}").write_text(type_in("key").stdout)
        if number == "1":
            seen(type_in("prove 4 -o early"), 0)
            seen(type_in("key rotate"), 0)
    return road


@pytest.mark.parametrize("words", ["head1 road.campaign", "road.campaign head1", "head2 road.campaign"])
def test_compare_follows_a_rotation_as_verify_does(rotated: Path, type_in: Type, words: str) -> None:
    assert "road.campaign" in seen(type_in(f"compare {words} --key key1"), 0)
    head = words.replace("road.campaign", "").strip()
    seen(type_in(f"verify --key key1 --checkpoint {head}"), 0)


@pytest.mark.parametrize(
    ("words", "which"),
    [
        ("compare head1 road.campaign --key key2", "head1 is not signed by a key that you trust"),
        ("compare head2 head1 --key key1", "head2 is not signed by a key that you trust"),
        ("verify --proof early --key key2", "The checkpoint of 5 entries is not signed by a key that you trust"),
    ],
)
def test_a_head_of_another_time_than_the_key_is_named_and_the_hint_asks_for_both_keys(
    rotated: Path, type_in: Type, words: str, which: str
) -> None:
    shown = seen(type_in(words), 7)
    assert which in shown
    assert "--key OLD --key NEW" in shown
    assert type_in(f"{words} --key key{3 - int(words[-1])}").exit_code in {0, 7}
    assert "is not signed" not in type_in(f"{words} --key key{3 - int(words[-1])}").output


@pytest.mark.parametrize("size", [6, 7, 30])
def test_a_head_that_a_replaced_key_signed_afterward_is_reported(rotated: Path, type_in: Type, size: int) -> None:
    Path("made-up").write_bytes(sign_note(checkpoint_text("campaign/road", size, b"\1" * 32), KEY))
    says = f"The checkpoint of {size} entries is signed with an old key, which was replaced at #6"
    assert says in seen(type_in("verify --checkpoint made-up --key key1"), 6)
    if size < 8:
        assert says in seen(type_in("compare made-up road.campaign --key key1"), 6)


def test_a_witness_believes_a_replaced_key_only_for_heads_before_the_one_that_the_new_key_signed(
    rotated: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen(type_in("prove 4 -o later"), 0)
    monkeypatch.setenv("CAMPAIGN_HOME", str(rotated.parent / "ana"))
    for words in ("init ana", "sign head1 --key key1", "sign head2 --key key2 --rotated"):
        seen(type_in(f"witness {words}"), 0)
    with open_book("road.campaign") as book:
        stored = book.journal.entry(4).stored
    leaves = [leaf_hash(stored)] * 30
    note = sign_note(checkpoint_text("campaign/road", 30, root_over(leaves)), KEY)
    Path("made-up").write_text(format_tlog_proof(3, inclusion_proof(leaves, 3, 30), note, stored))
    for honest in ("early", "later"):
        seen(type_in(f"verify --proof {honest}"), 0)
    assert "The checkpoint of 30 entries is not signed by a key that you trust" in seen(
        type_in("verify --proof made-up"), 7
    )


def test_a_head_that_a_key_signed_in_its_time_raises_no_doubt(rotated: Path, type_in: Type) -> None:
    Path("made-up").write_bytes(sign_note(checkpoint_text("campaign/road", 5, b"\1" * 32), KEY))
    assert "was replaced" not in seen(type_in("verify --checkpoint made-up --key key1"), 6)


def test_for_two_heads_of_different_sizes_the_hint_is_a_command_that_decides(road: Path, type_in: Type) -> None:
    grown()
    shown = seen(type_in("compare one three"), 7)
    assert (
        "Hint: One of the two checkpoints has more entries. Get the campaign file from the person who made that checkpoint. Then type: campaign compare one FILE"
        in shown
    )
    seen(type_in("compare one road.campaign"), 0)
