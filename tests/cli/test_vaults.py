"""A vault at the terminal: made, refreshed, and kept for the same readers."""

from pathlib import Path

import pytest

from terminal import Type, rows
from vault_reader import read_vault, texts_in


def test_export_makes_a_vault_beside_the_campaign_and_refreshes_it(evening: Type, folder: Path) -> None:
    made = evening("export --format obsidian")
    assert made.exit_code == 0
    assert made.stdout == "road-vault contains the notes of the campaign (written: 5).\n"
    assert "To read the notes, open the folder as a vault in Obsidian." in made.stderr
    read_vault(texts_in(folder / "road-vault"))
    evening("note 'more to come'")
    assert rows(evening("export --format obsidian --json").stdout) == [
        {"changed": [], "file": "road-vault", "format": "obsidian", "removed": 0, "unchanged": 3, "written": 2}
    ]
    assert "more to come" in texts_in(folder / "road-vault")["Sessions/Session 1 - One.md"]


def test_export_names_each_note_that_somebody_changed_and_how_to_get_its_new_version(
    evening: Type, folder: Path
) -> None:
    evening("export --format obsidian vault")
    (folder / "vault" / "Characters" / "mara.md").write_text("mine")
    again = evening("export --format obsidian vault/")
    assert again.stdout == "vault contains the notes of the campaign (written: 0, unchanged: 4, left: 1).\n"
    assert "Somebody changed Characters/mara.md. It was left as it is.\nTo get the new version" in again.stderr
    assert texts_in(folder / "vault")["Characters/mara.md"] == "mine"


def test_a_vault_has_the_secrets_only_if_its_readers_may_read_them(evening: Type, folder: Path) -> None:
    evening("note 'the miller lies' --secret")
    evening("note 'the mayor lies' --only Ana")
    gm, players, ana = (
        evening(f"export --format obsidian {whom}") for whom in ("gm", "players --for players", "ana --for Ana")
    )
    assert "This export contains the GM's secrets. For players, use: campaign export --format obsidian" in gm.stderr
    assert "secret" not in players.stderr
    assert "This export contains secret notes. Give it only to Ana." in ana.stderr
    lies = {
        name: {word for word in ("miller", "mayor") if word in repr(texts_in(folder / name))}
        for name in ("gm", "players", "ana")
    }
    assert lies == {"gm": {"miller", "mayor"}, "players": set(), "ana": {"mayor"}}
    assert "(secret)" in repr(texts_in(folder / "gm"))


@pytest.mark.parametrize("form", ["", "--format obsidian "])
def test_only_a_gm_can_make_an_export_with_secrets(form: str, evening: Type, folder: Path) -> None:
    before = {*folder.iterdir()}
    refused = evening(f"--by Ana export {form}out")
    assert refused.exit_code == 3
    assert "Error: Ana is not a GM. Only a GM can make an export with secrets." in refused.stderr
    assert f"For an export without secrets: campaign export {form}--for players" in refused.stderr
    assert {*folder.iterdir()} == before
    assert evening(f"--by Ana export {form}out --for players").exit_code == 0
    assert evening("--by Ana export --format hledger out.journal").exit_code == 0


def test_a_vault_for_players_is_never_refreshed_with_the_gms_secrets(evening: Type, folder: Path) -> None:
    evening("export --format obsidian vault --for players")
    before = texts_in(folder / "vault")
    refused = evening("export --format obsidian vault")
    assert refused.exit_code == 3
    assert "Error: vault was made for other readers. Nothing was written." in refused.stderr
    assert texts_in(folder / "vault") == before


def test_a_refresh_after_an_erasure_leaves_no_word_of_the_erased_text(evening: Type, folder: Path) -> None:
    evening("rename mara 'Mara Silver'")
    evening("export --format obsidian vault")
    assert (folder / "vault" / "Characters" / "Mara Silver.md").exists()
    assert evening("erase 24 --yes").exit_code == 0
    done = evening("export --format obsidian vault")
    assert done.stdout == "vault contains the notes of the campaign (written: 4, unchanged: 1, removed: 1).\n"
    everything = [file.name + file.read_text() for file in (folder / "vault").rglob("*") if file.is_file()]
    assert "Silver" not in "".join(everything)
