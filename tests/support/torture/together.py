"""Nine processes type mixed commands on one campaign at once: what they report is there, once, in order, and whole.

The processes are forks of one that has loaded the program, so that they begin at once.
"""

import json
import re
import shlex
import sqlite3
import sys
from base64 import b64decode
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from click.testing import CliRunner

from cli.main import campaign
from ledger.journal.book import open_book
from torture.runs import Run, Trial, inside

FILE = "road.campaign"
HANDS, READERS, COMMANDS, SECONDS = 9, 1, 8, 300

OPENING = """
-f road.campaign init 'The salt road' --gm Tom
player Ana --plays mara
player Ben --plays brak
join mara edge maximum=900 edge=400 strength=6
join brak edge maximum=900 edge=400 armor.threshold=15 armor.reduction=30
audit
"""

WRITES = """
note 'It rains.'
note 'It rains.'
adjust WHO edge=+1 --why 'a gift'
adjust WHO edge=-1 strength=+2 --why 'a fall'
edge check WHO --skill N --target 20 --faces 7,6
edge check WHO --skill N --advantage map
edge check WHO --skill N --target 20 --seal
edge rest WHO short
roll WHO 3d6
set WHO edge/care=yes --why so
day next
dispute ENTRY --claim 'it was dark' --player Ana
undo
redo
void ENTRY --why so --yes
amend ENTRY --why so --yes
amend ENTRY --skill 8 --why so --yes --cascade
rewind --to ENTRY --yes
override ENTRY success --good --why 'the rope' --yes
assert WHO edge=N
session open 'An evening' --present Ana,Ben
"""
"""What writes entries; each is typed with an id of its own, and now and then a second time."""

LOOKS = """
verify
verify
audit
audit
backup SPARE.campaign
export SPARE
sheets
sheets --at ENTRY --corrected --json
log -n 5
questions
why WHO edge
checkpoint
checkpoint
WITNESS
WITNESS
session close
key rotate --why lost
"""

READS = """
verify
audit
"""

REFUSALS = {2, 3, 4}
"""How a command may end beside 0: what is amended has no such flag, the state of the game says no, or others write."""


def run(run: Run) -> None:
    for trial in run.trials():
        with inside(trial.folder):
            _evening(run, trial)


def _evening(run: Run, trial: Trial) -> None:
    for words in OPENING.strip().splitlines():
        _typed(words)
    key = _typed("witness init ana", home="ana")[1].splitlines()[0]
    _typed(f"policy --witness ana={key} --quorum 1")
    hands = [Hand(trial, number) for number in range(HANDS)]
    processes = [get_context("fork").Process(target=hand.play) for hand in hands]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=SECONDS)
        if process.exitcode != 0:
            run.weakness(f"a hand ended with {process.exitcode}")
        process.kill()
    told = [[json.loads(line) for line in hand.told.read_text().splitlines()] for hand in hands]
    for sentence in _wrong(run, told):
        run.weakness(sentence)


# What must hold


def _wrong(run: Run, told: list[list[dict[str, Any]]]) -> list[str]:
    """What was lost, doubled, out of order, or called broken."""
    wrong = [sentence for hand in told for sentence in _of_hand(run, hand)]
    connection = sqlite3.connect(FILE)
    leaves = dict(connection.execute("SELECT seq, hex(leaf) FROM entries"))
    sql = "SELECT body ->> '$.once', body ->> '$.act' FROM entries WHERE body ->> '$.once' IS NOT NULL GROUP BY 1, 2"
    acts = Counter(once for once, _ in connection.execute(sql))
    connection.close()
    for done in (done for hand in told for done in hand):
        for seq, leaf in done["entries"]:
            if leaves.get(seq, "").lower() != leaf:
                wrong.append(f"'{done['words']}' reported #{seq}, which is not there")
    ids = {done["once"]: False for hand in told for done in hand if done["once"]}
    ids |= {done["once"]: True for hand in told for done in hand if done["once"] and not done["code"]}
    wrong += [
        f"{once} was {'reported' if said else 'refused'}, and is there {acts[once]} times"
        for once, said in ids.items()
        if acts[once] != said
    ]
    run.count("entries", len(leaves))
    ends = [*_typed_all("verify", "audit"), *_heads(told)]
    return wrong + ends


def _of_hand(run: Run, hand: list[dict[str, Any]]) -> list[str]:
    wrong, last, before = [], 0, dict[str, Any]()
    for done in hand:
        run.count("commands")
        run.count("refused" if done["code"] else "done")
        if done["code"] not in {0, *(REFUSALS if done["may"] else ())}:
            wrong.append(f"'{done['words']}' ended with {done['code']}: {done['printed'][-1500:]}")
        new = [seq for seq, _ in done["entries"]]
        if done["opened"]:
            wrong.append(f"up to '{done['words']}', opened beside SQLite: {done['opened']}")
        if done["again"] and before["code"] == 0 and done["entries"] != before["entries"]:
            wrong.append(f"'{done['words']}' reported {before['entries']} and then {done['entries']}")
        before = done
        if new and not done["again"] and not done["shared"]:
            if min(new) <= last:
                wrong.append(f"'{done['words']}' reported #{min(new)} after #{last}")
            last = max(new)
    return wrong


def _typed_all(*lines: str) -> list[str]:
    ends = ((line, *_typed(line)) for line in lines)
    return [f"afterward '{line}' ends with {code}: {out[-1500:]}" for line, code, out in ends if code]


def _heads(told: list[list[dict[str, Any]]]) -> list[str]:
    """Signed heads that the file does not continue."""
    with open_book(FILE) as book:
        heads = [done["head"] for hand in told for done in hand if done["head"]]
        return [
            f"a checkpoint of {size} was signed, which the file lacks"
            for size, root in heads
            if not book.contains_head(size, b64decode(root))
        ]


# One hand


def _typed(words: str, home: str = "home") -> tuple[int, str]:
    file = [] if words.startswith("-f") else ["-f", FILE]
    done = CliRunner().invoke(campaign, [*file, *shlex.split(words)], env={"CAMPAIGN_HOME": home}, prog_name="campaign")
    broken = "" if done.exception is None or isinstance(done.exception, SystemExit) else f"{done.exception!r}"
    return (1 if broken else done.exit_code), done.stdout + done.stderr + broken


class Hand:
    """One of the processes: it types what it draws, and says what came of it."""

    def __init__(self, trial: Trial, hand: int) -> None:
        self.random, self.hand = Random(trial.random.random()), hand  # noqa: S311  on purpose
        self.number, self.told = 0, trial.folder / f"told-{hand}"
        self.told.touch()
        self.opened: list[str] = []

    def play(self) -> None:
        sys.addaudithook(self._watch)
        for self.number in range(COMMANDS):
            kind = READS if self.hand < READERS else LOOKS if self.random.random() < 0.4 else WRITES
            words = self._drawn(self.random.choice(kind.strip().splitlines()))
            if words == "WITNESS":
                self._witness()
            elif kind == WRITES:
                self._write(words)
            else:
                self._look(words)

    def _watch(self, event: str, args: tuple[Any, ...]) -> None:
        """Note whoever opens the campaign's file beside SQLite: to close it would drop the locks of the process."""
        if event == "open" and isinstance(args[0], str) and Path(args[0]).name.startswith(FILE):
            self.opened.append(args[0])

    def _drawn(self, template: str) -> str:
        drawn = {"WHO": self.random.choice(("mara", "brak")), "N": self.random.randint(0, 12)}
        drawn |= {"ENTRY": self.random.randint(1, 30), "SPARE": f"spare-{self.hand}-{self.number}"}
        return re.sub(r"\b[A-Z]+\b", lambda place: str(drawn.get(place[0], place[0])), template)

    def _write(self, words: str) -> None:
        once = f"{self.hand}-{self.number}"
        shared = words.startswith("note") and self.random.random() < 0.5
        if shared:
            words, once = "note 'All of us heard it.'", f"shared-{self.random.randint(1, 4)}"
        words = f"{words} --once {once} --json"
        self._say(words, *_typed(words), once=once, shared=shared, may=True)
        if self.random.random() < 0.2:
            self._say(words, *_typed(words), once=once, shared=shared, may=True, again=True)

    def _look(self, words: str) -> None:
        spare = f"spare-{self.hand}-{self.number}"
        code, out = _typed(words)
        head = _head(out) if code == 0 and words.startswith(("checkpoint", "session close")) else None
        may = words.startswith(("session close", "why", "sheets --at", "key rotate"))
        self._say(words, code, out, head=head, may=may)
        if words.startswith("backup") and not code:
            self._then(f"-f {spare}.campaign audit", spare)
        if words.startswith("export") and not code:
            self._then(f"-f {spare}.campaign import {spare} --yes", spare)
            self._then(f"-f {spare}.campaign verify", spare)

    def _then(self, words: str, home: str) -> None:
        """Look at a copy, at home where nobody knows of later heads."""
        self._say(words, *_typed(words, home))

    def _witness(self) -> None:
        """Ana signs a head from a home of her own, with the proof that she asks for, and the line is kept."""
        since = ""
        for number in range(3):
            code, out = _typed(f"checkpoint {since}")
            self._say("checkpoint", code, out, head=_head(out) if code == 0 and not since else None)
            head, line = (Path(f"{name}-{self.hand}-{self.number}-{number}.txt") for name in ("head", "line"))
            head.write_text(out)
            key = " ".join(("--rotated --key", _typed("key")[1].splitlines()[0]))
            code, out = _typed(f"witness sign {head} {key}", home="ana")
            if code == 7:  # she signed another one meanwhile
                since = (re.findall(r"--since [0-9]+", out) or [""])[0]
                continue
            self._say(f"witness sign {head}", code, out, may=True)
            if not code:
                line.write_text(out)
                self._say(f"witness add {line}", *_typed(f"witness add {line}"), may=True)
            return

    def _say(self, words: str, code: int, printed: str, **more: Any) -> None:
        rows = [json.loads(line) for line in printed.splitlines() if line.startswith('{"') and "--json" in words]
        entries = [(row["seq"], row["leaf"]) for row in rows if "leaf" in row] if code == 0 else []
        plain = {"once": None, "shared": False, "may": False, "again": False, "head": None}
        done = {
            "opened": self.opened,
            **plain,
            "words": words,
            "code": code,
            "printed": printed,
            "entries": entries,
            **more,
        }
        with self.told.open("a") as file:
            file.write(json.dumps(done) + "\n")


def _head(printed: str) -> tuple[int, str] | None:
    """The size and the root of a signed head."""
    lines = printed.splitlines()
    place = next((place for place, line in enumerate(lines) if line.isdigit()), None)
    return None if place is None else (int(lines[place]), lines[place + 1])
