"""Products over the ranks of a process group of PyTorch, with messages beside the products.

all_gather_matmul and matmul_reduce_scatter are the two products of tensor parallelism. Every rank makes
the same call with tensors of the same shapes. PyTorch's process group (NCCL, Gloo, MPI) moves the data.
"""

from typing import Optional

import torch
import torch.distributed as dist
from torch import Tensor

from ._native import matmul as _matmul

_HALVES = (torch.float16, torch.bfloat16)


def _check(name: str, a: Tensor, b: Tensor) -> None:
    if a.dim() != 2 or b.dim() != 2:
        raise ValueError(f"{name}: a has {a.dim()} dimensions and b has {b.dim()}: give matrices")
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"{name}: a is {tuple(a.shape)} and b {tuple(b.shape)}: their inner sizes differ")
    if not dist.is_initialized():
        raise RuntimeError(f"{name}: there is no process group: call torch.distributed.init_process_group")


def _exchange(sent: Tensor, to: int, received: Tensor, source: int, group) -> list:
    """Sends and receives at once; what it returns must be waited for."""

    def peer(rank: int) -> int:
        return rank if group is None else dist.get_global_rank(group, rank)

    return dist.batch_isend_irecv(
        [
            dist.P2POp(dist.isend, sent, peer(to), group),
            dist.P2POp(dist.irecv, received, peer(source), group),
        ]
    )


def _wait(requests: list) -> None:
    for request in requests:
        request.wait()


def all_gather_matmul(a: Tensor, b: Tensor, group=None) -> Tensor:
    """The rows of a of all ranks, one below the other, times this rank's b.

    a: (m / ranks, k), b: (k, n / ranks). A rank multiplies its own rows while those of others arrive.
    """
    _check("all_gather_matmul", a, b)
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    a = a.detach().contiguous()
    rows = a.shape[0]
    others = [torch.empty_like(a) for _ in range(1, size)]
    running = [
        _exchange(a, (rank - shift) % size, others[shift - 1], (rank + shift) % size, group)
        for shift in range(1, size)
    ]
    dtype = torch.int32 if a.dtype in (torch.int8, torch.uint8) else a.dtype
    c = a.new_empty((rows * size, b.shape[1]), dtype=dtype)
    _matmul(a, b.detach(), out=c[rows * rank : rows * (rank + 1)])
    for shift, requests in enumerate(running, 1):
        source = (rank + shift) % size
        _wait(requests)
        _matmul(others[shift - 1], b.detach(), out=c[rows * source : rows * (source + 1)])
    return c


def matmul_reduce_scatter(a: Tensor, b: Tensor, group=None) -> Tensor:
    """This rank's rows of the sum of all ranks' a @ b.

    a: (m, k / ranks), b: (k / ranks, n), m a multiple of the number of ranks. A rank multiplies first what
    others receive, and sends each part while it multiplies the next. Sums of halves are moved in float32 and
    rounded once.
    """
    name = "matmul_reduce_scatter"
    _check(name, a, b)
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    if a.shape[0] % size:
        raise ValueError(f"{name}: a has {a.shape[0]} rows for {size} ranks: give a multiple")
    a, b = a.detach(), b.detach()
    rows = a.shape[0] // size
    sums: Optional[torch.dtype] = torch.float32 if a.dtype in _HALVES else None

    def part(of: int) -> Tensor:
        return _matmul(a[rows * of : rows * (of + 1)], b, dtype=sums)

    running = []
    for shift in range(1, size):
        to = (rank + shift) % size
        sent = part(to)
        received = torch.empty_like(sent)
        running.append((sent, received, _exchange(sent, to, received, (rank - shift) % size, group)))
    c = part(rank)
    for _, received, requests in running:
        _wait(requests)
        c += received
    return c.to(a.dtype) if sums is not None else c
