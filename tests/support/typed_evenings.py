"""Evenings typed at the command line, drawn with a seed: moves of every game, days, sessions, above all corrections.

Nothing of the program is used but the command line and the tables on disk, so that it stays while names change.
"""

import json
import re
import shlex
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from random import Random
from typing import Any

from click.testing import CliRunner

from cli.context import Invocation
from cli.main import campaign

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
edge check WHO deception --attributes cunning,presence --target 20
edge check WHO --skill N --related-to climbing
edge check WHO --skill N --related
edge damage WHO pistol --to brak
edge damage WHO --weapon N --modifier N --to mara
edge soak WHO --damage N
edge soak WHO
edge attack WHO pistol brak --skill N --target 15
edge attack WHO pistol brak --skill N --target 15
edge attack WHO pistol mara --skill N --target 5 --advantage map
edge attack WHO --go-on
edge soak WHO light --damage N
edge wear WHO vest
edge wear WHO none
edge degrade WHO --threshold 1 --why hits
edge heal WHO physical --amount 1 --why rest
set WHO weapon.pistol=2d6+4 --why x
set WHO armor.vest=5/30 --why x
edge grant WHO advantage --related-to climbing --why map
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
multicheck test mara deception --difficulty N
multicheck test mara deception --attribute cunning --difficulty N --feat-value N --feat-of rain
multicheck throw mara 6
set mara multicheck/on.deception=cunning --why 'her sheet'
multicheck save mara toughness --condition flying --charges 3
multicheck save mara toughness --faces N
multicheck save mara toughness --effect damage=9 --to harm.damage
multicheck turn WHO
syscards rate WHO P --why fog --throw
syscards rate WHO P --why fog
syscards rate WHO P --why fog
syscards throw WHO
syscards throw WHO --faces P
syscards means WHO --words slips
syscards card WHO --rejects
syscards card WHO
syscards card WHO --kind brawl --info words
syscards card mara --forces brawl=P --over brak
syscards challenge mara --against brak --no-info
syscards challenge mara --against brak
syscards challenge brak --against mara --faces P,P
syscards challenge mara --against brak --wait
syscards clash mara --against brak
syscards deny mara --against brak --why x
syscards outright mara --against brak --why x
syscards outright brak --against mara --priority-only --why x
syscards challenge mara --against brak --rates mara=P,brak=P --why fog --faces P,P
syscards cancel mara brak --why x
syscards round begin
syscards round begin
syscards round prep
syscards reject WHO P --why x
syscards reject WHO P --why x --intensity N
syscards mode deal
syscards price efficiency 2
syscards buy WHO efficiency
rollunder skill mara deception --on cunning,presence --circumstance rain=-2
rollunder skill mara deception --on cunning,presence --faces N
rollunder skill mara deception --faces N
set mara rollunder/on.deception=cunning,presence --why 'her sheet'
rollunder plain mara cunning --factor 1.5
set WHO free/refill=hp free/roll.stealth=d20+dex --why 'the sheet'
free check WHO stealth --vs N
free check WHO d20+dex --vs N --faces N
free check WHO 4d6kh3
free check WHO d6! --vs N --secret
free rest WHO
adjust WHO free/hp=N/20 --why rest
give mara brak gold=N
give brak mara free/gold=1 --why share
settings free success=at-most
roll WHO d20+dex --vs N
byzantine task wall --costs N
byzantine task gate --costs N --why rain
byzantine task wall --costs 8 --opposed-energy brak=2
byzantine know WHO wall --energy 4
byzantine attempt WHO wall --energy N
byzantine attempt WHO gate --costs N --energy N --ability cunning
byzantine attempt WHO gate --costs 9 --energy 30 --overdraft
byzantine go WHO market --energy 2 --base N
byzantine map market --level cunning --district harbor
byzantine map docks --level cunning --district harbor --way
byzantine map market --off
byzantine go WHO docks
byzantine task go.market --costs N
byzantine contest duel --acting WHO --against brak --kind attack
byzantine contest duel --acting mara --against brak --ability mara=cunning
byzantine contest duel --acting mara --against brak --kind kill
byzantine contest duel --off
byzantine commit WHO duel --energy N
byzantine commit WHO duel --energy N --obscure 1
byzantine know WHO duel --energy N
byzantine resolve duel
byzantine resolve duel --take 1 --how x
byzantine task wall --close
byzantine know WHO go.market --energy 4
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
roll WHO d20+edge/edge
roll WHO 2d6+maximum --faces D,D
roll WHO '2#3d6!+edge'
roll WHO 4dF
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
settings syscards forced=both
player Cleo --plays sam
join sam edge maximum=N
npc wolf-1..2
npc bear
join wolf-1 edge maximum=N edge=0
join bear multicheck recovery=1 condition.fear=3
edge check wolf-1 --skill N --target 20 --faces D,D
roll bear d20
leave brak
leave wolf-1
join brak
turns add WHO N
turns add bear N
turns add wolf-1 N
turns roll WHO d20+2
turns roll WHO d20+edge/edge
turns roll WHO d10-4 --faces D
turns next
turns next
turns next
turns add bear N --before wolf-1
turns skip
turns skip WHO
turns delay WHO
turns back
settings campaign initiative=each-round
turns end
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
override ENTRY success --good --why 'the rope' --yes
override ENTRY failure --bad --why 'no rope' --yes
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
status
status --at POINT
status --at POINT --corrected --json
players --at POINT
turns --at POINT
"""

OFFERED = ("reroll", "after", "drop-instead D", "boost 1")
"""What rulings offer, as flags."""

ASKING = ("question-asked",)
DECIDED = ("dispute-raised", "knock-on-found", "limit-crossed", "score-asserted")


class Table:
    """One folder in which an evening is typed; what its commands print is kept."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.printed: list[str] = []
        self.answer = ""
        self.minutes = 0
        self.salts = 0
        self.dice = Random(7)  # noqa: S311  on purpose
        self.invocation = Invocation(clock=self.clock, clock_ok=True, chance=self.chance, salts=self.salt)

    def clock(self) -> datetime:
        return BEGIN + timedelta(minutes=self.minutes)

    def chance(self, sides: int) -> int:
        return self.dice.randrange(sides)

    def salt(self) -> bytes:
        self.salts += 1
        return sha256(f"salt {self.salts}".encode()).digest()

    def type(self, words: str) -> None:
        self.minutes += 3
        self.dice, self.salts = Random(self.minutes), 10_000 * self.minutes  # noqa: S311  what one refused, none has used up
        done = CliRunner().invoke(campaign, shlex.split(words), obj=self.invocation, prog_name="campaign")
        self.answer = done.stdout
        self.printed.append(f"$ campaign {words}\n{done.stdout}{done.stderr}(exit {done.exit_code})\n")

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
                template = self.random.choice([f"choose OFFER --{flag}" for flag in OFFERED])
            else:
                template = self.random.choice(play if kind < 0.6 else correct if kind < 0.95 else look)
            self.type(self.said(template))
