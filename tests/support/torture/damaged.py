"""Damaged files: a campaign and its export lose bytes, rows, tables and files; the program says so, or nothing changed."""

import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner, Result

from cli.main import campaign as command
from ledger.archive import standalone
from tampering import unguarded
from torture.runs import Run, Trial, campaign, environment, inside
from typed_evenings import OPENING, Table

FILE, DAMAGED = "road.campaign", "damaged.campaign"
FILES, EXPORTS = 14, 6
"""How many copies of the file and of the export are damaged in one trial."""

DOCUMENTED = {0, 2, 3, 4, 5, 6, 7}
"""The exit codes of the guide, without 1, which is a bug of ours, and 130."""

LONGEST = 30
"""Seconds that a command may take, on a machine that does other work too."""

MEMORY = 1_000_000
"""Kilobytes of address space that a process may have."""

TABLES = ("entries", "words", "postings", "marks", "nodes")
"""The tables in which nothing may differ where `verify` finds nothing."""

SAME = ("sheets --json", "log -n all --json", "questions --json", "chronicle")
"""The commands that say the same where `verify` finds nothing."""

LOOKS = (
    *("sheets", "sheets --from-entries", "log -n 5", "log --open", "show 9", "show 12 --json", "why mara edge"),
    *("register mara edge", "audit", "audit --json", "export out", "backup copy", "chronicle --markdown", "questions"),
    *("replay", "diff 3 9", "settings edge", "policy", "key", "undo --dry-run", "note x", "rebuild", "checkpoint"),
)

AWAY = "secret"
"""What `verify` says where a secret of the GM is not in the file, as in a player's copy."""

Damage = Callable[[Path, Random], str]


def run(run: Run) -> None:
    for trial in run.trials():
        with inside(trial.folder):
            _damaged(run, trial)


def _damaged(run: Run, trial: Trial) -> None:
    table, random = Table(trial.random), trial.random
    for words in OPENING.strip().splitlines():
        table.type(words)
    table.drawn(10)
    for words in ("note 'They trust the guide'", "checkpoint", "export whole"):
        table.type(words)
    whole, shown = rows(FILE), [_typed(f"-f {FILE} {words}", run).stdout for words in SAME]
    for _ in range(FILES):
        _damaged_file(run, random, whole, shown)
    for _ in range(EXPORTS):
        _damaged_export(run, random, whole)
    _as_a_process(run, trial)


def _damaged_file(run: Run, random: Random, whole: list[list[Any]], shown: list[str]) -> None:
    shutil.copy(FILE, DAMAGED)
    what = random.choice(OF_FILES)(Path(DAMAGED), random)
    run.count("damaged files")
    verified = _typed(f"-f {DAMAGED} verify", run, what)
    if verified.exit_code == 0 and AWAY in verified.stdout:
        run.count("files that are said to lack a secret")
    elif verified.exit_code == 0:
        run.count("damaged files that say the same")
        if rows(DAMAGED) != whole:
            run.weakness(f"verify finds nothing, and a table differs: {what}")
        for words, text in zip(SAME, shown, strict=True):
            if _typed(f"-f {DAMAGED} {words}", run, what).stdout != text:
                run.weakness(f"verify finds nothing, and {words} says something else: {what}")
    _typed(f"-f {DAMAGED} {random.choice(LOOKS)}", run, what)
    for made in ("out", "copy", *map(str, Path().glob(f"{DAMAGED}*"))):
        shutil.rmtree(made) if Path(made).is_dir() else Path(made).unlink(missing_ok=True)


def _damaged_export(run: Run, random: Random, whole: list[list[Any]]) -> None:
    shutil.copytree("whole", "export")
    files = sorted(path for path in Path("export").rglob("*") if path.is_file() and not path.name.startswith("verify."))
    what = random.choice(OF_EXPORTS)(random.choice(files), random)
    run.count("damaged exports")
    result = _typed("-f imported.campaign import export --yes", run, what)
    imported = result.exit_code
    if re.search(r"secrets? (is|are) not included", result.stdout):
        run.count("exports that are said to lack a secret")
    elif imported == 0 and rows("imported.campaign") != whole:
        run.weakness(f"a damaged export is imported, and a table differs: {what}")
    if imported and Path("imported.campaign").exists():
        run.weakness(f"a damaged export is refused, and a campaign is left: {what}")
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as errors:
            code = standalone.main(["export"])
    except Exception as bug:
        run.weakness(f"the stand-alone verifier fails: {bug!r}: {what}")
    else:
        if code not in {0, 2, 6, 7} or "Traceback" in errors.getvalue():
            run.weakness(f"the stand-alone verifier says {code}: {what}")
    shutil.rmtree("export")
    for path in Path().glob("imported.campaign*"):
        path.unlink()


def _as_a_process(run: Run, trial: Trial) -> None:
    """Verify one more damaged file in a process of its own, with bounds."""
    shutil.copy(FILE, DAMAGED)
    what = trial.random.choice(OF_FILES)(Path(DAMAGED), trial.random)
    words = ["sh", "-c", f'ulimit -v {MEMORY}; exec "$@"', "sh", *campaign("-f", DAMAGED, "verify")]
    try:
        done = subprocess.run(
            words, env=environment(trial.folder), capture_output=True, timeout=2 * LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        run.weakness(f"verify takes longer than {2 * LONGEST} seconds: {what}")
        return
    if done.returncode not in DOCUMENTED or b"Traceback" in done.stderr:
        run.weakness(f"verify as a process ends with {done.returncode}: {what}: {done.stderr[-300:]!r}")


def _typed(words: str, run: Run, what: str = "nothing") -> Result:
    """Type a command, which has to end in time, with a code of the guide, and with one sentence unless that is 0."""
    began = time.monotonic()
    done = CliRunner().invoke(command, words.split(), prog_name="campaign")
    run.count("commands")
    unforeseen = done.exception is not None and not isinstance(done.exception, SystemExit)
    if unforeseen or done.exit_code not in DOCUMENTED:
        run.weakness(f"campaign {words} ends with {done.exit_code}, {done.exception!r}: {what}: {done.stderr[-300:]}")
    elif done.exit_code != 7 and done.stderr.count("Error: ") != (done.exit_code > 0):
        run.weakness(f"campaign {words} ends with {done.exit_code} and says {done.stderr!r}: {what}")
    if time.monotonic() - began > LONGEST:
        run.weakness(f"campaign {words} takes longer than {LONGEST} seconds: {what}")
    return done


def rows(file: str) -> list[list[Any]]:
    with closing(sqlite3.connect(file)) as connection:
        return [sorted(connection.execute(f"SELECT * FROM {table}")) for table in TABLES]


# Damages


def flipped(file: Path, random: Random) -> str:
    """Turn bits of a byte over, wherever it is."""
    stored = bytearray(file.read_bytes())
    place, bits = random.randrange(len(stored)), random.choice([0xFF, 0x01, 0x20, random.randrange(1, 256)])
    stored[place] ^= bits
    file.write_bytes(stored)
    return f"byte {place} of {file.name}, by {bits:#x}"


def cut(file: Path, random: Random) -> str:
    """Leave the beginning of a file."""
    stored = file.read_bytes()
    length = random.randrange(len(stored))
    file.write_bytes(stored[:length])
    return f"{file.name} cut to {length}"


def emptied(file: Path, random: Random) -> str:
    """Put zeros, or other bytes of the file, over some of its bytes."""
    stored = bytearray(file.read_bytes())
    long = min(len(stored), random.choice([16, 512, 4096]))
    place, other = (random.randrange(len(stored) - long + 1) for _ in range(2))
    kind = random.choice(["zeros", "other bytes"])
    stored[place : place + long] = bytes(long) if kind == "zeros" else stored[other : other + long]
    file.write_bytes(stored)
    return f"{long} {kind} at {place} of {file.name}, from {other}"


def longer(file: Path, random: Random) -> str:
    """Put something after the end."""
    file.write_bytes(file.read_bytes() + random.randbytes(random.choice([1, 100, 4096])))
    return f"{file.name} made longer"


def row(file: Path, random: Random) -> str:
    """Delete a row, or put the value of another row in it, or write it again with another number."""
    with closing(sqlite3.connect(file)) as connection:
        table = random.choice([*TABLES, "checkpoints"])
        columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
        count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        one, other, column = random.randrange(count), random.randrange(count), random.choice(columns)
        kind = random.choice(["deleted", "exchanged", "doubled"])
        named = ", ".join(columns)
        here = f"({named}) = (SELECT {named} FROM {table} LIMIT 1 OFFSET {one})"
        more = ", ".join(f"{name} + 1" if name in {"seq", "size", "place"} else name for name in columns)
        statement = {
            "deleted": f"DELETE FROM {table} WHERE {here}",
            "exchanged": f"UPDATE OR REPLACE {table} SET {column} = (SELECT {column} FROM {table} LIMIT 1 OFFSET {other})"
            f" WHERE {here}",
            "doubled": f"INSERT OR REPLACE INTO {table} SELECT {more} FROM {table} LIMIT 1 OFFSET {one}",
        }[kind]
        try:
            unguarded(statement)(connection)
            connection.commit()
        except sqlite3.Error:
            return f"nothing, as {kind} cannot be"
    return f"row {one} of {table} {kind}, {column} {other}"


def schema(file: Path, random: Random) -> str:
    """Drop or alter a table, an index or a trigger."""
    with closing(sqlite3.connect(file)) as connection:
        kinds = "SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        kind, name = random.choice(connection.execute(kinds).fetchall())
        statements = [f"DROP {kind} {name}"]
        if kind == "table":
            column = random.choice([name for _, name, *_ in connection.execute(f"PRAGMA table_info({name})")])
            statements += [f"ALTER TABLE {name} RENAME COLUMN {column} TO other", f"ALTER TABLE {name} ADD COLUMN more"]
        statement = random.choice(statements)
        try:
            connection.execute(statement)
            connection.commit()
        except sqlite3.Error:
            return f"nothing, as {statement} cannot be"
    return statement


def gone(file: Path, random: Random) -> str:
    """Take a file of the export away, or leave it empty."""
    if random.random() < 0.5:
        file.unlink()
        return f"{file} taken away"
    file.write_bytes(b"")
    return f"{file} empty"


def exchanged(file: Path, random: Random) -> str:
    """Put another file of the export in the place of one."""
    others = sorted(path for path in Path("export").rglob("*") if path.is_file())
    other = random.choice(others)
    file.write_bytes(other.read_bytes())
    return f"exchanged {file} for {other}"


def lines(file: Path, random: Random) -> str:
    """Delete, double or exchange lines."""
    parts = file.read_bytes().splitlines(keepends=True)
    if not parts:
        return "nothing"
    one, other, kind = (
        random.randrange(len(parts)),
        random.randrange(len(parts)),
        random.choice(["gone", "twice", "swap"]),
    )
    if kind == "gone":
        del parts[one]
    elif kind == "twice":
        parts.insert(one, parts[one])
    else:
        parts[one], parts[other] = parts[other], parts[one]
    file.write_bytes(b"".join(parts))
    return f"line {one} of {file}, {kind} {other}"


OF_FILES: Sequence[Damage] = (flipped, flipped, flipped, cut, emptied, longer, row, row, row, schema)
OF_EXPORTS: Sequence[Damage] = (flipped, flipped, cut, emptied, longer, gone, exchanged, lines, lines)
