"""Leaves: the tree over leaf hashes in memory, and its proofs, to compare with those of a storage."""

from collections.abc import Sequence

from ledger.tlog.tree import NodeLookup, node_hash, prove_consistency, prove_inclusion, root_hash


def nodes_over(leaves: Sequence[bytes]) -> NodeLookup:
    """A reader over leaf hashes in memory; it computes each inner node once."""
    hashes: dict[tuple[int, int], bytes] = {}

    def read(level: int, index: int) -> bytes:
        if not level:
            return leaves[index]
        place = level, index
        if place not in hashes:
            hashes[place] = node_hash(read(level - 1, 2 * index), read(level - 1, 2 * index + 1))
        return hashes[place]

    return read


def root(leaves: Sequence[bytes]) -> bytes:
    return root_hash(nodes_over(leaves), len(leaves))


def inclusion_proof(leaves: Sequence[bytes], index: int, size: int) -> list[bytes]:
    return prove_inclusion(nodes_over(leaves), index, size)


def consistency_proof(leaves: Sequence[bytes], size1: int, size2: int) -> list[bytes]:
    return prove_consistency(nodes_over(leaves), size1, size2)
