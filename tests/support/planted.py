"""Logs of all formats whose private rolls have words and numbers that nothing else has."""

import json
from collections.abc import Mapping
from pathlib import Path

from level import batch, lay, log
from logs import (
    AVRAE,
    beyond_message,
    beyond_roll,
    beyond_set,
    die,
    discord_export,
    discord_message,
    embed,
    message,
    roll,
    roll20_id,
    roll20_inline,
    roll20_message,
    roll20_page,
    roll20_roll,
)

ROLLS: Mapping[str, tuple[str, ...]] = {
    "foundry.json": ("Aldermoor", "Bribes the sexton", "7d911", "7654301", "FvAcKnTq1Zx7Bd2e"),
    "foundry-blind.json": ("Birchwell", "Counts the coffins", "6d912", "7654302", "GmBlIndAc8Yw4Rp6"),
    "messages.db": ("Cinderfen", "Doubts the oracle", "5d913", "7654303", "NeDbAcQt5Ms9Lk3x"),
    "salt-road": ("Larkspur", "Mourns the piper", "8d920", "7654311", "LvDbAcWu6Nt0Mk4y"),
    "rolls.csv": ("Dunhollow", "Eavesdrops at dusk", "4d914", "7654304", "Petronella"),
    "whisper.html": ("Elderthorn", "3d915x", "7654305", "-OSecretPlayerAbCdEf", "7654306"),
    "gm.html": ("Foxglove", "3d916", "7654307", "-OSecretMasterAbCdEf"),
    "direct.json": ("Gallowmere", "Harrowgate", "Identifies the relic", "2d917", "7654308", "quentin.of.salt"),
    "spoiler.json": ("Ivybridge", "Judges the traitor", "2d918", "7654309", "rosalind.of.salt"),
    "beyond.json": ("Juniperdale", "Kindles the pyre", "2d919", "7654310", "99887766", "stratagem"),
}
"""The secrets of each file: names, purposes, formulas, totals and accounts."""

WORLD = "salt-road"
"""The folder of a world, whose content here is one JSON text in each line."""

ACCOUNTS = frozenset({"FvAcKnTq1Zx7Bd2e", "GmBlIndAc8Yw4Rp6", "NeDbAcQt5Ms9Lk3x", "LvDbAcWu6Nt0Mk4y", "Petronella", "-OSecretPlayerAbCdEf"}) | {
    "-OSecretMasterAbCdEf", "quentin.of.salt", "rosalind.of.salt", "99887766",
}  # fmt: skip
"""The accounts. An entry has none of them, only the player that the mapping names."""


def planted(folder: Path) -> list[Path]:
    """Write the files, and a world with a LevelDB folder. Each has a public roll too."""
    files = {**_foundry(), **_table(), **_roll20(), **_discord(), **_beyond()}
    assert files.keys() == ROLLS.keys()
    for name, content in files.items():
        assert [secret for secret in ROLLS[name] if secret not in content] == [], name
        if name == WORLD:
            pairs = [(f"!messages!{json.loads(line)['_id']}".encode(), line.encode()) for line in content.splitlines()]
            lay(folder / name / "data" / "messages", {3: log(batch(1, *pairs))})
        else:
            (folder / name).write_text(content, encoding="utf-8")
    return [folder / name for name in files]


def _foundry() -> dict[str, str]:
    files = {}
    for name, more in (
        ("foundry.json", {"whisper": ["Gm7KtX2wVs5LbNhE"]}),
        ("foundry-blind.json", {"blind": True}),
        ("messages.db", {"flags": {"some-module": {"rollMode": "moonroll"}}}),
        (WORLD, {"content": '<p class="secret">inline-result</p>'}),
    ):
        speaker, purpose, formula, total, account = ROLLS[name]
        private = message(
            roll(formula, int(total), die(int(formula[2:]), 3)),
            _id=f"private{name[0:9].replace('.', '').replace('-', '')}",
            user=account,
            flavor=purpose,
            speaker={"alias": speaker},
            **more,
        )
        public = message(roll("1d6", 3, die(6, 3)), _id=f"public{name[0:9].replace('.', '').replace('-', '')}")
        texts = [json.dumps(each) for each in (private, public)]
        files[name] = "\n".join(texts) + "\n" if name in {WORLD, "messages.db"} else f"[{', '.join(texts)}]"
    return files


def _table() -> dict[str, str]:
    speaker, purpose, formula, total, player = ROLLS["rolls.csv"]
    head = "when,player,character,roll,total,note,seen"
    return {
        "rolls.csv": f"{head}\n2025-03-07,{player},{speaker},{formula},{total},{purpose},gm\n2025-03-07,Ana,Nessa,d6,3,,\n"
    }


def _roll20() -> dict[str, str]:
    speaker, formula, total, player, other = ROLLS["whisper.html"]
    whisper = roll20_message(
        roll20_roll(f"rolling {formula}", total, ("d915", "3")) + roll20_inline(formula, other, ("", "5")),
        "rollresult private whisper",
        by=f"(From {speaker})",
    ).replace("-OAbCdEfGhIjKlMnOpQr", player)
    public = roll20_message(roll20_roll("rolling 1d6", "3", ("d6", "3")), "rollresult", identity=roll20_id(1))
    name, dice, result, master = ROLLS["gm.html"]
    to_gm = roll20_message(
        roll20_roll(f"(To GM)rolling {dice}", result, ("d916", "3")), "rollresult", by=name, identity=roll20_id(2)
    ).replace("-OAbCdEfGhIjKlMnOpQr", master)
    return {"whisper.html": roll20_page(whisper, public), "gm.html": roll20_page(to_gm)}


def _discord() -> dict[str, str]:
    actor, target, label, formula, total, account = ROLLS["direct.json"]
    text = f"**{label}**: {formula} (3, 4) = `{total}`"
    save = f"**DEX Save**: 1d6 (3) = `{total}`"
    direct = discord_message(
        embeds=[embed(f"{actor} makes a Guess check!", text, **{target: save})], interaction={"user": {"name": account}}
    )
    other, purpose, dice, result, user = ROLLS["spoiler.json"]
    spoiler = discord_message(
        id="1347655602297500001",
        embeds=[embed(f"{other} casts a Spell!", f"||**{purpose}**: {dice} (3, 4) = `{result}`||")],
        interaction={"user": {"name": user}},
    )
    public = discord_message("1d6 (3) = `3`", id="1347655602297500002", author=AVRAE)
    return {
        "direct.json": discord_export(direct, kind="DirectTextChat"),
        "spoiler.json": discord_export(spoiler, public),
    }


def _beyond() -> dict[str, str]:
    name, action, dice, total, account, kind = ROLLS["beyond.json"]
    rolled = beyond_roll(int(total), beyond_set(dice[1:], 3, 4), rollType=kind)
    data = {"action": action, "context": {"name": name}, "rolls": [rolled]}
    private = beyond_message(id="private-roll", userId=account, messageScope="userId", messageTarget="1", data=data)
    public = beyond_message(beyond_roll(3, beyond_set("d6", 3)), id="public-roll")
    return {"beyond.json": json.dumps({"data": [private, public], "note": dice})}
