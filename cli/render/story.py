"""Story: a replay and a chronicle, as they read."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cli.render.lines import headline, tale, working
from cli.render.terminal import BAD, GOOD, INDENT, colored, plainly, say

if TYPE_CHECKING:
    from projections.chronicle import Chapter, Scene
    from projections.log import Line
    from projections.replay import Frame
    from projections.sheets import Sheet

SPECIAL = re.compile(r"([\\`*_\[\]<>~])")
"""Characters that Markdown takes for its own in the middle of a line."""


def frame(told: "Frame") -> None:
    """Show one entry, its working, and the sheets that it moved."""
    say(headline(told.line))
    for text in working(told.line):
        say(INDENT + text)
    if told.holds is not None:
        mark = colored(f"{GOOD} it does", "good") if told.holds else colored(f"{BAD} it does not", "bad")
        say(f"{INDENT}Does the book say here what the paper says? {mark}")
    for sheet in told.sheets:
        say(f"{INDENT}{colored(_sheet(sheet), 'number')}")


def _sheet(sheet: "Sheet") -> str:
    scores = [f"{score.name} {plainly(score.value)}" for score in sheet.scores]
    marks = [f"{name} {plainly(held)}" for name, held in sheet.marks]
    return f"{sheet.who} · {sheet.system}: {', '.join([*scores, *marks]) or 'empty'}"


def frame_json(told: "Frame") -> dict[str, Any]:
    """One entry of a replay as JSON has it."""

    (entry,) = told.line.entries
    return {
        "entry": entry.body,
        "struck": told.line.struck.by if told.line.struck else None,
        "holds": told.holds,
        "moved": [each.__dict__ for each in told.line.moved],
        "sheets": [
            {"who": sheet.who, "system": sheet.system, "scores": {each.name: each.value for each in sheet.scores}}
            for sheet in told.sheets
        ],
    }


def chapters(title: str, found: Sequence["Chapter"]) -> list[str]:
    """The story as it is read on a terminal."""
    text = [colored(title, "title")]
    for chapter in found:
        text += ["", colored(_chapter(chapter, first=chapter is found[0]), "title")]
        for scene in chapter.scenes:
            text += [f"  {scene.title}"] if scene.title else []
            text += [f"    {told_line(line)}" for line in scene.lines]
    return text


def told_line(line: "Line") -> str:
    """An action of the story, with its number last."""
    return f"{tale(line)}  #{line.seq}"


def markdown(title: str, found: Sequence["Chapter"]) -> Iterator[str]:
    """Yield the story as Markdown; what was struck is struck through."""
    yield f"# {_escaped(title)}"
    for chapter in found:
        yield from ("", f"## {_escaped(_chapter(chapter, first=chapter is found[0]))}")
        for scene in chapter.scenes:
            yield from _markdown_scene(scene)


def _markdown_scene(scene: "Scene") -> Iterator[str]:
    if scene.title:
        yield from ("", f"### {_escaped(scene.title)}")
    yield ""
    for line in scene.lines:
        text = _escaped(re.sub(" +", " ", tale(line.replace(struck=None))))
        fate = f" ({line.struck.how} by #{line.struck.by})" if line.struck else ""
        yield f"- ~~{text}~~{fate} (#{line.seq})" if line.struck else f"- {text} (#{line.seq})"


def _chapter(chapter: "Chapter", *, first: bool) -> str:
    if chapter.number is None:
        return "Before the first session" if first else "Between sessions"
    present = f", present: {', '.join(chapter.present)}" if chapter.present else ""
    return f"Session {chapter.number}: {chapter.title} ({chapter.date}{present})"


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\1", _uncolored(text))


def _uncolored(text: str) -> str:
    import click  # kept beside its only use

    return click.unstyle(text)


def chapter_json(chapter: "Chapter") -> dict[str, Any]:
    """A chapter as JSON has it."""
    return {
        "session": chapter.number,
        "title": chapter.title,
        "date": chapter.date,
        "present": list(chapter.present),
        "scenes": [
            {
                "title": scene.title,
                "lines": [
                    {
                        "entry": line.seq,
                        "says": _uncolored(tale(line)),
                        "struck": line.struck.by if line.struck else None,
                    }
                    for line in scene.lines
                ],
            }
            for scene in chapter.scenes
        ],
    }
