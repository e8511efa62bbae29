"""Fit a table of piece vectors, so that their sum points where the teacher points."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float32]


def counts(texts: Sequence[Sequence[int]], width: int) -> sparse.csr_matrix:
    """How often each piece stands in each text; an id of -1 is no piece."""
    known = [[i for i in ids if i >= 0] for ids in texts]
    ends = np.cumsum([0, *map(len, known)])
    columns = np.fromiter((i for ids in known for i in ids), np.int32)
    ones = np.ones(len(columns), np.float32)
    matrix = sparse.csr_matrix((ones, columns, ends), shape=(len(texts), width))
    matrix.sum_duplicates()
    return matrix


def rarity(matrix: sparse.csr_matrix, *, a: float = 1e-3) -> Floats:
    """A weight for each piece: near 1 if rare, near 0 if in every sentence (Arora et al. 2017)."""
    seen = np.asarray(matrix.sum(axis=0)).ravel() + 1
    return (a / (a + seen / seen.sum())).astype(np.float32)


def unit(rows: Floats) -> Floats:
    """The rows at length one; a zero row stays zero.

    >>> unit(np.array([[3, 4], [0, 0]], np.float32)).round(2).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def principal_axes(rows: Floats, count: int) -> Floats:
    """The `count` directions in which centred rows differ most, as columns; the sign is fixed."""
    centred = (rows - rows.mean(axis=0)).astype(np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :count]
    # An eigenvector may come with either sign: the largest entry is made positive.
    peaks = axes[np.abs(axes).argmax(axis=0), np.arange(count)]
    return (axes * np.sign(peaks)).astype(np.float32)


def closeness(table: Floats, matrix: sparse.csr_matrix, targets: Floats) -> float:
    """The mean cosine between the table's sentence vectors and the teacher's."""
    return float((unit(matrix @ table) * targets).sum(axis=1).mean())


class _Adam:
    """Adam on the rows a batch touches, with a rate that falls to a tenth."""

    def __init__(self, table: Floats, *, rate: float, steps: int) -> None:
        self._mean = np.zeros_like(table)
        self._square = np.zeros_like(table)
        self._rate, self._steps, self._step = rate, steps, 0

    def change(self, rows: NDArray[np.int64], gradient: Floats) -> Floats:
        self._step += 1
        mean = self._mean[rows] * 0.9 + 0.1 * gradient
        square = self._square[rows] * 0.999 + 0.001 * gradient * gradient
        self._mean[rows], self._square[rows] = mean, square
        rate = self._rate * (1 - 0.9 * self._step / self._steps)
        return rate * (mean / (1 - 0.9**self._step)) / (np.sqrt(square / (1 - 0.999**self._step)) + 1e-8)


def fit(table: Floats, matrix: sparse.csr_matrix, targets: Floats, *, epochs: int = 4) -> Floats:
    """The table after raising the cosine to the targets by stochastic gradient steps.

    A piece that no text has keeps its row.
    """
    batch = 1024
    table = table.copy()
    size = matrix.shape[0]
    adam = _Adam(table, rate=0.01, steps=epochs * (size // batch))
    random = np.random.default_rng(0)
    for _ in range(epochs):
        order = random.permutation(size)
        for start in range(0, size - batch + 1, batch):
            chosen = np.sort(order[start : start + batch])
            part, wanted = matrix[chosen], targets[chosen]
            rows, columns = np.unique(part.indices, return_inverse=True)
            small = sparse.csr_matrix((part.data, columns, part.indptr), shape=(batch, len(rows)))
            sums = small @ table[rows]
            lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
            heading = sums / lengths
            slope = ((wanted * heading).sum(axis=1, keepdims=True) * heading - wanted) / lengths
            table[rows] -= adam.change(rows, (small.T @ slope).astype(np.float32))
    return table
