"""`carat judge product.py:product`, or product.py:into: arrays of NumPy."""

import numpy


def product(a, b):
    return a @ b


def into(a, b, c):
    numpy.matmul(a, b, out=c)
