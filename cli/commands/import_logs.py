"""The import of rolls from the logs of other programs into this campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import path, scandir
from typing import TYPE_CHECKING

from cli.context import Invocation
from cli.render import terminal
from ledger.errors import BadInput, Findings, Flag, Refused, Run, count_of, quoted

if TYPE_CHECKING:
    from ledger.imports.log_records import ClaimedRoll, Reader
    from ledger.imports.plan import ChangedRoll, ImportPlan
    from ledger.imports.sheets import SheetPlan
    from ledger.imports.sources import AnySource
    from ledger.journal.book import Book
    from ledger.scribe import Scribe, Written

MOST_NAMES = 10
COUNT_LABELS = {"new": "new", "again": "to add again", "known": "already imported", "changed": "changed since"}
"""The words to print after the number of rolls of each kind, as in "3 already imported"."""


def import_log(
    invocation: Invocation,
    place: str,
    form: str | None,
    mapping_file: str | None,
    *,
    remap: bool,
    update: bool,
    check: bool,
    dry: bool,
    yes: bool,
    json: bool,
    fork: bool,
) -> None:
    """Add the rolls of a file to the campaign, or only compare them (`check`), or show what would be added (`dry`).

    With `update`, numbers that a sheet already has are changed too.
    """
    from ledger.imports.mapping import PeopleMapping, mapping_name, proposed_mapping, read_mapping
    from ledger.imports.plan import plan_import, unchanged_import
    from ledger.imports.sheets import SheetPlan, plan_sheets
    from ledger.imports.sources import find_source
    from ledger.scribe import requests_of

    proposal = mapping_file or mapping_name(place)
    has_mapping = mapping_file is not None or path.lexists(proposal)
    for needs_mapping in (*["remap"] * remap, *["update-sheets"] * update):
        if not has_mapping:
            raise BadInput(f"{Flag(needs_mapping)} needs {Flag('mapping', 'FILE')}.")
    source, reader = find_source(place, form)
    with invocation.book() as book:
        mapping = read_mapping(proposal, book) if has_mapping else PeopleMapping()
        if has_mapping and not (mapping_file or dry):
            terminal.aside(f"The mapping file is {proposal}.")
        adds = not (dry or check or remap or json or mapping.sheets)
        if adds and (seq := unchanged_import(book, source, reader, mapping)):
            says = f"is the same as in its import (#{seq}), and the campaign still has all of its rolls"
            terminal.aside(f"{source.name} {says}. Nothing was written.")
            return
        with terminal.progress(_size(source)) as count:
            plan = plan_import(book, source, reader, mapping, count, remap=remap)
        sheets = SheetPlan() if check else plan_sheets(book, source, reader.form, mapping, update=update)
        _show_plan(book, plan, sheets, json=json, samples=not check)
        if check:
            _check(book, plan)
            return
        if sheets.commands:  # errors come before the question
            requests = requests_of((command, None) for command in sheets.commands)
            invocation.scribe(book).write_all(requests, dry=True, fork=fork)
        if not dry:
            _check_can_be_added(book, source, plan, place, proposal if has_mapping else None, remap=remap)
            _write(invocation.scribe(book), plan, sheets, json=json, yes=yes, fork=fork)
        elif has_mapping:
            terminal.aside(f"The dry run uses {proposal}. To import with it:")
        else:
            names = proposed_mapping(book, source.name, plan.users, plan.speakers)
            _write_new(proposal, names + _proposed_sheets(book, source, reader, plan))
            terminal.aside(f"{proposal} lists the names in the file. Edit this list, then import with it:")
    if dry:
        flags = ("--format", form), ("--remap", remap), ("--update-sheets", update)
        more = " ".join(word for pair in flags if pair[1] for word in pair if isinstance(word, str))
        terminal.aside(f"{Run('import', place, mapping=proposal)} {more}".rstrip())
        terminal.aside("Dry run: nothing was written to the campaign.")


def _proposed_sheets(book: Book, source: AnySource, reader: Reader, plan: ImportPlan) -> str:
    """Return a proposal for the `[sheets]` part of the mapping file.

    If the characters cannot be read, print the reason and return "".
    """
    from ledger.imports.sheets import listed_actors, proposed_sheets

    try:
        return proposed_sheets(book, listed_actors(book, source, reader.form, plan.speakers))
    except BadInput as problem:
        terminal.aside(f"The characters of the world are not listed. {problem.sentence}")
        return ""


def _write(scribe: Scribe, plan: ImportPlan, sheets: SheetPlan, *, json: bool, yes: bool, fork: bool) -> None:
    """Ask the user to confirm (unless `yes`), write the planned rolls and sheet numbers, and print the result."""
    from ledger.scribe import requests_of

    commands = (*plan.commands, *sheets.commands)
    if not commands:
        terminal.aside("The file has no new rolls. Nothing was written.")
        return
    hint = f"To import, add {Flag('yes')}. To only look, add {Flag('dry-run')}."
    if not (yes or terminal.ask_to_confirm(_question(plan, sheets), hint)):
        return
    with terminal.progress(len(commands) + 1) as count:
        scribe.progress = count
        written = scribe.write_all(requests_of((command, None) for command in commands), fork=fork)
        count(1)
    with terminal.done_even_if_unprinted(f"{plan.name} was imported"):
        if not json:
            _say_written(plan, sheets, written)
    back = Run("void", written[0].entries[0].seq, why="TEXT") if plan.commands and not plan.remapped else Run("undo")
    if not sheets.set:
        terminal.aside(f"They are marked as imported, and change no score. To take all of them back: {back}")
    elif plan.commands:
        terminal.aside(f"The rolls are marked as imported, and change no score. To take all of this back: {back}")
    else:
        terminal.aside(f"To take this back: {back}")


def _question(plan: ImportPlan, sheets: SheetPlan) -> str:
    rolls, numbers = count_of(plan.counts["new"], "roll"), count_of(len(sheets.set), "number")
    if not plan.commands:
        return f"Set {numbers} on free sheets?"
    return f"Add {rolls} to the campaign{f', and set {numbers} on free sheets' if sheets.set else ''}?"


def _say_written(plan: ImportPlan, sheets: SheetPlan, written: Sequence[Written]) -> None:
    parts = written[: len(plan.commands)], written[len(plan.commands) :]
    texts = (
        f"{plan.name} has added {count_of(plan.counts['new'], 'roll')} to the campaign",
        f"{plan.name} has set {count_of(len(sheets.set), 'number')} on free sheets",
    )
    for done, text in zip(parts, texts, strict=True):
        if done:
            first, last = done[0].entries[0].seq, done[-1].entries[-1].seq
            terminal.say(f"{text} (#{first}{f' to #{last}' if last > first else ''}).")


def _sheet_lines(sheets: SheetPlan) -> Iterator[str]:
    """Yield a line for each number to set on a free sheet, and for each number that stays different from the file."""
    for one in sheets.set:
        instead = "" if one.was is None else f" instead of {one.was}"
        yield f"Sheet: {one.who} gets {one.score} {one.value}{instead}, from {one.actor}."
    for one in sheets.kept:
        yield f"Sheet: {one.who} keeps {one.score} {one.was}. {one.actor} has {one.value} in the file."
    if sheets.kept:
        yield f"To take over these numbers too: {Flag('update-sheets')}"


def _check_can_be_added(
    book: Book, source: AnySource, plan: ImportPlan, place: str, mapping_file: str | None, *, remap: bool
) -> None:
    """Raise `Refused` if the rolls contradict an earlier import, and `BadInput` if their times lack a time zone."""
    from ledger.imports.plan import imports_of_file

    if plan.has_other_rolls:
        if same := [seq for seq, has_same_bytes in imports_of_file(book, source).items() if has_same_bytes]:
            raise Refused(
                f"{quoted(plan.name)} was imported before (#{same[-1]}), but now its rolls are read differently.",
                f"Use the mapping of that import. To use another one, first type: {Run('void', same[-1], why='TEXT')}",
            )
        raise Refused(
            f"The campaign has other rolls with the same ids, and none of them agrees with {quoted(plan.name)}.",
            'If this is a different table, write source = "NAME" into its mapping file.',
        )
    if plan.remapped and not remap:
        again = Run("import", place, mapping=mapping_file or "FILE", remap=True)
        raise Refused(
            f"In the campaign, {count_of(plan.remapped, 'roll')} of this file went to other players or characters.",
            f"Use the mapping of the earlier import, or cancel the rolls of these evenings and add them again: {again}",
        )
    if plan.needs_zone:
        hint = (
            f"Make a mapping file with {Run('import', place, dry_run=True)}, and write the time zone into it."
            if mapping_file is None
            else f'Write the time zone into {mapping_file}, such as: zone = "Europe/Lisbon"'
        )
        raise BadInput(f"{quoted(plan.name)} has times without a time zone.", hint)


def _size(source: AnySource) -> int:
    files = [entry.path for entry in scandir(source.file)] if path.isdir(source.file) else [source.file]
    return max(sum(path.getsize(file) for file in files if path.isfile(file)), 1)


def _check(book: Book, plan: ImportPlan) -> None:
    if not plan.imports and 0 < plan.counts["new"] == plan.counts["rolls"]:
        raise Findings(f"{plan.name} is not imported: the campaign has none of its rolls.")
    for changed in plan.changed:
        terminal.say(f"{_comparison(book, changed)}.{_exposure_warning(changed)}")
    for changed in plan.reread:
        detail = _differences(book, changed)
        says = f"An older version of the program read {changed.place} differently (#{changed.seq}){detail}."
        terminal.say(f"{says}{_exposure_warning(changed)}")
    for place in plan.new_places:
        terminal.say(f"The campaign does not have the roll of {place}.")
    for seq in plan.absent:
        terminal.say(f"#{seq} is not in this file.")
    if same := [seq for seq, has_same_bytes in plan.imports.items() if has_same_bytes]:
        terminal.say(f"The bytes of {plan.name} are the same as in its import (#{same[-1]}).")
    elif changed_bytes := [seq for seq, has_same_bytes in plan.imports.items() if has_same_bytes is False]:
        terminal.say(f"The bytes of {plan.name} have changed since its import (#{max(changed_bytes)}).")
    _say_not_compared(plan)
    differing = plan.counts["new"] + plan.counts["changed"] + len(plan.absent)
    if differing:
        raise Findings(f"The file and the campaign differ in {count_of(differing, 'roll')}.")
    agree = "." if plan.reread or plan.closed else ", and agree with the file."
    terminal.say(f"All rolls of {plan.name} are in the campaign{agree}")


def _say_not_compared(plan: ImportPlan) -> None:
    """Print what was not compared because a player copy lacks it: private rolls, or the bytes of an imported file."""
    is_hidden = plan.imports and {*plan.imports.values()} == {None}
    parts = [count_of(plan.closed, "private roll")] * bool(plan.closed) + [f"the bytes of {plan.name}"] * bool(
        is_hidden
    )
    if parts:
        terminal.say(f"This copy of the campaign lacks secrets, so it cannot compare {' and '.join(parts)}.")


def _show_plan(book: Book, plan: ImportPlan, sheets: SheetPlan, *, json: bool, samples: bool) -> None:
    if json:
        shown = ("name", "title", "counts", "first", "last", "unmapped", "differing", "notes")
        differ, reread = (
            [{"entry": one.seq, "place": one.place, "fields": _differing_fields(book, one)} for one in kind]
            for kind in (plan.changed, plan.reread)
        )
        wrong = [{"place": record.place, "why": record.wrong} for record in plan.wrong]
        facts = {name: getattr(plan, name) for name in shown} | {"missing": len(plan.absent)}
        numbers = [{**one.__dict__, "set": one in sheets.set} for one in (*sheets.set, *sheets.kept)]
        doubles = [double._asdict() for double in plan.doubles]
        terminal.say_json(
            [{**facts, "changed": differ, "reread": reread, "wrong": wrong, "sheets": numbers, "doubles": doubles}]
        )
        return
    for text in (*_summary(plan), *(_details(book, plan) if samples else ()), *_sheet_lines(sheets)):
        terminal.say(text)


def _summary(plan: ImportPlan) -> Iterator[str]:
    from ledger.imports.log_records import LEFT_OUT_KINDS

    counts = plan.counts
    span = f", {plan.first[:10]} to {plan.last[:10]}" if plan.first and plan.last else ""
    rolls, records = count_of(counts["rolls"], "roll"), count_of(counts["records"], "record")
    yield f"{plan.name}: {rolls} in {records} ({plan.title}){span}."
    by_kind = {**counts, "new": counts["new"] - plan.canceled, "again": plan.canceled}
    kinds = ", ".join(f"{by_kind[name]:,} {words}" for name, words in COUNT_LABELS.items() if by_kind[name])
    private = f". Of these, {count_of(counts['private'], 'is', 'are')} private" if counts["private"] else ""
    yield f"Rolls: {kinds or 'none'}{private}."
    if counts["twice"]:
        yield f"Left out: {count_of(counts['twice'], 'roll')} that the file repeats."
    if left_out := [count_of(counts[kind], *words) for kind, words in LEFT_OUT_KINDS.items() if kind in counts]:
        yield f"Not imported: {', '.join(left_out)}."
    if plan.remapped:
        rolls = count_of(plan.remapped, "roll")
        yield f"For {rolls}, the players or characters in the campaign differ from those in the mapping."
        if plan.canceled:
            more = ": all rolls of the same evenings" if plan.canceled > plan.remapped else ""
            again = count_of(plan.canceled, "roll is", "rolls are")
            yield f"{again} canceled, and added again with this mapping{more}."
    for record in plan.wrong:
        yield f"Skipped: {record.place}: {record.wrong}."
    if unnamed := counts["wrong"] - len(plan.wrong):
        yield f"Skipped: {count_of(unnamed, 'more record')}."
    yield from plan.notes
    if plan.absent:
        gone = count_of(len(plan.absent), "earlier roll is", "earlier rolls are")
        yield f"{gone} missing from this file. The campaign keeps {'it' if len(plan.absent) == 1 else 'them'}."


def _details(book: Book, plan: ImportPlan) -> Iterator[str]:
    yield from (f"  {_sample(roll)}" for roll in plan.samples)
    for changed in plan.changed:
        yield f"Changed: {_comparison(book, changed)}. The entry stays as it is.{_exposure_warning(changed)}"
    if logs := sorted({changed.log for changed in plan.changed}):
        cancel = Run("void", " ".join(map(str, logs)), why="TEXT")
        yield f"To take over changed rolls, cancel the whole import, then import this file: {cancel}"
    if plan.reread:
        rolls = count_of(len(plan.reread), "roll")
        yield f"An older version of the program read {rolls} differently. The entries stay as they are."
    for changed in (changed for changed in plan.reread if changed.is_exposed):
        yield f"{changed.place} is #{changed.seq}.{_exposure_warning(changed)}"
    if plan.differing:
        differ = count_of(plan.differing, "roll does", "rolls do")
        yield f"{differ} not add up to the claimed total. Both totals are kept."
    if plan.doubles:
        shown = ", ".join(f"{double.place} and {double.other}" for double in plan.doubles[:MOST_NAMES])
        more = f" and {len(plan.doubles) - MOST_NAMES} more" if len(plan.doubles) > MOST_NAMES else ""
        yield f"Maybe the same roll (same character, dice and total within 10 seconds): {shown}{more}. Both are kept."
    if plan.unmapped:
        yield f"Not in the mapping: {_first_names(plan.unmapped)}."
    if plan.not_in_file:
        yield f"In the mapping, but not in this file: {_first_names(plan.not_in_file)}."
    if plan.unnamed:
        yield f"For this reason, {count_of(plan.unnamed, 'new roll has', 'new rolls have')} no player and no character."


def _first_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(names[:MOST_NAMES])}{more}"


def _comparison(book: Book, changed: ChangedRoll) -> str:
    """Say which entry differs from the file, and how. Without `changed.in_file`, leave out the differences."""
    from projections.import_phrases import shown_roll

    roll = f" ({shown_roll(book, book.entry(changed.seq)).says})" if changed.in_file else ""
    return f"#{changed.seq}{roll} differs from {changed.place}{_differences(book, changed)}"


def _differences(book: Book, changed: ChangedRoll) -> str:
    fields = _differing_fields(book, changed)
    texts = [f"{field['name']} {field['here']} here, {field['file']} in the file" for field in fields]
    return f": {'; '.join(texts)}" if texts else ""


def _differing_fields(book: Book, changed: ChangedRoll) -> list[dict[str, str]]:
    from projections.import_phrases import differences

    roll = changed.in_file
    return [] if roll is None else [{**field.__dict__} for field in differences(book, changed.seq, roll)]


def _exposure_warning(changed: ChangedRoll) -> str:
    says = " The entry is public, but the file or the mapping makes the roll private."
    return says if changed.is_exposed else ""


def _sample(roll: ClaimedRoll) -> str:
    """Return a public roll in one line."""
    nothing = "no time zone" if roll.local_day else "no time"
    when = nothing if roll.claimed_at is None else roll.claimed_at.replace("T", " ").replace("Z", " UTC")
    faces = f" [{' '.join(die.shown for die in roll.dice)}]" if roll.dice else ""
    result = " = ".join(filter(None, (roll.formula, roll.total)))
    return f"{when}  {roll.speaker or roll.user or 'somebody'}: {f'{result}{faces}  {roll.what}'.strip()}"


def _write_new(file: str, text: str) -> None:
    from ledger.journal.new_files import atomic_file, folder_lock, write_synced

    with folder_lock(file), atomic_file(file) as part:
        write_synced(part, text.encode())
