"""Spark's choice of a partition for the rows of a keyed operator.

This depends on private behaviour of Spark: the hash function, its seed, and that the partition is the
remainder of the hash.
"""

from __future__ import annotations


def key_group_labels(groups: int, partitions: int) -> tuple[int, ...]:
    """Return a label for each key group, with which Spark puts group g into partition g % partitions.

    A label is the INT by which Spark groups packets. Spark puts packets into the partition
    pmod(murmur3(label), partitions). With the labels 0, 1, 2, ..., some partitions would get several groups
    and others none. So a group gets the smallest unused number for which this formula gives g % partitions.
    """
    labels: list[int] = []
    next_free = [0] * partitions
    for group in range(groups):
        partition = group % partitions
        label = next_free[partition]
        while partition_of(label, partitions) != partition:
            label += 1
        next_free[partition] = label + 1
        labels.append(label)
    return tuple(labels)


def partition_of(label: int, partitions: int) -> int:
    """Return the partition into which Spark puts packets with this label."""
    return murmur3(label) % partitions


def murmur3(value: int) -> int:
    """Return Spark's hash of an INT: 32-bit MurmurHash3 with seed 42, signed."""
    mask = 0xFFFFFFFF
    k = (value & mask) * 0xCC9E2D51 & mask
    k = (k << 15 | k >> 17) & mask
    k = k * 0x1B873593 & mask
    h = 42 ^ k
    h = (h << 13 | h >> 19) & mask
    h = (h * 5 + 0xE6546B64) & mask
    h ^= 4
    h ^= h >> 16
    h = h * 0x85EBCA6B & mask
    h ^= h >> 13
    h = h * 0xC2B2AE35 & mask
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h
