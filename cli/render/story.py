"""Replays, chronicles and recaps as documents and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cli.render.document import DocumentLine
from cli.render.lines import changes_of, line_without_number
from cli.render.terminal import BAD, GOOD, INDENT, colored, say, uncolored
from projections.chronicle import Chapter, Scene
from projections.recap import Recap
from projections.replay import Frame


def show_frame(step: Frame) -> None:
    """Show an action in sentences, and the scores that it changed."""
    number = f"#{step.line.seq}"
    say(f"{colored(number, 'number')}{' ' * max(1, len(INDENT) - len(number))}{step.told}")
    if step.holds is not None:
        mark = colored(f"{GOOD} yes", "good") if step.holds else colored(f"{BAD} no", "bad")
        say(f"{INDENT}Does the record match the paper? {mark}")
    if step.line.moved:
        say(f"{INDENT}{colored(', '.join(changes_of(step.line)), 'number')}")


def chronicle_lines(title: str, story: Iterable[Chapter]) -> Iterator[DocumentLine]:
    """Yield the lines of the story, by chapter and scene."""
    yield DocumentLine(level=1, text=title)
    for place, chapter in enumerate(story):
        yield DocumentLine(level=2, text=_chapter(chapter, first=not place))
        for scene in chapter.scenes:
            if scene.title:
                yield DocumentLine(level=3, text=scene.title)
            for line, text in zip(scene.lines, scene.told, strict=True):
                fate = f"({line.struck.how} by #{line.struck.by})" if line.struck else ""
                yield DocumentLine(level=0, text=text, struck=fate, entry=line.seq)


def replay_lines(campaign: str, frames: Iterable[Frame]) -> Iterator[DocumentLine]:
    """Yield the lines of a replay: each action in sentences, and the scores that it changed."""
    yield DocumentLine(level=1, text=f"{campaign}: replay")
    for step in frames:
        paper = {True: "The record matches the paper.", False: "The record does not match the paper.", None: ""}
        changes = ", ".join(changes_of(step.line))
        text = " ".join(filter(None, (step.told, paper[step.holds], changes and f"({changes})")))
        yield DocumentLine(level=0, text=text, entry=step.line.seq)


def recap_lines(campaign: str, summary: Recap) -> Iterator[DocumentLine]:
    """Yield the lines of a session's summary for reading aloud."""
    yield DocumentLine(level=1, text=f"{campaign}: session {summary.number}, {summary.title} ({summary.date})")
    yield from _section("Who was there", summary.there)
    if summary.story:
        yield DocumentLine(level=2, text="What happened")
    for scene in summary.story:
        if scene.title:
            yield DocumentLine(level=3, text=scene.title)
        for text in (*scene.notes, *scene.deeds):
            yield DocumentLine(level=0, text=text)
    yield from _section("Corrections and decisions", summary.corrections)
    yield from _section("Gained and lost", summary.gains)
    yield from _section("Still open", summary.open)
    yield from _section("For the record", summary.appendix)


def recap_rows(summary: Recap) -> Iterator[dict[str, Any]]:
    """Yield a row for each line of a recap, with the headings above the line: the part and the scene."""
    session = {"session": summary.number, "title": summary.title, "date": summary.date}
    part = scene = ""
    for line in recap_lines("", summary):
        match line.level:
            case 2:
                part, scene = line.text, ""
            case 3:
                scene = line.text
            case 0:
                yield {**session, "part": part, "scene": scene, "text": line.text}


def _section(title: str, sentences: Sequence[str]) -> Iterator[DocumentLine]:
    if sentences:
        yield DocumentLine(level=2, text=title)
    for text in sentences:
        yield DocumentLine(level=0, text=text)


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
    """Return a recap as a JSON object: the session, the changes, the open questions and the sentences."""
    sentences = {
        name: getattr(summary, name) for name in ("story", "gains", "there", "corrections", "open", "appendix")
    }
    return chapter_json(summary) | {"changed": summary.changed, "waiting": summary.waiting} | sentences


def _scene_json(scene: Scene) -> dict[str, Any]:
    lines = [
        {
            "entry": line.seq,
            "says": uncolored(line_without_number(line)),
            "told": text,
            "struck": line.struck.by if line.struck else None,
        }
        for line, text in zip(scene.lines, scene.told, strict=True)
    ]
    return {"title": scene.title, "lines": lines}
