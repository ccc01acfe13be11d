"""Restored backups and witnesses: a witness sees what was left, may agree, and can sign again."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import DEVNULL, run

import pytest

from leaves import consistency_proof, root
from ledger.commands.custody import AbandonedHistory, RecordForks
from ledger.errors import Malformed, Refused, Unproven
from ledger.events.facts import SharedHistoryProof
from ledger.events.types import HistoryForked
from ledger.journal.book import open_book
from ledger.tlog.note import COSIGNATURE, make_skey
from ledger.tlog.tree import leaf_hash
from ledger.trust.home import Head, Home
from ledger.trust.restored import _replaced_history, cosign_restored, last_shared_entry
from table import scribe
from terminal import PROGRAM, Type

Typed = Callable[..., str]


@pytest.fixture
def tom(tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Make a GM who restores a backup of 3 entries after Ana signed a head of 6."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "tom"))

    def types(words: str, **more: str) -> str:
        done = type_in(words, **more)
        assert done.exit_code == 0, done.output
        return done.stdout

    types("init Road --gm Tom")
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "ana"))
    key = types("witness init ana").strip()
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "tom"))
    types(f"policy --witness ana={key}")
    types("backup stick.backup")
    types("session open One")
    types("note evening")
    Path("checkpoint.txt").write_text(types("session close"))
    types("note later")
    Path("sheet.txt").write_text(types("key"))
    return types


@pytest.fixture
def ana(tom: Typed, tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch) -> Type:
    """Return Ana, who signed the head."""

    def types(words: str, **more: str) -> object:
        with monkeypatch.context() as hers:
            hers.setenv("CAMPAIGN_HOME", str(tmp_path / "ana"))
            return type_in(words, **more)

    assert types("witness sign checkpoint.txt --key sheet.txt").exit_code == 0  # type: ignore[attr-defined]
    return types  # type: ignore[return-value]


def restored(tom: Typed) -> None:
    tom("restore stick.backup --yes")
    for seq in (4, 5):
        tom(f"prove {seq}")


def test_a_witness_is_told_that_the_gm_restored_a_backup_and_what_it_left(tom: Typed, ana: Type) -> None:
    restored(tom)
    told = ana("witness sign entry-5.tlog-proof")
    assert (told.exit_code, told.stdout) == (3, "")
    assert "The GM restored a backup that ends at #3. It does not contain 3 entries that you signed." in told.stderr
    assert "This proves that nobody has changed #1 to #3 since you signed." in told.stderr
    assert "You have not signed #4 yet." in told.stderr
    assert "--restored" in told.stderr


def test_a_witness_who_agrees_can_sign_again(tom: Typed, ana: Type) -> None:
    restored(tom)
    line = ana("witness sign entry-5.tlog-proof --restored").stdout
    tom("witness add", input=line)
    tom("session open Two")
    Path("next.txt").write_text(tom("session close"))
    assert ana("witness sign next.txt").exit_code == 0


def test_a_witness_who_lost_a_single_entry_is_told_of_one(tom: Typed, ana: Type) -> None:
    tom("backup late.backup")
    tom("note last")
    Path("last.txt").write_text(tom("checkpoint --since 6"))
    assert ana("witness sign last.txt").exit_code == 0
    tom("restore late.backup --yes")
    tom("prove 8")
    assert "It does not contain 1 entry that you signed" in ana("witness sign entry-8.tlog-proof").stderr


def test_a_witness_of_a_shorter_history_than_the_backup_is_told_that_it_is_another_one(tom: Typed, ana: Type) -> None:
    restored(tom)
    assert ana("witness sign entry-5.tlog-proof --restored").exit_code == 0
    (kept,) = Path.cwd().glob("*.before-restore-*")
    tom(f"restore {kept.name} --yes")
    tom("prove 8")
    told = ana("witness sign entry-8.tlog-proof").stderr
    assert "You signed one history, but the GM restored a different history." in told
    assert "The restored history has other entries in place of #4 to #5." in told


def test_the_proof_of_another_entry_of_the_restore_is_refused_and_the_hint_says_so(tom: Typed, ana: Type) -> None:
    restored(tom)
    told = ana("witness sign entry-4.tlog-proof --restored")
    assert told.exit_code == 7
    assert "has 7 entries. The last checkpoint that you signed is a different one, of 6 entries." in told.stderr


def test_after_a_restore_the_gm_hears_which_witness_needs_which_proof_until_they_signed(
    tom: Typed, ana: Type, type_in: Type
) -> None:
    restored(tom)
    tom("session open Two")
    says = "A backup was restored in #5. If ana last signed when the campaign had 6 entries, type 'campaign prove"
    assert f"{says} 5'. Then send the new file to that witness." in type_in("session close").stderr
    tom("witness add", input=ana("witness sign entry-5.tlog-proof --restored").stdout)
    tom("session open Three")
    assert "A backup was restored" not in type_in("session close").stderr


def test_without_witnesses_the_end_of_a_session_names_no_restore(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ("init Road --gm Tom", "backup stick.backup", "note x", "restore stick.backup --yes"):
        assert type_in(words).exit_code == 0
    type_in("session open One")
    assert "A backup was restored" not in type_in("session close").stderr


def test_the_end_of_a_session_announces_no_head_that_goes_into_a_file(tom: Typed, tmp_path: Path) -> None:
    tom("session open Two")
    shown, terminal = os.openpty()
    with open("next.txt", "wb") as file:
        done = run(
            [*PROGRAM, "session", "close"], stdin=DEVNULL, stdout=file, stderr=terminal, cwd=tmp_path, check=True
        )
    told = os.read(shown, 10_000).decode()
    os.close(terminal)
    os.close(shown)
    assert done.returncode == 0
    assert "To sign the checkpoint, a witness types:" in told
    assert "For the players to keep" not in told
    assert "campaign/" in Path("next.txt").read_text()


def test_a_head_after_a_restore_hints_at_the_proof(tom: Typed, ana: Type) -> None:
    restored(tom)
    Path("short.txt").write_text(tom("checkpoint"))
    assert "If the GM restored a backup, ask for the proof" in ana("witness sign short.txt").stderr


def test_agreeing_to_a_restore_needs_its_proof(tom: Typed, ana: Type) -> None:
    restored(tom)
    assert "With --restored, sign the proof of the restore" in ana("witness sign checkpoint.txt --restored").stderr


def test_a_proof_of_an_ordinary_entry_records_no_restore(tom: Typed, ana: Type) -> None:
    tom("prove 3")
    told = ana("witness sign entry-3.tlog-proof --restored")
    assert "This proof is not about an entry that records a restore." in told.stderr


def test_a_proof_that_another_key_signed_is_refused(tom: Typed, ana: Type, tmp_path: Path) -> None:
    restored(tom)
    home = Home(str(tmp_path / "ana"))
    proof = Path("entry-5.tlog-proof").read_text()
    origin, line = proof.partition("\n\n")[2].split("\n")[0], proof.splitlines()[-1]
    forged = proof.replace(line, f"— {origin} AAAA{line.rpartition(' ')[2][4:]}")
    Path("forged.tlog-proof").write_text(forged)
    told = ana("witness sign forged.tlog-proof --restored")
    assert told.exit_code == 7
    assert "The checkpoint is not signed by the key that you trust" in told.stderr
    assert home.head(origin, "witnessed") is not None


def test_a_witness_who_signed_nothing_has_nothing_to_agree_to(tom: Typed, tmp_path: Path) -> None:
    restored(tom)
    home = Home(str(tmp_path / "ben"))
    proof, key = Path("entry-5.tlog-proof").read_text(), Path("sheet.txt").read_text().strip()
    with pytest.raises(Refused, match="You are not a witness yet"):
        cosign_restored(home, 0, proof, key)
    home.keep_witness_key(make_skey("ben", b"b" * 32, COSIGNATURE))
    with pytest.raises(Unproven, match="You have not signed a checkpoint yet"):
        cosign_restored(home, 0, proof, key, agreed=True)


def test_a_proof_without_its_entry_is_refused(tom: Typed, ana: Type) -> None:
    restored(tom)
    proof = Path("entry-5.tlog-proof").read_text()
    Path("bare.tlog-proof").write_text("".join(part for part in proof.splitlines(True) if not part.startswith("extra")))
    assert ana("witness sign bare.tlog-proof --restored").exit_code == 7


def test_a_head_that_was_signed_elsewhere_meanwhile_is_not_overwritten(
    tom: Typed, ana: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    restored(tom)
    home = Home(str(tmp_path / "ana"))
    proof = Path("entry-5.tlog-proof").read_text()
    origin = proof.partition("\n\n")[2].split("\n")[0]
    before = home.head(origin, "witnessed")
    assert before is not None
    later = Head(origin=origin, size=9, root=b"9" * 32, note="")

    class Slow(Home):
        """A home in which the same person signs another head between reading and writing."""

        def advance(self, old: int, head: Head, vkey: str) -> int | None:
            home.advance(old, later, vkey)
            return super().advance(old, head, vkey)

    with pytest.raises(Refused, match="Meanwhile, you signed a different checkpoint"):
        cosign_restored(Slow(home.folder), 0, proof, agreed=True)
    assert home.head(origin, "witnessed") == later


OLD_ENTRY = Path(__file__).parents[2] / "golden/events/history-forked.restored.json"
"""An entry of a program that kept no proof."""


def test_an_entry_without_a_proof_says_that_it_is_the_gm_who_says_so() -> None:
    stored = OLD_ENTRY.read_bytes()
    left = _replaced_history(stored, 22, b"")
    assert (
        left.describe()
        == "The GM claims to have restored a backup that ends at #22. It does not contain 18 entries that you signed."
    )
    assert (
        left.proof_text()
        == "Somebody may have changed #1 to #22 since you signed. Compare the GM's file with your own copy."
    )
    longer = stored.replace(b'"size":40', b'"size":1')
    assert _replaced_history(longer, 22, b"").describe() == (
        "The GM claims to have restored a backup that ends at #22, in place of the 1 entry that you signed."
    )
    assert (
        _replaced_history(longer, 22, b"").proof_text()
        == "Somebody may have changed #1 since you signed. Compare the GM's file with your own copy."
    )


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (b"0f" * 32, b"zz"),
        (b'"restored":22', b'"restored":23'),
        (b'"seq":23', b'"seq":22'),
        (b'"size":40', b'"size":{}'),
    ],
    ids=["no root", "a backup longer than the history", "another place", "no size"],
)
def test_an_entry_that_cannot_be_right_records_no_restore(was: bytes, now: bytes) -> None:
    with pytest.raises(Malformed, match="This proof is not about an entry that records a restore"):
        _replaced_history(OLD_ENTRY.read_bytes().replace(was, now), 22, b"")


# A backup that is another history


@pytest.fixture
def forged(tom: Typed, ana: Type, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a backup that the GM forged from #4 on."""
    shutil.copy("stick.backup", "forged.campaign")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("CAMPAIGN_HOME", "elsewhere")
        tom('-f forged.campaign note "Brak never fell"')
        tom('-f forged.campaign note "nor did mara"')
    return "forged.campaign"


def test_a_restore_of_another_history_says_so_and_from_which_entry(tom: Typed, forged: str, type_in: Type) -> None:
    done = type_in(f"-f road.campaign restore {forged} --yes")
    says = "The histories in forged.campaign and road.campaign differ from #4 on."
    assert says in done.stderr
    assert "4 entries are lost: #4 to #7." in done.stderr
    told = "a backup that ends at #5 replaced a history of 7 entries (#6) and another history of 6 entries (#7)"
    assert f"{told}; from #4 on, the two histories differ" in tom("-f road.campaign log")
    remark = "It replaced a history of 7 entries. From #4 on, the two histories are different."
    assert remark in tom("-f road.campaign audit")


def test_a_witness_is_told_which_entries_another_history_replaced(tom: Typed, ana: Type, forged: str) -> None:
    tom(f"-f road.campaign restore {forged} --yes")
    tom("-f road.campaign prove 7")
    told = ana("witness sign entry-7.tlog-proof")
    assert (told.exit_code, told.stdout) == (3, "")
    assert "You signed one history, but the GM restored a different history." in told.stderr
    assert "The restored history has other entries in place of #4 to #5. It does not contain #6." in told.stderr
    assert "This proves that nobody has changed #1 to #3 since you signed." in told.stderr


def test_an_entry_that_claims_more_than_it_proves_is_signed_by_no_witness_and_found_by_the_audit(
    tom: Typed, ana: Type, forged: str, type_in: Type
) -> None:
    with open_book("road.campaign") as book:
        root = book.root(6).hex()
        proof = tuple(node.hex() for node in book.consistency_proof(5, 6))
    with open_book(forged) as book:
        claimed = AbandonedHistory(size=6, root=root, shared=5, proof=proof)
        honest = AbandonedHistory(size=30, root="ab" * 32, shared=None, proof=())
        scribe(book).write(RecordForks(histories=(claimed, honest)))
    tom(f"-f {forged} prove 6")
    told = ana("witness sign entry-6.tlog-proof --restored")
    assert (told.exit_code, told.stdout) == (7, "")
    assert "#6 says something about the entries that you signed, but does not prove it." in told.stderr
    shown = type_in(f"-f {forged} verify --checkpoint checkpoint.txt")
    assert (shown.exit_code, "It covers entries that are no longer in this file." in shown.stderr) == (6, True)
    audited = type_in(f"-f {forged} audit")
    assert (
        "#6: This entry describes a history that was replaced, but the description and its proof do not match."
        in audited.stdout
    )
    assert "#7: A backup up to #5 was restored here. It replaced a history of 30 entries." in audited.stdout


def test_a_proof_shows_that_something_was_left() -> None:
    leaves = [leaf_hash(b"%d" % number) for number in range(4)]
    two, four = root(leaves[:2]).hex(), root(leaves)
    start = SharedHistoryProof(
        last=2, root=two, left=(), before=tuple(node.hex() for node in consistency_proof(leaves, 2, 4))
    )
    event = HistoryForked(size=2, root=two, restored=4, shared=start)
    with pytest.raises(Unproven, match="The entry about the restore claims too much"):
        last_shared_entry(event, 4, four)
    with pytest.raises(Malformed):
        last_shared_entry(event.replace(shared=start.replace(root="2")), 4, four)


def test_a_witness_is_told_that_nothing_is_proved_if_the_old_file_was_lost(tom: Typed, ana: Type) -> None:
    Path("road.campaign").write_bytes(b"broken")
    tom("-f road.campaign restore stick.backup --yes")
    tom("-f road.campaign prove 5")
    told = ana("witness sign entry-5.tlog-proof").stderr
    assert (
        "The GM claims to have restored a backup that ends at #3. It does not contain 3 entries that you signed."
        in told
    )
    assert "Somebody may have changed #1 to #3 since you signed. Compare the GM's file with your own copy." in told


def test_a_head_that_a_restore_left_names_no_lost_entries_if_the_old_file_was_lost(tom: Typed, type_in: Type) -> None:
    Path("road.campaign").write_bytes(b"broken")
    tom("-f road.campaign restore stick.backup --yes")
    shown = type_in("-f road.campaign verify --checkpoint checkpoint.txt")
    assert (shown.exit_code, "It covers entries that are no longer in this file." in shown.stderr) == (6, True)


def test_a_head_of_one_lost_entry_names_one_entry(tom: Typed, type_in: Type) -> None:
    tom("backup late.backup")
    tom("note last")
    Path("last.txt").write_text(tom("checkpoint"))
    tom("restore late.backup --yes")
    assert "It covers the lost entry #8." in type_in("verify --checkpoint last.txt").stderr


def test_a_backup_that_contradicts_a_known_head_is_another_history(
    tom: Typed, forged: str, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("CAMPAIGN_HOME", "elsewhere")
        tom("-f forged.campaign note third")
    Path("road.campaign").write_bytes(b"broken")
    done = type_in(f"-f road.campaign restore {forged} --yes")
    says = "forged.campaign differs from the 6 entries that this computer has seen before."
    assert says in done.stderr
