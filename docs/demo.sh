#!/bin/sh
# Play a small campaign while the reader watches. `make demo` runs this file and keeps demo/the-salt-road.campaign.
set -eu

file=demo/the-salt-road.campaign

campaign() {
    CAMPAIGN_HOME=demo/home-of-tom "$BIN/campaign" -f "$file" "$@"
}

what_is_there() {
    campaign log -n 1 --json 2>&1 || echo 'unreadable'
    find demo -type f ! -name 'left-as*' | sort
}

if [ -e demo ] && [ "$(what_is_there)" != "$(cat demo/left-as 2>/dev/null)" ]; then
    what="You continued the campaign in demo/, or added files there"
    [ -e demo/left-as ] || what="demo/ is not complete, or an older version made it"
    if ! [ -t 0 ]; then
        echo "$what. Move demo/ to a different place, or run this command at a terminal, where it can ask you." >&2
        exit 1
    fi
    printf '%s. Start over and delete everything in demo/? [y/N] ' "$what"
    read -r answer || answer=no
    case $answer in
    [Yy] | [Yy][Ee][Ss]) ;;
    *)
        echo "Nothing was changed."
        exit 0
        ;;
    esac
fi
rm -rf demo
mkdir demo

ana() {
    shift
    CAMPAIGN_HOME=demo/home-of-ana "$BIN/campaign" "$@"
}

while IFS= read -r line; do
    case $line in
    campaign*)
        printf '\n$ %s\n' "$line"
        eval "$line"
        ;;
    ana*)
        printf '\nana $ %s\n' "${line#ana }"
        eval "$line"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done <<'PLAY'
A campaign is one file. Tom is the GM. Ana plays Mara, and Ben plays Jonas.
campaign init "The salt road" --gm Tom
campaign player Ana --plays mara
campaign player Ben --plays jonas
campaign join mara edge maximum=4 strength=6 attribute.cunning=5 attribute.presence=6 skill.deception=4
campaign join jonas edge maximum=3 armor.threshold=15 armor.reduction=30

An evening starts. Ana rolls real dice for Mara. The computer rolls for Jonas.
campaign session open "The old market" --present Ana,Ben
campaign scene "At the gate"
campaign edge check mara --skill 11 --target 20 --faces 7,6
campaign edge check jonas --skill 8 --simple

A bad failure has a price: Jonas gets a disadvantage on his next check.
campaign edge check jonas --skill 8 --target 25 --faces 3,2 -v

Mara can spend edge before she rolls. The odds show how much that helps. She then rolls three dice and drops one of them.
campaign odds edge check mara --skill 11 --target 20 --edge
campaign edge check mara --skill 11 --target 20 --edge --drop 3 --faces 7,3,7 --attack -v
campaign edge damage mara --weapon 2 --melee
campaign edge soak jonas --damage 16 -v

Jonas falls from the wall and would die. He burns a point of edge to survive. This lowers his maximum edge for good.
campaign edge burn jonas --against "the fall from the wall"

Tom types something wrong and undoes it. The undo is a new entry, and nothing is erased.
campaign adjust mara edge=-2 --why "read from the wrong sheet"
campaign undo

Ana objects to the first roll: her bonus was 13. The record keeps her objection. The GM agrees, and the program redoes the roll with 13.
campaign dispute 10 --claim "it was 13, not 11" --player Ana
campaign decide 31 amend --skill 13 --why "she is right" --yes

The same campaign can use other games, too. A character has a sheet for each game. In SySCards, the GM declares a rate before the roll.
campaign join mara syscards efficiency=30
campaign join jonas syscards efficiency=40
campaign scene "A duel in the fog"
campaign syscards rate mara 45 --why "the fog" --throw --faces 52
campaign syscards challenge mara --against jonas --faces 71,71 -v
campaign syscards cancel jonas mara --why "he shoots first"

In Byzantine, characters earn energy every day. The GM keeps the cost of a task secret until somebody completes it.
campaign join mara byzantine ability.streets=4
campaign byzantine connect mara workshop --input -1 --output 5
campaign byzantine connect mara family --output 4
campaign day next
campaign byzantine task bribe --costs 6
campaign byzantine attempt mara bribe --energy 3 --ability streets -v
campaign byzantine invest mara 5 --project election
campaign byzantine night mara little
campaign day next --count 3

In Rollunder, you roll a d20 at or below a number. A table shows how well it went, and the GM can choose a different table.
campaign join jonas rollunder characteristic.agility=9 characteristic.wits=12 skill.stealth=4
campaign rollunder skill jonas stealth --on agility,wits --circumstance fog=-3 --faces 5 -v

In Multicheck, one percentile roll makes six checks. Jonas then spends karma to roll again. The old dice stay on record.
campaign join jonas multicheck attribute.agility=60 attribute.luck=20 skill.melee=3 pk=1
campaign multicheck test jonas agility --skill melee --difficulty 30 --faces 99 -v
campaign choose 97 --reroll --faces 15

The GM can seal a roll. Nobody sees the result before the GM reveals it, and nobody can change it.
campaign edge check mara --skill 9 --target 20 --seal --until session-end
campaign reveal 105

With a skill's attributes on the sheet, a roll needs few words. At a prompt (campaign play), this line is: c dec 20 mara = 7 7
campaign set mara on.deception=cunning,presence
campaign edge check mara deception --target 20 --faces 7,7

For any other game, there are free sheets: you name the numbers and the rolls. Characters can give numbers such as gold to each other.
campaign join mara free hp=9/12 gold=50 dex=3
campaign join jonas free hp=7/8 gold=5
campaign set mara roll.stealth=d20+dex+2 refill=hp
campaign free check mara stealth --vs 15 --faces 12 --for "slips past the guards"
campaign give mara jonas gold=20
campaign free rest mara
campaign session close

Look at the sheets, at where a number comes from, and at what happened:
campaign sheets
campaign why mara edge
campaign register mara project.election
campaign log
campaign show 10
campaign replay --from 17 --to 21
campaign chronicle
campaign recap

Nobody has to trust Tom's laptop. Ana is a witness. Her own computer, which does not have the campaign, signs a few lines that identify
the whole history: the checkpoint. After that, it signs a new checkpoint only if the new checkpoint continues the old one.
campaign key > demo/campaign.vkey
ana campaign witness init ana > demo/ana.vkey
campaign policy --witness ana=demo/ana.vkey
campaign checkpoint > demo/checkpoint.txt
ana campaign witness sign demo/checkpoint.txt --key demo/campaign.vkey > demo/ana.txt
campaign witness add demo/ana.txt
campaign verify --checkpoint demo/checkpoint.txt
campaign audit
PLAY
what_is_there >demo/left-as.new
mv demo/left-as.new demo/left-as

cat <<END

The campaign is in the file $file. To continue it, type:

  cd demo
  export CAMPAIGN_HOME=\$PWD/home-of-tom
  ../$BIN/campaign sheets
  ../$BIN/campaign play         # a prompt for short lines; try: c dec 20 mara
  ../$BIN/campaign serve        # open the link that this prints to see the table's page
  ../$BIN/campaign --help
END
