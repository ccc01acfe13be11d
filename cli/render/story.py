"""Story: replays and chronicles as text, Markdown and JSON."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cli.render.lines import headline, tale, working
from cli.render.terminal import BAD, GOOD, INDENT, colored, plainly, say, uncolored

if TYPE_CHECKING:
    from projections.chronicle import Chapter, Scene
    from projections.log import Line
    from projections.replay import Frame
    from projections.sheets import Sheet

SPECIAL = re.compile(r"([\\`*_\[\]<>~])")
"""Characters with a meaning in Markdown in the middle of a line."""


def show_frame(step: "Frame") -> None:
    """Show one entry, its working, and the sheets that it moved."""
    say(headline(step.line))
    for text in working(step.line):
        say(INDENT + text)
    if step.holds is not None:
        mark = colored(f"{GOOD} it does", "good") if step.holds else colored(f"{BAD} it does not", "bad")
        say(f"{INDENT}Does the book say here what the paper says? {mark}")
    for sheet in step.sheets:
        say(f"{INDENT}{colored(_sheet(sheet), 'number')}")


def _sheet(sheet: "Sheet") -> str:
    scores = [f"{score.name} {plainly(score.value)}" for score in sheet.scores]
    marks = [f"{name} {plainly(value)}" for name, value in sheet.marks]
    return f"{sheet.who} · {sheet.system}: {', '.join([*scores, *marks]) or 'empty'}"


def frame_json(step: "Frame") -> dict[str, Any]:
    """One entry of a replay as JSON."""
    (entry,) = step.line.entries
    return {
        "entry": entry.body,
        "struck": step.line.struck.by if step.line.struck else None,
        "holds": step.holds,
        "moved": [change.__dict__ for change in step.line.moved],
        "sheets": [
            {"who": sheet.who, "system": sheet.system, "scores": {change.name: change.value for change in sheet.scores}}
            for sheet in step.sheets
        ],
    }


def chapters(title: str, story: Sequence["Chapter"]) -> list[str]:
    """The story as lines for a terminal."""
    text = [colored(title, "title")]
    for chapter in story:
        text += ["", colored(_chapter(chapter, first=chapter is story[0]), "title")]
        for scene in chapter.scenes:
            text += [f"  {scene.title}"] if scene.title else []
            text += [f"    {told_line(line)}" for line in scene.lines]
    return text


def told_line(line: "Line") -> str:
    """An action of the story, with its number last."""
    return f"{tale(line)}  #{line.seq}"


def markdown(title: str, story: Sequence["Chapter"]) -> Iterator[str]:
    """The story as Markdown; what was struck is struck through."""
    yield f"# {_escaped(title)}"
    for chapter in story:
        yield from ("", f"## {_escaped(_chapter(chapter, first=chapter is story[0]))}")
        for scene in chapter.scenes:
            yield from _markdown_scene(scene)


def _markdown_scene(scene: "Scene") -> Iterator[str]:
    if scene.title:
        yield from ("", f"### {_escaped(scene.title)}")
    yield ""
    for line in scene.lines:
        text = _escaped(re.sub("  +", " · ", tale(line.replace(struck=None))))
        fate = f" ({line.struck.how} by #{line.struck.by})" if line.struck else ""
        yield f"- ~~{text}~~{fate} (#{line.seq})" if line.struck else f"- {text} (#{line.seq})"


def _chapter(chapter: "Chapter", *, first: bool) -> str:
    if chapter.number is None:
        return "Before the first session" if first else "Between sessions"
    present = f", present: {', '.join(chapter.present)}" if chapter.present else ""
    return f"Session {chapter.number}: {chapter.title} ({chapter.date}{present})"


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\1", uncolored(text))


def chapter_json(chapter: "Chapter") -> dict[str, Any]:
    """A chapter as JSON."""
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
                        "says": uncolored(tale(line)),
                        "struck": line.struck.by if line.struck else None,
                    }
                    for line in scene.lines
                ],
            }
            for scene in chapter.scenes
        ],
    }
