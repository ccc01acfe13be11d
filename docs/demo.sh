#!/bin/sh
# A small campaign, played before the reader's eyes. `make demo` runs it; it leaves demo/the-salt-road.campaign.
set -eu

file=demo/the-salt-road.campaign

campaign() {
    CAMPAIGN_HOME=demo/home-of-tom "$BIN/campaign" -f "$file" "$@"
}

what_is_there() {
    campaign log -n 1 --json 2>&1 || echo 'not to be read'
    find demo -type f ! -name 'left-as*' | sort
}

if [ -e demo ] && [ "$(what_is_there)" != "$(cat demo/left-as 2>/dev/null)" ]; then
    what="demo/ was played on, or has files of yours in it"
    [ -e demo/left-as ] || what="demo/ was not finished, or is of an older version"
    if ! [ -t 0 ]; then
        echo "$what. Move it away, or run this at a terminal to be asked." >&2
        exit 1
    fi
    printf '%s. Begin again, and lose all that is in it? [y/N] ' "$what"
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
A campaign is one file. Tom is the GM; Ana plays Mara, Jonas is played by Ben.
campaign init "The salt road" --gm Tom
campaign player Ana --plays mara
campaign player Ben --plays jonas
campaign join mara edge maximum=4 strength=6 attribute.cunning=5 attribute.presence=6 skill.deception=4
campaign join jonas edge maximum=3 armor.threshold=15 armor.reduction=30

An evening begins. Mara's player rolls by hand; the program throws for Jonas.
campaign session open "The old market" --present Ana,Ben
campaign scene "At the gate"
campaign edge check mara --skill 11 --target 20 --faces 7,6
campaign edge check jonas --skill 8 --simple

A failure hurts: it leaves a disadvantage behind, which waits on the sheet for the next check.
campaign edge check jonas --skill 8 --target 25 --faces 3,2 -v

Edge is declared before the dice, and odds says what it is worth; seeing three, the player names the one that goes.
campaign odds edge check mara --skill 11 --target 20 --edge
campaign edge check mara --skill 11 --target 20 --edge --drop 3 --faces 7,3,7 --attack -v
campaign edge damage mara --weapon 2 --melee
campaign edge soak jonas --damage 16 -v

Against outright death edge can be burned, for good.
campaign edge burn jonas --against "the fall from the wall"

A mistake at the keyboard is taken back by a new entry; nothing is erased.
campaign adjust mara edge=-2 --why "read from the wrong sheet"
campaign undo

Ana objects to the first roll: her bonus was 13. The claim is kept, the GM decides, and the roll is played again in its place.
campaign dispute 10 --claim "it was 13, not 11" --player Ana
campaign decide 31 amend --skill 13 --why "she is right" --yes

The same campaign plays other games too; a character has a sheet for each. In syscards the GM declares a rate before the throw.
campaign join mara syscards efficiency=30
campaign join jonas syscards efficiency=40
campaign scene "A duel in the fog"
campaign syscards rate mara 45 --why "the fog" --throw --faces 52
campaign syscards challenge mara --against jonas --faces 71,71 -v
campaign syscards cancel jonas mara --why "he shoots first"

In byzantine energy is earned by the day; what a task costs the players do not see before it is done.
campaign join mara byzantine ability.streets=4
campaign byzantine connect mara workshop --input -1 --output 5
campaign byzantine connect mara family --output 4
campaign day next
campaign byzantine task bribe --costs 6
campaign byzantine attempt mara bribe --energy 3 --ability streets -v
campaign byzantine invest mara 5 --project election
campaign byzantine night mara little
campaign day next --count 3

Rollunder: a d20 at or below a number; how well it went says a table that the GM may replace.
campaign join jonas rollunder characteristic.agility=9 characteristic.wits=12 skill.stealth=4
campaign rollunder skill jonas stealth --on agility,wits --circumstance fog=-3 --faces 5 -v

Multicheck: one percentile, six checks; afterwards karma throws it again, and the old dice stay in the book.
campaign join jonas multicheck attribute.agility=60 attribute.luck=20 skill.melee=3 pk=1
campaign multicheck test jonas agility --skill melee --difficulty 30 --faces 99 -v
campaign choose 97 --reroll --faces 15

A roll can be sealed: nobody sees what it came to, and it cannot be changed, until it is revealed.
campaign edge check mara --skill 9 --target 20 --seal --until session-end
campaign reveal 105
campaign session close

What stands, where a number came from, and what happened:
campaign sheets
campaign why mara edge
campaign register mara project.election
campaign log
campaign show 10
campaign replay --from 17 --to 21
campaign chronicle
campaign recap

Nobody has to trust Tom's laptop. Ana is a witness, on a machine of her own that has no campaign: she signs the head of the
history, and signs no other that does not go on from it.
campaign key > demo/campaign.vkey
ana campaign witness init ana > demo/ana.vkey
campaign policy --witness ana=demo/ana.vkey
campaign checkpoint > demo/head.txt
ana campaign witness sign demo/head.txt --key demo/campaign.vkey > demo/ana.txt
campaign witness add demo/ana.txt
campaign verify --checkpoint demo/head.txt
campaign audit
PLAY
what_is_there >demo/left-as.new
mv demo/left-as.new demo/left-as

cat <<END

The campaign is in $file, one file. Go on with it:

  cd demo
  export CAMPAIGN_HOME=\$PWD/home-of-tom
  ../$BIN/campaign sheets
  ../$BIN/campaign edge check mara --skill 11
  ../$BIN/campaign serve        # the table's page: open the link that it prints
  ../$BIN/campaign --help
END
