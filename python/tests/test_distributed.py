"""Products over process groups of PyTorch: Gloo with processes here, NCCL where there are GPUs."""

import os
import socket
import traceback

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")
import torch.distributed as dist  # noqa: E402
import torch.multiprocessing as processes  # noqa: E402

if not dist.is_available():
    pytest.skip("this torch has no torch.distributed", allow_module_level=True)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def whole(rows, cols, dtype, seed):
    """Small whole numbers, whose sums no order of additions changes."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-3, 4, (rows, cols), generator=generator).to(dtype)


def product(a, b):
    return (a.double() @ b.double()).to(torch.int32 if a.dtype == torch.int8 else a.dtype)


def check_products(rank, size, device, group):
    from carat_gemm.distributed import all_gather_matmul, matmul_reduce_scatter

    m, n, k = 12 * size, 10, 8 * size
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16, torch.int8):
        a, b = whole(m, k, dtype, 1), whole(k, n, dtype, 2)
        rows, inner = slice(12 * rank, 12 * rank + 12), slice(8 * rank, 8 * rank + 8)
        mine = all_gather_matmul(a[rows].to(device), b.to(device), group)
        assert torch.equal(mine.cpu(), product(a, b)), f"all_gather_matmul of {dtype}"
        mine = matmul_reduce_scatter(a[:, inner].to(device), b[inner].to(device), group)
        assert torch.equal(mine.cpu(), product(a, b)[rows]), f"matmul_reduce_scatter of {dtype}"


def check_refusals(size):
    from carat_gemm.distributed import all_gather_matmul, matmul_reduce_scatter

    with pytest.raises(ValueError, match="inner sizes differ"):
        all_gather_matmul(torch.ones(2, 3), torch.ones(4, 5))
    with pytest.raises(ValueError, match=f"{size + 1} rows for {size} ranks"):
        matmul_reduce_scatter(torch.ones(size + 1, 3), torch.ones(3, 5))


def work(rank, size, backend, port, failures):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    try:
        torch.set_num_threads(1)
        device = torch.device("cpu")
        if backend == "nccl":
            device = torch.device("cuda", rank)
            torch.cuda.set_device(device)
        dist.init_process_group(backend, rank=rank, world_size=size)
        check_products(rank, size, device, None)
        if size > 2:  # a group in which ranks have other numbers
            group = dist.new_group([1, 2])
            if rank in (1, 2):
                check_products(rank - 1, 2, device, group)
        check_refusals(size)
        dist.destroy_process_group()
    except BaseException:
        failures.put(traceback.format_exc())
        raise


def run(size, backend):
    failures = processes.get_context("spawn").SimpleQueue()
    try:
        processes.spawn(work, (size, backend, free_port(), failures), size)
    except Exception:
        pytest.fail(failures.get() if not failures.empty() else traceback.format_exc())


@pytest.mark.parametrize("size", [2, 3])
def test_processes(size):
    if not dist.is_gloo_available():
        pytest.skip("this torch has no Gloo")
    run(size, "gloo")


@pytest.mark.parametrize("size", [2, 4])
def test_gpus(size):
    if torch.cuda.device_count() < size or not dist.is_nccl_available():
        pytest.skip(f"NCCL and {size} GPUs are needed, and there are {torch.cuda.device_count()}")
    run(size, "nccl")


def test_without_a_process_group():
    from carat_gemm.distributed import all_gather_matmul

    with pytest.raises(RuntimeError, match="init_process_group"):
        all_gather_matmul(torch.ones(2, 3), torch.ones(3, 5))
