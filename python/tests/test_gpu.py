"""Arrays on a GPU: PyTorch's, CuPy's and JAX's, on the caller's stream."""

import numpy as np
import pytest

import carat_gemm as cg
from conftest import need


@pytest.fixture
def torch():
    library = need("torch")
    if not library.cuda.is_available():
        pytest.skip("PyTorch finds no GPU here")
    library.manual_seed(7)
    return library


def close(torch, got, wanted, dtype):
    allowed = {"float64": 1e-12, "float32": 1e-4, "float16": 2e-2, "bfloat16": 1e-1}[dtype]
    torch.testing.assert_close(got.double(), wanted.double(), rtol=allowed, atol=allowed * 10)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_types_and_layouts(torch, dtype):
    type_ = getattr(torch, dtype)
    a = torch.randn(130, 70, device="cuda").to(type_)
    b = torch.randn(90, 70, device="cuda").to(type_)
    c = cg.matmul(a, b.T)
    assert c.device == a.device and c.dtype == type_
    close(torch, c, a.double() @ b.double().T, dtype)
    out = torch.zeros(130, 100, device="cuda", dtype=type_)
    inside = out[:, 5:95]
    assert cg.matmul(a, b.T, out=inside) is inside
    close(torch, inside, c, dtype)
    assert not out[:, :5].any() and not out[:, 95:].any()


def test_stacks_and_epilogue(torch):
    a = torch.randn(5, 33, 64, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(5, 64, 48, device="cuda", dtype=torch.bfloat16)
    close(torch, cg.matmul(a, b), a.double() @ b.double(), "bfloat16")
    bias = torch.randn(48, device="cuda")
    got = cg.matmul(a[0], b[0], bias=bias, activation="relu")
    close(torch, got, torch.relu(a[0].double() @ b[0].double() + bias.double()), "bfloat16")


def test_groups(torch):
    sizes = [(3, 40), (200, 40), (64, 40)]
    a = [torch.randn(m, k, device="cuda", dtype=torch.float32) for m, k in sizes]
    b = [torch.randn(40, 24, device="cuda", dtype=torch.float32) for _ in sizes]
    for got, x, y in zip(cg.matmul_grouped(a, b), a, b):
        close(torch, got, x.double() @ y.double(), "float32")


def test_groups_of_sizes_on_the_gpu(torch):
    """Runs in a graph that is replayed with other sizes."""
    x = torch.randn(300, 64, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(4, 64, 48, device="cuda", dtype=torch.bfloat16)
    ends = torch.tensor([30, 30, 200, 280], device="cuda", dtype=torch.int32)
    out = torch.zeros(300, 48, device="cuda", dtype=torch.bfloat16)
    cg.matmul_grouped(x, w, out, ends=ends)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        cg.matmul_grouped(x, w, out, ends=ends)
    for sizes in ([30, 30, 200, 280], [0, 128, 128, 300]):
        ends.copy_(torch.tensor(sizes, dtype=torch.int32))
        out.fill_(9)
        graph.replay()
        first = 0
        for end, weights in zip(sizes, w):
            close(torch, out[first:end], x[first:end].double() @ weights.double(), "bfloat16")
            first = end
        assert bool((out[first:] == 9).all())
    gradients = cg.matmul_grouped(x.T, out, ends=ends)
    close(torch, gradients[1], x[:128].double().T @ out[:128].double(), "bfloat16")


def test_the_callers_stream(torch):
    """What the current stream is still to write is what the product reads."""
    a = torch.zeros(2048, 2048, device="cuda")
    eye = torch.eye(2048, device="cuda")
    cg.matmul(a, eye)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        a.fill_(3)
        c = cg.matmul(a, eye)
    stream.synchronize()
    assert bool((c == 3).all())


def test_a_graph(torch):
    a = torch.randn(256, 256, device="cuda")
    out = torch.empty_like(a)
    cg.matmul(a, a, out=out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        cg.matmul(a, a, out=out)
    a.copy_(torch.randn_like(a))
    graph.replay()
    torch.cuda.synchronize()
    close(torch, out, a.double() @ a.double(), "float32")


def test_operands_in_two_memories_are_refused(torch):
    a = torch.zeros(4, 4)
    with pytest.raises(ValueError, match="move one to the other"):
        cg.matmul(a.cuda(), a)
    with pytest.raises(ValueError, match="move one to the other"):
        cg.matmul(a, a.cuda())


def test_cupy(torch):
    cupy = need("cupy")
    a = cupy.random.standard_normal((50, 60)).astype("float32")
    c = cg.matmul(a, a.T)
    assert isinstance(c, cupy.ndarray)
    np.testing.assert_allclose(c.get(), a.get() @ a.get().T, rtol=1e-4, atol=1e-3)


def test_jax(torch):
    jax = need("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX finds no GPU here")
    a = jax.random.normal(jax.random.key(1), (40, 40))
    out = torch.empty(40, 40, device="cuda")
    cg.matmul(a, a, out=out)
    wanted = np.asarray(a, np.float64) @ np.asarray(a, np.float64)
    np.testing.assert_allclose(out.cpu().numpy(), wanted, rtol=1e-4, atol=1e-3)
