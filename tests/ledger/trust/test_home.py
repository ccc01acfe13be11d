"""The home: what a person's own machine keeps of campaigns, and from whom."""

import sqlite3
from contextlib import closing
from pathlib import Path
from re import fullmatch
from stat import S_IMODE

import pytest

from ledger.errors import NotMade, Refused, Taken
from ledger.tlog.note import COSIGNATURE, Skey, make_skey
from ledger.trust.home import HEADS_TABLE, Head, Home
from ledger.trust.keyfile import find_key, keep_key, keys_beside, read_key

KEY, NEW = (make_skey("campaign/road", letter * 32) for letter in (b"k", b"n"))
ANA = make_skey("ana", b"a" * 32, COSIGNATURE)


def head(origin: str, size: int) -> Head:
    return Head(origin=origin, size=size, root=bytes([size]) * 32, note=f"{origin} {size}")


def test_nothing_is_known_at_a_home_that_there_is_not_and_looking_makes_none(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    assert (home.head("road"), home.heads("road"), home.trusted("road"), home.witness_key()) == (None, [], (), None)
    remembered = home.snapshot()
    assert (remembered.head("road"), remembered.trusted("road"), remembered.error) == (None, (), None)
    assert not (tmp_path / "home").exists()


def test_a_file_of_heads_that_was_begun_and_holds_none_yet_is_read(tmp_path: Path) -> None:
    (tmp_path / "heads.db").write_bytes(b"")
    home = Home(str(tmp_path))
    assert (home.head("road"), home.trusted("road"), home.snapshot().error) == (None, (), None)


def test_a_home_that_cannot_be_read_says_so_to_whoever_asks_for_a_campaign(tmp_path: Path) -> None:
    (tmp_path / "heads.db").write_text("junk, and more of it" * 100)
    remembered = Home(str(tmp_path)).snapshot()
    assert (remembered.head(None), remembered.trusted(None)) == (None, ())
    for ask in (remembered.head, remembered.trusted):
        with pytest.raises(
            Refused, match=r"The record of known checkpoints on this computer \(.*heads\.db\) cannot be read"
        ):
            ask("road")


def test_a_head_is_known_until_another_takes_its_place_campaign_by_campaign(tmp_path: Path) -> None:
    home, seen = Home(str(tmp_path)), list[Head]()

    def over(known: Head) -> bool:
        seen.append(known)
        return known.size < 5

    for each in (head("road", 3), head("ford", 7), head("road", 5), head("road", 4)):
        home.store_known(each, over)
    assert (home.head("road"), home.head("ford"), home.head("road", "witnessed")) == (
        head("road", 5),
        head("ford", 7),
        None,
    )
    assert seen == [head("road", 3), head("road", 5)]


def test_a_witness_goes_on_from_the_head_that_was_signed_last_alone(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    assert home.advance(1, head("road", 3), "one") == 0
    assert home.advance(0, head("road", 3), "one") is None
    assert home.advance(0, head("road", 4), "two") == 3
    assert (home.head("road", "witnessed"), home.trusted("road")) == (head("road", 3), ("one",))
    assert home.advance(3, head("road", 4), "two") is None
    home.store_known(head("road", 2), lambda _: True)
    home.advance(0, head("ford", 9), "three")
    assert home.heads("road") == [head("road", 4), head("road", 2)]
    remembered = home.snapshot()
    assert (remembered.head("road"), remembered.head("road", "witnessed")) == (head("road", 2), head("road", 4))
    assert (remembered.trusted("road"), remembered.trusted("ford")) == (("one", "two"), ("three",))
    assert (remembered.head(None), remembered.trusted(None), remembered.head("ford")) == (None, (), None)
    home.advance(4, head("road", 6), "one")
    assert home.trusted("road") == ("two", "one"), "the current one is the last"


def test_a_home_and_the_key_in_it_are_the_owners_alone(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    home.keep_witness_key(ANA)
    assert S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert S_IMODE((tmp_path / "home" / "witness.key").stat().st_mode) == 0o600
    assert home.witness_key() == ANA
    with pytest.raises(Taken):
        home.keep_witness_key(ANA)


def test_a_key_is_found_in_its_file_or_in_those_of_later_keys_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "road.key"

    def beside(vkey: str) -> Skey | None:
        return find_key(vkey, keys_beside(str(tmp_path / "road.campaign")))

    assert (read_key(str(file)), beside(str(KEY.vkey))) == (None, None)
    keep_key(str(file), KEY)
    keep_key(f"{file}.2", NEW)
    for key in (KEY, NEW):
        assert beside(str(key.vkey)) == key
    assert beside(str(ANA.vkey)) is None
    (tmp_path / "road.key.0").write_text("no key")
    (tmp_path / "road.key.1").write_bytes(b"\xff")
    assert beside(str(NEW.vkey)) == NEW
    with pytest.raises(Refused, match=r"road\.key\.0 does not contain a private key"):
        beside(str(ANA.vkey))


def test_a_home_keeps_a_campaigns_key_whole_and_for_its_owner_and_keeping_it_again_changes_nothing(
    tmp_path: Path,
) -> None:
    home = Home(str(tmp_path / "state" / "home"))
    for _ in range(2):
        home.keep_key(KEY)
    file = Path(home.key_file(str(KEY.vkey)))
    assert read_key(str(file)) == KEY
    assert [S_IMODE(path.stat().st_mode) for path in (file, file.parent, file.parent.parent)] == [0o600, 0o700, 0o700]
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    "origin", ["campaign/a", "campaign-a", "../../a", "CON", "C:\\a*?", "\N{DRAGON}", "a" * 500, "example.org/Road"]
)
def test_the_file_of_a_key_has_a_name_that_every_system_takes(origin: str) -> None:
    keys = [make_skey(origin, letter * 32) for letter in (b"k", b"n")]
    files = [Path(Home("home").key_file(str(key.vkey))) for key in keys]
    assert len(set(files)) == len(keys)
    for key, file in zip(keys, files, strict=True):
        assert (str(file.parent), file.name.endswith(f"-{key.key_id}.key")) == ("home/keys", True)
        assert fullmatch("[0-9A-Za-z-]{1,120}[.]key", file.name)


def test_the_home_remembers_that_a_key_was_exported_if_it_can(tmp_path: Path) -> None:
    home, none = Home(str(tmp_path / "home")), Home(str(tmp_path / "blocked" / "home"))
    (tmp_path / "blocked").write_text("")
    for each, remembers in ((home, True), (none, False)):
        assert not each.has_second_copy(str(KEY.vkey))
        for _ in range(2):
            each.remember_export(str(KEY.vkey))
        assert each.has_second_copy(str(KEY.vkey)) == remembers
    assert [S_IMODE(folder.stat().st_mode) for folder in (tmp_path / "home", tmp_path / "home" / "keys")] == [0o700] * 2


def test_a_disk_that_does_not_sync_the_home_keeps_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("ledger.journal.new_files.sync_names", fails)
    home = Home(str(tmp_path / "home"))
    with pytest.raises(NotMade):
        home.keep_key(KEY)
    assert not Path(home.key_file(str(KEY.vkey))).exists()


FIRST_TRUSTED = "CREATE TABLE trusted (origin TEXT PRIMARY KEY, vkey TEXT NOT NULL) STRICT, WITHOUT ROWID"


def test_a_home_of_the_first_version_is_read_and_trusts_later_keys_too(tmp_path: Path) -> None:
    home, head = Home(str(tmp_path)), Head(origin="road", size=3, root=b"\x01" * 32, note="n")
    with closing(sqlite3.connect(tmp_path / "heads.db", isolation_level=None)) as first:
        first.execute(HEADS_TABLE.format(kind="witnessed"))
        first.execute("INSERT INTO witnessed VALUES ('road', 3, ?, 'n')", (head.root,))
        first.execute(FIRST_TRUSTED)
        first.execute("INSERT INTO trusted VALUES ('road', 'one'), ('sea', 'two')")
    assert (home.heads("road"), home.trusted("road"), home.trusted("sea")) == ([head], ("one",), ("two",))
    assert home.advance(3, head.replace(size=4), "three") is None
    assert (home.trusted("road"), home.trusted("sea")) == (("one", "three"), ("two",))
