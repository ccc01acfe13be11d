"""Commands about sheets, sessions, scenes, notes and settings, and changes that the GM makes by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from ledger import systems
from ledger.commands import calendar, turns  # noqa: F401  they define table commands too, for `COMMANDS_BY_TYPE`
from ledger.commands.decider import (
    Command,
    Draft,
    PageForm,
    Record,
    State,
    TableCommand,
    TableDraft,
    commands_by_event_type,
    describe_difference,
)
from ledger.commands.naming import FullName, check_new_handle, full_name
from ledger.commands.seats import Seat, open_session_number
from ledger.commands.sheet import (
    check_limits,
    check_look_different,
    check_new_scores,
    check_not_held,
    check_question_unchanged,
    score_name,
    sheet_system,
    table_of,
)
from ledger.errors import (
    BadInput,
    NotEnough,
    NotOneself,
    Refused,
    Run,
    UnknownName,
    join_sorted,
    quoted,
    with_minus_sign,
)
from ledger.events import types as events
from ledger.events.commitments import ERASED, CommittedText, secret, with_texts
from ledger.events.entry import Entry, jsonable, lead_of
from ledger.events.facts import Mark, Offset, Posting
from ledger.events.subjects import CAMPAIGN, CAST, PLAYER, is_npc
from ledger.rules import inputs
from ledger.rules.inputs import LONGEST_NAME, Label, Reason, Typed, Who, checked_text
from ledger.rules.system import Score, System
from ledger.values import Field

NO_VALUE = "none"
"""The typed value that removes a mark, as in `weapon.knife=none`. Only marks declared by a pattern accept it."""


class Open(Command):
    """A command that starts a campaign."""

    writes: ClassVar[tuple[str, ...]] = (events.CampaignOpened.type,)
    title: str
    gm: str
    key: str | None = None

    def decide(self, draft: TableDraft) -> None:
        if draft.head_before:
            raise Refused("This campaign already exists.", "Choose a different file name with -f FILE.")
        draft.add(events.CampaignOpened(title=checked_text("A title", self.title, LONGEST_NAME), key=self.key))
        Seat(name=self.gm, plays=(), gm=True).decide(draft)

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        """Compare the title and the GM's name with `entries`. Ignore the key, because each run makes a new one."""
        if [entry.type for entry in entries] != [events.CampaignOpened.type, events.PlayerSeated.type]:
            return None
        opened, seated = (jsonable(entry.event) for entry in entries)
        before = {"title": opened["title"], "gm": seated["name"]}
        return describe_difference(entries[0], before, {"title": self.title, "gm": self.gm})

    @classmethod
    def from_action(cls, state: State, entries: Sequence[Entry]) -> Self:
        opened = lead_of(entries).event
        assert isinstance(opened, events.CampaignOpened)  # noqa: S101  this command writes nothing else first
        names = (with_texts(entry.event.name) for entry in entries if isinstance(entry.event, events.PlayerSeated))
        return cls(title=with_texts(opened.title), gm=next(names, ERASED), key=opened.key)


class Join(TableCommand):
    """A command that gives a character a sheet in one game."""

    writes: ClassVar[tuple[str, ...]] = (events.CharacterJoined.type,)
    who: Annotated[str, inputs.NEW_NAME]
    system: Annotated[str, inputs.GAME, Label(text="game")]
    scores: Annotated[
        Mapping[str, int], inputs.STARTING_SCORES, inputs.MAY_BE_EMPTY, Label(text="scores", example="maximum=4")
    ]
    name: FullName = None

    def decide(self, draft: TableDraft) -> None:
        """Post the scores that were typed or that start above 0. Raise `Refused` for a second sheet in a game."""
        check_new_handle(draft, self.who)
        system = systems.find(self.system)
        seat = draft.mark(CAST, self.who)
        if draft.mark(self.who, f"{system.name}/sheet"):
            adjust, sets = Run("adjust", self.who, "SCORE=N"), Run("set", self.who, "NAME=WORD")
            change = f"Change a score with {adjust}, or another value with {sets}."
            hint = f"Bring {self.who} back with {Run('join', self.who)}." if seat is False else change
            raise Refused(f"{self.who} already has a sheet in {system.name}.", hint)
        typed_scores = {score_name(system, name): value for name, value in self.scores.items()}
        started = {
            score.name: _starting_value(system, score, typed_scores) for score in system.scores if not score.is_pattern
        } | typed_scores
        postings = [
            Posting(who=self.who, score=f"{system.name}/{name}", amount=value)
            for name, value in started.items()
            if value or name in typed_scores
        ]
        check_new_scores(draft, self.who, [posting.score for posting in postings])
        check_limits(draft, system, postings)
        draft.add(
            events.CharacterJoined(
                who=self.who,
                system=system.name,
                edition=system.edition,
                scores=dict(self.scores),
                name=None if self.name is None else full_name(draft, self.name, self.who),
                postings=tuple(postings),
            )
        )

    def check_new_names(self, state: State) -> None:
        check_look_different(state, self.who, (f"{self.system}/{name}" for name in self.scores))


def _starting_value(system: System, score: Score, typed_scores: Mapping[str, int]) -> int:
    if isinstance(score.starts, int):
        return score.starts
    other = system.score(score.starts)
    assert other is not None  # noqa: S101  a test checks that it is declared
    return typed_scores[score.starts] if score.starts in typed_scores else _starting_value(system, other, typed_scores)


class OpenSession(TableCommand):
    """A command that opens a session. Everybody counts as present if `present` is empty."""

    writes: ClassVar[tuple[str, ...]] = (events.SessionOpened.type,)
    title: Annotated[str, inputs.UNQUOTED_TEXT]
    present: Annotated[
        tuple[str, ...],
        inputs.ALL_PLAYERS,
        inputs.SEVERAL_PLAYERS,
        inputs.MAY_BE_EMPTY,
        Label(text="who is present", example="Ana, Ben"),
        "players who are present, or `all`",
    ]
    offset: Annotated[Offset | None, inputs.AUTOMATIC] = None

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        """Compare the inputs with `entries`. Ignore the time zone, because it can differ between computers."""
        opened = lead_of(entries).event
        offset = opened.offset if isinstance(opened, events.SessionOpened) else None
        return TableCommand.difference_from(self.replace(offset=offset), entries)

    def decide(self, draft: Draft) -> None:
        current = draft.mark(CAMPAIGN, "session")
        if current is not None:
            raise Refused(f"Session {current} is still open.", f"Close it with {Run('session close')}.")
        number = (draft.balance(CAMPAIGN, "session") or 0) + 1
        title = checked_text("A title", self.title, LONGEST_NAME)
        draft.add(events.SessionOpened(number=number, title=title, present=self.present, offset=self.offset))


class CloseSession(TableCommand):
    """A command that closes the session, and with it the scene and the turn order."""

    writes: ClassVar[tuple[str, ...]] = (events.SessionClosed.type,)
    uses_reserve = True
    signs: ClassVar[bool] = True

    def decide(self, draft: Draft) -> None:
        draft.add(events.SessionClosed(number=open_session_number(draft)))


class SetScene(TableCommand):
    """A command that starts a scene in the open session. The scene lasts until the next one."""

    writes: ClassVar[tuple[str, ...]] = (events.SceneSet.type,)
    form = PageForm(name="scene", heading="Scene", button="Start the scene")
    title: Annotated[str, inputs.UNQUOTED_TEXT]

    def decide(self, draft: Draft) -> None:
        open_session_number(draft)
        draft.add(events.SceneSet(title=checked_text("A title", self.title, LONGEST_NAME)))


class BeginDay(TableCommand):
    """A command that starts one day. `NextDay` runs it once for each day.

    Only the entry of the first day records the `count` or `until` of `NextDay`.
    """

    writes: ClassVar[tuple[str, ...]] = (events.DayBegun.type,)
    count: Annotated[int | None, inputs.NOT_AMENDABLE] = None
    until: Annotated[int | None, inputs.NOT_AMENDABLE] = None

    def decide(self, draft: Draft) -> None:
        day = (draft.balance(CAMPAIGN, "day") or 0) + 1
        draft.add(events.DayBegun(day=day, count=self.count, until=self.until))


class Adjust(TableCommand):
    """A command with which the GM changes scores.

    `amounts` maps full score names to changes, and `sets` maps full score names to new values.
    """

    writes: ClassVar[tuple[str, ...]] = (events.ScoreAdjusted.type,)
    form: ClassVar[PageForm | None] = PageForm(name="adjust", heading="Change scores", button="Adjust")
    who: Who
    amounts: Annotated[Mapping[str, int], inputs.DELTAS, Typed(name="scores"), Label(text="scores", example="edge=+1")]
    why: Reason | None = None
    sets: Annotated[Mapping[str, int], inputs.SCORES, inputs.NOT_AMENDABLE, Typed(name="")] = {}

    def decide(self, draft: Draft) -> None:
        draft.add(self.event(draft))

    def event(self, state: State) -> events.ScoreAdjusted:
        """Return the event to write. Raise the same errors as `decide`."""
        to_values = {full: value - (state.balance(self.who, full) or 0) for full, value in self.sets.items()}
        amounts = {**self.amounts, **to_values}
        check_question_unchanged(state, self.who, amounts)
        check_new_scores(state, self.who, amounts)
        postings = tuple(Posting(who=self.who, score=score, amount=amount) for score, amount in amounts.items())
        for name in dict.fromkeys(score.partition("/")[0] for score in amounts):
            system = sheet_system(state, self.who, name)
            in_game = [posting for posting in postings if posting.score.startswith(f"{name}/")]
            for posting in in_game:
                score_name(system, posting.score.removeprefix(f"{name}/"))
            check_limits(state, system, in_game)
        why = None if self.why is None else checked_text("A reason", self.why)
        return events.ScoreAdjusted(who=self.who, amounts=amounts, why=why, sets=dict(self.sets))

    def check_new_names(self, state: State) -> None:
        check_look_different(state, self.who, (*self.amounts, *self.sets))

    @classmethod
    def recorded_inputs(cls, entry: Entry) -> dict[str, Any]:
        """Return the inputs. Leave the scores in `sets` out of `amounts`."""
        facts = super().recorded_inputs(entry)
        return {**facts, "amounts": {name: by for name, by in facts["amounts"].items() if name not in facts["sets"]}}

    def changed(self, changes: Mapping[str, Any]) -> Self:
        changed = super().changed(changes)
        moved, to_values = changes.get("amounts", {}), changes.get("sets", {})
        return changed.replace(
            amounts={name: amount for name, amount in changed.amounts.items() if name not in to_values},
            sets={name: value for name, value in changed.sets.items() if name not in moved},
        )


class Give(TableCommand):
    """A command with which a character gives points of scores, such as gold, to another character.

    `amounts` maps full score names to positive amounts.
    """

    writes: ClassVar[tuple[str, ...]] = (events.ScoresGiven.type,)
    for_players: ClassVar[bool] = True
    form = PageForm(name="give", heading="Give", button="Give")
    who: Who
    to: Annotated[str, inputs.CAST, Label(text="recipient")]
    amounts: Annotated[Mapping[str, int], inputs.GIFTS, Typed(name="scores"), Label(text="what", example="gold=20")]
    why: Reason | None = None

    def decide(self, draft: Draft) -> None:
        """Add the transfer. Raise `Refused` if the giver has too little, or if a score may not be given to others."""
        if self.who == self.to:
            raise NotOneself(self.who, "give anything to")
        check_not_held(draft, (self.who, self.to))
        check_new_scores(draft, self.to, self.amounts)
        for full, amount in self.amounts.items():
            name, _, short = full.partition("/")
            system = sheet_system(draft, self.who, name)
            sheet_system(draft, self.to, name)
            score, has = system.score(score_name(system, short)), draft.balance(self.who, full) or 0
            if score is None or not score.may_be_given:
                hint = f"The GM can change scores with {Run('adjust', self.to, 'SCORE=N')}."
                raise Refused(f"In {name}, characters cannot give {short} to each other.", hint)
            if amount < 1:
                raise BadInput(
                    f"{short}={with_minus_sign(amount)} gives nothing.", "An amount must be above 0, like gold=20."
                )
            if has < amount:
                raise NotEnough(self.who, short, has=has, needs=amount)
            check_limits(draft, system, [Posting(who=self.to, score=full, amount=amount)])
        why = None if self.why is None else checked_text("A reason", self.why)
        draft.add(events.ScoresGiven(who=self.who, to=self.to, amounts=dict(self.amounts), why=why))

    def check_sheet(self, state: State) -> None:
        for full in self.amounts:
            sheet_system(state, self.to, full.partition("/")[0])

    def check_new_names(self, state: State) -> None:
        check_look_different(state, self.to, self.amounts)

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        return () if is_shared(record, self.who) else (self.who,)


def is_shared(state: State, who: str) -> bool:
    """Return True if nobody plays `who`: it is a shared sheet, such as the group's, and not a character."""
    return state.mark(who, PLAYER) is None and not is_npc(state.mark(CAST, who))


class SetMarks(TableCommand):
    """A command with which the GM sets marks. `values` maps full mark names to typed values."""

    writes: ClassVar[tuple[str, ...]] = (events.MarksSet.type,)
    form = PageForm(name="set", heading="Change values", button="Set")
    who: Who
    values: Annotated[Mapping[str, str], inputs.MARKS, Label(text="values", example="care=no")]
    why: Reason | None = None

    def decide(self, draft: Draft) -> None:
        check_question_unchanged(draft, self.who, self.values)
        marks, values = [], dict[str, Any](self.values)
        for full, typed in self.values.items():
            name, _, short = full.partition("/")
            declared = sheet_system(draft, self.who, name).mark(short)
            if declared is None:
                raise UnknownName(f"There is no value called {quoted(full)}.")
            if declared.is_open and draft.balance(self.who, full) is not None:
                raise Refused(f"{short} is a number.", f"To change it: {Run('adjust', self.who, f'{short}=N')}")
            read = None if declared.is_pattern and typed == NO_VALUE else declared.read(typed)
            value = read if isinstance(read, CommittedText) else jsonable(read)
            if isinstance(value, CommittedText):
                values[full] = value
            if declared.check and value is not None:
                declared.check(table_of(draft, name), self.who, value)
            marks.append(Mark(who=self.who, name=full, value=value))
        why = None if self.why is None else checked_text("A reason", self.why)
        draft.add(events.MarksSet(who=self.who, values=values, why=why, marks=tuple(marks)))

    def check_new_names(self, state: State) -> None:
        check_look_different(state, self.who, (full for full, typed in self.values.items() if typed != NO_VALUE))


class Note(TableCommand):
    """A command that writes a note. A secret note is for the GM, and for the `players` that it names."""

    writes: ClassVar[tuple[str, ...]] = (events.NoteWritten.type, events.NoteKept.type)
    for_players: ClassVar[bool] = True
    text: Annotated[str, inputs.UNQUOTED_TEXT, Label(text="text", lines=True)]
    secret: Annotated[
        bool,
        inputs.NOT_AMENDABLE,
        Label(text="hide from the other players"),
        "hide the note from the other players until the GM reveals it",
    ] = False
    players: Annotated[
        tuple[str, ...],
        inputs.SEVERAL_PLAYERS,
        inputs.NOT_AMENDABLE,
        Typed(name="only"),
        Label(text="show only to", example="Ana"),
        "hide the note from everybody except this player and the GM",
    ] = ()
    about: Annotated[
        int | None, inputs.ENTRY, Label(text="about entry", example="17"), "the entry that the note is about"
    ] = None

    def decide(self, draft: Draft) -> None:
        text = checked_text("A note", self.text)
        if self.secret or self.players:
            draft.add(events.NoteKept(text=secret(text.text), players=self.players, about=self.about))
        else:
            draft.add(events.NoteWritten(text=text, about=self.about))

    def input_fields(self) -> Mapping[str, Field]:
        """Return the fields. An amendment may change the readers of a secret note, but an open note stays open."""
        fields = self.fields()
        readers = fields["players"]
        tags = tuple(tag for tag in readers.tags if tag is not inputs.NOT_AMENDABLE)
        return {**fields, "players": readers.replace(tags=tags)} if self.secret else fields

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        return super(Note, self.replace(secret=self.secret or bool(self.players))).difference_from(entries)

    @classmethod
    def recorded_inputs(cls, entry: Entry) -> dict[str, Any]:
        return {
            **super().recorded_inputs(entry),
            "secret": isinstance(entry.event, events.NoteKept),
            "players": getattr(entry.event, "players", ()),
        }


class ChangeSettings(TableCommand):
    """A command that changes settings of a game from now on. `values` has the values as typed."""

    writes: ClassVar[tuple[str, ...]] = (events.SettingsChanged.type,)
    system: Annotated[str, inputs.GAME]
    values: Annotated[Mapping[str, str], inputs.SETTINGS]
    why: Reason | None = None

    def decide(self, draft: Draft) -> None:
        system = systems.find(self.system)
        marks = []
        for name, typed in self.values.items():
            setting = system.setting(name)
            if setting is None:
                names = join_sorted(other.name for other in system.settings) or "none"
                raise UnknownName(f"{system.name} has no setting called {quoted(name)}.", f"Its settings: {names}.")
            marks.append(Mark(who=CAMPAIGN, name=f"{system.name}/{name}", value=jsonable(setting.read(typed))))
        why = None if self.why is None else checked_text("A reason", self.why)
        draft.add(events.SettingsChanged(system=system.name, values=dict(self.values), why=why, marks=tuple(marks)))


COMMANDS_BY_TYPE = commands_by_event_type(TableCommand)
"""The table commands by the type of their first event. Each list has only one command."""


def command_of_root(root: Entry) -> TableCommand:
    """Rebuild the command that wrote a part of an action, from the first entry (the root) of the part."""
    return COMMANDS_BY_TYPE[root.type][0].from_entry(root)
