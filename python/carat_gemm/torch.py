"""matmul as an operator of PyTorch: `import carat_gemm.torch` registers torch.ops.carat_gemm.matmul.

torch.compile, torch.export and autograd see through it, which they don't through carat_gemm.matmul.
Needs PyTorch 2.4. Written in Python on torch.library alone, so one wheel suits every version.
"""

from typing import Optional  # PyTorch 2.4 reads no other spelling into a schema

import torch
from torch import Tensor

from ._native import matmul as _matmul

if not hasattr(torch.library, "custom_op"):
    raise ImportError(
        f"carat_gemm.torch needs PyTorch 2.4 or newer and this is {torch.__version__}: use "
        "carat_gemm.matmul, which takes its tensors, too"
    )

_BYTES = (torch.int8, torch.uint8)
_FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)


@torch.library.custom_op("carat_gemm::matmul", mutates_args=())
def matmul(
    a: Tensor,
    b: Tensor,
    bias: Optional[Tensor] = None,
    activation: Optional[str] = None,
    scale: Optional[float] = None,
    accuracy: str = "native",
    dtype: Optional[torch.dtype] = None,
    threads: Optional[int] = None,
) -> Tensor:
    """carat_gemm.matmul of tensors: activation(scale * (a @ b) + bias), scale a number.

    a: (..., m, k) or (k,), b: (..., k, n) or (k,); stacks broadcast. Differentiable in a, b and bias.
    """
    return _matmul(
        a.detach(),
        b.detach(),
        bias=None if bias is None else bias.detach(),
        activation=activation,
        scale=scale,
        accuracy=accuracy,
        dtype=dtype,
        threads=threads,
    )


def _natural_result(a: Tensor, b: Tensor) -> torch.dtype:
    if a.dtype in _BYTES and b.dtype in _BYTES:
        return torch.int32
    if a.dtype in _FP8 and b.dtype in _FP8:
        return torch.float32
    return a.dtype


@matmul.register_fake
def _(a, b, bias=None, activation=None, scale=None, accuracy="native", dtype=None, threads=None):
    torch._check(a.dim() > 0 and b.dim() > 0, lambda: "matmul: a and b need a dimension")
    inner = b.shape[0] if b.dim() == 1 else b.shape[-2]
    torch._check(
        a.shape[-1] == inner,
        lambda: f"a is {tuple(a.shape)} and b {tuple(b.shape)}: their inner sizes differ",
    )
    shape = list(torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
    shape += [] if a.dim() == 1 else [a.shape[-2]]
    shape += [] if b.dim() == 1 else [b.shape[-1]]
    return a.new_empty(shape, dtype=dtype or _natural_result(a, b))


def _setup_context(ctx, inputs, output):
    a, b, bias, ctx.activation, ctx.scale, ctx.accuracy, _, ctx.threads = inputs
    ctx.save_for_backward(a, b, bias, output if ctx.activation == "relu" else None)


def _before_activation(ctx, a, b, bias, grad: Tensor, output) -> Tensor:
    """The gradient of what the activation is of; gelu and silu take the product once more."""
    if ctx.activation is None:
        return grad
    if ctx.activation == "relu":
        return torch.where(output > 0, grad, 0)
    x = matmul(a, b, bias, None, ctx.scale, ctx.accuracy, grad.dtype, ctx.threads)
    if ctx.activation == "gelu":
        return torch.ops.aten.gelu_backward(grad, x, approximate="tanh")
    sigmoid = torch.sigmoid(x)
    return grad * sigmoid * (1 + x * (1 - sigmoid))


def _backward(ctx, grad: Tensor):
    a, b, bias, output = ctx.saved_tensors
    grad = _before_activation(ctx, a, b, bias, grad, output)
    rows = a.unsqueeze(0) if a.dim() == 1 else a
    columns = b.unsqueeze(-1) if b.dim() == 1 else b
    grad = grad.unsqueeze(-1) if b.dim() == 1 else grad
    grad = grad.unsqueeze(-2) if a.dim() == 1 else grad
    of_bias = None
    if bias is not None and ctx.needs_input_grad[2]:
        of_bias = grad.sum_to_size(bias.shape).to(bias.dtype)
    grad = grad.to(a.dtype)

    def product(x: Tensor, y: Tensor, like: Tensor, whole: Tensor) -> Tensor:
        made = matmul(x, y, None, None, ctx.scale, ctx.accuracy, None, ctx.threads)
        return made.sum_to_size(whole.shape).reshape(like.shape)

    of_a = product(grad, columns.mT, a, rows) if ctx.needs_input_grad[0] else None
    of_b = product(rows.mT, grad, b, columns) if ctx.needs_input_grad[1] else None
    return of_a, of_b, of_bias, None, None, None, None, None


matmul.register_autograd(_backward, setup_context=_setup_context)
