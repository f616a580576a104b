"""Where bench's operands lie: in NumPy's arrays, or in tensors of PyTorch on a device."""

from __future__ import annotations

from typing import Any


class NumpyArrays:
    @staticmethod
    def put(array):
        return array

    @staticmethod
    def get(result):
        """The tensor as a NumPy array, whose type holds the values of bfloat16 and 8-bit tensors."""
        import numpy as np

        return np.asarray(result)

    @staticmethod
    def finish() -> None:
        """Returns once what was asked for is done."""


class Tensors:
    def __init__(self, device: Any):
        try:
            import torch
        except ImportError as missing:
            raise RuntimeError(
                f"bench: device is {device!r}, which means tensors of PyTorch, and that is not "
                "installed: install torch, or leave device out"
            ) from missing
        self._torch = torch
        try:
            self._device = torch.empty(0, device=device).device
        except (RuntimeError, AssertionError) as why:
            reason = str(why).splitlines()[0]
            raise ValueError(f"bench: device is {device!r}: PyTorch says: {reason}") from why

    def put(self, array):
        if array.dtype.name != "bfloat16":
            return self._torch.from_numpy(array).to(self._device)
        whole = self._torch.from_numpy(array.astype("float32"))
        return whole.to(self._device, self._torch.bfloat16)

    def get(self, result):
        if not isinstance(result, self._torch.Tensor):
            return NumpyArrays.get(result)
        return result.detach().cpu().double().numpy()

    def finish(self) -> None:
        if self._device.type == "cuda":
            self._torch.cuda.synchronize(self._device)
