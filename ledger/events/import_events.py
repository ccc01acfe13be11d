"""Events about imported rolls: the claims in another program's log or in a table. They change no score."""

from __future__ import annotations

from typing import ClassVar, Literal

from ledger.events.commitments import CommittedText, Secret
from ledger.events.facts import CountedDie, Event, Mark, Position, Seq, ShortText, StateBefore
from ledger.events.subjects import IMPORTED, LAST_LOG

Precision = Literal["ms", "second", "minute", "day", "none"]
Seen = Literal["all", "gm", "whisper", "blind", "self"]
RolledBy = Literal["machine", "manual", "unknown"]


class OfImport(Event):
    """An event that an import writes."""

    survives_rewind = True


class LogImported(OfImport):
    """An import of a file or folder. `form` is its format, and `importer` the version of the reader.

    If any roll in the file is private, the hashes and the size are secrets, because they would confirm a guess of
    the roll. `counts` has the numbers of rolls and records. `first` and `last` are the first and the last claimed
    time of the public rolls.
    """

    type: ClassVar[str] = "log-imported"
    file: CommittedText
    sha256: ShortText | Secret
    size: Seq | Secret
    form: ShortText
    importer: Seq
    mapping: ShortText | Secret | None
    counts: dict[str, int]
    first: ShortText | None
    last: ShortText | None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return (Mark(who=IMPORTED, name=LAST_LOG, value=at.seq),)


class RollImported(OfImport):
    """A roll that the file of entry `log` claims. `id` identifies the roll there, and `place` is its place in the file.

    - `claimed_at`: the time in UTC, or a date if only the day is known. `exact` is its precision.
    - `who`, `player`: the character and the player, if the mapping file names them; `speaker` is the name in the file.
    - `what`: the purpose, or a formula that the program cannot read.
    - `total`, `comes_to`: the claimed total, and the total of the dice, as decimal numbers in
      their shortest form.
    - `natural`: True if `dice` has the faces as they fell. `thrown` says who threw them.
    - `hidden`: a private roll has only this secret in place of the fields from `who` on.
    """

    type: ClassVar[str] = "roll-imported"
    log: Seq
    id: ShortText
    place: ShortText
    claimed_at: ShortText | None
    exact: Precision
    seen: Seen
    who: ShortText | None = None
    player: ShortText | None = None
    speaker: CommittedText | None = None
    what: CommittedText | None = None
    formula: str = ""
    dice: tuple[CountedDie, ...] = ()
    total: str | None = None
    comes_to: str | None = None
    natural: bool = False
    thrown: RolledBy = "unknown"
    hidden: Secret | None = None

    @property
    def subject(self) -> str:
        return ""  # nobody here saw the roll, so it belongs to no character's history

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return (Mark(who=IMPORTED, name=self.id, value=at.seq),)

    @property
    def differs(self) -> bool:
        """True if the dice do not come to the claimed total. False if the roll is in a closed secret."""
        content = self.__dict__ if self.hidden is None else self.hidden.value
        total, comes_to = map(content.get, ("total", "comes_to")) if isinstance(content, dict) else (None, None)
        return total is not None and comes_to is not None and bool(total != comes_to)
