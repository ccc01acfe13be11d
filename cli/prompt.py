"""The interactive prompt. Each line is run as a command; between two lines no file is open and no lock is held."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from cli import short_words, typed_amounts, typed_dice, typed_text
from cli.command_types import EntryCommand, Verb, may_write
from cli.completion import PromptCompleter
from cli.context import Invocation, OpenCampaign
from cli.history import HISTORY_FILE
from cli.keyboard import Keyboard, piped_lines, spaces_for_early_tabs
from cli.render import terminal
from cli.short_forms import show_short_forms
from cli.shorthand import (
    AGAIN,
    PROGRAM,
    QUIT_WORDS,
    TEXT_COMMANDS,
    WITH,
    command_index,
    expand_first_word,
    for_named_character,
)
from cli.usual import takes_character
from ledger import systems
from ledger.errors import LedgerError, NotMade, Refused, entry_count, quoted
from ledger.events.entry import lead_of
from ledger.hints import hint_text
from ledger.journal.book import Book
from ledger.reading.names import Names, game_named
from ledger.reading.placing import AT_SIGN
from ledger.rules.move import Move
from ledger.values import Struct
from projections.status import moment

NOBODY = "none"
"""The word after `with` that clears the usual character."""

UNDO_LINES = (["u"], ["undo"])
"""The lines that undo the last action. If `Prompt._offer_undo` returns True, the user must repeat the line."""

SECRET_LINE_PATTERN = re.compile(rf"--se\w*|--uns\w*|--only?\b|--words|{short_words.PASSWORD_PATTERN}")
"""A pattern for flags of secrets, even shortened, and for passwords in addresses. The history omits matching lines."""

NOT_REPEATED_COMMANDS = frozenset(
    {"undo", "redo", "void", "amend", "rewind", "choose", "dispute", "decide", "override", "turns", "session", "day"}
)
"""The commands that `again` does not repeat: corrections, and commands like `turns next` that move the game on."""


class WrittenLine(Struct):
    """A line that wrote entries: its expanded words, the usual character when it was typed, and its first entry."""

    words: list[str]
    who: str | None
    first: int

    def replacement(self, book: Book) -> int | None:
        """Return the line's first entry, or the entry that replaced it; `None` if the line was canceled."""
        if not book.is_struck(lead_of(book.action(self.first)).act):
            return self.first
        from ledger.corrections.actions import replacement_of  # few lines are corrected

        return replacement_of(book, self.first)


class Prompt:
    """A running prompt: its usual character and game, and the lines that `again` may repeat."""

    def __init__(self, invocation: Invocation, campaign: click.Group) -> None:
        self.invocation = invocation.replace(at_prompt=True)
        self.campaign = campaign
        self._written: list[WrittenLine] = []
        self._wrote_nothing = False  # whether the last line was refused, or could have written but did not
        self._offered: int | None = None  # the action that the last line offered to undo
        self._again_asks = False  # whether such a line came after the last line that wrote
        self._seen = (0, b"")  # the size and the root hash of the campaign after the last line

    def begin(self) -> None:
        """Remember which campaign is open, and set the usual character. Raise `Unreadable` if there is no campaign.

        The usual character is the configured character, else the player's only character.
        """
        with self.invocation.book() as book:
            who = self.invocation.usual_character(book) or _only_character(self.invocation, book)
            place = OpenCampaign(file=self.invocation.path(), first=book.first_leaf())
        self.invocation = self.invocation.replace(place=place, who=who, game=None)
        self._seen = self._size_and_root() or self._seen

    def prompt_text(self) -> str:
        """Return the text that the prompt prints before each line: the usual character, and the chosen game if any."""
        parts = filter(None, (self.invocation.who, self.invocation.game))
        return f"{' '.join(parts)}> "

    def do(self, line: str) -> bool:
        """Run a line, and print any error. Return False if the line ends the prompt, else True.

        If somebody answers a question of the command with another line, run that line next.
        """
        words: list[str] = []
        nothing_to_undo, self._wrote_nothing = self._wrote_nothing, False
        offered, self._offered = self._offered, None
        try:
            short_words.check_no_password([line])
            words = self._words(line.strip().removeprefix(f"{PROGRAM} ").strip())
            if words == [short_words.HELP]:
                show_short_forms()
            elif words[:1] == [WITH]:
                self._set_usual(words[1:])
            elif words in UNDO_LINES and self._offer_undo(words[0], offered, wrote=not nothing_to_undo):
                pass  # the user types the line again to undo this action
            elif self._again_asks and words[:1] == [AGAIN]:
                terminal.aside("The last line wrote nothing.")
                repeated = " ".join(word for word in self._line_to_repeat()[0].words if word != "--")
                terminal.aside(f"To repeat {quoted(repeated)}, type {quoted(' '.join(words))} once more.")
            elif words and words[0] not in QUIT_WORDS:
                self._run(self._again(words[1:]) if words[0] == AGAIN else words)
        except LedgerError as error:
            self._wrote_nothing = True
            terminal.print_error(error)
        except click.UsageError as wrong:
            self._wrote_nothing = True
            terminal.print_input_error(wrong, without_usage=True)
        except terminal.TypedInstead as instead:
            return self.do(instead.line)
        except click.Abort:
            pass
        self._again_asks = (self._again_asks or self._wrote_nothing) and words[:1] not in ([AGAIN], *UNDO_LINES)
        return not (words and words[0] in QUIT_WORDS)

    def _run(self, words: list[str]) -> None:
        """Run a line. Keep it for `again` if it writes. Raise `Refused` if the history in the file was replaced."""
        before = self._seen
        if (now := self._size_and_root()) is not None:
            self._seen = now
            self._check_continues(*before)
        before, expanded = self._seen, self._expand_command(words)
        commands = [command for command, _ in self._commands(expanded)]
        code: object = terminal.INTERRUPTED
        try:
            with suppress(KeyboardInterrupt):
                self.campaign.main(args=[*words], prog_name=PROGRAM, obj=self.invocation)
        except SystemExit as end:
            code = end.code
        finally:
            self._seen = self._size_and_root() or before
            wrote = self._seen[0] > before[0]
            self._wrote_nothing = not wrote and (bool(code) or may_write(commands[-1]))
            self._again_asks = self._again_asks and not wrote
            if code == terminal.INTERRUPTED and may_write(commands[-1]):
                seq = before[0] + 1
                terminal.aside(f"Your line was already written as #{seq}." if wrote else "Nothing was written.")
            if wrote and NOT_REPEATED_COMMANDS.isdisjoint(command.name for command in commands):
                line = WrittenLine(words=expanded, who=self.invocation.who, first=before[0] + 1)
                self._written.append(line)

    def _offer_undo(self, word: str, offered: int | None, *, wrote: bool) -> bool:
        """If `undo` may surprise the user, and its action was not just `offered`, show the action and return True.

        `undo` may surprise if the last line `wrote` nothing, or if the user has written elsewhere since that line.
        """
        from ledger.corrections.undoing import next_to_undo  # most lines undo nothing
        from projections.phrases import describe_entry

        with self.invocation.book() as book:
            latest = next(next_to_undo(book, self.invocation.player_handle(book)), None)
            if latest in {None, offered} or (wrote and offered is None and latest <= self._seen[0]):
                return False
            entry = describe_entry(book, lead_of(book.action(latest)).seq)
        elsewhere = "Since your last line, you wrote something elsewhere."
        terminal.aside(elsewhere if wrote else "The last line wrote nothing that you could undo.")
        terminal.aside(f"To undo {entry}, type {word} again.")
        self._offered = latest
        return True

    def _expand_command(self, words: list[str]) -> list[str]:
        """Expand the first word of a line to a full command. In a line that rolls no dice, make `edge = 2` one word."""
        ctx = click.Context(self.campaign, obj=self.invocation, resilient_parsing=True)
        start = command_index(self.campaign, words)
        front, words = words[:start], words[start:]
        try:
            command = self.campaign.get_command(ctx, words[0])
            if isinstance(command, click.Group) and words[1:2] and words[1].startswith(short_words.DICE_SIGN):
                words = ["adjust", *words]  # a score with the same name as a game
            elif command is None:
                words = expand_first_word(self.invocation, words, ctx)
            return [*front, *(words if self._may_roll(words) else typed_amounts.join_assignments(words))]
        except (LedgerError, click.ClickException):
            return [*front, *words]

    def _split(self, line: str) -> list[str]:
        """Split a line into words. Change the first word after the leading flags to lower case."""
        words = typed_text.words_of(line)
        start = command_index(self.campaign, words)
        return [*words[:start], *map(short_words.in_lower_case, words[start : start + 1]), *words[start + 1 :]]

    def _words(self, line: str) -> list[str]:
        words = self._split(line)
        if words[:1] in ([short_words.HELP], ["?"]) and words[1:] and not words[1].startswith("-"):
            return [*words[1:], "--help"]
        if not words or not any(name.startswith(words[command_index(self.campaign, words)]) for name in TEXT_COMMANDS):
            return words
        ctx = click.Context(self.campaign, obj=self.invocation, resilient_parsing=True)
        command: click.Command | None = self.campaign
        begun, rest = list[str](), line
        while isinstance(command, click.Group) and rest:
            matches = [*re.finditer(typed_text.WORD_PATTERN, rest)]
            left = [*map(typed_text.unquoted, matches)]
            start = command_index(command, left)
            word = left[start].partition(short_words.REASON_SIGN)[0].lower()
            meant = expand_first_word(self.invocation, [word], ctx)[0] if command is self.campaign else word
            name = short_words.full_name(meant, command.list_commands(ctx), ctx) or meant
            command, begun = command.get_command(ctx, name), [*begun, *left[:start], name]
            rest = rest[matches[start].start() + len(matches[start][0].partition(short_words.REASON_SIGN)[0]) :].strip()
        if command is None or short_words.text_argument(command) is None:
            return words
        return [*begun, *typed_text.split_around_text(command, ctx, rest)]

    def _size_and_root(self) -> tuple[int, bytes] | None:
        """Return the size and the root hash of the campaign, or None if it cannot be read."""
        with suppress(LedgerError), self.invocation.snapshot() as book:
            return book.head(), book.root(book.head())
        return None

    def _check_continues(self, size: int, root: bytes) -> None:
        """Raise `Refused` if the file no longer continues a history of `size` entries with this root hash."""
        from ledger.trust.heads import abandoned_roots  # rarely needed: most files are not replaced

        if self._seen == (size, root):
            return
        with self.invocation.snapshot() as book:
            if book.contains_head(size, root):
                return
            restored, now = root in abandoned_roots(book), book.head()
        if restored:
            raise Refused(
                f"A backup was restored: the campaign had {entry_count(size)}, and now it has {now:,}. Your line was"
                " not written.",
                "Type the line again to continue from the backup.",
            )
        raise Refused(
            f"The campaign's file was replaced with an older or different one. The earlier file had"
            f" {entry_count(size)}; this one has {now:,}. Your line was not written.",
            "Put the earlier file back. Or type the line again, to work in the new file.",
        )

    def may_hide(self, line: str) -> bool:
        """Return True if a line plays a move that can keep inputs secret."""
        words = self._split(line.strip().removeprefix(f"{PROGRAM} "))
        ctx = click.Context(self.campaign, obj=self.invocation, resilient_parsing=True)
        try:
            words = words[command_index(self.campaign, words) :]
            known = not words or self.campaign.get_command(ctx, words[0]) is not None
            game, *rest = words if known else expand_first_word(self.invocation, words, ctx)
        except (LedgerError, click.ClickException, ValueError):
            return False
        system = systems.find(game) if systems.is_installed(game) else None
        moves = system.rulebook().moves if system and rest else ()
        return any(move.hides is not Move.hides for move in moves if move.name().startswith(rest[0]))

    def _set_usual(self, words: Sequence[str]) -> None:
        """Set the usual character, and optionally the game. Without words, or with `none`, clear both."""
        if len(words) > 2:  # noqa: PLR2004  a character and a game
            raise Refused("Type a character and, if you like, a game, as in: with mara edge")
        if words and short_words.means_several(words[0]):
            hint = f"To act for {words[0]} in one line, type for example: roll {words[0]} d20"
            raise Refused(f"{WITH!r} takes only one character.", hint)
        with self.invocation.book() as book:
            words = [] if [*words] == [NOBODY] and not book.plays(NOBODY) else words
            who = self.invocation.names(book).character(words[0].removeprefix(AT_SIGN)) if words else None
        game = systems.find(game_named(words[1])).name if words[1:] else None
        self.invocation = self.invocation.replace(who=who, game=game)

    def _again(self, words: Sequence[str]) -> list[str]:
        """Return the line that `again` runs: the last line that was not canceled, without its dice. Add `words`.

        If the last line was amended, return the line that repeats the new entry. Raise `Refused` without a last line.
        """
        last, amended = self._line_to_repeat()
        if amended is not None:
            return [AGAIN, str(amended), *words]
        if any(map(short_words.starts_dice, words)) and not self._may_roll(last.words):
            raise Refused(
                f"The last line rolls no dice: {quoted(' '.join(last.words))}.",
                "Type 'again' and leave out the dice.",
            )
        command, place = self._command(last.words)
        other = any(word.startswith(AT_SIGN) for word in words)
        reasons = [word for word in last.words if word.startswith(f"{short_words.REASON_SIGN} ")]
        without_dice = typed_dice.without_dice(last.words, rolls=self._may_roll(last.words))
        repeated = [word for word in without_dice if word not in reasons]
        if other and short_words.text_argument(command) is not None:
            raise Refused(
                f"The command '{command.name}' takes no character, so you cannot repeat it for somebody else."
            )
        if short_words.text_argument(command) is not None and self._positional_words(command, words):
            raise Refused(
                f"'{AGAIN}' cannot change the text of '{command.name}'.",
                "To write another text, type the whole line.",
            )
        if other:
            repeated = [*repeated[:place], *self._without_character(command, repeated[place:])]
        else:
            own = self._positional_words(command, repeated[place:])
            named = next((word for word in own if word.startswith(AT_SIGN)), None)
            if self.invocation.who is not None:
                repeated = [word for word in repeated if word != named]
            acted = named or (last.who and f"{AT_SIGN}{last.who}")
            if acted and acted not in repeated and not self._may_act(command, last.words[:place], own):
                words = [*words, acted]
        end = repeated.index("--") if "--" in repeated else len(repeated)
        return [*repeated[:end], *words, *reasons, *repeated[end:]]

    def _without_character(self, command: click.Command, words: Sequence[str]) -> list[str]:
        """Return the words after a command without the characters who act. Keep the target of an attack."""
        words = [word for word in words if not (short_words.means_several(word) or word.startswith(AT_SIGN))]
        if not (isinstance(command, Verb) and command.may_be_for_several):
            return words
        with self.invocation.snapshot() as book:
            is_named = Names(book).named_in_full
            left = [word for word in words if is_named(word.removesuffix(",")) is None]
            return left if len(left) < len(words) else for_named_character(self.invocation, book, words)[1]

    def _line_to_repeat(self) -> tuple[WrittenLine, int | None]:
        """Return the line that `again` repeats, and the entry that replaced the line's first entry, if any.

        A line for several characters is repeated as it was typed, even if it was corrected.
        """
        with self.invocation.snapshot() as book:
            for line in reversed(self._written):
                if (entry := line.replacement(book)) is not None:
                    as_typed = entry == line.first or lead_of(book.action(line.first)).line is not None
                    return line, None if as_typed else entry
        raise Refused("There is no line to repeat yet.")

    def _may_act(self, command: click.Command, named: Sequence[str], own: Sequence[str]) -> bool:
        """Return True if `again` can repeat a line without the name of the character who acted in it.

        `named` are the words that name the command, and `own` the positional words after them. One of these is enough:
        a word in `own` names a character; the usual character can run the command; or the command belongs to no game
        and takes no character.
        """
        game = next((word for word in named if systems.is_installed(word)), None)
        if game is None and not takes_character(command):
            return True
        with self.invocation.book() as book:
            usual = self.invocation.usual_character(book)
            plays = usual is not None and (game is None or game in book.systems(usual))
            return plays or any(map(book.plays, own))

    def _may_roll(self, words: Sequence[str]) -> bool:
        command, _ = self._command(words)
        return isinstance(command, EntryCommand) or any(short_words.FACES_FLAG in one.opts for one in command.params)

    def _command(self, words: Sequence[str]) -> tuple[click.Command, int]:
        """Return the command of an expanded line, and the index of the first word after its name.

        For an unknown command, return an empty command that has no flags.
        """
        return [*self._commands(words)][-1]

    def _commands(self, words: Sequence[str]) -> Iterator[tuple[click.Command, int]]:
        """Yield the program, the groups and the command of an expanded line, each with the index of the next word."""
        ctx = click.Context(self.campaign, obj=self.invocation, resilient_parsing=True)
        command: click.Command = self.campaign
        place = 0
        yield command, place
        while isinstance(command, click.Group) and place < len(words):
            place += command_index(command, words[place:])
            name, place = words[place], place + 1
            with suppress(click.UsageError):
                name = short_words.full_name(name, command.list_commands(ctx), ctx) or name
            command = command.get_command(ctx, name) or click.Command(name)
            yield command, place

    def _positional_words(self, command: click.Command, words: Sequence[str]) -> list[str]:
        """Return the words that are neither flags nor values of flags. Flags may be shortened."""
        ctx = click.Context(command, obj=self.invocation, resilient_parsing=True)
        return short_words.positional_words(command, short_words.full_flags(command, ctx, words))


def _only_character(invocation: Invocation, book: Book) -> str | None:
    plays = book.characters_of(invocation.player_handle(book))  # without the session's non-player characters
    return plays[0] if len(plays) == 1 else None


def run(invocation: Invocation, campaign: click.Group) -> None:
    """Read lines and run each, until the input ends or a line such as `quit` ends the prompt."""
    prompt = Prompt(invocation, campaign)
    prompt.begin()
    is_typed = terminal.is_interactive()
    for line in _typed_lines(prompt) if is_typed else piped_lines(prompt.prompt_text):
        if not prompt.do(line):
            break
    if is_typed:
        terminal.aside(f"The prompt is closed. To open it again, type: {PROGRAM} play")


def _typed_lines(prompt: Prompt) -> Iterator[str]:
    """Yield lines typed at the terminal. Ctrl-C discards the current line, and Ctrl-D ends the prompt."""
    history = _history(prompt)
    completer = PromptCompleter(lambda: prompt.invocation, prompt.campaign)
    keys = spaces_for_early_tabs()
    session = PromptSession[str](history=history, completer=completer, complete_while_typing=True, key_bindings=keys)
    keyboard = Keyboard(session)
    with keyboard.opened():
        while True:
            if isinstance(history, KeptHistory):
                history.read_again()
            below = bottom_line(prompt)
            for typed in keyboard.stopped_lines():
                terminal.aside(f"This line was not carried out: {typed}")
            try:
                line = keyboard.line(prompt.prompt_text(), below)
            except KeyboardInterrupt:
                continue
            except EOFError:
                return
            yield line


def _history(prompt: Prompt) -> History:
    """Load the lines of earlier prompts. If the home folder is not writable, warn, and save no new lines."""
    from ledger.trust.home import make_home  # views save nothing

    home = prompt.invocation.home()
    try:
        make_home(home.folder)
        return KeptHistory(os.path.join(home.folder, HISTORY_FILE), prompt)
    except NotMade as error:
        why = error.why
    except OSError as error:
        why = f"{error.filename}: {error.strerror}"
    terminal.aside(f"This prompt cannot save its history of typed lines ({why}).")
    return InMemoryHistory()


def bottom_line(prompt: Prompt) -> str:
    """Return the line below the prompt: session, scene, day, open questions and open offers."""
    try:
        with prompt.invocation.snapshot() as book:
            now, offers = moment(book), _offers_text(book)
    except LedgerError as error:
        return error.sentence
    session = f"session {now.session}: {now.title}" if now.session else "no session is open"
    waits = f"open questions: {now.waiting}; to list them, type: questions" if now.waiting else ""
    return terminal.escaped(
        " · ".join(filter(None, (session, now.scene, f"day {now.day}" if now.day else "", waits, offers)))
    )


def _offers_text(book: Book) -> str:
    """Return the text about open offers for the line below the prompt; "" if there are none.

    A single offer is shown with the command that takes it. For several offers, the text has only their number.
    """
    from cli.render.status import question_line  # the first line of a prompt needs none of it
    from cli.run import answer_to
    from projections.questions import open_offers

    offers = open_offers(book)
    if len(offers) > 1:
        return f"open offers: {len(offers)}; to list them, type: questions"
    return "".join(f"{question_line(offer)}: {hint_text(answer_to(book, offer), program='')}" for offer in offers)


class KeptHistory(FileHistory):
    """The lines of earlier prompts, in a file that only its owner can read. Lines with secrets are not saved."""

    def __init__(self, filename: str, prompt: Prompt) -> None:
        os.close(os.open(filename, os.O_CREAT | os.O_RDWR, 0o600))
        super().__init__(filename)
        self._prompt = prompt
        self._inode = os.stat(filename).st_ino

    def read_again(self) -> None:
        """Reload the file if an erasure replaced it. Forget the lines that are only in memory."""
        with suppress(OSError):
            inode = os.stat(self.filename).st_ino
            self._loaded = self._loaded and inode == self._inode
            self._inode = inode

    def append_string(self, string: str) -> None:
        """Add a line. Lines that were pasted together are added one by one."""
        for line in string.split("\n"):
            super().append_string(line)

    def store_string(self, string: str) -> None:
        """Save a line, unless it may contain secrets."""
        if not (SECRET_LINE_PATTERN.search(string) or self._prompt.may_hide(string)):
            with suppress(OSError):  # a full disk must not end the prompt
                super().store_string(string)
