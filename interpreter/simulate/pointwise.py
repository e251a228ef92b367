"""Pointwise functions, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add, mul

import numpy as np

from parspec.interpreter.simulate.machine import Array


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))


_ONE: Mapping[str, Callable[[Array], Array]] = {
    "gelu": _gelu,
    "silu": lambda x: np.asarray(x * _sigmoid(x)),
    "relu": lambda x: np.maximum(x, 0.0),
    "sigmoid": _sigmoid,
    "tanh": np.tanh,
    "exp": np.exp,
    "square": np.square,
    "sqrt": lambda x: np.sqrt(np.abs(x)),  # random numbers may be negative
    "dropout": lambda x: x,  # nothing is dropped, so that nodes need no common random numbers
}


def applied(function: str, terms: Sequence[Array], offset: float) -> Array:
    """A pointwise function of arrays of one shape; one that a spec declares without saying what it
    computes stands for some function of all its arguments."""
    if function == "shift":
        return np.asarray(reduce(add, terms) + offset)
    if function == "swiglu":
        return np.asarray(terms[0] * _sigmoid(terms[0]) * terms[1])
    if function == "rope":  # a rotation's tables enter as factors, element by element
        return np.asarray(reduce(mul, terms))
    if function in _ONE:
        return _ONE[function](terms[0])
    return np.tanh(reduce(add, (term / (place + 1) for place, term in enumerate(terms))) + 0.5)
