"""Heads: who signs for a campaign, which heads fit a file, and which are kept at home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import connection_of
from ledger.audit.verify import verify_part
from ledger.commands.at_table import CloseSession, Note, Open, OpenSession
from ledger.commands.custody import RotateKey, SetPolicy
from ledger.errors import Altered, OnceDiffers, Refused, WrongEntry
from ledger.journal.book import Book
from ledger.journal.store import memory_journal
from ledger.tlog.checkpoint import checkpoint_text
from ledger.tlog.note import COSIGNATURE, Skey, make_skey, read_note, sign_note, signature_line
from ledger.tlog.policy import parse_policy
from ledger.trust.compare import compare, compare_head, compare_with_saved
from ledger.trust.heads import (
    campaign_keys,
    check_own_heads,
    checkpoint_of,
    describe_range,
    last_signed_sizes,
    longest_witnessed,
    recent_rotation,
    remember_head,
    sign_head,
    trusted_keys_in,
    witnesses,
)
from ledger.trust.home import Head, Home
from table import EVENING, scribe
from tampering import fields, rewritten

KEY, NEW, LAST = (make_skey("campaign/road", letter * 32) for letter in (b"k", b"n", b"l"))
OTHER = make_skey("campaign/other", b"o" * 32)
ANA, BEN = (make_skey(name, name[:1].encode() * 32, COSIGNATURE) for name in ("ana", "ben"))
POLICY = f"log {KEY.vkey}\nwitness ana {ANA.vkey}\nquorum ana\n"
NOW = int(EVENING.timestamp())


@pytest.fixture
def road() -> Iterator[Book]:
    """A campaign of 2 entries that KEY signs."""
    with Book(memory_journal()) as book:
        scribe(book).write(Open(title="The road", gm="Tom", key=str(KEY.vkey)))
        yield book


def told(book: Book, *texts: str) -> None:
    for text in texts:
        scribe(book).write(Note(text=text))


def forged(size: int, root: bytes = b"x" * 32, key: Skey = KEY) -> str:
    """A signed head of another history."""
    return sign_note(checkpoint_text(KEY.name, size, root), key).decode()


def test_a_key_of_another_campaign_is_refused_where_keys_are_read(road: Book) -> None:
    scribe(road).write(RotateKey(new=NEW, old=KEY, why=None))
    rewritten(road.head(), fields(key=str(OTHER.vkey)))(connection_of(road))
    with pytest.raises(WrongEntry, match="adds the key of a different campaign"):
        campaign_keys(Book(road.journal))


def test_verify_finds_a_key_of_another_campaign_if_it_starts_there(road: Book) -> None:
    scribe(road).write(RotateKey(new=NEW, old=KEY, why=None))
    assert verify_part(road, 3).entries == 1
    rewritten(3, lambda body: body.replace(str(NEW.vkey), str(OTHER.vkey)))(connection_of(road))
    with pytest.raises(WrongEntry, match="adds the key of a different campaign"):
        verify_part(road, 3)


def test_only_the_key_of_the_campaign_signs_and_the_head_is_of_all_entries(road: Book) -> None:
    with pytest.raises(Refused, match="This is not the key of this campaign"):
        sign_head(road, OTHER)
    head = scribe(road).sign(KEY)
    assert (head.origin, head.size, head.root) == (KEY.name, 2, road.root(2))
    assert road.journal.checkpoints() == {2: head.note}
    assert checkpoint_of(head.note).root == head.root


def test_a_later_key_is_trusted_by_whom_trusts_one_that_introduced_it(road: Book) -> None:
    scribe(road).write(RotateKey(new=NEW, old=KEY, why=None))
    scribe(road).write(RotateKey(new=LAST, old=None, why=None))
    assert campaign_keys(road) == [(1, KEY.vkey), (3, NEW.vkey), (4, LAST.vkey)]
    assert trusted_keys_in(road, [KEY.vkey]) == [KEY.vkey, NEW.vkey]
    assert trusted_keys_in(road, [NEW.vkey, NEW.vkey]) == [NEW.vkey]
    assert trusted_keys_in(road, [LAST.vkey, OTHER.vkey]) == [LAST.vkey]
    assert trusted_keys_in(road, [OTHER.vkey]) == []


def test_a_rotation_that_is_said_again_is_compared_by_its_reason_since_each_makes_a_key(road: Book) -> None:
    scribe(road).write(RotateKey(new=NEW, old=KEY, why="lost"), once="a")
    assert scribe(road).write(RotateKey(new=LAST, old=KEY, why="lost"), once="a").again
    with pytest.raises(OnceDiffers, match="a different value for why"):
        scribe(road).write(RotateKey(new=LAST, old=KEY, why="found"), once="a")
    scribe(road).write(Note(text="x"), once="b")
    with pytest.raises(OnceDiffers):
        scribe(road).write(RotateKey(new=LAST, old=NEW, why=None), once="b")


def test_a_key_that_signs_already_or_no_longer_rotates_nothing(road: Book) -> None:
    for new, old in ((KEY, None), (KEY, KEY), (NEW, LAST)):
        with pytest.raises(Refused, match="This campaign is now signed with a different key"):
            scribe(road).write(RotateKey(new=new, old=old, why=None))
    rotated = scribe(road).write(RotateKey(new=NEW, old=KEY, why=None)).entries[0]
    assert [line.name for line in read_note(rotated.body["note"])[1]] == [KEY.name, KEY.name]
    alone = scribe(road).write(RotateKey(new=LAST, old=None, why="lost")).entries[0]
    assert (len(read_note(alone.body["note"])[1]), alone.body["why"]) == (1, "lost")


def test_a_policy_names_the_key_that_signs_and_is_set_once(road: Book) -> None:
    with pytest.raises(Refused, match="The policy does not list this campaign's current key") as refused:
        scribe(road).write(SetPolicy(policy=POLICY.replace(str(KEY.vkey), str(OTHER.vkey))))
    assert refused.value.hint == f"Add this line: log {KEY.vkey}"
    scribe(road).write(SetPolicy(policy=POLICY))
    with pytest.raises(Refused, match=r"This is already the current policy \(since #3\)"):
        scribe(road).write(SetPolicy(policy=POLICY))
    scribe(road).write(SetPolicy(policy=f"{POLICY}# of today\n"))
    assert scribe(road).write(SetPolicy(policy=POLICY)).entries[0].seq == 5


def test_a_rotation_is_told_until_the_second_close_after_it(road: Book) -> None:
    def evening() -> None:
        scribe(road).write(OpenSession(title="An evening", present=()))
        scribe(road).write(CloseSession())

    def rotated() -> int | None:
        entry = recent_rotation(road)
        return entry.seq if entry else None

    assert rotated() is None
    scribe(road).write(RotateKey(new=NEW, old=KEY, why=None))
    seen = [rotated()]
    for _ in range(3):
        evening()
        seen.append(rotated())
    assert seen == [3, 3, None, None]
    scribe(road).write(RotateKey(new=LAST, old=NEW, why=None))
    seen = [rotated()]
    for _ in range(2):
        evening()
        seen.append(rotated())
    assert seen == [10, 10, None]


def test_a_head_of_the_file_itself_that_does_not_fit_names_the_entries_after_the_last_that_does(road: Book) -> None:
    road.journal.keep_checkpoint(2, forged(2))
    with pytest.raises(
        Altered, match=r"one of the entries 1 to 2 does not match the file's own checkpoint of 2 entries"
    ):
        check_own_heads(road)
    scribe(road).sign(KEY)
    told(road, "three", "four")
    check_own_heads(road)
    road.journal.keep_checkpoint(4, forged(4))
    with pytest.raises(Altered, match=r"one of the entries 3 to 4 does not match"):
        check_own_heads(road)
    road.journal.keep_checkpoint(4, forged(3, road.root(3)))
    with pytest.raises(Altered, match=r"one of the entries 3 to 4 does not match"):
        check_own_heads(road)
    assert [describe_range(3, 3), describe_range(3, 4)] == ["entry 3", "one of the entries 3 to 4"]


def test_a_close_proves_the_heads_of_the_last_two_closes_and_the_last_with_a_line_of_a_witness(road: Book) -> None:
    assert (witnesses(road), last_signed_sizes(road)) == ([], [])
    scribe(road).write(SetPolicy(policy=POLICY))
    assert witnesses(road) == ["ana"]
    sizes = []
    for _ in range(12):
        scribe(road).write(OpenSession(title="An evening", present=()))
        scribe(road).write(CloseSession())
        sizes.append(scribe(road).sign(KEY).size)
    assert last_signed_sizes(road) == sizes[-2:]
    scribe(road).write(OpenSession(title="Another", present=()))
    told(road, "in the middle of it")
    scribe(road).sign(KEY)
    assert last_signed_sizes(road) == sizes[-2:], "nothing was closed there"
    for size in sizes[:2]:
        text = read_note(road.journal.checkpoints()[size])[0]
        scribe(road).add_cosignatures(signature_line(text, ANA, NOW))
    assert last_signed_sizes(road) == [sizes[1], *sizes[-2:]]
    scribe(road).write(
        SetPolicy(policy=POLICY.replace("witness ana", "witness ben").replace("quorum ana", "quorum none"))
    )
    assert (witnesses(road), last_signed_sizes(road)) == (["ben"], [sizes[1], *sizes[-2:]]), (
        "the same key under another name"
    )
    scribe(road).write(SetPolicy(policy=f"log {KEY.vkey}\nwitness ben {BEN.vkey}\nquorum ben\n"))
    assert (witnesses(road), last_signed_sizes(road)) == (["ben"], sizes[-2:])


def test_of_the_heads_that_satisfy_a_policy_the_longest_counts(road: Book) -> None:
    for text in ("three", "four"):
        told(road, text)
        scribe(road).sign(KEY)
    lines = {size: signature_line(read_note(note)[0], ANA, NOW) for size, note in road.journal.checkpoints().items()}
    policy = parse_policy(POLICY)
    notes = [road.journal.checkpoints()[size] + line for size, line in lines.items()]
    assert longest_witnessed(road, policy) == (0, set())
    assert longest_witnessed(road, policy, notes[:1]) == (3, {"ana"})
    assert longest_witnessed(road, policy, notes) == (4, {"ana"})
    stranger = forged(4, road.root(4), NEW)
    foreign = [note + signature_line(read_note(note)[0], ANA, NOW) for note in (stranger, forged(4))]
    line = notes[1].split("\n")[4]
    foreign.append(notes[1].replace(line, line[:-8] + ("A" if line[-8] != "A" else "B") + line[-7:]))
    assert line.startswith(f"— {KEY.name} ")
    for note in foreign:
        assert longest_witnessed(road, policy, [notes[0], note]) == (3, {"ana"})


def test_a_head_takes_the_place_of_one_that_the_file_continues_and_of_no_other(road: Book, tmp_path: Path) -> None:
    home, first = Home(str(tmp_path)), scribe(road).sign(KEY)
    told(road, "three")
    second = scribe(road).sign(KEY)

    def kept(head: Head, leaving: bool = False) -> Head | None:
        remember_head(home, road, head, replace_abandoned=leaving)
        return home.head(KEY.name)

    assert [kept(head) for head in (first, second, first)] == [first, second, second]
    again = second.replace(note=forged(3, second.root, NEW))
    assert kept(again) == again
    other = Head(origin=KEY.name, size=3, root=b"x" * 32, note=forged(3))
    home.store_known(other, lambda _: True)
    assert [kept(second), kept(second, leaving=True)] == [other, other]


# A head from outside, beside a file


def test_a_head_is_the_own_one_a_shorter_one_of_more_entries_or_of_others(road: Book) -> None:
    told(road, "three")
    short = scribe(road).sign(KEY)
    told(road, "four")
    own, trusted = scribe(road).sign(KEY), [KEY.vkey]
    for note, finding in ((own.note, "same"), (short.note, "shorter"), (forged(5), "truncated")):
        head = compare_head(road, note, trusted)
        assert (head.finding, head.signed, head.cosigned) == (finding, True, ())
        assert (head.conflicting, head.wrong_range) == ("", (0, 0))
    assert not compare_head(road, own.note, [NEW.vkey]).signed
    with pytest.raises(Refused, match="This checkpoint belongs to campaign/other, not to this campaign"):
        compare_head(road, sign_note(checkpoint_text(OTHER.name, 4, road.root(4)), OTHER).decode(), trusted)


def test_what_contradicts_the_files_own_head_of_that_size_or_more_is_a_fork(road: Book) -> None:
    trusted = [KEY.vkey]
    told(road, "three")
    short = scribe(road).sign(KEY)
    told(road, "four", "five")
    altered = compare_head(road, forged(5), trusted)
    assert (altered.finding, altered.conflicting, altered.wrong_range) == ("altered", "", (1, 5))
    narrowed = compare_head(road, forged(5), trusted, [short.note, forged(4)])
    assert (narrowed.finding, narrowed.wrong_range) == ("altered", (4, 4))
    assert compare_head(road, forged(5), trusted, [forged(2), forged(4)]).wrong_range == (1, 2)
    assert compare_head(road, forged(5), trusted, [forged(4, key=NEW)]).wrong_range == (1, 5)
    fork = compare_head(road, forged(3), trusted)
    assert (fork.finding, fork.conflicting) == ("forked", short.note)
    long = scribe(road).sign(KEY)
    fork = compare_head(road, forged(3), trusted)
    assert (fork.finding, fork.conflicting) == ("forked", long.note)
    assert compare_head(road, forged(5), trusted, [long.note]).wrong_range == (1, 5)


def test_two_heads_of_one_size_are_the_same_or_a_fork_and_others_need_a_proof(road: Book) -> None:
    told(road, "three")
    short = checkpoint_of(scribe(road).sign(KEY).note)
    told(road, "four", "five")
    long = checkpoint_of(scribe(road).sign(KEY).note)
    proof = road.journal.consistency_proof(3, 5)
    assert (compare(short, short).finding, compare(short, checkpoint_of(forged(3))).finding) == ("same", "fork")
    for one, other in ((road, checkpoint_of(forged(5))), (short, checkpoint_of(forged(3)))):
        assert (compare(one, other).finding, compare(one, other).split) == ("fork", 0), "where is not known"
    for one, other, sizes in ((short, long, (3, 5)), (long, short, (5, 3))):
        assert (compare(one, other).finding, compare(one, other).sizes, compare(one, other).proof) == (
            "unproved",
            sizes,
            (),
        )
        shown = compare(one, other, proof)
        assert (shown.finding, shown.sizes, shown.proof, shown.split) == ("extension", sizes, tuple(proof), 0)
    assert compare(checkpoint_of(forged(3)), long, proof).finding == "unproved"
    assert compare(short, road).proof == tuple(proof)
    assert (compare(road, long).finding, compare(road, checkpoint_of(forged(9)), proof).finding) == ("same", "unproved")


def test_of_the_heads_that_are_kept_the_one_that_tells_most_is_told(road: Book) -> None:
    told(road, "three")
    note = scribe(road).sign(KEY).note

    def kept(size: int, note: str) -> Head:
        head = checkpoint_of(note)
        return Head(origin=head.origin, size=size, root=head.root, note=note)

    here, fork, short, long = kept(3, note), kept(3, forged(3)), kept(2, forged(2)), kept(9, forged(9))
    head = checkpoint_of(note)
    assert compare_with_saved(head, []) == ("unproved", None)
    assert compare_with_saved(head, [short, long]) == compare_with_saved(head, [long, short]) == ("unproved", long)
    assert compare_with_saved(head, [here, long]) == ("same", here)
    assert compare_with_saved(head, [here, fork, long]) == ("fork", fork)
