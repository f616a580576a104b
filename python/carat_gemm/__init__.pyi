from typing import Any, Sequence

from ._bench import Bench as Bench, bench as bench
from ._explain import Explanation as Explanation, explain as explain
from ._native import (
    Prepared as Prepared,
    __version__ as __version__,
    matmul as matmul,
    matmul_grouped as matmul_grouped,
    prepare as prepare,
)

def matmul_batched(
    a: Sequence[Any] | Any, b: Sequence[Any] | Any, out: Any = None, **keywords: Any
) -> Any: ...
