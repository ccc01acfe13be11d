"""A witness: what it answers, and that it never signs two heads that do not go together (C2SP tlog-witness)."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bending import bent
from kept_heads import Heads, WithHeads
from leaves import consistency_proof, root
from ledger.errors import Malformed
from ledger.tlog.checkpoint import checkpoint_text
from ledger.tlog.note import COSIGNATURE, INT64, Skey, make_skey, open_note, sign_note, signature_line, to_base64
from ledger.tlog.tree import EMPTY_ROOT, leaf_hash
from ledger.tlog.witness import Witness

ORIGIN = "example.com/log"
LOG = make_skey(ORIGIN, b"l" * 32)
OTHER = make_skey(ORIGIN, b"o" * 32)
NEXT = make_skey(f"{ORIGIN}/2027", b"n" * 32)
OWN = make_skey("witness.example/w1", b"w" * 32, COSIGNATURE)
NOW = 1679315147

TRUNK = [leaf_hash(f"entry {number}".encode()) for number in range(9)]
FORK = [*TRUNK[:4], *(leaf_hash(f"otherwise {number}".encode()) for number in range(5))]


def witness(heads: Heads | None = None) -> Witness:
    return WithHeads({ORIGIN: [LOG.vkey]}, OWN, lambda: NOW, heads)


def head(leaves: Sequence[bytes]) -> str:
    return checkpoint_text(ORIGIN, len(leaves), root(leaves))


def request(old: int, proof: Sequence[bytes], text: str, skeys: Sequence[Skey] = (LOG,)) -> bytes:
    hashes = [to_base64(each) for each in proof]
    signatures = [signature_line(text, skey) for skey in skeys]
    return "\n".join([f"old {old}", *hashes, "", text, "".join(signatures)]).encode()


def grown(old: int, size: int, leaves: Sequence[bytes] = TRUNK) -> bytes:
    return request(old, consistency_proof(leaves, old, size), head(leaves[:size]))


def test_a_head_is_cosigned_and_kept() -> None:
    heads: Heads = {}
    status, line = witness(heads).add_checkpoint(grown(0, 3))
    assert status == 200
    assert heads == {ORIGIN: (3, root(TRUNK[:3]))}
    note = open_note(sign_note(head(TRUNK[:3]), LOG) + line, [OWN.vkey, LOG.vkey])
    assert note.timestamps == {"witness.example/w1": NOW}
    assert len(note.verified) == 2


def test_a_log_goes_on_from_head_to_head_and_may_ask_again() -> None:
    heads: Heads = {}
    asked = witness(heads)
    for old, size in [(0, 0), (0, 0), (0, 1), (1, 1), (1, 4), (4, 8), (8, 8), (8, 9)]:
        status, line = asked.add_checkpoint(grown(old, size).decode())
        assert (status, line[:3], heads[ORIGIN][0]) == (200, "—".encode(), size)


def test_extension_lines_and_further_signatures_are_cosigned_along() -> None:
    text = f"{head(TRUNK)}an extension\n"
    status, line = witness().add_checkpoint(request(0, [], text, [NEXT, LOG]))
    assert status == 200
    assert open_note(f"{text}\n{line.decode()}", [OWN.vkey]).text == text


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, ""),
        (b"old 3\n", 400, ""),
        (b"old 3\n\n", 400, ""),
        (b"\xff" + grown(3, 5), 400, ""),
        (grown(3, 5).replace(b"old 3", b"old 03"), 400, ""),
        (grown(3, 5).replace(b"old 3", b"old -3"), 400, ""),
        (grown(3, 5).replace(b"old 3", b"old  3"), 400, ""),
        (grown(3, 5).replace(b"old 3", b"old"), 400, ""),
        (grown(3, 5).replace(b"old 3", b"Old 3"), 400, ""),
        (grown(3, 5).replace(b"old 3", b"old \xd9\xa3"), 400, ""),
        (grown(3, 5).replace(b"old 3\n", b"old 3\r\n"), 400, ""),
        (grown(3, 5).replace(b"=\n", b"\n", 1), 400, ""),
        (grown(3, 5).replace(b"=\n", b"= \n", 1), 400, ""),
        (grown(3, 5)[:-1], 400, ""),
        (grown(3, 5) + b"more\n", 400, ""),
        (request(3, [EMPTY_ROOT[:-1]], head(TRUNK[:5])), 400, ""),
        (request(3, [EMPTY_ROOT] * 64, head(TRUNK[:5])), 400, ""),
        (request(0, [], f"{ORIGIN}\n5\n"), 400, ""),
        (request(0, [], f"{ORIGIN}\n05\n{to_base64(EMPTY_ROOT)}\n"), 400, ""),
        (request(6, [], head(TRUNK[:5])), 400, "A log cannot shrink from 6 to 5 entries.\n"),
        (request(3, [], head(TRUNK[:2])), 400, "A log cannot shrink from 3 to 2 entries.\n"),
        (request(INT64, [], head(TRUNK[:2])), 400, ""),
        (
            request(3, [], checkpoint_text("example.com/other", 5, EMPTY_ROOT)),
            404,
            "The log 'example.com/other' is unknown here.\n",
        ),
        (request(9, [], checkpoint_text("example.com/other", 5, EMPTY_ROOT), [OTHER]), 404, ""),
        (request(3, [], head(TRUNK[:5]), [OTHER]), 403, "This text is not signed with a known key.\n"),
        (request(9, [], head(TRUNK[:5]), [OTHER]), 403, ""),
        (request(3, [], f"{ORIGIN}\n5\n", [OTHER]), 403, ""),
        (grown(3, 5).replace(b"\n5\n", b"\n6\n"), 403, "is not valid.\n"),
        (grown(0, 5), 409, "3\n"),
        (grown(2, 5), 409, "3\n"),
        (grown(4, 5), 409, "3\n"),
        (request(0, [EMPTY_ROOT], head(TRUNK[:5])), 409, "3\n"),
        (grown(3, 3).replace(b"old 3", b"old 0"), 409, "3\n"),
        (
            request(3, [], checkpoint_text(ORIGIN, 3, EMPTY_ROOT)),
            422,
            "Two logs of 3 entries have different hashes, so their entries differ.\n",
        ),
        (request(2, [], checkpoint_text(ORIGIN, 3, EMPTY_ROOT)), 409, "3\n"),
        (request(2, [], head(TRUNK[:3])), 409, "3\n"),
        (request(3, [EMPTY_ROOT], head(TRUNK[:3])), 422, "The proof has 1 hash, but it should have 0.\n"),
        (request(3, [], head(TRUNK[:5])), 422, ""),
        (request(3, consistency_proof(TRUNK, 3, 5)[::-1], head(TRUNK[:5])), 422, ""),
        (request(3, consistency_proof(TRUNK, 3, 6), head(TRUNK[:5])), 422, ""),
        (request(3, [EMPTY_ROOT] * 63, head(TRUNK[:5])), 422, ""),
    ],
)
def test_what_a_witness_does_not_sign(body: bytes, status: int, says: str) -> None:
    heads: Heads = {ORIGIN: (3, root(TRUNK[:3]))}
    answer, line = witness(heads).add_checkpoint(body)
    assert answer == status
    assert line.decode().endswith(says or "\n")
    assert "—".encode() not in line
    assert heads == {ORIGIN: (3, root(TRUNK[:3]))}


@pytest.mark.parametrize(
    ("text", "proof", "status"),
    [
        (checkpoint_text(ORIGIN, 0, EMPTY_ROOT), [], 200),
        (checkpoint_text(ORIGIN, 0, TRUNK[0]), [], 422),
        (checkpoint_text(ORIGIN, 0, bytes(32)), [], 422),
        (checkpoint_text(ORIGIN, 0, EMPTY_ROOT), [TRUNK[0]], 422),
        (checkpoint_text(ORIGIN, 1, TRUNK[0]), [], 200),
        (checkpoint_text(ORIGIN, 1, TRUNK[0]), [TRUNK[0]], 422),
    ],
)
def test_a_log_begins_with_nothing_and_without_a_proof(text: str, proof: list[bytes], status: int) -> None:
    assert witness().add_checkpoint(request(0, proof, text))[0] == status


def test_a_log_may_change_its_key() -> None:
    several = WithHeads({ORIGIN: [LOG.vkey, NEXT.vkey]}, OWN, lambda: NOW)
    assert several.add_checkpoint(grown(0, 2))[0] == 200
    assert several.add_checkpoint(request(2, consistency_proof(TRUNK, 2, 5), head(TRUNK[:5]), [NEXT]))[0] == 200
    assert several.add_checkpoint(request(5, consistency_proof(TRUNK, 5, 6), head(TRUNK[:6]), [OTHER]))[0] == 403


def test_logs_do_not_get_in_each_others_way() -> None:
    other = make_skey("other", b"x" * 32)
    both = WithHeads({ORIGIN: [LOG.vkey], "other": [other.vkey]}, OWN, lambda: NOW)
    assert both.add_checkpoint(grown(0, 5))[0] == 200
    assert both.add_checkpoint(request(0, [], checkpoint_text("other", 1, TRUNK[0]), [other]))[0] == 200
    assert both.add_checkpoint(request(5, [], checkpoint_text("other", 5, TRUNK[0]), [LOG]))[0] == 403
    assert both.add_checkpoint(grown(5, 6))[0] == 200


def test_a_head_that_came_meanwhile_is_not_rolled_back() -> None:
    heads: Heads = {ORIGIN: (1, TRUNK[0])}

    class Stalled(WithHeads):
        def _store_head(self, origin: str, old: int, size: int, root: bytes) -> int | None:
            assert witness(heads).add_checkpoint(grown(1, 5))[0] == 200
            return super()._store_head(origin, old, size, root)

    stalled = Stalled({ORIGIN: [LOG.vkey]}, OWN, lambda: NOW, heads)
    assert stalled.add_checkpoint(grown(1, 3)) == (409, b"5\n")
    assert heads == {ORIGIN: (5, root(TRUNK[:5]))}


def test_no_witness_is_made_with_a_key_that_is_not_for_witnesses() -> None:
    with pytest.raises(Malformed, match="is not a witness key"):
        WithHeads({}, LOG, lambda: NOW)


ASKED = st.tuples(
    st.booleans(),
    st.integers(0, 9),
    st.integers(0, 9) | st.none(),
    st.integers(0, 9) | st.none(),
    st.booleans(),
)


@given(st.lists(ASKED, max_size=30))
def test_a_witness_never_signs_two_heads_that_do_not_go_together(
    asked: list[tuple[bool, int, int | None, int | None, bool]],
) -> None:
    """A log shows two histories that part after four leaves; the model is the leaves that were signed last."""
    heads: Heads = {}
    asking = witness(heads)
    latest: list[bytes] = []
    for forked, size, says_old, proves_from, other_history in asked:
        leaves = (FORK if forked else TRUNK)[:size]
        old = len(latest) if says_old is None else says_old
        begin = min(old if proves_from is None else proves_from, size)
        proof = consistency_proof((TRUNK if forked is other_history else FORK)[:size], begin, size)
        status, _ = asking.add_checkpoint(request(old, proof, head(leaves)))
        if status == 200:
            assert leaves[: len(latest)] == latest
            latest = leaves
        elif old == len(latest) <= size and leaves[: len(latest)] == latest:
            assert status == 422
            assert proof != consistency_proof(leaves, old, size)
        assert heads.get(ORIGIN, (0, EMPTY_ROOT)) == (len(latest), root(latest))


@given(bent(grown(0, 3).decode(), grown(2, 5).decode()))
def test_whatever_is_asked_is_answered(body: str) -> None:
    status, said = witness({ORIGIN: (2, root(TRUNK[:2]))}).add_checkpoint(body)
    assert status in {200, 400, 403, 404, 409, 422}
    assert said.endswith(b"\n")
