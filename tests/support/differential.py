"""Two trees of this program type the same random evenings; all that is printed and all that is kept must be equal.

    python tests/support/differential.py REVISION [--evenings 1000] [--first 0]

An evening is words after `campaign`, drawn with a seed: moves of every game, days, sessions, and above all corrections.
The tree of REVISION and this one type them side by side, in folders of their own, with the same clock, dice and salts.
Compared to the byte are what each command prints and how it ends, every row of every table, and both kinds of export.
Nothing of the trees is used but the command line and the tables on disk, so that it stays while names change.

It goes when the house no longer changes under what it does.
"""

import argparse
import io
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from difflib import unified_diff
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from typing import IO, Any

ROOT = Path(__file__).parents[2]
FILE = "road.campaign"
BEGIN = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)

OPENING = """
-f road.campaign init 'The salt road' --gm Tom
player Ana --plays mara
player Ben --plays brak
join mara edge maximum=4 edge=3 strength=6 attribute.cunning=5 attribute.presence=6 skill.deception=4 injury.serious=1
join brak edge maximum=2 edge=1 armor.threshold=15 armor.reduction=30
join mara multicheck attribute.cunning=60 attribute.luck=20 skill.deception=3 feat.climb=35 ps=2 pk=2 save.toughness=3
join brak multicheck attribute.cunning=40 malice.physical=8 recovery=2 condition.serious=4 ps=1 pk=1
join mara syscards efficiency=40 core-points=20
join brak syscards efficiency=40
join mara rollunder characteristic.cunning=9 characteristic.presence=12 skill.deception=4
join mara byzantine energy=30 general=12 project.climb=9 input.workshop=-2 output.workshop=5 ability.cunning=6
join brak byzantine energy=20 output.flying=4 ability.guard=3 ability.cunning=7
session open 'An evening' --present Ana,Ben
"""

PLAY = """
edge check WHO --skill N --target 20
edge check WHO --skill N --target 20 --edge --drop D --faces D,D,D
edge check WHO --skill N --edge
edge check WHO --skill N --advantage map --disadvantage rain
edge check WHO --skill N --target 20 --attack --faces D,D
edge check WHO --skill N --secret
edge check WHO --skill N --target 20 --seal --until session-end
edge check WHO --skill N --target 20 --seal --unseen
edge damage WHO --weapon N --melee
edge damage WHO --weapon N --modifier N
edge soak WHO --damage N
edge burn WHO --against 'the fall'
edge rest WHO long
edge rest WHO short
edge award WHO --amount 1 --why courage
edge grant WHO advantage --why map
multicheck test WHO cunning --difficulty 30
multicheck test WHO cunning --skill deception --difficulty 30 --faces P
multicheck test WHO cunning --difficulty 30 --secret
multicheck test WHO cunning --difficulty 30 --advantage rain
multicheck test WHO luck --difficulty N
multicheck save mara toughness --condition flying --charges 3
multicheck save mara toughness --faces N
multicheck turn WHO
syscards rate WHO P --why fog --throw
syscards rate WHO P --why fog
syscards rate WHO P --why fog
syscards throw WHO
syscards throw WHO --faces P
syscards means WHO --words slips
syscards card WHO --rejects
syscards challenge mara --against brak
syscards challenge brak --against mara --faces P,P
syscards challenge mara --against brak --wait
syscards clash mara --against brak
syscards deny mara --against brak --why x
syscards outright mara --against brak --why x
syscards cancel mara brak --why x
syscards round begin
syscards round begin
syscards round prep
syscards reject WHO P --why x
syscards mode deal
syscards price efficiency 2
syscards buy WHO efficiency
rollunder skill mara deception --on cunning,presence --circumstance rain=-2
rollunder skill mara deception --on cunning,presence --faces N
rollunder plain mara cunning --factor 1.5
byzantine task WHO wall --costs N
byzantine task WHO gate --costs N --why rain
byzantine task WHO wall --costs 8 --opposed-energy brak=2
byzantine know WHO wall --energy 4
byzantine attempt WHO wall --energy N
byzantine attempt WHO gate --costs N --energy N --ability cunning
byzantine attempt WHO gate --costs 9 --energy 30 --overdraft
byzantine go WHO market --energy 2 --base N
byzantine found WHO --why x
byzantine invest WHO 4 --project climb
byzantine cancel WHO climb
byzantine connect WHO tower --output 4
byzantine withhold WHO workshop --why x
byzantine restore WHO workshop
byzantine lend WHO soup --output 2 --why x
byzantine reclaim WHO soup
byzantine alter brak flying output --energy 20
byzantine night WHO little
byzantine night WHO none
byzantine attack mara brak --energy 3 --answer 2
day next
day next
day next --count 3
roll WHO 3d6
roll WHO 2d20kl1 --faces N,N
note 'It rains.'
scene 'At the gate'
session open 'An evening' --present Ana,Ben
session close
adjust WHO edge=+1 --why 'a gift'
adjust WHO edge=-1 --why 'a fall'
adjust WHO edge=-1 strength=+2 --why 'a fall'
adjust WHO energy=+5 --why rent
set WHO edge/care=yes --why 'he said so'
settings rollunder levels=fifths
settings syscards award=2
player Cleo --plays sam
join sam edge maximum=N
checkpoint
"""

CORRECT = """
undo
undo
undo
redo
redo
void ENTRY --why so --yes
void ENTRY --why so --dry-run
rewind --to ENTRY --yes
dispute ENTRY --claim 'it was dark' --player Ana
override ENTRY success --good --why 'the rope'
override ENTRY failure --bad --why 'no rope'
assert WHO edge=N
assert WHO edge=N maximum=4
amend ENTRY CHANGED --why so --yes
amend ENTRY CHANGED --why so --yes
amend ENTRY CHANGED --why so --yes
amend ENTRY CHANGED --why so --yes --cascade
amend ENTRY CHANGED --why so --dry-run
erase ENTRY --yes
reveal SECRET
reveal SECRET
decide QUESTION CHOICE
choose ASKED CHOSEN
"""

LOOK = """
sheets
sheets --at POINT
sheets --at POINT --corrected
sheets --json
register WHO edge
register WHO edge --at POINT --corrected
why WHO edge
why WHO energy
log -n 12
log --open
show ENTRY
show ENTRY --json
diff POINT POINT
questions
replay --from ENTRY --to ENTRY
"""

LAST = """
sheets --json
log -n 999
log -n 999 --json
questions
questions --json
chronicle
chronicle --markdown
replay --from 1
verify
verify --json
audit
audit --json
export whole
export told --for players
-f again.campaign import whole --yes
"""

TWICE = """
day next
dispute DAWN --claim 'she slept' --player Ana
amend DAY --why 'the rent was late' --yes
questions
log --open
amend DAY --why 'it was not' --yes
questions
log --open
log -n 99
decide QUESTION uphold --why 'so it is'
undo
amend DAWN --why 'a bad night' --yes
questions
"""
"""A dispute about a dawn, in a day that is amended twice."""


ALLOWED = {
    0: "a dispute stays tied to its ruling when the day that it is in is amended a second time",
    33: "a ruling that was copied keeps the place of its dice, and is amended there",
}
"""Evenings that must differ from the old tree, and why."""

SAID_OTHERWISE = re.compile(
    r"^(The campaign is in|For every character sheet|Your campaign is in|Whoever has it|The SHA-256 of|Its verify.py)\b.*\n",
    re.MULTILINE,
)
"""What may be said otherwise than by the old tree: what `init` says of the key, and an export of its verifier."""

LEAST = 30
"""Commands of an evening that do what was said, on the average: fewer compare nothing but refusals."""

ASKING = ("question-asked",)
DECIDED = ("dispute-raised", "knock-on-found", "limit-crossed", "score-asserted")


class Table:
    """One folder in which an evening is typed; what its commands print is kept."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.printed: list[str] = []
        self.minutes = 0
        self.salts = 0
        self.dice = Random(7)  # noqa: S311  on purpose
        self.invocation = self._invocation()

    def _invocation(self) -> Any:
        for module, name in (("cli.desk", "Desk"), ("cli.context", "Desk"), ("cli.context", "Invocation")):
            try:
                found = getattr(import_module(module), name)
            except (ImportError, AttributeError):
                continue
            return found(clock=self.clock, chance=self.chance, salts=self.salt)
        raise ImportError("what commands are handed")

    def clock(self) -> datetime:
        return BEGIN + timedelta(minutes=self.minutes)

    def chance(self, sides: int) -> int:
        return self.dice.randrange(sides)

    def salt(self) -> bytes:
        self.salts += 1
        return sha256(f"salt {self.salts}".encode()).digest()

    def type(self, words: str) -> None:
        from click.testing import CliRunner

        from cli.main import campaign

        self.minutes += 3
        self.dice, self.salts = Random(self.minutes), 10_000 * self.minutes  # noqa: S311  what one refused, none has used up
        done = CliRunner().invoke(campaign, shlex.split(words), obj=self.invocation, prog_name="campaign")
        talk = SAID_OTHERWISE.sub("", done.stderr)
        self.printed.append(f"$ campaign {words}\n{done.stdout}{talk}(exit {done.exit_code})\n")

    def head(self) -> int:
        return int(self.rows("SELECT max(seq) FROM entries")[0][0])

    def rows(self, sql: str, *values: object) -> list[Any]:
        connection = sqlite3.connect(FILE)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def of_type(self, *types: str) -> list[int]:
        marks = ",".join("?" * len(types))
        sql = f"SELECT seq FROM entries WHERE body ->> '$.type' IN ({marks}) ORDER BY seq"
        return [seq for (seq,) in self.rows(sql, *types)]

    def body(self, seq: int) -> Any:
        return json.loads(self.rows("SELECT body FROM entries WHERE seq = ?", seq)[0][0])

    # Words

    def said(self, template: str) -> str:
        """Return words with something drawn in each place."""
        self.entry = self._entry()
        self.asked = self._question(ASKING)
        self.question = self._question(DECIDED)
        return re.sub(r"\b[A-Z]+\b", lambda found: self._drawn(found[0]), template)

    def _drawn(self, place: str) -> str:
        random = self.random
        drawn: dict[str, Callable[[], object]] = {
            "WHO": lambda: random.choice(["mara", "mara", "brak"]),
            "N": lambda: random.choice([0, 1, 2, 3, 4, 5, 8, 11, 15]),
            "D": lambda: random.randint(1, 10),
            "P": lambda: random.randint(1, 100),
            "POINT": lambda: random.choice([random.randint(1, self.head()), "day:1", "session:1"]),
            "ENTRY": lambda: self.entry,
            "QUESTION": lambda: self.question,
            "ASKED": lambda: self.asked,
            "OFFER": lambda: self._offer() or self.entry,
            "SECRET": self._secret,
            "CHOICE": self._choice,
            "CHOSEN": self._chosen,
            "CHANGED": lambda: self._changed(self.entry),
            "DAY": lambda: (self.of_type("day-begun") or [1])[-1],
            "DAWN": lambda: ([seq for seq in self.of_type("move-played") if self._is_dawn(seq)] or [1])[-1],
        }
        return str(drawn[place]()) if place in drawn else place

    def _offer(self) -> int | None:
        """Return the ruling after which something may still be chosen."""
        last = self.rows("SELECT value FROM marks WHERE name = 'offer' ORDER BY seq DESC LIMIT 1")
        return int(last[0][0]) if last and last[0][0] not in {None, "null"} else None

    def _secret(self) -> int:
        kept = self.rows("SELECT seq FROM entries WHERE body LIKE '%{\"secret\":%' ORDER BY seq")
        return int(self.random.choice(kept)[0]) if kept else self.entry

    def _is_dawn(self, seq: int) -> bool:
        return bool(self.body(seq).get("move") == "dawn")

    def _entry(self) -> int:
        head = self.head()
        late = self.random.randint(max(1, head - 12), head)
        return self.random.choice([late, late, self.random.randint(1, head)])

    def _waiting(self, types: Sequence[str]) -> list[int]:
        """Return the questions of these types that wait."""
        sql = "SELECT value FROM marks WHERE who = '#questions' AND name = ? AND since = seq ORDER BY seq DESC"
        return [seq for seq in self.of_type(*types) if self.rows(sql, str(seq))[:1] == [("false",)]]

    def _question(self, types: Sequence[str]) -> int:
        return self.random.choice(self._waiting(types) or self.of_type(*types) or [self.entry])

    def _choice(self) -> str:
        kind = self.body(self.question)["type"]
        choice = self.random.choice(
            {
                "dispute-raised": ["uphold", "void", "amend", "amend"],
                "knock-on-found": ["stand", "void", "amend", "amend"],
            }.get(kind, ["stand", "adjust"])
        )
        changed = self._changed(self.body(self.question).get("about", 1)) if choice == "amend" else ""
        asks = "--yes" if choice in {"amend", "void"} else ""
        return f"{choice} {changed} --why so {asks}"

    def _chosen(self) -> str:
        body = self.body(self.asked)
        faces = [die["face"] for die in body.get("dice", [])] or [1]
        offers = {name: str(self.random.choice(faces)) for name in body.get("asks", [])}
        return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in offers.items())

    def _changed(self, seq: int) -> str:
        """Return flags that say something of an entry otherwise."""
        body = self.body(seq)
        numbers = [name for name, held in body.get("inputs", {}).items() if type(held) is int]
        kind = self.random.choice(["number", "number", "faces", "amounts", "nothing", "other"])
        if kind == "number" and numbers:
            return f"--{self.random.choice(numbers).replace('_', '-')} {self._drawn('N')}"
        if kind == "faces" and body.get("dice"):
            return f"--faces {','.join(str(self.random.randint(1, die['sides'])) for die in body['dice'])}"
        if body.get("amounts"):
            return f"{next(iter(body['amounts']))}={self.random.choice(['+2', '-2', '+1'])}"
        if body.get("type") == "day-begun":
            return f"--count {self.random.randint(1, 3)}"
        if kind == "other":
            return self.random.choice(["--skill 8", "--energy 4", "--target 15", "--costs 3", "--difficulty 20"])
        return ""

    def drawn(self, longest: int) -> None:
        """Type an evening."""
        play, correct, look = ([line for line in text.splitlines() if line] for text in (PLAY, CORRECT, LOOK))
        for _ in range(self.random.randint(8, longest)):
            kind = self.random.random()
            if kind < 0.3 and self._waiting(ASKING):
                template = "choose ASKED CHOSEN"
            elif kind < 0.3 and self._waiting(DECIDED):
                template = "decide QUESTION CHOICE"
            elif kind < 0.2 and self._offer():
                template = self.random.choice(["choose OFFER --reroll", "choose OFFER --after"])
            else:
                template = self.random.choice(play if kind < 0.6 else correct if kind < 0.95 else look)
            self.type(self.said(template))


def evening(seed: int) -> Table:
    """Type one evening in the current folder; that of seed 0 amends a disputed day twice."""
    table = Table(Random(seed))  # noqa: S311  on purpose
    for words in OPENING.strip().splitlines():
        table.type(words)
    if seed:
        table.drawn(30)
    else:
        for template in TWICE.strip().splitlines():
            table.type(table.said(template))
    for words in LAST.strip().splitlines():
        table.type(words)
    return table


def kept() -> Iterator[tuple[str, str]]:
    """Yield what is on disk in the current folder: every row of every table, and every file of the exports."""
    for file in sorted(Path().glob("*.campaign")):
        connection = sqlite3.connect(file)
        for name, sql in connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall():
            yield f"{file}: {name}", str(sql)
            if str(sql).startswith("CREATE TABLE"):
                rows = sorted(map(repr, connection.execute(f"SELECT * FROM {name}")))
                yield f"{file}: rows of {name}", "\n".join(rows)
        connection.close()
    # the verifier in an export is a copy of a source file, in whatever words
    for file in sorted(
        each for each in Path().rglob("*") if each.is_file() and each.suffix not in {".campaign", ".py"}
    ):
        if "home" not in file.parts and not file.name.endswith(("-wal", "-shm")):
            yield str(file), file.read_bytes().decode(errors="backslashreplace")


def worked(seed: int) -> dict[str, str]:
    """Return all that an evening printed and left, by what it is."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:  # noqa: S108  quicker
        os.chdir(folder)
        os.environ["CAMPAIGN_HOME"] = str(Path("home").absolute())
        os.environ["TZ"] = "UTC"
        try:
            printed = "".join(evening(seed).printed).replace(folder, "FOLDER")
            return {"printed": printed, **dict(kept())}
        finally:
            os.chdir(before)


def worker(tree: Path) -> None:
    """Work out the evenings whose seeds come in, in one tree, a line each."""
    import cli

    where = Path(str(cli.__file__)).parents[1]
    assert where.resolve() == tree.resolve(), where
    for line in sys.stdin:
        found = worked(int(line))
        digests = {name: sha256(text.encode(errors="backslashreplace")).hexdigest() for name, text in found.items()}
        good = found["printed"].count("(exit 0)")
        print(json.dumps({"seed": int(line), "good": good, "digests": digests}), flush=True)


def started(tree: Path, *words: str) -> "subprocess.Popen[str]":
    env = {name: held for name, held in os.environ.items() if not name.startswith("CAMPAIGN")}
    env["PYTHONPATH"] = str(tree)
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), "--worker", str(tree), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=env,
        text=True,
    )


def shown(tree: Path, seed: int) -> dict[str, str]:
    process = started(tree, "--show", str(seed))
    out, _ = process.communicate()
    found: dict[str, str] = json.loads(out)
    return found


def differing(trees: tuple[Path, Path], seed: int) -> str:
    """Return in lines what differs in an evening."""
    old, new = (shown(tree, seed) for tree in trees)
    lines: list[str] = []
    for name in sorted(old.keys() | new.keys()):
        one, other = (found.get(name, "(not there)\n").splitlines() for found in (old, new))
        lines += list(unified_diff(one, other, f"old {name}", f"new {name}", lineterm="", n=4))[:60]
    return "\n".join(lines)


def compared(old: Path, old_name: str, seeds: range) -> bool:
    """Compare the evenings of two trees; return whether any differ, or too little was compared."""
    trees = (old, ROOT)
    processes = [started(tree) for tree in trees]
    for process in processes:
        _stdin(process).write("".join(f"{seed}\n" for seed in seeds))
        _stdin(process).close()
    wrong, good, printed = 0, 0, 0
    for one, other in zip(*(_lines(process) for process in processes), strict=True):
        first, second = json.loads(one), json.loads(other)
        printed, good = printed + 1, good + first["good"]
        if first["seed"] in ALLOWED:
            same = "does not differ, and must" if first == second else "differs, as it must"
            wrong += first == second
            print(f"Evening {first['seed']} {same}: {ALLOWED[first['seed']]}.", flush=True)
        elif first != second:
            wrong += 1
            print(f"Evening {first['seed']} differs:\n{differing(trees, first['seed'])}\n", flush=True)
        if wrong == 3:
            break
    print(
        f"{printed} evenings in {old_name} and in the working tree {ROOT}: all that was printed, all rows, both exports;"
        f" {good} commands did what was said; {wrong} evenings differ."
    )
    if good < LEAST * printed or not printed:
        print(f"That compares too little: fewer than {LEAST} commands an evening did what was said.")
    for process in processes:
        process.kill()
    return bool(wrong) or not printed or printed < len(seeds) or good < LEAST * printed


def _stdin(process: "subprocess.Popen[str]") -> IO[str]:
    assert process.stdin is not None
    return process.stdin


def _lines(process: "subprocess.Popen[str]") -> IO[str]:
    assert process.stdout is not None
    return process.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?", default="HEAD", help="the tree to compare with")
    parser.add_argument("--evenings", type=int, default=1000, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--show", type=int, help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.show is not None:
        print(json.dumps(worked(said.show)))
    elif said.worker is not None:
        worker(said.worker)
    else:
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.run(["git", "archive", said.revision], cwd=ROOT, check=True, capture_output=True)
            with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
                tar.extractall(folder, filter="data")
            wrong = compared(Path(folder), said.revision, range(said.first, said.first + said.evenings))
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
