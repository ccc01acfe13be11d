"""The Merkle tree: one hash over all leaves of a log, and short proofs about the leaves (RFC 6962)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

from ledger.errors import Malformed, Unproven, count_of, entry_count

HASH_BYTES = 32

EMPTY_ROOT = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
"""The root of a tree without leaves: the hash of an empty byte string."""

NodeLookup = Callable[[int, int], bytes]
"""A function that returns the hash of a node by level and index.

The node covers 2^level leaves, starting with leaf number index * 2^level. All of these leaves must exist.
"""


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf. No inner node can have the same hash."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node, from the hashes of its two subtrees."""
    return sha256(b"\x01" + left + right).digest()


def completed_nodes(index: int) -> Iterator[tuple[int, int]]:
    """Yield the level and index of each inner node that the leaf at `index` completes, lowest first."""
    level = 0
    while index & 1:
        level, index = level + 1, index >> 1
        yield level, index


def complete_subtrees(size: int) -> Iterator[tuple[int, int]]:
    """Yield the level and index of each of the largest complete subtrees of the first `size` leaves, from the left."""
    for level in reversed(range(size.bit_length())):
        if size >> level & 1:
            yield level, (size >> level) - 1


def root_hash(nodes: NodeLookup, size: int) -> bytes:
    """Return the root of the first `size` leaves. This reads one node for each 1 bit in `size`."""
    return _range_hash(nodes, 0, size) if size else EMPTY_ROOT


def prove_inclusion(nodes: NodeLookup, index: int, size: int) -> list[bytes]:
    """Prove that the tree of `size` leaves contains leaf `index`. The first hash is the leaf's sibling.

    This reads O(log size) nodes.
    """
    if index >= size:
        raise Unproven(f"A log of {entry_count(size)} has no entry {index + 1}.")
    path: list[bytes] = []
    begin, end = 0, size
    while end - begin > 1:
        middle = begin + (1 << (end - begin - 1).bit_length() - 1)
        if index < middle:
            path.append(_range_hash(nodes, middle, end))
            end = middle
        else:
            path.append(_range_hash(nodes, begin, middle))
            begin = middle
    return path[::-1]


def prove_consistency(nodes: NodeLookup, size1: int, size2: int) -> list[bytes]:
    """Return the proof that the tree of `size2` leaves continues the tree of `size1` leaves.

    The proof is empty if `size1` is 0 or equal to `size2`. This reads O(log size2) nodes.
    """
    if size1 > size2:
        raise Unproven(f"A log of {entry_count(size2)} cannot continue a log of {entry_count(size1)}.")
    if size1 in {0, size2}:
        return []
    level, complete = _last_subtree(size1)
    seed = [] if complete else [nodes(level, (size1 - 1) >> level)]
    return seed + prove_inclusion(nodes, size1 - 1, size2)[level:]


def verify_inclusion(leaf_hash: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Raise `Unproven` unless the proof shows that the tree of `size` leaves contains this leaf at `index`."""
    if index >= size:
        raise Unproven(f"A log of {entry_count(size)} has no entry {index + 1}.")
    _check_hashes(leaf_hash, root, *proof)
    inner, border = _proof_lengths(index, size)
    _check_length(proof, inner + border)
    subtree = _climb(leaf_hash, proof[:inner], index)
    if _climb_border(subtree, proof[inner:]) != root:
        raise Unproven(f"The proof does not show that entry {index + 1} is in the log of {entry_count(size)}.")


def root_before(index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """Return the root of the first `index` leaves, from a verified inclusion proof for the leaf at `index`.

    The left siblings in the proof are subtrees, which together cover all leaves before that leaf.
    """
    inner, _ = _proof_lengths(index, size)
    lefts = [sibling for level, sibling in enumerate(proof[:inner]) if index >> level & 1] + [*proof[inner:]]
    return _climb_border(lefts[0], lefts[1:]) if lefts else EMPTY_ROOT


def verify_consistency(size1: int, size2: int, root1: bytes, root2: bytes, proof: Sequence[bytes]) -> None:
    """Raise `Unproven` unless the proof shows that the first `size1` leaves of both trees are the same.

    For equal sizes, the roots must be equal and the proof must be empty. If only `size1` is 0, raise the error too,
    because an empty tree proves nothing.
    """
    if size1 > size2:
        raise Unproven(f"A log of {entry_count(size2)} cannot continue a log of {entry_count(size1)}.")
    _check_hashes(root1, root2, *proof)
    if not size2 and root2 != EMPTY_ROOT:
        raise Unproven("This log has no entries, but its hash is not the hash of an empty log.")
    if size1 == size2:
        _check_length(proof, 0)
        if root1 != root2:
            raise Unproven(f"Two logs of {entry_count(size1)} have different hashes, so their entries differ.")
        return
    if not size1:
        raise Unproven("This proof starts from a log with 0 entries. It must start from a log with at least 1 entry.")
    level, complete = _last_subtree(size1)
    inner, border = _proof_lengths(size1 - 1, size2)
    inner -= level
    _check_length(proof, inner + border + (not complete))
    seed, rest = (root1, proof) if complete else (proof[0], proof[1:])
    place = (size1 - 1) >> level
    lefts = [sibling for above, sibling in enumerate(rest[:inner]) if place >> above & 1]
    if _climb_border(_climb_border(seed, lefts), rest[inner:]) != root1:
        raise Unproven(f"The proof does not match the hash of the log with {entry_count(size1)}.")
    if _climb_border(_climb(seed, rest[:inner], place), rest[inner:]) != root2:
        raise Unproven(f"The proof does not match the hash of the log with {entry_count(size2)}.")


def _last_subtree(size: int) -> tuple[int, bool]:
    """Return the level of the smallest complete subtree at the end of a tree, and True if this is the whole tree."""
    level = (size & -size).bit_length() - 1
    return level, size == 1 << level


def _range_hash(nodes: NodeLookup, begin: int, end: int) -> bytes:
    subtrees: list[bytes] = []
    while begin < end:
        level = (end - begin).bit_length() - 1
        subtrees.append(nodes(level, begin >> level))
        begin += 1 << level
    last = subtrees.pop()
    return _climb_border(last, subtrees[::-1])


def _proof_lengths(index: int, size: int) -> tuple[int, int]:
    """Return the number of hashes in the lower and in the upper part of an inclusion proof.

    The lower part ends where the path from leaf `index` meets the path from the last leaf. In the upper part, all
    siblings are on the left.
    """
    inner = (index ^ (size - 1)).bit_length()
    return inner, (index >> inner).bit_count()


def _climb(seed: bytes, siblings: Sequence[bytes], index: int) -> bytes:
    for level, sibling in enumerate(siblings):
        seed = node_hash(sibling, seed) if index >> level & 1 else node_hash(seed, sibling)
    return seed


def _climb_border(seed: bytes, lefts: Sequence[bytes]) -> bytes:
    for left in lefts:
        seed = node_hash(left, seed)
    return seed


def _check_hashes(*hashes: bytes) -> None:
    if any(len(digest) != HASH_BYTES for digest in hashes):
        raise Malformed(f"The hash of a log and each hash in a proof must have {HASH_BYTES} bytes.")


def _check_length(proof: Sequence[bytes], length: int) -> None:
    if len(proof) != length:
        raise Unproven(f"The proof has {count_of(len(proof), 'hash', 'hashes')}, but it should have {length}.")
