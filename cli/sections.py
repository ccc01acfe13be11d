"""The commands, in the sections of the help page."""

from __future__ import annotations

from collections.abc import Mapping

SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Play": {
        "roll": ("play:roll", "Roll dice outside any game: 3d6+2, 4d6kh3, 2d20kl1, d%."),
        "choose": ("play:choose", "Make a choice that the rules allow after the roll."),
        "player": ("play:player", "Add a player, give characters to a player, or say who is a GM."),
        "join": ("play:join", "Give a character a sheet in a game."),
        "leave": ("table:leave", "Remove a character from play, or a player from the table. Sheets are kept."),
        "npc": ("table:npc", "Add non-player characters for this session."),
        "adjust": ("play:adjust", "Change scores by hand, as the GM decides."),
        "give": ("play:give", "Give gold or other numbers from one character to another."),
        "set": ("play:set_marks", "Set values that are not numbers, such as a weapon."),
        "note": ("play:note", "Write a note."),
        "session": ("play:session", "Open or close a session."),
        "scene": ("play:scene", "Start a scene."),
        "turns": ("table:turns", "Show or change the turn order."),
        "day": ("table:day", "Start the next day, or advance several days."),
        "play": ("prompt:play", "Open a prompt, where you can type commands in short form and without 'campaign'."),
        "serve": ("serve:serve", "Open a web page for the table. Everybody can play from a phone."),
        "settings": ("play:settings", "Show or change the GM's settings for a game."),
    },
    "Correct": {
        "undo": ("correct:undo", "Undo your last command, or your last N commands."),
        "redo": ("correct:redo", "Bring back what the last undo canceled."),
        "void": (
            "correct:void",
            ("Cancel one action or several."),
        ),
        "amend": ("correct:amend", "Correct an entry."),
        "rewind": ("correct:rewind", "Cancel everything that was played after the entry that you name."),
        "dispute": ("correct:dispute", "Object to an entry. The question stays open until the GM decides."),
        "decide": ("correct:decide", "Answer an open question, as the GM."),
        "override": ("correct:override", "Overrule a result. The dice stay on record."),
        "assert": ("correct:assert_scores", "Record what a paper sheet says."),
    },
    "Look": {
        "status": ("table:status", "Show the state of play: session, turns, open questions."),
        "players": ("table:players", "List the players and their characters."),
        "sheets": ("views:sheets", "Show one sheet, or all sheets."),
        "register": ("views:register", "Show every change to one score."),
        "why": ("views:why", "Show which entries led to a value on the sheet."),
        "log": ("views:log", "Show the last actions, one line each."),
        "search": ("views:search", "Show the last actions that contain all these words."),
        "show": ("views:show", "Show an entry in full (default: the last one)."),
        "diff": ("views:diff", "Show what changed between two points in time, and which entries made the changes."),
        "replay": ("story:replay", "Replay a session, or any other part of the history, entry by entry."),
        "chronicle": ("story:chronicle", "Tell the story by session and scene."),
        "recap": ("story:recap", "Summarize a session for reading aloud (default: the last one)."),
        "questions": ("views:questions", "List the open questions, the oldest first."),
        "odds": ("odds:odds", "Show how likely each verdict of a move is, before the roll."),
        "luck": ("luck:luck", "Show what everybody rolled, and whether the dice are consistent with fair dice."),
        "systems": ("views:systems", "List the games, or show one game."),
        "try": ("views:try_rule", "Try out a rule. Nothing is written."),
    },
    "Keep": {
        "init": ("maintenance:init", "Start a new campaign, as one file in this folder."),
        "verify": ("proof:verify", "Check that nothing in the file is missing or altered."),
        "audit": ("proof:audit", "Check every ruling, and report how far the record can be trusted."),
        "checkpoint": ("proof:checkpoint", "Sign the history so far, and print the checkpoint for the players."),
        "prove": ("proof:prove", "Write a proof that an entry is in the history."),
        "witness": ("witness:witness", "Sign the checkpoints of a campaign, as one of its witnesses."),
        "token": (
            "tokens:token",
            "Make tokens, list them, or end them. A token is a password for a program that uses the page's server.",
        ),
        "rename": ("play:rename", "Change the full name of a character, or the name of a player or the GM."),
        "policy": ("proof:policy", "Show or set the witnesses of the campaign."),
        "compare": ("proof:compare", "Compare two checkpoints, or a campaign with a checkpoint."),
        "key": ("proof:key", "Show or replace the campaign's key."),
        "reveal": ("maintenance:reveal", "Reveal a secret or a sealed roll."),
        "erase": ("maintenance:erase", "Erase the texts of entries for good."),
        "backup": ("archive:backup", "Copy the campaign into a new file, and check the copy."),
        "restore": ("restore:restore", "Replace the campaign's file with a backup."),
        "move": ("archive:move", "Move a campaign to another address, such as a file or a PostgreSQL database."),
        "host": (
            "host:host",
            "Manage the campaigns of a PostgreSQL database: list, create, limit, export, move or end them.",
        ),
        "tables": ("tables:tables", "Make an SQLite file of tables, for Datasette and other programs."),
        "export": ("archive:export", "Export the campaign as plain files in a new folder."),
        "import": (
            "archive:import_",
            "Make a campaign file from an export, or add the rolls in another program's log to this campaign.",
        ),
        "rebuild": ("maintenance:rebuild", "Recompute all stored scores and values from the entries."),
        "completion": ("maintenance:completion", "Let the Tab key complete what you type."),
    },
}
"""The module, function and help line of each command, so that the help page does not import all commands."""

PROMPT_COMMANDS: Mapping[str, tuple[str, str]] = {"again": ("repeat:again", "")}
"""The commands that the prompt runs for its own words, such as `again`. No help page lists them."""

VIEW_COMMANDS = frozenset({*SECTIONS["Look"], "turns"})
"""Commands that only show something. If a typed word is short for only these commands, it never means a move."""
