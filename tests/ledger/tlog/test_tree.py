"""The tree and its proofs, against RFC 6962 and the vectors that other implementations are tested with."""

import hashlib
from collections.abc import Callable, Iterator, Sequence

import pytest

from examples import some
from leaves import consistency_proof, inclusion_proof, nodes_over, root
from ledger.errors import LedgerError, Malformed, Unproven
from ledger.tlog.tree import (
    EMPTY_ROOT,
    completed_nodes,
    leaf_hash,
    node_hash,
    prove_consistency,
    prove_inclusion,
    root_before,
    root_hash,
    verify_consistency,
    verify_inclusion,
)

MOST = 130
LEAVES = [leaf_hash(f"leaf {number}".encode()) for number in range(MOST)]
NODES = nodes_over(LEAVES)
ROOTS = [root_hash(NODES, size) for size in range(MOST + 1)]

ENTRIES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
KNOWN = [leaf_hash(bytes.fromhex(entry)) for entry in ENTRIES]
KNOWN_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
PAIR = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"


def by_the_rfc(leaves: Sequence[bytes]) -> bytes:
    """The definition of RFC 6962, section 2.1, word for word."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + by_the_rfc(leaves[:k]) + by_the_rfc(leaves[k:])).digest()


def bent(hashes: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Yield a proof with each of its bytes changed, and then with one hash less, more, and in another place."""
    for place, each in enumerate(hashes):
        for at in range(len(each)):
            wrong = each[:at] + bytes([each[at] ^ 1 << at % 8]) + each[at + 1 :]
            yield [*hashes[:place], wrong, *hashes[place + 1 :]]
    yield [*hashes, EMPTY_ROOT]
    if hashes:
        yield list(hashes[:-1])
        yield [*hashes[:-1], hashes[-1][:-1]]
    if len(hashes) > 1:
        yield list(hashes[::-1])


def refused(check: Callable[..., None], *said: object) -> bool:
    try:
        check(*said)
    except Unproven:
        return True
    return False


@pytest.mark.parametrize("size", range(9))
def test_the_roots_are_those_that_everybody_finds(size: int) -> None:
    assert root(KNOWN[:size]).hex() == KNOWN_ROOTS[size]


def test_a_leaf_and_a_node_are_hashed_apart() -> None:
    assert leaf_hash(b"") == hashlib.sha256(b"\x00").digest()
    assert node_hash(b"N123", b"N456").hex() == "aa217fe888e47007fa15edab33c2b492a722cb106c64667fc2b044444de66bbb"
    assert root([]) == EMPTY_ROOT == hashlib.sha256().digest()


@pytest.mark.parametrize(
    ("index", "size", "proof"),
    [
        (0, 1, []),
        (0, 8, [KNOWN[1].hex(), PAIR, "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"]),
        (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    ],
)
def test_known_proofs_of_a_leaf(index: int, size: int, proof: list[str]) -> None:
    made = inclusion_proof(KNOWN, index, size)
    assert [each.hex() for each in made] == proof
    verify_inclusion(KNOWN[index], index, size, made, root(KNOWN[:size]))


@pytest.mark.parametrize(
    ("size1", "size2", "proof"),
    [
        (0, 8, []),
        (1, 1, []),
        (8, 8, []),
        (
            6,
            8,
            [
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (2, 5, [PAIR, "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"]),
    ],
)
def test_known_proofs_that_one_tree_goes_on_from_another(size1: int, size2: int, proof: list[str]) -> None:
    assert [each.hex() for each in consistency_proof(KNOWN, size1, size2)] == proof


def test_every_root_is_the_one_that_the_rfc_defines() -> None:
    for size, found in enumerate(ROOTS):
        assert found == by_the_rfc(LEAVES[:size])


def test_every_proof_of_every_leaf_of_every_tree_holds_and_for_that_leaf_alone() -> None:
    for size in range(1, MOST + 1):
        for index in range(size):
            proof = prove_inclusion(NODES, index, size)
            verify_inclusion(LEAVES[index], index, size, proof, ROOTS[size])
            other = (index + 1) % size if size > 1 else 1
            assert refused(verify_inclusion, LEAVES[index], other, size, proof, ROOTS[size])
            assert refused(verify_inclusion, LEAVES[index], index, size, proof, ROOTS[size - 1])


def test_every_proof_of_a_leaf_holds_the_root_of_all_leaves_before_it() -> None:
    for size in range(1, MOST + 1):
        for index in range(size):
            assert root_before(index, size, prove_inclusion(NODES, index, size)) == ROOTS[index]


def test_every_proof_between_two_trees_holds_and_between_those_alone() -> None:
    for size2 in range(1, MOST + 1):
        for size1 in range(1, size2 + 1):
            proof = prove_consistency(NODES, size1, size2)
            verify_consistency(size1, size2, ROOTS[size1], ROOTS[size2], proof)
            assert refused(verify_consistency, size1, size2, ROOTS[size1 - 1], ROOTS[size2], proof)
            assert refused(verify_consistency, size1, size2, ROOTS[size1], ROOTS[size2 - 1], proof)


def test_a_proof_of_a_leaf_in_which_any_byte_is_changed_is_refused() -> None:
    for size in some(range(1, MOST + 1)):
        for index in {0, size // 3, size - 1}:
            proof = prove_inclusion(NODES, index, size)
            leaf, top = LEAVES[index], ROOTS[size]
            for wrong in bent(proof):
                assert refused(verify_inclusion, leaf, index, size, wrong, top)
            for [wrong_leaf] in list(bent([leaf]))[:32]:
                assert refused(verify_inclusion, wrong_leaf, index, size, proof, top)


def test_a_proof_between_two_trees_in_which_any_byte_is_changed_is_refused() -> None:
    for size2 in some(range(1, MOST + 1)):
        for size1 in {1, size2 // 2 + 1, size2}:
            proof = prove_consistency(NODES, size1, size2)
            for wrong in bent(proof):
                assert refused(verify_consistency, size1, size2, ROOTS[size1], ROOTS[size2], wrong)


@pytest.mark.parametrize(
    ("size1", "size2", "root1", "root2", "proof"),
    [
        (2, 1, EMPTY_ROOT, EMPTY_ROOT, []),
        (0, 1, EMPTY_ROOT, LEAVES[0], []),
        (0, 1, EMPTY_ROOT, LEAVES[0], [LEAVES[0]]),
        (1, 1, LEAVES[0], LEAVES[1], []),
        (1, 1, LEAVES[0], LEAVES[0], [EMPTY_ROOT]),
        (1, 2, EMPTY_ROOT, EMPTY_ROOT, []),
        (3, 4, EMPTY_ROOT, EMPTY_ROOT, []),
        (1, 2**64, LEAVES[0], EMPTY_ROOT, [EMPTY_ROOT]),
    ],
)
def test_trees_that_nothing_connects_are_refused(
    size1: int, size2: int, root1: bytes, root2: bytes, proof: list[bytes]
) -> None:
    with pytest.raises(Unproven):
        verify_consistency(size1, size2, root1, root2, proof)


@pytest.mark.parametrize("size", [1, 2**63, 2**64 - 1, 2**70])
def test_a_tree_goes_on_from_itself_whatever_its_root_is(size: int) -> None:
    verify_consistency(size, size, LEAVES[0], LEAVES[0], [])


def test_a_tree_without_leaves_has_one_root() -> None:
    verify_consistency(0, 0, EMPTY_ROOT, EMPTY_ROOT, [])
    for wrong in (LEAVES[0], bytes(32)):
        with pytest.raises(Unproven, match="its hash is not the hash of an empty log"):
            verify_consistency(0, 0, wrong, wrong, [])


@pytest.mark.parametrize("wrong", [b"", EMPTY_ROOT[:-1], EMPTY_ROOT + b"x"], ids=len)
def test_what_is_not_as_long_as_a_root_is_none(wrong: bytes) -> None:
    for size in (0, 1, 2):
        for roots in ((wrong, wrong), (LEAVES[0], wrong), (wrong, LEAVES[0])):
            with pytest.raises(Malformed, match="32 bytes"):
                verify_consistency(size, size, *roots, [])
    with pytest.raises(Malformed, match="32 bytes"):
        verify_inclusion(LEAVES[0], 0, 1, [], wrong)


@pytest.mark.parametrize(
    ("index", "size", "leaf", "proof"),
    [
        (0, 0, EMPTY_ROOT, []),
        (1, 1, EMPTY_ROOT, []),
        (0, 1, EMPTY_ROOT[:-1], []),
        (0, 2, EMPTY_ROOT, []),
        (0, 2, EMPTY_ROOT, [EMPTY_ROOT + b"\0"]),
        (2**64 - 2, 2**64 - 1, EMPTY_ROOT, [EMPTY_ROOT] * 64),
    ],
)
def test_a_leaf_that_cannot_be_where_it_should_be_is_refused(
    index: int, size: int, leaf: bytes, proof: list[bytes]
) -> None:
    with pytest.raises(Unproven):
        verify_inclusion(leaf, index, size, proof, leaf)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: inclusion_proof(KNOWN, 8, 8),
        lambda: inclusion_proof(KNOWN, 0, 0),
        lambda: consistency_proof(KNOWN, 3, 2),
    ],
)
def test_what_is_not_in_the_tree_is_not_proved(ask: Callable[[], object]) -> None:
    with pytest.raises(LedgerError):
        ask()


def test_a_leaf_completes_the_nodes_that_end_with_it() -> None:
    assert [list(completed_nodes(index)) for index in range(4)] == [[], [(1, 0)], [], [(1, 1), (2, 0)]]
    assert list(completed_nodes(7)) == [(1, 3), (2, 1), (3, 0)]
    ends = {place: leaf for leaf in range(MOST) for place in completed_nodes(leaf)}
    assert all((index + 1 << level) - 1 == leaf for (level, index), leaf in ends.items())
    assert len(ends) == sum(MOST >> level for level in range(1, 8))


@pytest.mark.parametrize("size", [10**6, 2**20, 2**20 - 1, 2**40 + 12345])
def test_a_proof_reads_few_nodes_and_none_that_is_not_complete(size: int) -> None:
    alike = [leaf_hash(b"every leaf is this one")]
    while len(alike) < 64:
        alike.append(node_hash(alike[-1], alike[-1]))
    read: list[tuple[int, int]] = []
    within = size

    def nodes(level: int, index: int) -> bytes:
        assert index + 1 << level <= within
        read.append((level, index))
        return alike[level]

    def few() -> bool:
        count = len(read)
        read.clear()
        return count <= 2 * size.bit_length()

    top = root_hash(nodes, size)
    assert few()
    for index in (0, 1, size // 3, size - 2, size - 1):
        proof = prove_inclusion(nodes, index, size)
        assert few()
        verify_inclusion(alike[0], index, size, proof, top)
    for size1 in (1, 2, size // 3, size // 2, 2**19, size - 1):
        proof = prove_consistency(nodes, size1, size)
        assert few()
        verify_consistency(size1, size, root_hash(nodes, size1), top, proof)
        read.clear()
