"""torch.ops.carat_gemm.matmul: values, gradients, fake tensors, torch.compile."""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")
import carat_gemm.torch  # noqa: E402,F401 (registers it)

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
SHAPES = [
    ((4, 5), (5, 3)),
    ((5,), (5, 3)),
    ((4, 5), (5,)),
    ((5,), (5,)),
    ((2, 4, 5), (5, 3)),
    ((2, 1, 4, 5), (3, 5, 6)),
    ((5,), (2, 5, 3)),
]
ACTIVATIONS = {
    None: lambda x: x,
    "relu": torch.relu,
    "gelu": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}
op = torch.ops.carat_gemm.matmul


def random(*shape, dtype=torch.float64, seed=3):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def test_importing_the_package_imports_no_torch():
    code = "import sys, carat_gemm; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("a, b", SHAPES)
def test_values(a, b, dtype):
    a, b = random(*a, dtype=dtype), random(*b, dtype=dtype, seed=4)
    got = op(a, b)
    assert got.dtype == dtype
    torch.testing.assert_close(got, torch.matmul(a.double(), b.double()).to(dtype))


def test_what_it_adds():
    a, b, bias = random(4, 5), random(5, 3), random(3)
    for name, activation in ACTIVATIONS.items():
        wanted = activation(2 * (a @ b) + bias)
        torch.testing.assert_close(op(a, b, bias=bias, activation=name, scale=2.0), wanted)
    x = random(4, 5, dtype=torch.float32)
    assert op(x, x.mT, dtype=torch.bfloat16).dtype == torch.bfloat16
    x = torch.ones(4, 5, dtype=torch.int8)
    assert op(x, x.mT.to(torch.uint8)).tolist() == [[5] * 4] * 4


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("a, b", SHAPES)
def test_gradients(a, b, activation):
    a, b = random(*a).requires_grad_(), random(*b, seed=4).requires_grad_()
    n = b.shape[-1] if b.dim() > 1 else 1
    bias = random(n, seed=5).requires_grad_()
    for given in (None, bias):
        inputs = (a, b) if given is None else (a, b, bias)
        assert torch.autograd.gradcheck(lambda *x: op(*x, activation=activation, scale=0.5), inputs)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_twice_and_of_rows(activation):
    inputs = [x.requires_grad_() for x in (random(4, 5), random(5, 3), random(4, 1))]
    assert torch.autograd.gradgradcheck(lambda *x: op(*x, activation=activation), inputs)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("a, b", SHAPES)
def test_opcheck(a, b, activation):
    a, b = random(*a).requires_grad_(), random(*b, seed=4).requires_grad_()
    torch.library.opcheck(op, (a, b), {"activation": activation})


def test_opcheck_of_types():
    ones = torch.ones(4, 4, dtype=torch.int8)
    torch.library.opcheck(op, (ones, ones))
    half = random(4, 4, dtype=torch.bfloat16)
    torch.library.opcheck(op, (half, half, random(4, dtype=torch.float32)), {"dtype": torch.float32})


def layer(x, w, bias):
    return op(torch.tanh(x), w.mT, bias=bias, activation="gelu").sum(-1) + 1


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compiled_whole_with_sizes_that_change(backend):
    """Compiled for any size once, with the gradients of the layer as it is."""
    torch._dynamo.reset()
    compiled = torch.compile(layer, backend=backend, fullgraph=True, dynamic=True)
    w, bias = random(7, 5).requires_grad_(), random(7).requires_grad_()
    for rows in (3, 4, 6):
        with torch._dynamo.config.patch(error_on_recompile=rows > 3):
            x = random(rows, 5).requires_grad_()
            got, wanted = compiled(x, w, bias), layer(x, w, bias)
            torch.testing.assert_close(got, wanted)
            grads = [torch.autograd.grad(y.square().sum(), (x, w, bias)) for y in (got, wanted)]
        torch.testing.assert_close(*grads)


def test_refusals():
    with pytest.raises(ValueError, match="activation"):
        op(random(4, 5), random(5, 3), activation="tanh")
    with pytest.raises(ValueError, match="4 x 5"):
        op(random(4, 5), random(4, 5))
    with torch._subclasses.FakeTensorMode(), pytest.raises(RuntimeError, match=r"\(4, 5\)"):
        op(torch.empty(4, 5), torch.empty(4, 5))
