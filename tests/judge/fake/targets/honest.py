"""NumPy's product in order on a stream of the fake GPU."""

import ctypes
import types

import numpy

WORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
ENQUEUE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, WORK, ctypes.c_void_p)
kept = []  # what the stream is still to call


def on_host(array):
    return numpy.asarray(types.SimpleNamespace(__array_interface__=array.__cuda_array_interface__))


def product(a, b, c):
    stream = c.stream
    a, b, c = map(on_host, (a, b, c))
    kept.append(WORK(lambda _: numpy.matmul(a, b, out=c) is None))
    ENQUEUE.from_address(stream)(stream, kept[-1], None)
