"""Every error that we raise on purpose, as a tree. Errors on the right are direct subclasses of the error on the left.

    LedgerError
      Refused             AmbiguousName, CampaignFull, ClockDiffers, Held, NeverReached, NotEnough, NotOneself,
                          NotWithin, OnceDiffers, OtherDice, OutOfRange, ResultChanged, SecretNotHere, Taken,
                          Unfinished, WordsGone, WrongFaces
        UnknownName       Nobody, NotOnSheet
      BadInput            IncompletePair, LacksNeededOption, NotCanonical, NotReadable, Twice
      WriteFailed         Busy, ReadOnly, TooManyWrites, Unscrubbed, Unsettled
        DiskRefused       NotMade
      NotShown            PipeClosed
      Unreadable          NewerCampaign, NoCampaign, NotACampaign, OtherCampaign
      NotWhole            Altered, NotGuarded, TablesDiffer, Truncated, WrongEntry
        Damaged           ForeignLog
        OldCopy           OlderFile
      Findings, Broken
      Unproven            Contradiction, Malformed

Most errors build their message from names and numbers. A separate hint may say what to do (see hints.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from errno import EACCES, ENOENT, EROFS
from typing import Literal

from ledger.hints import TYPE_OR_USE, Advice, Either, Flag, Run, visible_text

LONGEST_QUOTE = 50


def join_sorted(names: Iterable[str]) -> str:
    """Join names with commas, in alphabetical order."""
    return ", ".join(sorted(names))


def quoted(text: str) -> str:
    """Quote text for a message. Shorten a long text, escape control characters, and hide private keys."""
    if "PRIVATE+KEY" in text:
        return "a private key"
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…")


def count_of(number: int, one: str, many: str = "") -> str:
    """Return a number and its noun: "1 text", "2 texts". Without `many`, the plural is `one` with an "s"."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def entry_count(number: int) -> str:
    """Return a number of entries in words: "1 entry", "2 entries"."""
    return count_of(number, "entry", "entries")


MINUS = "−"
"""The minus sign in output. Input may have a hyphen instead."""


def with_minus_sign(value: object) -> str:
    """Return a value as text, with `MINUS` before negative numbers. Hyphens in names do not change."""
    text = str(value)
    return re.sub(r"(?<!\w)-(?=\d)", MINUS, text) if "-" in text else text


class LedgerError(Exception):
    """The base class of all errors. `place` is the failed command's number in a list of commands; 0 without a list."""

    place = 0

    def __init__(self, sentence: str, hint: str = "") -> None:
        self.sentence: str = Advice(sentence)
        self.hint: str = Advice(hint)
        super().__init__(self.sentence)


class Refused(LedgerError):
    """A command that the rules, or the state of the campaign, do not allow. Nothing was written."""


class UnknownName(Refused):
    """A name that does not belong to any person or thing in the campaign."""


class Nobody(UnknownName):
    """A name that no player or character has."""

    def __init__(self, name: str, what: Literal["player", "character"], hint: str = "") -> None:
        if what == "player":
            sentence = f"Nobody called {name} sits at this table."
        else:
            sentence = f"Nobody called {name} plays in this campaign."
        super().__init__(sentence, hint)


class NotOnSheet(UnknownName):
    """Something that a character's sheet lacks, such as a number. `lacks` names this thing in a few words."""

    def __init__(self, sentence: str, hint: str = "", *, lacks: str) -> None:
        super().__init__(sentence, hint)
        self.lacks = lacks


class Unfinished(Refused):
    """A move that must wait until an earlier move is finished. The mark `name` of `who` says what is unfinished."""

    def __init__(self, sentence: str, hint: str, *, who: str, name: str) -> None:
        super().__init__(sentence, hint)
        self.who = who
        self.name = name


class AmbiguousName(Refused):
    """A typed word that could mean any of several `names`."""

    def __init__(self, typed: str, names: Iterable[str]) -> None:
        self.names = tuple(sorted(names))
        if all(re.split("[/ ]", name)[-1] == typed for name in self.names):
            hint = f"Include the game, like {self.names[0]}."
        elif all(name.startswith(typed) for name in self.names):
            enough = (_shortest(name, self.names) for name in self.names[:MOST_NAMES_IN_HINT])
            hint = f"Type more of the name: {' or '.join(enough)}."
        else:
            hint = f"Type the whole name, like {self.names[0]}."
        super().__init__(f"{typed!r} could be any of {join_sorted(self.names)}.", hint)


MOST_NAMES_IN_HINT = 3
"""The maximum number of names in a hint."""


def _shortest(name: str, names: Iterable[str]) -> str:
    """Return the shortest prefix of `name` with which no other name in `names` starts."""
    others = [other for other in names if other != name]
    begins = (name[:length] for length in range(1, len(name)))
    return next((begin for begin in begins if not any(other.startswith(begin) for other in others)), name)


class WordsGone(Refused):
    """Words that are already erased."""

    def __init__(self, seqs: Iterable[int]) -> None:
        entries = ", ".join(f"#{seq}" for seq in seqs)
        super().__init__(f"The text of {entries} is already erased. The file no longer contains it.")


class WrongFaces(Refused):
    """Typed faces that the dice of the move cannot show."""


class NotEnough(Refused):
    """A score that is lower than the amount needed. If the score has several pools, `where` lists their amounts."""

    def __init__(self, who: str, score: str, *, has: int, needs: int, where: str = "") -> None:
        super().__init__(f"{who} has {with_minus_sign(has)} {score} and needs {needs}{where and f': {where}'}.")


class OutOfRange(Refused):
    """A score that would be beyond its limits."""


class OnceDiffers(Refused):
    """A --once id that was already used for a different command."""


class Held(Refused):
    """A command that must wait for an open question about the move `about`. The command `answer` answers it."""

    def __init__(self, who: str, question: int, about: str, answer: Run) -> None:
        super().__init__(f"{who} has an open question: #{question}.", f"To answer #{question} ({about}): {answer}")
        self.question = question


class OtherDice(Refused):
    """A move now needs other dice than it rolled. If the dice were `typed`, the hint names the flag `faces`."""

    def __init__(self, entry: int, needs: str, rolled: str, *, typed: bool, faces: str = Flag("faces")) -> None:
        hint = f"To roll again, first void the entry: {Run('void', entry, why='TEXT')}"
        hint = f"Enter the dice with {faces}." + f" {hint}" if typed else hint
        super().__init__(f"With this change, #{entry} needs {needs}, but {rolled} rolled.", hint)


class ResultChanged(Refused):
    """A correction whose result is not the one in the preview, because somebody has written entries since then."""

    def __init__(self, first: int, last: int, was: str, now: str) -> None:
        entries = f"#{first}" if first == last else f"#{first} to #{last}"
        result = "something else" if now == was else f"something else: {now}, not {was}"
        says = f"After you saw the preview, somebody wrote {entries}. Your command would now do {result}."
        super().__init__(f"{says} Nothing was written.", "Type the same command again to see the new result.")


class SecretNotHere(Refused):
    """A secret that the command needs, but that is not in this file."""

    def __init__(self, entry: int) -> None:
        hint = "Do this in the GM's file."
        super().__init__(f"This command needs a secret of #{entry} that is not in this file.", hint)


class NeverReached(Refused):
    """An entry, a day or a session that the campaign has not reached."""

    def __init__(self, point: str, last: str = "") -> None:
        super().__init__(f"This campaign never reached {point}{last and '; '}{last}.")


class NotWithin(Refused):
    """A number outside the range that a rule allows."""

    def __init__(self, what: str, value: int, limits: str) -> None:
        super().__init__(f"{what} must be {limits}, not {value}.")


class NotOneself(Refused):
    """A move that needs another character as the target, but names the acting character."""

    def __init__(self, who: str, verb: str) -> None:
        super().__init__(f"{who} cannot {verb} themselves.")


class Taken(Refused):
    """A name that a file or folder already has."""

    def __init__(self, name: str, hint: str = "") -> None:
        super().__init__(f"{name} already exists.", hint)


class CampaignFull(Refused):
    """A write that would give a campaign more entries than its host allows."""


class BadInput(LedgerError):
    """A value that is not valid: too long, not text, not a number, or flags that do not go together."""


class IncompletePair(BadInput):
    """One option of a pair, without the other option."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"Use {one} together with {other}, or leave out both.")


class LacksNeededOption(BadInput):
    """Options that may be used only with another option."""

    def __init__(self, *options: str, other: str, hint: str = "") -> None:
        super().__init__(f"{' and '.join(options)} {'needs' if len(options) == 1 else 'need'} {other}.", hint)


class Twice(BadInput):
    """A name that was typed more than once."""

    def __init__(self, name: str) -> None:
        super().__init__(f"You named {name} twice.")


class NotReadable(BadInput):
    """A file or folder that cannot be read."""

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(f"{name} cannot be read: {error.strerror}.")


class NotCanonical(BadInput):
    """A value that canonical JSON cannot represent, or bytes that are not canonical JSON."""


class WriteFailed(LedgerError):
    """A write that failed or was not finished."""


class Busy(WriteFailed):
    """A campaign, or a folder for new files, that another command is using."""

    def __init__(self, seconds: int, what: str = "the campaign") -> None:
        super().__init__(f"Another command has been using {what} for {seconds} seconds. Nothing was written.")


class DiskRefused(WriteFailed):
    """A write that failed because of the disk, for example because it is full or read-only."""


class NotMade(DiskRefused):
    """A file or folder that could not be made."""

    def __init__(self, name: str, error: OSError, hint: str = "") -> None:
        hints = {EACCES: "Choose a folder where you can write.", EROFS: "Choose a folder on a different disk."}
        hints[ENOENT] = "Make the folder first, or choose a different one."
        problem = self.why = f"{name} cannot be created: {error.strerror}"
        super().__init__(f"{problem}. Nothing was written.", hint or hints.get(error.errno or 0, ""))


class ReadOnly(WriteFailed):
    """A file that the current user may only read."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(f"{problem}. Nothing was written.", hint)


class TooManyWrites(WriteFailed):
    """A write to a campaign that has had as many writes in the last minute as its host allows."""


class Unsettled(WriteFailed):
    """A disk failure at the very end of a write. The command may or may not have been written."""


class Unscrubbed(WriteFailed):
    """Erased words that are still in the file. The command `repeat` removes them, and `when` says when to type it."""

    def __init__(self, why: str, when: str, repeat: str = "") -> None:
        self.why, self.when = why, when
        hint = f"Type this {when}: {repeat}" if repeat else f"Erase the same entries again {when}."
        super().__init__(f"The text is erased from the record, but traces of it remain in the file {why}.", hint)


class NotShown(LedgerError):
    """An answer that could not be shown, for example on a full disk. `done` says what the command has already done."""

    def __init__(self, why: str, done: str = "", hint: str = "") -> None:
        self.why = why
        says = f"{done}, but the answer could not be shown" if done else "The answer could not be shown"
        super().__init__(f"{says}: {why}.", hint)


class PipeClosed(NotShown):
    """A pipe whose reader ended early, like the Unix command `head`."""

    def __init__(self) -> None:
        super().__init__("the program that reads the output is no longer running")


class Unreadable(LedgerError):
    """A file that this program cannot read as a campaign."""


class NoCampaign(Unreadable):
    """A path at which there is no campaign."""

    def __init__(self, file: str = "") -> None:
        where = f"at {file}" if file else "here"
        super().__init__(f"There is no campaign {where}.", f"Start one with {Run('init', 'TITLE')}.")


class NotACampaign(Unreadable):
    """A file or folder that is not a campaign."""


class OtherCampaign(Unreadable):
    """An open file that was replaced with another campaign."""

    def __init__(self, file: str) -> None:
        hint = "Put the original file back. To use this file instead, quit the program and start it again."
        super().__init__(f"{file} now contains a different campaign. Nothing was written.", hint)


class NewerCampaign(Unreadable):
    """A campaign that a newer program wrote."""

    def __init__(self, schema: int, known: int) -> None:
        formats = f"format {schema}; this version reads formats up to {known}"
        super().__init__(f"A newer version of the program wrote this campaign ({formats}).")


class NotWhole(LedgerError):
    """A journal that contradicts itself."""


class WrongEntry(NotWhole):
    """A damaged or changed entry, with the number `seq`. All earlier entries are good."""

    def __init__(self, seq: int, problem: str) -> None:
        self.seq = seq
        last = f"the last good entry is {seq - 1}" if seq > 1 else "there is no earlier entry"
        super().__init__(f"Entry {seq} {problem}; {last}.")


class TablesDiffer(NotWhole):
    """Postings, marks or tree nodes that do not match the entries.

    If `intact`, the entries themselves are right.
    """

    def __init__(self, what: str, *, intact: bool = False) -> None:
        self.what = what
        says = "The scores and lists that the program computed do not match the entries"
        then = f"To compare the scores and lists with the entries, {TYPE_OR_USE} {Run('verify')}."
        if intact:
            says = "The entries are intact, but the scores and lists computed from them are not"
            then = (
                "If you think that somebody changed an entry, compare the file with a saved checkpoint"
                " first. A checkpoint is a signed summary of the record."
            )
        super().__init__(f"{says}: {what}.", f"Rebuild the scores and lists with {Run('rebuild')}. {then}")


class NotGuarded(NotWhole):
    """A file with changed tables or triggers. The program reads nothing in such a file."""

    def __init__(self, name: str) -> None:
        super().__init__(f"A part of the file that protects it against changes was altered: {name!r}.")


class Damaged(NotWhole):
    """A file that can be read only in part."""

    def __init__(self, what: str) -> None:
        super().__init__(f"The file is damaged: {what}.", f"Restore a backup: {Run('restore', 'BACKUP')}")


class ForeignLog(Damaged):
    """A `-wal` file that is named after the campaign file, but belongs to a different file."""

    def __init__(self, file: str) -> None:
        LedgerError.__init__(
            self,
            f"{file} and {file}-wal do not belong together. Nothing was read or written.",
            f"If you renamed or moved an older {file}, then {file}-wal belongs to the older file. Move {file}-wal to"
            f" the older file's folder, and give it the older file's name plus -wal. Then type"
            f" {Run('restore', 'BACKUP')}.",
        )


class ClockDiffers(Refused):
    """A computer clock that is behind the last entry, or far ahead. `--clock-ok` writes the command anyway."""

    def __init__(self, now: str, difference: str) -> None:
        clock = Either("This computer's clock", "The clock of the GM's computer")
        hint = f"Set the clock. If the clock is right, add {Flag('clock-ok')}."
        super().__init__(f"{clock} says {now}. {difference}. Nothing was written.", hint)


FORK_HINT = (
    f"Use the newer file. To go back to a backup, type {Run('restore', 'BACKUP')}."
    f" To continue from this file with a second history (a fork), add {Flag('fork')}. The record will always show"
    " the fork."
)


class OldCopy(NotWhole):
    """A file that lacks entries that this computer has seen. It has `holds` entries, and the computer saw `known`."""

    def __init__(self, holds: int, known: int) -> None:
        super().__init__(
            f"This computer has seen {entry_count(known)} of this campaign. This file has {entry_count(holds)}, but"
            " some of the entries that this computer has seen are missing or different. Nothing was written.",
            FORK_HINT,
        )


class OlderFile(OldCopy):
    """An older or different copy in place of the file that this computer wrote."""

    def __init__(self, holds: int, wrote: int) -> None:
        difference = f"this file ends at #{holds}" if wrote > holds else f"this file has a different #{wrote}"
        LedgerError.__init__(
            self,
            f"This computer has already written #{wrote} of this campaign, but {difference}. Nothing was written.",
            FORK_HINT,
        )


class Truncated(NotWhole):
    """A file that ends before a signed head that somebody saved."""


class Altered(NotWhole):
    """A file whose entries contradict a signed head that somebody saved."""


class Findings(LedgerError):
    """Problems that an audit found, or differences between imported rolls and the file that they came from."""


class Broken(LedgerError):
    """A bug in the rules of a game: they raised an unexpected exception (`__cause__`)."""

    def __init__(self, game: str, seq: int, bug: Exception) -> None:
        name = type(bug).__name__
        says = f"The rules of {game} failed at #{seq} ({name}): this is a bug in the program, not in your campaign."
        super().__init__(says, "Run the same command with -vv and report what it prints.")


class Unproven(LedgerError):
    """A proof, a signature or a signed text that is not valid."""


class Malformed(Unproven):
    """A key, a proof or a signed text that is not in the right form."""


class Contradiction(Unproven):
    """Two signed heads that contradict each other. `doubt` may say that somebody else may have used the key."""

    def __init__(self, one: str, other: str, doubt: str = "") -> None:
        self.heads = (one, other)
        hint = "Keep both checkpoints. With the campaign's public key, they prove that there are two histories."
        says = "Two checkpoints (signed summaries of the record) contradict each other: the campaign has two histories."
        super().__init__(f"{says} {doubt}".rstrip(), hint)
