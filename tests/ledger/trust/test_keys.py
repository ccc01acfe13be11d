"""Keys: what signs a campaign is in the home and never in its folder, and whatever is cut off, one key signs."""

import errno
import json
import os
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from click.testing import Result

from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.custody import RotateKey
from ledger.errors import Refused, Taken
from ledger.events.subjects import CAMPAIGN, KEY
from ledger.journal.book import Book, open_book
from ledger.tlog.note import Skey, make_skey, open_note, parse_skey
from ledger.trust.heads import sign_head
from ledger.trust.home import Home
from ledger.trust.keyfile import find_key, keep_key, keys_beside, read_key
from own_key import key_at_home
from paths import GOLDEN
from table import scribe
from terminal import Type

V1 = GOLDEN / "campaigns" / "v1.campaign"
TODAY = "2026-11-20"
SPARE = make_skey("campaign/spare", b"s" * 32)


@pytest.fixture
def begun(tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A campaign begun at the keyboard, with its key in the home; the session 1 is open."""
    monkeypatch.chdir(tmp_path)
    for words in ('init "The road" --gm Tom', "player Ana --plays mara", "join mara edge maximum=4"):
        well(type_in(words))
    well(type_in("session open One"))
    return tmp_path / "the-road.campaign"


def well(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def key_of(file: Path) -> str:
    with open_book(str(file)) as book:
        return str(book.mark(CAMPAIGN, KEY))


def beside(file: Path, suffix: str = ".key") -> Path:
    """Return where earlier versions kept a key."""
    return file.with_suffix(suffix)


@pytest.fixture
def older(begun: Path) -> Path:
    """The same campaign with its key beside it, as earlier versions left it."""
    key_at_home(begun).rename(beside(begun))
    return begun


def test_the_private_key_is_in_a_file_of_the_home_that_its_owner_alone_can_read_and_the_public_one_in_the_first_entry(
    begun: Path, type_in: Type
) -> None:
    file = key_at_home(begun)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    private = parse_skey(file.read_text().strip())
    with open_book(str(begun)) as book:
        assert book.journal.entry(1).body["key"] == str(private.vkey)
    shown = type_in("key")
    assert well(shown) == f"{private.vkey}\n"
    assert f"The private key is in {file}." in shown.stderr


def test_a_campaigns_folder_can_be_sent_without_giving_the_key_away(begun: Path, type_in: Type) -> None:
    for words in ("checkpoint", "key rotate --why x", "checkpoint", "session close", "prove 3", "backup b", "export e"):
        well(type_in(words))
    private = [read_key(str(each)) for each in key_at_home(begun).parent.iterdir()]
    seeds = {parse_skey(str(each)).seed for each in private}
    assert len(seeds) == 2
    stored = b"".join(path.read_bytes() for path in begun.parent.rglob("*") if path.is_file())
    for seed in seeds:
        for form in (
            seed,
            seed.hex().encode(),
            seed.hex().upper().encode(),
            b64encode(seed)[:-2],
            b64encode(b"\1" + seed),
        ):
            assert form not in stored
    assert b"PRIVATE+KEY" not in stored


def test_a_checkpoint_is_a_note_of_three_lines_that_the_campaigns_key_signed(begun: Path, type_in: Type) -> None:
    note = well(type_in("checkpoint"))
    opened = open_note(note, [key_of(begun)])
    with open_book(str(begun)) as book:
        assert opened.text.split("\n")[1] == str(book.head())
        assert (len(opened.text.splitlines()), len(note.splitlines())) == (3, 5)
        assert book.journal.checkpoints() == {book.head(): note}
    assert json.loads(well(type_in("checkpoint --json")))["note"] == note


def test_a_head_is_signed_whenever_a_session_closes(begun: Path, type_in: Type) -> None:
    shown = well(type_in("session close"))
    note = shown[shown.index("campaign/") :]
    assert open_note(note, [key_of(begun)]).text.split("\n")[1] == "6"
    well(type_in("session open Two"))
    head = json.loads(well(type_in("session close --json")).splitlines()[-1])
    assert open_note(head["note"], [key_of(begun)]).text.split("\n")[1] == "8"
    with open_book(str(begun)) as book:
        assert list(book.journal.checkpoints()) == [6, 8]


ELSEWHERE = (
    "The key is not on this computer. Run 'campaign key export FILE' on the computer that has the key, and then"
    " 'campaign key import FILE' here."
)


def test_on_a_computer_without_the_key_a_session_closes_unsigned_and_says_so(begun: Path, type_in: Type) -> None:
    away = key_at_home(begun).rename(begun.parent / "away")
    closed = type_in("session close")
    assert closed.exit_code == 0
    assert f"The record up to the end of this session is not signed. {ELSEWHERE}\n" in closed.stderr
    for words in ("checkpoint", "prove 1", "key export out"):
        refused = type_in(words)
        assert (refused.exit_code, refused.stdout) == (3, "")
        assert refused.stderr == f"Error: {ELSEWHERE}\n"
    assert ELSEWHERE in type_in("key").stderr
    assert type_in("key rotate").stderr.startswith(f"Error: {ELSEWHERE}\nHint: If you lost the key, add --lost.")
    with open_book(str(begun)) as book:
        assert (book.journal.checkpoints(), book.head()) == ({}, 6)
    well(type_in(f"key import {away}"))
    well(type_in("checkpoint"))


def test_an_imported_key_says_that_a_session_closed_without_it_still_needs_a_checkpoint(
    begun: Path, type_in: Type
) -> None:
    away = key_at_home(begun).rename(begun.parent / "away")
    well(type_in("session close"))
    to_sign = "are not signed yet.\nTo sign all entries: campaign checkpoint\n"
    assert f"The entries {to_sign}" in type_in(f"key import {away}").stderr
    well(type_in("checkpoint"))
    assert to_sign not in type_in(f"key import {away}").stderr
    well(type_in("note later"))
    assert f"The entries after #6 {to_sign}" in type_in(f"key import {away}").stderr


@pytest.mark.parametrize("held", ["", "nonsense\n", "\udc80"])
def test_a_key_that_is_none_leaves_a_session_closed_and_unsigned(begun: Path, type_in: Type, held: str) -> None:
    key_at_home(begun).write_bytes(held.encode(errors="surrogateescape"))
    closed = type_in("session close")
    assert (closed.exit_code, "The record up to the end of this session is not signed." in closed.stderr) == (0, True)
    assert str(key_at_home(begun)) in type_in("checkpoint").stderr


def test_the_environment_may_hold_the_key(begun: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMPAIGN_KEY", key_at_home(begun).read_text().strip())
    key_at_home(begun).unlink()
    assert open_note(well(type_in("checkpoint")), [key_of(begun)])
    assert "The private key" not in type_in("key").stderr
    well(type_in("key rotate"))
    assert open_note(well(type_in("checkpoint")), [key_of(begun)]), "the new one is in the home"
    monkeypatch.setenv("CAMPAIGN_KEY", str(SPARE))
    assert open_note(well(type_in("checkpoint")), [key_of(begun)]), "a key of something else is passed over"


def test_a_key_from_the_home_signs_no_file_that_does_not_continue_the_last_head_known_here(
    begun: Path, type_in: Type
) -> None:
    copied = begun.parent / "copied.backup"
    for words in (f"backup {copied}", "note hello", "checkpoint"):
        well(type_in(words))
    for words in ("checkpoint", "key rotate"):
        refused = type_in(f"-f {copied} {words}")
        assert (
            refused.exit_code,
            "some of the entries that this computer has seen are missing or different" in refused.stderr,
        ) == (6, True), refused.stderr
    with open_book(str(copied)) as book:
        assert (book.journal.checkpoints(), book.head()) == ({}, 5)


def test_two_campaigns_of_one_home_sign_each_with_its_own_key(begun: Path, type_in: Type) -> None:
    well(type_in("-f other.campaign init Other"))
    key_at_home("other.campaign").write_bytes(key_at_home(begun).read_bytes())
    assert ELSEWHERE in type_in("-f other.campaign checkpoint").stderr
    refused = type_in(["-f", "other.campaign", "key", "import", str(key_at_home(begun))])
    assert refused.stderr.startswith(f"Error: {key_at_home(begun)} does not contain this campaign's current key.\n")
    well(type_in(f"-f {begun} checkpoint"))


def test_a_key_goes_to_another_computer_by_export_and_import(
    begun: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported = begun.parent / "stick.txt"
    told = type_in(f"key export {exported}")
    assert (told.exit_code, exported.stat().st_mode & 0o777) == (0, 0o600)
    assert f"Keep this file to yourself. On the other computer, type 'campaign key import {exported}'." in told.stderr
    again = type_in(f"key export {exported}")
    assert (again.exit_code, again.stderr) == (
        3,
        f"Error: {exported} already exists.\nHint: Choose a different name.\n",
    )
    monkeypatch.setenv("CAMPAIGN_HOME", str(begun.parent / "other home"))
    assert ELSEWHERE in type_in("checkpoint").stderr
    assert "Nothing was written." in type_in(f"key import {exported} --dry-run").stderr
    assert ELSEWHERE in type_in("checkpoint").stderr
    for _ in range(2):
        told = type_in(f"key import {exported}")
        assert well(told) == "This computer has the key now, and can sign for the campaign.\n"
        assert f"Delete {exported} now." in told.stderr
    assert key_at_home(begun).stat().st_mode & 0o777 == 0o600
    well(type_in("checkpoint"))


def test_a_key_file_that_there_is_not_is_said_and_no_key_in_its_place_is_shown(begun: Path, type_in: Type) -> None:
    assert type_in("key import nothing").stderr.startswith("Error: There is no key file at 'nothing'.")
    refused = type_in(["key", "import", key_at_home(begun).read_text().strip()])
    assert refused.stderr.startswith("Error: There is no key file at a private key.")


def test_the_backup_asks_for_the_export_of_the_key_until_it_was_exported(begun: Path, type_in: Type) -> None:
    asks = "Also export the key once, and keep that file apart from the backups: campaign key export FILE"
    assert asks in type_in("backup one").stderr
    well(type_in("key export out"))
    assert asks not in type_in("backup two").stderr
    well(type_in("key rotate"))
    assert asks in type_in("backup three").stderr
    key_at_home(begun).unlink()
    assert asks not in type_in("backup four").stderr


def test_a_key_beside_an_older_campaign_signs(older: Path, type_in: Type) -> None:
    assert open_note(well(type_in("checkpoint")), [key_of(older)])
    assert (
        "The private key is in the campaign's folder. Move it to your home folder: campaign key import"
        in type_in("key").stderr
    )
    well(type_in("key rotate"))
    assert open_note(well(type_in("checkpoint")), [key_of(older)])
    assert key_at_home(older).exists()
    key_at_home(older).rename(beside(older, ".key.0123abcd"))
    assert open_note(well(type_in("checkpoint")), [key_of(older)]), "as earlier versions kept a later key"


@pytest.mark.parametrize("words", ["key import", "key import the-road.key"])
def test_an_import_of_the_key_beside_moves_all_keys_of_the_campaign_to_the_home(
    older: Path, type_in: Type, words: str
) -> None:
    well(type_in("key rotate"))
    key_at_home(older).rename(beside(older, ".key.0123abcd"))
    beside(older, ".key.bak").write_text("PRIVATE+KEY+half")
    keep_key(str(beside(older, ".key.other")), SPARE)
    old = beside(older).read_bytes()
    dry = type_in(f"{words} --dry-run")
    assert (dry.exit_code, beside(older).exists()) == (0, True)
    told = type_in(words)
    assert well(told) == "This computer has the key now, and can sign for the campaign.\n"
    for name in ("the-road.key", "the-road.key.0123abcd"):
        assert f"{name} was moved out of the campaign's folder.\n" in told.stderr
    left = sorted(path.name for path in older.parent.iterdir() if ".key" in path.name)
    assert left == ["the-road.key.bak", "the-road.key.other"]
    assert old in [path.read_bytes() for path in key_at_home(older).parent.glob("*.key")]
    well(type_in("key import"))
    well(type_in("checkpoint"))


def test_without_a_key_beside_there_is_nothing_to_move(begun: Path, type_in: Type) -> None:
    key_at_home(begun).unlink()
    refused = type_in("key import")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Error: The campaign's folder does not contain this campaign's current key.\n",
    )


def test_a_key_beside_that_cannot_be_removed_is_said(
    older: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove = os.unlink

    def stays(file: str, **within: int) -> None:
        if file.endswith(".key") and not within:
            raise OSError(1, "Operation not permitted", file)
        remove(file, **within)

    with monkeypatch.context() as patched:
        patched.setattr("os.unlink", stays)
        moved = type_in("key import")
    assert "the-road.key could not be removed: Operation not permitted. Delete it yourself." in moved.stderr
    assert (beside(older).exists(), key_at_home(older).exists()) == (True, True)


def test_a_rotation_is_signed_by_both_keys_and_the_old_one_signs_no_more(begun: Path, type_in: Type) -> None:
    old = read_key(str(key_at_home(begun)))
    assert old is not None
    shown = well(type_in("key rotate --why 'a new laptop'"))
    now = key_of(begun)
    assert shown.splitlines()[-1] == now != str(old.vkey)
    with open_book(str(begun)) as book:
        entry = book.entry(book.head())
        assert entry.body["why"] == "a new laptop"
        assert len(open_note(entry.body["note"], [old.vkey, now]).verified) == 2
        with pytest.raises(Refused, match="is not the key of this campaign"), book.journal.writing():
            sign_head(book, old)
        assert verify(book).entries == book.head()
        assert [each.says for each in audit(book, TODAY).findings] == []


def test_a_key_that_was_lost_is_replaced_and_the_book_says_so_for_ever(begun: Path, type_in: Type) -> None:
    key_at_home(begun).unlink()
    well(type_in("key rotate --lost"))
    assert open_note(well(type_in("checkpoint")), [key_of(begun)])
    with open_book(str(begun)) as book:
        assert [(each.seq, each.says) for each in audit(book, TODAY).remarks] == [
            (6, "From here on, the campaign has a new key. The previous key did not sign this change.")
        ]


def test_an_older_import_is_called_an_old_copy_by_whoever_knows_the_head_of_a_later_key(
    begun: Path, type_in: Type
) -> None:
    for words in ("checkpoint", "export out", "-f again.campaign import out --yes"):
        well(type_in(words))
    for words in ("key rotate", "note hello", "checkpoint"):
        well(type_in(f"-f {begun} {words}"))
    for words in ("verify", "audit"):
        refused = type_in(f"-f again.campaign {words}")
        assert (refused.exit_code, "The file is an older copy" in refused.stderr) == (6, True), refused.output


def test_a_dry_rotation_makes_no_key(begun: Path, type_in: Type) -> None:
    keys = key_at_home(begun).parent
    before = sorted(keys.iterdir()), sorted(begun.parent.iterdir()), begun.read_bytes()
    well(type_in("key rotate --dry-run"))
    assert (sorted(keys.iterdir()), sorted(begun.parent.iterdir()), begun.read_bytes()) == before


def test_the_same_rotation_under_the_same_id_changes_no_key(begun: Path, type_in: Type) -> None:
    well(type_in("key rotate --once a"))
    now = key_of(begun), sorted(key_at_home(begun).parent.iterdir())
    well(type_in("key rotate --once a"))
    assert (key_of(begun), sorted(key_at_home(begun).parent.iterdir())) == now
    well(type_in("checkpoint"))


def test_a_rotation_that_is_refused_leaves_no_key_behind(begun: Path, type_in: Type) -> None:
    assert type_in("--by ghost key rotate").exit_code == 3
    assert type_in(["key", "rotate", "--why", "x\a"]).exit_code == 2
    assert list(key_at_home(begun).parent.iterdir()) == [key_at_home(begun)]


def test_a_rotation_writes_over_no_key_and_each_has_its_own_file(begun: Path, type_in: Type) -> None:
    first = key_at_home(begun)
    old = first.read_bytes()
    for _ in range(2):
        well(type_in("key rotate"))
        assert open_note(well(type_in("checkpoint")), [key_of(begun)])
    assert first.read_bytes() == old
    files = list(first.parent.iterdir())
    assert len(files) == 3
    assert all(each.stat().st_mode & 0o777 == 0o600 for each in files)
    with open_book(str(begun)) as book:
        assert audit(book, TODAY).findings == ()


def test_a_rotation_that_another_overtook_is_refused(book: Book) -> None:
    old, new = (make_skey("campaign/x", letter * 32) for letter in (b"o", b"n"))
    scribe(book).write(RotateKey(new=old, old=None, why=None))
    scribe(book).write(RotateKey(new=new, old=old, why=None))
    for command in (RotateKey(new=old, old=old, why=None), RotateKey(new=new, old=None, why=None)):
        with pytest.raises(Refused, match="This campaign is now signed with a different key"):
            scribe(book).write(command)


def test_a_key_that_cannot_be_read_is_said_only_where_no_other_fits(begun: Path, type_in: Type) -> None:
    away = key_at_home(begun).rename(beside(begun))
    beside(begun, ".key.bak").write_text("PRIVATE+KEY+half")
    beside(begun, ".key.dir").mkdir()
    well(type_in("checkpoint"))
    away.rename(begun.parent / "away")
    refused = type_in("checkpoint")
    assert (refused.exit_code, refused.stderr) == (
        3,
        f"Error: {beside(begun, '.key.bak')} does not contain a private key.\n",
    )
    well(type_in("verify"))
    beside(begun, ".key.bak").unlink()
    beside(begun, ".key.dir").rmdir()
    assert ELSEWHERE in type_in("checkpoint").stderr


def test_the_environment_holds_the_text_of_a_key_and_no_file(
    begun: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMPAIGN_KEY", str(key_at_home(begun)))
    refused = type_in("checkpoint")
    assert (refused.exit_code, "Set the variable to the whole text of the key file" in refused.stderr) == (2, True)
    well(type_in("verify"))


def test_in_a_folder_that_is_not_there_is_no_key(tmp_path: Path) -> None:
    assert find_key(str(SPARE.vkey), keys_beside(str(tmp_path / "nowhere" / "a.campaign"))) is None


def test_two_that_make_a_key_at_once_leave_one_whole_and_tell_the_other(tmp_path: Path) -> None:
    both = Barrier(2)
    made = [make_skey("campaign/x", bytes([each]) * 32) for each in range(2)]

    def keep(file: str, key: Skey) -> bool:
        both.wait()
        try:
            keep_key(file, key)
        except Taken:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        for turn in range(40):
            file = str(tmp_path / f"{turn}.key")
            kept = list(pool.map(keep, [file, file], made))
            assert sorted(kept) == [False, True]
            assert read_key(file) == made[kept.index(True)]
    assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o600}
    assert len(list(tmp_path.iterdir())) == 40


def test_where_there_are_no_links_a_key_is_kept_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("ledger.journal.new_files.link", no_links)
    file = tmp_path / "a.key"
    keep_key(str(file), SPARE)
    assert (read_key(str(file)), file.stat().st_mode & 0o777) == (SPARE, 0o600)
    with pytest.raises(Taken):
        keep_key(str(file), SPARE)
    assert [each.name for each in tmp_path.iterdir()] == ["a.key"]


QUOTING = [
    "witness add {key}",
    "witness sign {key}",
    "policy {key}",
    "policy --witness {key}",
    "policy --witness ana={key}",
    "verify --policy {key}",
    "verify --proof {key}",
    "verify --checkpoint {key}",
    "verify --key {key}",
    "compare {key} {key}",
    "prove {key}",
    "erase {key}",
    "-vv witness add {key}",
]


@pytest.mark.parametrize("words", QUOTING)
def test_no_error_shows_any_of_a_private_key(begun: Path, type_in: Type, words: str) -> None:
    seed = str(read_key(str(key_at_home(begun)))).rpartition("+")[2]
    for named in (str(key_at_home(begun)), key_at_home(begun).read_text().strip()):
        told = type_in(words.replace("{key}", named).split())
        assert told.exit_code not in {0, 1} or "-vv" in words
        assert not any(seed[at : at + 6] in told.output for at in range(len(seed) - 5)), told.output


def test_a_key_is_never_written_over_another(tmp_path: Path) -> None:
    file = str(tmp_path / "a.key")
    keep_key(file, SPARE)
    with pytest.raises(Taken):
        keep_key(file, SPARE)
    with pytest.raises(Exception, match="cannot be created"):
        keep_key(str(tmp_path / "nowhere" / "a.key"), SPARE)
    assert read_key(file) == SPARE
    assert read_key(str(tmp_path / "none")) is None
    (tmp_path / "blocked").write_text("")
    with pytest.raises(Exception, match="cannot be created"):
        Home(str(tmp_path / "blocked" / "home")).keep_witness_key(SPARE)


OLD_COMMANDS = ("checkpoint", "key", "prove 3", f"policy --witness ana={SPARE.vkey}")


def test_an_old_campaign_has_no_key_until_it_is_given_one_and_is_brought_over_by_its_first_entry(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "old.campaign"
    file.write_bytes(V1.read_bytes())
    for words in OLD_COMMANDS:
        refused = type_in(words)
        assert refused.stderr.startswith("Error: This campaign has no key.\nHint: "), refused.stderr
        assert refused.exit_code == 3
    with open_book(str(file)) as book:
        assert not book.journal.storage.has_nodes()
        before = verify(book)
        roots = [book.root(size) for size in range(book.head() + 1)]
        found = audit(book, TODAY)
        assert (found.tier.signed, found.tier.of) == (0, 0)
    well(type_in("key rotate"))
    note = well(type_in("checkpoint"))
    with open_book(str(file)) as book:
        assert book.journal.storage.has_nodes()
        assert [book.root(size) for size in range(len(roots))] == roots
        assert verify(book).entries == before.entries + 1
        assert open_note(note, [key_of(file)])
        after = audit(book, TODAY)
        assert (after.findings, after.tier.signed) == (found.findings, book.head())


def test_a_dry_run_does_not_bring_an_old_campaign_over(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "old.campaign"
    file.write_bytes(V1.read_bytes())
    well(type_in("note x --dry-run"))
    well(type_in("key rotate --dry-run"))
    assert file.read_bytes() == V1.read_bytes()


def test_a_campaign_that_is_opened_through_a_symbolic_link_signs_with_the_key_beside_the_real_file(
    older: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = older.parent / "linked"
    linked.mkdir()
    (linked / older.name).symlink_to(older)
    monkeypatch.chdir(linked)
    closed = type_in("session close")
    assert "campaign/" in closed.stdout
    assert "is not signed" not in closed.stderr
