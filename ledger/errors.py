"""Every error that we raise on purpose, as a tree.

    LedgerError
      Refused                the rules, or the state of the campaign, say no; nothing was written
        UnknownName          nothing has that name
          Nobody             no player or character has that name
        AmbiguousName        a prefix of several names
        WordsGone            words that somebody erased before
        WrongFaces           dice that the move does not throw
        NotEnough            less than is needed
        OutOfRange           a score beyond its limits
        OnceDiffers          a known --once id with other content
        Held                 a question holds the character
        OtherDice            a replayed move needs different dice from those thrown
        ClockDiffers         a clock that is behind or far ahead of the campaign
        ResultChanged        a correction would no longer do what the user agreed to
        Away                 a secret that is not in this file
        NeverReached         a point that the campaign did not reach
        NotWithin            a number outside the range that a rule has for it
        NotOneself           a move against somebody else that names its own character
        Taken                a file or folder of that name already exists
      BadInput               a value that cannot be what it should be
        Together             two options that go together, one of them missing
        GoesWith             an option without the one that it belongs to
        Twice                one name typed more than once
        NotReadable          a file or folder that the machine does not read
        NotCanonical         a value that cannot be written, or bytes that are not canonical
      NothingWritten         the file could not be written
        Busy                 somebody else holds the campaign, or a folder
        NoRoom               the disk did not take it
          NotMade            a file or folder that could not be made
        ReadOnly             this person may only read the file
        Unsettled            the disk failed at the very end; it may have been written
        Unscrubbed           erased words are not yet out of the file
      NotShown               the answer could not be shown, but the command is done
        PipeClosed           the reader of a pipe closed it
      Unreadable             this program cannot read the file as a campaign
        NoCampaign           there is no such file
        NotACampaign         a file, but not one of ours
        OtherCampaign        another campaign is in its place now
        NewerCampaign        written by a newer program
      NotWhole               the journal contradicts itself
        WrongEntry           an entry is not what it should be
        TablesDiffer         postings, marks or nodes that do not match the entries
        NotGuarded           the tables or triggers are not ours
        Damaged              the file can be read in part only
          ForeignLog         the log beside the file belongs to another file
        OldCopy              a longer or different history is known
          OlderFile          this computer wrote a longer or different history into it
        Truncated            somebody holds a signed head that the file does not reach
        Altered              somebody holds a signed head that the entries contradict
      Findings               whole, but not right in all
      Broken                 the rules of a game failed: a bug
      Unproven               a proof, a signature or a signed text does not hold
        Malformed            not of the form that it should have
        Contradiction        two signed heads that contradict each other

An error takes facts and writes its own sentence. A separate hint says what to do, if anything (see hints.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from errno import EACCES, ENOENT, EROFS
from typing import Literal

from ledger.hints import TYPE, Advice, Either, Flag, Run, visible

LONGEST_QUOTE = 50


def sorted_names(names: Iterable[str]) -> str:
    """Names as a reader lists them: in order, with commas."""
    return ", ".join(sorted(names))


def shortened(text: str) -> str:
    """Text from outside as a sentence quotes it: control characters made visible, not too long, and no private key."""
    if "PRIVATE+KEY" in text:
        return "a private key"
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…")


MINUS = "−"
"""The minus sign that people read. A hyphen means the same where a number is typed."""


def minus(value: object) -> str:
    """A number, or a text with numbers, with the minus sign that people read; the hyphens of names stay."""
    return re.sub(r"(?<!\w)-(?=\d)", MINUS, str(value))


class LedgerError(Exception):
    """The base of all errors: one sentence, maybe a hint, and, of several commands, the `place` of the refused one."""

    place = 0

    def __init__(self, sentence: str, hint: str = "") -> None:
        self.sentence: str = Advice(sentence)
        self.hint: str = Advice(hint)
        super().__init__(self.sentence)


class Refused(LedgerError):
    """The rules, or the state of the campaign, say no; nothing was written."""


class UnknownName(Refused):
    """Nobody and nothing of that name."""


class Nobody(UnknownName):
    """No player, or no character, of that name."""

    def __init__(self, name: str, what: Literal["player", "character"], hint: str = "") -> None:
        does = "sits at this table" if what == "player" else "plays in this campaign"
        super().__init__(f"Nobody called {name} {does}.", hint)


class AmbiguousName(Refused):
    """A prefix of several names; `names` are the candidates."""

    def __init__(self, typed: str, names: Iterable[str]) -> None:
        self.names = tuple(sorted(names))
        if all(re.split("[/ ]", name)[-1] == typed for name in self.names):
            hint = f"Include the game, like {self.names[0]}."
        elif all(name.startswith(typed) for name in self.names):
            enough = (_shortest(name, self.names) for name in self.names[:MOST_OFFERED])
            hint = f"Type more of the name: {' or '.join(enough)}."
        else:
            hint = f"Type the whole name, like {self.names[0]}."
        super().__init__(f"{typed!r} could be any of {sorted_names(self.names)}.", hint)


MOST_OFFERED = 3
"""The maximum number of names in a hint."""


def _shortest(name: str, names: Iterable[str]) -> str:
    """Return the shortest prefix of this name that matches no other name."""
    others = [other for other in names if other != name]
    begins = (name[:length] for length in range(1, len(name)))
    return next((begin for begin in begins if not any(other.startswith(begin) for other in others)), name)


class WordsGone(Refused):
    """Words that somebody erased before."""

    def __init__(self, seqs: Iterable[int]) -> None:
        named = ", ".join(f"#{seq}" for seq in seqs)
        super().__init__(f"The text of {named} is already erased. The file no longer contains it.")


class WrongFaces(Refused):
    """Dice that the move does not throw."""


class NotEnough(Refused):
    """Less than is needed. `where` says how much is where, if it is in several places."""

    def __init__(self, who: str, score: str, *, has: int, needs: int, where: str = "") -> None:
        super().__init__(f"{who} has {minus(has)} {score} and needs {needs}{where and f': {where}'}.")


class OutOfRange(Refused):
    """A score beyond its limits."""

    def __init__(self, who: str, score: str, value: int, limit: str) -> None:
        super().__init__(f"The {score} of {who} would be {minus(value)}; {limit}.")


class OnceDiffers(Refused):
    """A known --once id with other content."""


class Held(Refused):
    """A question holds the character until it is answered."""

    def __init__(self, who: str, question: int) -> None:
        hint = f"List the open questions with {Run('questions')}."
        super().__init__(f"{who} has an open question: #{question}.", hint)


class OtherDice(Refused):
    """A replayed move needs different dice from those thrown. `faces` is the flag for typed dice."""

    def __init__(self, entry: int, needs: str, lie: str, *, typed: bool, faces: str = Flag("faces")) -> None:
        void = f"Void it with {Run('void', entry, why='TEXT')}, then roll again."
        hint = f"Enter the dice with {faces}. If you do not know them, v{void[1:]}" if typed else void
        super().__init__(f"With this change, #{entry} needs {needs}, but {lie} were rolled.", hint)


class ResultChanged(Refused):
    """A correction would no longer do what the user agreed to, since somebody wrote meanwhile."""

    def __init__(self, first: int, last: int, was: str, now: str) -> None:
        meanwhile = f"#{first} was written" if first == last else f"#{first} to #{last} were written"
        other = "" if now == was else f": {now}, not {was}"
        says = f"Since you looked, {meanwhile}. Your command would now do something else{other}."
        super().__init__(f"{says} Nothing was written.", "Type the same command again to see the new result.")


class Away(Refused):
    """The file lacks a secret of an entry, which the command needs."""

    def __init__(self, entry: int) -> None:
        hint = "Do this in the GM's file."
        super().__init__(f"A secret of #{entry} is not in this file, so you cannot do this here.", hint)


class NeverReached(Refused):
    """A point that the campaign did not reach."""

    def __init__(self, point: str, last: str = "") -> None:
        super().__init__(f"This campaign never reached {point}{last and '; '}{last}.")


class NotWithin(Refused):
    """A number outside the range that a rule has for it."""

    def __init__(self, what: str, value: int, limits: str) -> None:
        super().__init__(f"{what} must be {limits}, not {value}.")


class NotOneself(Refused):
    """A move against somebody else that names its own character."""

    def __init__(self, who: str, verb: str) -> None:
        super().__init__(f"{who} cannot {verb} themselves.")


class Taken(Refused):
    """A file or folder of that name is there already."""

    def __init__(self, name: str, hint: str = "") -> None:
        super().__init__(f"{name} already exists.", hint)


class BadInput(LedgerError):
    """A value that cannot be what it should be: too long, not text, no number, no such flag together."""


class Together(BadInput):
    """Two options that go together, one of them missing."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"Use {one} together with {other}, or leave out both.")


class GoesWith(BadInput):
    """One or more options without the option that they need."""

    def __init__(self, *options: str, other: str, hint: str = "") -> None:
        super().__init__(f"{' and '.join(options)} {'needs' if len(options) == 1 else 'need'} {other}.", hint)


class Twice(BadInput):
    """One name typed more than once."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is given twice.")


class NotReadable(BadInput):
    """A file or folder that the machine does not read."""

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(f"{name} cannot be read: {error.strerror}.")


class NotCanonical(BadInput):
    """A value without a canonical form in our profile, or bytes that are not the canonical form of their value."""


class NothingWritten(LedgerError):
    """The file was not written, or only in part."""


class Busy(NothingWritten):
    """Somebody else holds the campaign, or the folder where something is to be made."""

    def __init__(self, seconds: int, what: str = "the campaign") -> None:
        super().__init__(f"Another command has been using {what} for {seconds} seconds. Nothing was written.")


class NoRoom(NothingWritten):
    """The disk refused the write."""


class NotMade(NoRoom):
    """A file or folder that could not be made."""

    def __init__(self, name: str, error: OSError, hint: str = "") -> None:
        hints = {EACCES: "Choose a folder where you can write.", EROFS: "Choose a folder on a different disk."}
        hints[ENOENT] = "Make the folder first, or choose a different one."
        says = f"{name} cannot be created: {error.strerror}. Nothing was written."
        super().__init__(says, hint or hints.get(error.errno or 0, ""))


class ReadOnly(NothingWritten):
    """This person may only read the file."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(f"{why}. Nothing was written.", hint)


class Unsettled(NothingWritten):
    """The disk failed at the very end, so the command may or may not have been written."""


class Unscrubbed(NothingWritten):
    """Erased words are not yet out of the file; `repeat` is the command that removes them."""

    def __init__(self, why: str, when: str, repeat: str = "") -> None:
        self.why, self.when = why, when
        hint = f"{when}, type: {repeat}" if repeat else f"{when}, erase the same entries again."
        super().__init__(f"The text is erased from the record, but traces of it remain in the file {why}.", hint)


class NotShown(LedgerError):
    """An answer could not be shown, say on a full disk. The command itself is done, and its entries are written."""

    def __init__(self, why: str, what: str = "The answer", hint: str = "") -> None:
        self.why = why
        super().__init__(f"{what} could not be shown: {why}.", hint)


class PipeClosed(NotShown):
    """The reader of a pipe closed it, as `head` does once it has enough."""

    def __init__(self) -> None:
        super().__init__("the program that was reading the output stopped")


class Unreadable(LedgerError):
    """No campaign that this program can read."""


class NoCampaign(Unreadable):
    """No campaign there."""

    def __init__(self, file: str = "") -> None:
        where = f"at {file}" if file else "here"
        super().__init__(f"There is no campaign {where}.", f"Start one with {Run('init', 'TITLE')}.")


class NotACampaign(Unreadable):
    """A file or folder, but not one of ours."""


class OtherCampaign(NotACampaign):
    """Another campaign in place of the one that a prompt or a page has open."""

    def __init__(self, file: str) -> None:
        hint = "Put the right file back. To work in this file, leave the program and start it again."
        super().__init__(f"{file} is another campaign now. Nothing was written.", hint)


class NewerCampaign(Unreadable):
    """Written by a newer program."""

    def __init__(self, schema: int, known: int) -> None:
        says = f"A newer version of the program wrote this campaign (format {schema}; this one reads up to {known})."
        super().__init__(says)


class NotWhole(LedgerError):
    """The journal contradicts itself."""


class WrongEntry(NotWhole):
    """An entry is not what it should be; `seq` is the first one that is wrong."""

    def __init__(self, seq: int, what: str) -> None:
        self.seq = seq
        last = f"the last good entry is {seq - 1}" if seq > 1 else "it is the first one"
        super().__init__(f"Entry {seq} {what}; {last}.")


class TablesDiffer(NotWhole):
    """Postings, marks or nodes of the tree that do not match the entries; `whole` if the entries were checked."""

    def __init__(self, what: str, *, whole: bool = False) -> None:
        self.what = what
        says = "The scores and lists that the program computed do not match the entries"
        then = f"{Run('verify')} compares them all"
        if whole:
            says = "The entries are intact, but the scores and lists computed from them are not"
            then = (
                "if somebody may have changed an entry, first compare the file with a checkpoint (a signed summary of"
                " the record) that you saved"
            )
        super().__init__(f"{says}: {what}.", f"Rebuild them with {Run('rebuild')}; {then}.")


class NotGuarded(NotWhole):
    """The file's tables or triggers are not as this program makes them, so it reads nothing in the file."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The file's own protection against changes was altered: {name!r}.")


class Damaged(NotWhole):
    """The file can be read in part only."""

    def __init__(self, what: str) -> None:
        super().__init__(f"The file is damaged: {what}.", f"Restore a backup: {Run('restore', 'BACKUP')}")


class ForeignLog(Damaged):
    """The log beside a file belongs to another file."""

    def __init__(self, file: str) -> None:
        LedgerError.__init__(
            self,
            f"{file} and {file}-wal do not belong together. Nothing was read or written.",
            f"If you renamed or moved an older {file}, {file}-wal belongs to it. Move {file}-wal to the same folder and"
            f" give it the same name with -wal at the end. Then type {Run('restore', 'BACKUP')}.",
        )


class ClockDiffers(Refused):
    """This computer's clock is behind or far ahead of the campaign; `--clock-ok` writes anyway."""

    def __init__(self, now: str, differs: str) -> None:
        clock = Either("This computer's clock", "The clock of the GM's computer")
        hint = f"Set the clock. If the clock is right, add {Flag('clock-ok')}."
        super().__init__(f"{clock} says {now}. {differs}. Nothing was written.", hint)


FORK_HINT = (
    f"Use the newer file. To go back to a backup, type {Run('restore', 'BACKUP')}."
    f" To continue from this file with a second history (a fork), add {Flag('fork')}. The record will always show it."
)


class OldCopy(NotWhole):
    """This computer knows a longer history of the campaign than the file's, or another one."""

    def __init__(self, holds: int, known: int) -> None:
        other = f"This computer knows a history of this campaign with {known} entries."
        says = f"{other} This file has {holds} entries, and does not contain that history. Nothing was written."
        super().__init__(says, FORK_HINT)


class OlderFile(OldCopy):
    """An older or different copy has replaced the file that this computer wrote before."""

    def __init__(self, holds: int, wrote: int) -> None:
        this = f"this file ends at #{holds}" if wrote > holds else f"this file has a different #{wrote}"
        wrote_it = f"This computer has already written #{wrote} of this campaign"
        LedgerError.__init__(self, f"{wrote_it}, but {this}. Nothing was written.", FORK_HINT)


class Truncated(NotWhole):
    """Somebody holds a signed head that the file does not reach."""


class Altered(NotWhole):
    """Somebody holds a signed head that the entries contradict."""


class Findings(LedgerError):
    """The journal is whole, and something in it is not as it should be."""

    def __init__(self, count: int) -> None:
        super().__init__(f"The audit found {'1 problem' if count == 1 else f'{count} problems'}.")


class Broken(LedgerError):
    """The rules of a game raised an exception (`__cause__`) where they may only rule or refuse."""

    def __init__(self, game: str, seq: int, bug: Exception) -> None:
        failed = f"The rules of {game} failed at #{seq} ({type(bug).__name__})"
        says = f"{failed}: this is a bug in the program, not in your campaign."
        super().__init__(says, "Run the same command with -vv and report what it prints.")


class Unproven(LedgerError):
    """A proof, a signature or a signed text does not hold."""


class Malformed(Unproven):
    """A key, a proof or a signed text is not of the form that it should have."""


class Contradiction(Unproven):
    """Two signed heads that contradict each other; only both together are evidence.

    `doubt` is a sentence about a key that somebody else may have used.
    """

    def __init__(self, one: str, other: str, doubt: str = "") -> None:
        self.heads = (one, other)
        hint = "Keep both. Together with the campaign's public key, they prove that there are two histories."
        says = "Two checkpoints (signed summaries of the record) contradict each other: the campaign has two histories."
        super().__init__(f"{says} {doubt}".rstrip(), hint)
