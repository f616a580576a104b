"""The process of a Python target (lab/judge/protocol.hpp): host.py FILE FUNCTION [judge_channel.so].

FUNCTION(a, b) returns C, or FUNCTION(a, b, c) fills c, by rows: arrays of NumPy or, with the channel,
tensors of PyTorch on a GPU. Without PyTorch these are objects with a __cuda_array_interface__, which
CuPy and Numba take, and a `stream`."""

import contextlib
import ctypes
import importlib.util
import inspect
import mmap
import os
import struct
import sys

MEMORY, COMMANDS, REPLIES = 3, 4, 5
TABLE, ROW, STATUS = 512, struct.Struct("=9q2d2iq"), 96
DATA = (TABLE + 1024 * ROW.size + 4095) // 4096 * 4096
F64, F32, F16, BF16, I8 = 1, 2, 4, 8, 16
ON_GPU = 2
KINDS = {F64: ("f8", "f8"), F32: ("f4", "f4"), F16: ("f2", "f4"), BF16: ("bf16", "f4"), I8: ("i1", "i4")}
SIZES = {"f8": 8, "f4": 4, "f2": 2, "bf16": 2, "i1": 1, "i4": 4}


def load(path, name):
    folder = os.path.dirname(os.path.abspath(path))
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location("judged", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["judged"] = module
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if function is None:
        raise AttributeError(f"{path} has no function {name}")
    takes_c = len(inspect.signature(function).parameters) >= 3
    return function, takes_c


class Host:
    """Arrays of NumPy, in the memory shared with the judge."""

    types, features = F64 | F32 | F16 | I8, 0

    def __init__(self, memory):
        self.memory = memory
        import numpy
        self.numpy = numpy

    def matrix(self, kind, offset, rows, cols, leading):
        kind = self.numpy.dtype(kind)
        flat = self.numpy.frombuffer(self.memory, kind, (rows - 1) * leading + cols, offset)
        steps = (leading * kind.itemsize, kind.itemsize)
        return self.numpy.lib.stride_tricks.as_strided(flat, (rows, cols), steps)

    def current(self):
        return contextlib.nullcontext()

    def answer(self, what, calls, run):
        if what == b"g":
            run()


class DeviceArray:
    """What others' libraries take without a copy."""

    def __init__(self, address, kind, shape, strides, stream):
        typestr = {"bf16": "<u2", "i1": "|i1"}.get(kind, "<" + kind)
        self.stream, self.shape, self.dtype = stream, shape, kind
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": (address, False),
                                         "strides": strides, "version": 3, "stream": None}


class Gpu:
    """Tensors of PyTorch, in memory that the channel opens."""

    types, features = F64 | F32 | F16 | BF16 | I8, ON_GPU

    def __init__(self, memory, path):
        self.channel = ctypes.CDLL(path)
        self.channel.carat_channel_stream.restype = self.channel.carat_channel_memory.restype = ctypes.c_void_p
        self.shared = (ctypes.c_char * 416).from_buffer(memory, DATA)
        self.torch = None
        with contextlib.suppress(ModuleNotFoundError):
            import torch
            self.torch = torch

    def call(self, name, *numbers):
        getattr(self.channel, "carat_channel_" + name)(self.shared, *map(ctypes.c_int64, numbers))

    def open(self):
        self.channel.carat_channel_open(self.shared, None)
        self.stream = self.channel.carat_channel_stream()
        self.base = self.channel.carat_channel_memory()
        if self.torch and self.stream:
            device, = struct.unpack_from("=i", self.shared)
            self.torch.cuda.set_device(device)
            self.torch_stream = self.torch.cuda.ExternalStream(self.stream)

    def matrix(self, kind, offset, rows, cols, leading):
        steps = (leading * SIZES[kind], SIZES[kind])
        array = DeviceArray(self.base + offset, kind, (rows, cols), steps, self.stream)
        if not self.torch:
            return array
        if kind == "bf16":
            array.__cuda_array_interface__["typestr"] = "<i2"
        tensor = self.torch.as_tensor(array, device="cuda")
        return tensor.view(self.torch.bfloat16) if kind == "bf16" else tensor

    def current(self):
        return self.torch.cuda.stream(self.torch_stream) if self.torch else contextlib.nullcontext()

    def answer(self, what, calls, run):
        if what == b"m":
            self.open()
        elif what == b"w":
            run()
            self.call("wait")
        elif what == b"q":
            self.call("hold")
            run()
            self.call("calls_end")
            for m, n, offset, leading, kind in calls:
                size = SIZES[KINDS[kind][1]]
                self.call("copy", offset, leading * size, n * size, m)
            self.call("copies_end")
        elif what == b"g":
            self.call("release")
        elif what == b"s":
            self.call("finish")


def main():
    path, name, *channel = sys.argv[1:]
    shared = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
    memory = mmap.mmap(MEMORY, os.fstat(MEMORY).st_size, shared)
    place = function = None
    takes_c, matrices, calls = False, [], []

    def put_status(i, status):
        struct.pack_into("=q", memory, TABLE + i * ROW.size + STATUS, status)

    def opened():
        return Gpu(memory, *channel) if channel else Host(memory)

    def run():
        with place.current():
            for i, (a, b, c) in enumerate(matrices):
                if takes_c:
                    function(a, b, c)
                else:
                    c[...] = function(a, b)
                put_status(i, 0)

    while len(asked := os.read(COMMANDS, 8)) == 8:
        what, count = struct.unpack("=c3xi", asked)
        if what == b"i":
            with contextlib.suppress(BaseException):  # 'l' tells
                place = opened()
        elif what == b"l":
            version, message = 2, ""
            try:
                place = place or opened()
                function, takes_c = load(path, name)
            except BaseException as failure:
                version, message = 0, f"{type(failure).__name__}: {failure}"
            types, features = (place.types, place.features) if place else (0, 0)
            struct.pack_into("=iIIi64s424s", memory, 0, version, types, features, 0, name.encode()[:63],
                             message.encode()[:423])
        elif what == b"p":
            matrices, calls = [], []
            for i in range(count):
                m, n, k, a, b, c, lda, ldb, ldc, _, _, kind, _, _ = ROW.unpack_from(
                    memory, TABLE + i * ROW.size)
                of_ab, of_c = KINDS[kind]
                matrices.append((place.matrix(of_ab, a, m, k, lda), place.matrix(of_ab, b, k, n, ldb),
                                 place.matrix(of_c, c, m, n, ldc)))
                calls.append((m, n, c, ldc, kind))
                put_status(i, 1)
        elif place:
            place.answer(what, calls, run)
        os.write(REPLIES, what)


main()
