"""Replays, chronicles and recaps as documents and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from cli.render.document import DocumentLine
from cli.render.lines import calculation_lines, headline, line_without_number
from cli.render.status import sentence
from cli.render.terminal import BAD, GOOD, INDENT, colored, say, uncolored
from ledger.errors import count_of
from ledger.events.subjects import CAMPAIGN
from ledger.events.types import NoteWritten, ScoreAdjusted
from projections.chronicle import Chapter, Scene
from projections.log import Line
from projections.recap import Recap, ScoreChange
from projections.replay import Frame
from projections.sheets import Sheet
from projections.wording import score_label, sheet_value_text, typed_words


def show_frame(step: Frame) -> None:
    """Show one entry, its calculation, and the sheets that it changed."""
    say(headline(step.line))
    for text in calculation_lines(step.line):
        say(INDENT + text)
    if step.holds is not None:
        mark = colored(f"{GOOD} yes", "good") if step.holds else colored(f"{BAD} no", "bad")
        say(f"{INDENT}Does the record match the paper? {mark}")
    for sheet in step.sheets:
        say(f"{INDENT}{colored(_sheet(sheet), 'number')}")


def _sheet(sheet: Sheet) -> str:
    scores = [f"{score.name} {sheet_value_text(score.value)}" for score in sheet.scores]
    marks = [f"{name} {sheet_value_text(value)}" for name, value in sheet.marks]
    return f"{sheet.name} · {sheet.system}: {', '.join([*scores, *marks]) or 'empty'}"


def chronicle(title: str, story: Sequence[Chapter]) -> Iterator[DocumentLine]:
    """Yield the lines of the story, by chapter and scene."""
    yield DocumentLine(level=1, text=title)
    for chapter in story:
        yield DocumentLine(level=2, text=_chapter(chapter, first=chapter is story[0]))
        for scene in chapter.scenes:
            if scene.title:
                yield DocumentLine(level=3, text=scene.title)
            for line in scene.lines:
                fate = f"({line.struck.how} by #{line.struck.by})" if line.struck else ""
                text = line_without_number(line.replace(struck=None))
                yield DocumentLine(level=0, text=text, struck=fate, note=f"#{line.seq}")


def recap(campaign: str, summary: Recap) -> Iterator[DocumentLine]:
    """Yield the lines of a session's summary for reading aloud."""
    yield DocumentLine(level=1, text=f"{campaign}: session {summary.number}, {summary.title} ({summary.date})")
    if summary.present:
        yield DocumentLine(level=2, text="Present")
        yield DocumentLine(level=0, text=", ".join(summary.present))
    yield DocumentLine(level=2, text="What happened")
    scenes = [(scene.title, list(_sentences(scene))) for scene in summary.scenes]
    fits = sum(len(sentences) for _, sentences in scenes) <= PAGE
    for title, sentences in scenes:
        if title:
            yield DocumentLine(level=3, text=title)
        for text in _shortened(sentences, PAGE if fits else max(PAGE // len(scenes), FEWEST)):
            yield DocumentLine(level=0, text=text)
    yield from _gains(summary.changed)
    if summary.waiting:
        yield DocumentLine(level=2, text="Still open")
    for question in summary.waiting:
        yield DocumentLine(level=0, text=sentence(question), note=f"#{question.seq}")


def _gains(changes: Sequence[ScoreChange]) -> Iterator[DocumentLine]:
    if changes:
        yield DocumentLine(level=2, text="Gained and lost")
    for who, name in {change.who: change.name for change in changes}.items():
        for word, sign in (("gained", 1), ("lost", -1)):
            parts = [_change(change) for change in changes if change.who == who and change.amount * sign > 0]
            if parts:
                yield DocumentLine(level=0, text=f"{name} {word} {', '.join(parts)}.")


PAGE = 40
"""The maximum number of sentences in a recap, not counting notes."""

FEWEST = 6
"""The number of sentences that every scene may have, even if the recap then has more than `PAGE` sentences."""


def _shortened(sentences: Sequence[tuple[str, bool]], most: int) -> list[str]:
    """Return at most `most` sentences of a scene, plus notes. If sentences are left out, a line says how many."""
    side, texts = most // 2, [text for text, _ in sentences]
    middle = sentences[side:-side] if len(sentences) > most else []
    notes = [text for text, is_note in middle if is_note]
    cut = len(middle) - len(notes)
    more = f"… {count_of(cut, 'more event')} (see the chronicle)."
    return [*texts[:side], *notes, more, *texts[-side:]] if cut else texts


MOST_REPEATS = 3
"""The maximum number of events that one sentence combines, if a character does the same thing again and again."""


def _sentences(scene: Scene) -> Iterator[tuple[str, bool]]:
    """Yield each sentence, and True if it is a note. One sentence covers up to `MOST_REPEATS` repeats of an action."""
    for (what, deed), lines in groupby(scene.lines, key=_act_and_deed):
        repeats = list(lines)
        match repeats[0].event:
            case NoteWritten(text=text):
                yield typed_words(text), True
            case ScoreAdjusted(why=why) if why is not None:
                yield f"{repeats[0].who}: {typed_words(why)}.", False
            case _:
                for place in range(0, len(repeats), MOST_REPEATS):
                    results = list(filter(None, map(_outcome_text, repeats[place : place + MOST_REPEATS])))
                    colon = ":" if results and repeats[0].says else ""
                    told = f"{what}{f' ({deed})' if deed else ''}{colon} {', then '.join(results)}".strip()
                    yield f"{told}.", False


def _act_and_deed(line: Line) -> tuple[str, str]:
    what = line.says if line.who in {"", CAMPAIGN} else f"{line.who} {line.says}".strip()
    return what, line.deed


def _outcome_text(line: Line) -> str:
    outcome = line.overridden[1] if line.overridden else line.verdict
    return outcome.says if outcome else ""


def _change(change: ScoreChange) -> str:
    now = "" if change.now == change.amount > 0 else f" (now {sheet_value_text(change.now)})"
    return f"{abs(change.amount)} {score_label(change.score)}{now}"


def _chapter(chapter: Chapter, *, first: bool) -> str:
    if chapter.number is None:
        return "Before the first session" if first else "Between sessions"
    present = f", present: {', '.join(chapter.present)}" if chapter.present else ""
    return f"Session {chapter.number}: {chapter.title} ({chapter.date}{present})"


def chapter_json(chapter: Chapter | Recap) -> dict[str, Any]:
    """Return a chapter, or the session of a recap, as a JSON object."""
    return {
        "session": chapter.number,
        "title": chapter.title,
        "date": chapter.date,
        "present": list(chapter.present),
        "scenes": list(map(_scene_json, chapter.scenes)),
    }


def recap_json(summary: Recap) -> dict[str, Any]:
    """Return a recap as a JSON object."""
    return chapter_json(summary) | {"changed": summary.changed, "waiting": summary.waiting}


def _scene_json(scene: Scene) -> dict[str, Any]:
    lines = [
        {
            "entry": line.seq,
            "says": uncolored(line_without_number(line)),
            "struck": line.struck.by if line.struck else None,
        }
        for line in scene.lines
    ]
    return {"title": scene.title, "lines": lines}
