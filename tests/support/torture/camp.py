"""A small campaign with all that commands need, every command that writes, and what must hold after one of them."""

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from shutil import copytree
from typing import NamedTuple

from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.errors import LedgerError, NotACampaign
from ledger.events.subjects import CAMPAIGN, KEY
from ledger.journal.book import open_book
from ledger.journal.new_files import PART_FOLDER
from ledger.trust.home import EXPORTED_SUFFIX, KEYS_FOLDER, Home
from ledger.trust.keyfile import find_key, read_key
from ledger.trust.written import RECORDS_FOLDER
from torture.runs import Trial, inside
from torture.struck import Done, Forks, Typed
from typed_evenings import CORRECT, OPENING, PLAY, Table

PLAYED = f"""
{OPENING.strip()}
edge check mara --skill 8 --target 20 --faces 7,2
note 'The guide lies.'
edge check mara --skill 8 --target 20 --seal --until session-end
edge check mara --skill 8 --secret
checkpoint
witness init ana
"""

AFTER = """
witness add ana.txt
dispute 16 --claim 'it was dark' --player Ana
assert brak edge=2
adjust mara edge=-1 --why 'a fall'
undo
export exported
"""

KEEP = """
new: init 'Another road' --gm Eve
new: init 'Another road' --gm Eve --once first
-f other.campaign init 'Another road' --gm Eve
-f other.campaign import exported --yes
new: import ../exported --yes
player Cleo --plays sam
join zed edge maximum=4
session close --json
checkpoint --json
checkpoint --since 20
prove 5
prove 5 -o proof
key rotate --why lost
key rotate --lost
key export key.txt
key import
backup copy
backup kept/road.campaign --json
export whole
export kept/told --for players --json
rebuild --json
erase --player Ana --yes
erase 17 --yes
settings syscards award=2
policy --witness ana=ANA
policy --witness ana=ANA --quorum 1
verify
audit
bea: witness init bea
bea: witness init bea
cleo: witness sign checkpoint.txt --key KEY
witness sign later.txt
witness add again.txt
rewind --to 23 --yes
decide 22 uphold --why so --yes
reveal 18
""".strip().splitlines()
"""What keeps and moves a campaign; before a colon stands the folder, or the home, in which it is typed."""

MOVES = ("move road.campaign kept/moved.campaign", "move road.campaign kept/moved.campaign --json")
"""Commands that only `killed` runs. A moved campaign has the full path of the new one, and `disk` uses other folders."""

HOMES = {"bea", "cleo"}
COMPANIONS = re.compile(r"-(wal|shm|journal)$|\.part$|/\.[^/]*$")
"""Names that nothing but a command at work leaves."""


class State(NamedTuple):
    """What stands on the disk: the leaves of each campaign, and the bytes of each file, but of databases."""

    leaves: dict[str, list[str]]
    texts: dict[str, bytes]


def made(folder: Path) -> Path:
    """Make the campaign in a folder; trials work in copies of it."""
    with inside(folder):
        table = Table(Random(1))  # noqa: S311  on purpose
        for words in PLAYED.strip().splitlines():
            table.type(words)
        ana = table.printed[-1].splitlines()[1]
        table.type(f"policy --witness ana={ana}")
        table.type("checkpoint")
        Path("checkpoint.txt").write_text(table.answer)
        table.type("key")
        key = table.answer.strip()
        table.type(f"witness sign checkpoint.txt --key {key}")
        Path("ana.txt").write_text(table.answer)
        for words in AFTER.strip().splitlines():
            table.type(words)
        signed = int(Path("checkpoint.txt").read_text().splitlines()[1])
        table.type(f"checkpoint --since {signed}")
        Path("later.txt").write_text(table.answer)
        table.type("checkpoint")
        table.type("witness sign checkpoint.txt")
        Path("again.txt").write_text(table.answer)
        for bad in (text for text in table.printed if "(exit 0)" not in text):
            raise AssertionError(bad)
        for name in ("kept", "new", "bea", "cleo"):
            Path(name).mkdir()
        copytree("home", "cleo", dirs_exist_ok=True)
        Path("cleo/heads.db").unlink()
        Path("facts.json").write_text(json.dumps({"ANA": ana, "KEY": key}))
    return folder


def drawn(camp: Path, trial: Trial, more: Sequence[str] = ()) -> Typed:
    """Draw a command that writes: every other one is a move or a correction as an evening has them."""
    if trial.random.random() < 0.5:
        line = trial.random.choice([*KEEP, *more])
        place, _, words = line.rpartition(": ")
        facts = json.loads((camp / "facts.json").read_text())
        words = re.sub(r"\b(ANA|KEY)\b", lambda name: facts[name[0]], words)
        return Typed(shlex.split(words), "." if place in HOMES else place or ".", place if place in HOMES else "home")
    with inside(camp):
        table = Table(trial.random)
        lines = [line for line in (PLAY + CORRECT).splitlines() if line and "--dry-run" not in line]
        words = table.said(trial.random.choice(lines))
    return Typed([*shlex.split(words), *([] if words.startswith("checkpoint") else ["--json"])])


def copied(camp: Path, trial: Trial, name: str) -> Path:
    """Copy the campaign into a folder of the trial."""
    return Path(copytree(camp, trial.folder / name))


def seen(folder: Path, faults: list[str]) -> State:
    """Open and check everything in a folder, adding what is wrong to the faults; then nothing holds a file open."""
    leaves = {}
    for file in files_in(folder):
        name = str(file.relative_to(folder))
        try:
            with open_book(str(file)) as book:
                faults += [f"{name} #{finding.seq}: {finding.says}" for finding in audit(book, "2026-11-22").findings]
                leaves[name] = [row.leaf.hex() for row in book.journal.stored()]
        except LedgerError as error:
            faults.append(f"{name}: {error}")
    return State(leaves, {name: _text(folder / name) for name in names_in(folder)})


def _text(file: Path) -> bytes:
    text = file.read_bytes()
    return b"" if text.startswith(b"SQLite") else text


def missing(folder: Path, after: State) -> Iterator[str]:
    """Say what is not on the disk that a command reported."""
    there = leaves_in(folder, [])
    yield from (f"{name} lacks entries" for name in after.leaves if there.get(name) != after.leaves[name])
    yield from (f"{name} is missing" for name in after.texts.keys() - names_in(folder))


def names_in(folder: Path) -> set[str]:
    """Return the names of the files in a folder, without the temporary files of a running command.

    The memory of the last write in a home may be missing or stale at any time.
    """
    names = (str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    passing = f"/{RECORDS_FOLDER}/"
    return {
        name
        for name in names
        if not COMPANIONS.search(f"/{name}") and PART_FOLDER not in name and passing not in f"/{name}"
    }


def left_over(folder: Path, faults: list[str]) -> None:
    """Add to the faults what a command left that nobody asked for: companion files, half-made ones, missing keys.

    A key that signs nothing does no harm; a killed `init` or rotation may leave it in the home.
    """
    home = Home(str(folder / "home"))
    if failed := home.snapshot().error:
        faults.append(str(failed))
    for file in files_in(folder):
        with open_book(str(file)) as book:
            line = str(book.mark(CAMPAIGN, KEY))
        if find_key(line, [home.key_file(line)]) is None:
            faults.append(f"the key of {file.name} is missing")
    for file in folder.rglob("*"):
        name = f"/{file.relative_to(folder)}"
        if name.endswith("heads.db-journal") and not any(file.read_bytes()[:1]):
            continue  # SQLite takes it for nothing, and removes it with its next write
        if COMPANIONS.search(name):
            faults.append(f"{name[1:]} is left")
        elif file.parent.name == KEYS_FOLDER and not EXPORTED_SUFFIX.endswith(file.suffix):
            read_key(str(file))


def reported(out: str) -> Iterator[str]:
    """The leaves that an answer in JSON told of."""
    for line in out.splitlines():
        if line.startswith("{"):
            row = json.loads(line)
            if "leaf" in row:
                yield row["leaf"]


def faults_after(
    forked: Forks,
    folder: Path,
    typed: Typed,
    out: str,
    unharmed: Done,
    states: Sequence[State] | None,
    faults: list[str],
) -> Done:
    """Add to the faults what is wrong in a folder after a command did not end as it should; then repeat the command.

    `states` are what was there before, and what is there after the command when nothing harms it.
    """
    there = leaves_in(folder, faults)
    if states is not None:
        before, after = states
        for name, leaves in there.items():
            if leaves not in (before.leaves.get(name), after.leaves.get(name)):
                faults.append(f"{name} holds part of it: {len(leaves)} entries")
        faults += [f"{name} is lost" for name in before.texts.keys() - names_in(folder)]
        for name in names_in(folder):
            if _text(folder / name) not in (before.texts.get(name), after.texts.get(name)):
                faults.append(f"{name} holds something else")
    known = {leaf for leaves in there.values() for leaf in leaves}
    faults += [f"an entry that was reported is lost: {leaf}" for leaf in reported(out) if leaf not in known]
    nothing = states is not None and there == states[0].leaves and names_in(folder) <= states[0].texts.keys()
    again = forked.run(folder, typed, seed=500)
    if again.code != unharmed.code and (nothing or again.code not in {0, 2, 3}):
        faults.append(f"said again, it ends with {again.code}, and not with {unharmed.code}")
    if "Traceback" in again.err or "unforeseen" in again.err:
        faults.append("a traceback")
    leaves_in(folder, faults)
    left_over(folder, faults)
    return again


def leaves_in(folder: Path, faults: list[str]) -> dict[str, list[str]]:
    """The leaves of each campaign in a folder, by file; one whose first entry was never written counts as none."""
    leaves = {}
    for file in files_in(folder):
        name = str(file.relative_to(folder))
        try:
            with open_book(str(file)) as book:
                verify(book)
                leaves[name] = [row.leaf.hex() for row in book.journal.stored()]
        except NotACampaign:
            continue
        except LedgerError as error:
            faults.append(f"{name}: {error}")
    return leaves


def files_in(folder: Path) -> list[Path]:
    """The campaigns in a folder, and copies of them."""
    named = [file for file in folder.rglob("*") if file.suffix == ".campaign" or file.name == "copy"]
    hidden = {part for file in named for part in file.relative_to(folder).parts if part.startswith(".")}
    return sorted(file for file in named if file.is_file() and not hidden & set(file.parts))
