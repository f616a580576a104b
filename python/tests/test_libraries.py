"""Arrays that are not NumPy's."""

import array

import numpy as np
import pytest

import carat_gemm as cg
from conftest import need


class Handed:
    """What has DLPack's two methods only."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **keywords):
        return self.values.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_dlpack_alone(rng):
    a, b = rng.standard_normal((2, 10, 10))
    c = cg.matmul(Handed(a), Handed(b.T))
    np.testing.assert_allclose(np.asarray(c), a @ b.T)
    out = np.zeros((10, 10))
    cg.matmul(Handed(a), b, out=Handed(out))
    np.testing.assert_allclose(out, a @ b)


def test_buffers(rng):
    a = rng.standard_normal((6, 6))
    row = array.array("d", a[0])
    np.testing.assert_allclose(cg.matmul(row, a), a[0] @ a)
    np.testing.assert_allclose(cg.matmul(memoryview(a), a), a @ a)


def test_torch():
    torch = need("torch")
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        a, b = torch.rand(2, 20, 20).to(dtype)
        c = cg.matmul(a, b.T)
        assert isinstance(c, torch.Tensor) and c.dtype == dtype
        torch.testing.assert_close(c.double(), a.double() @ b.double().T, rtol=1e-2, atol=1e-2)
    out = torch.empty(20, 20, dtype=torch.bfloat16)
    assert cg.matmul(a, b, out=out) is out
    assert cg.matmul(a, b, dtype=torch.float32).dtype == torch.float32


def test_jax():
    jax = need("jax")
    jnp = jax.numpy
    with jax.default_device(jax.devices("cpu")[0]):
        for dtype in (jnp.float32, jnp.bfloat16):
            a = jax.random.normal(jax.random.key(1), (20, 20), dtype)
            c = cg.matmul(a, a.T, bias=jnp.ones(20))
            assert isinstance(c, jax.Array) and c.dtype == dtype
            wanted = np.asarray(a, np.float64) @ np.asarray(a, np.float64).T + 1
            np.testing.assert_allclose(np.asarray(c, np.float64), wanted, rtol=0, atol=0.3)
        out = jnp.zeros((20, 20), dtype)
        with pytest.raises(TypeError, match="out is an array of JAX, which nothing may write"):
            cg.matmul(a, a.T, out=out)
        assert not out.any()


class Old:
    """Hands out its memory as PyTorch did before version 1 of DLPack, and not at all with a gradient."""

    def __init__(self, values, gradient=False):
        self.values, self.gradient = values, gradient

    def __dlpack__(self, stream=None):
        if self.gradient:
            raise BufferError("use tensor.detach()")
        return self.values.__dlpack__(stream=stream)


def test_libraries_of_old_versions(rng):
    a, out = rng.standard_normal((5, 5)), np.zeros((5, 5))
    np.testing.assert_allclose(cg.matmul(Old(a), Old(a)), a @ a)
    cg.matmul(a, a, out=Old(out))
    np.testing.assert_allclose(out, a @ a)
    for call in (lambda x: cg.matmul(x, a), lambda x: cg.matmul(a, a, out=x)):
        with pytest.raises(TypeError, match="BufferError: use tensor.detach"):
            call(Old(a, gradient=True))
    locked = np.zeros((5, 5))
    locked.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        cg.matmul(a, a, out=Handed(locked))
    assert not locked.any()
