"""What the extension asks of other libraries: new arrays, current streams."""

from __future__ import annotations


def _library_of(array) -> str:
    return type(array).__module__.partition(".")[0]


def empty_like(array, shape, dtype_name, on_gpu):
    """An uninitialised array of that shape where `array` lies, of its library; None where NumPy is to
    make it."""
    library = _library_of(array)
    if library == "torch":
        import torch

        return torch.empty(shape, dtype=getattr(torch, dtype_name), device=array.device)
    if library == "cupy":
        import cupy

        with cupy.cuda.Device(array.device.id):
            return cupy.empty(shape, dtype=dtype_name)
    if on_gpu:
        raise TypeError(
            f"a is a GPU array of {library}, which carat cannot create: pass out="
        )
    return None


def returned(like, result):
    """The result as an array of the library of `like`, where empty_like could not make one."""
    if _library_of(like) in ("jax", "jaxlib"):
        import jax.numpy

        return jax.numpy.asarray(result)
    return result


def stream_address(stream, like, device):
    """The cudaStream_t of a stream given as a number or an object; of None the library's current one."""
    if stream is None:
        library = _library_of(like)
        if library == "torch":
            import torch

            return torch.cuda.current_stream(device).cuda_stream
        if library == "cupy":
            import cupy

            with cupy.cuda.Device(device):
                return cupy.cuda.get_current_stream().ptr
        return 0
    for attribute in ("cuda_stream", "ptr"):
        if hasattr(stream, attribute):
            return getattr(stream, attribute)
    if not isinstance(stream, int):
        raise TypeError(
            f"stream is {stream!r}: it must be a stream of PyTorch or CuPy, or a cudaStream_t as a number"
        )
    return stream
