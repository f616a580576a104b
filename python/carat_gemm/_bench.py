"""carat_gemm.bench: any callables that multiply matrices, verified, then timed in turns."""

from __future__ import annotations

import math
import random
import statistics
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

LEAST_ROUND_S = 0.002  # a trial is repeated until it takes as long, so that the clock is no part of it
LEVEL = 0.95
MARGIN = 0.02  # closer than this is a tie
WIDEST = 2.0  # an interval's end over its beginning: a wider one is no verdict


@dataclass(frozen=True)
class Result:
    """One callable with one shape. Rates are in 10^9 operations a second, 2 m n k a product."""

    name: str
    m: int
    n: int
    k: int
    dtype: str
    verified: bool
    reason: str = ""  # why it was not measured
    #: The largest error of the random set, over its bound; above 1 it is refused.
    error_of_bound: float = math.nan
    seconds: tuple[float, ...] = ()
    median_gflops: float = math.nan
    ci95_gflops: tuple[float, float] = (math.nan, math.nan)
    #: Time over that of the fastest, of the same rounds, with its interval.
    time_of_fastest: float = math.nan
    ci95_time_of_fastest: tuple[float, float] = (math.nan, math.nan)
    verdict: str = ""  # "fastest", "slower", "tie" (within 2 %) or "unclear"
    remark: str = ""  # why the measurement allows no verdict


@dataclass(frozen=True)
class Bench:
    """Figures of bench, fastest first within each shape. Prints as a table; iterates over results."""

    results: tuple[Result, ...] = field(default=())

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __str__(self) -> str:
        lines = []
        for shape in dict.fromkeys((r.m, r.n, r.k, r.dtype) for r in self.results):
            rows = [r for r in self.results if (r.m, r.n, r.k, r.dtype) == shape]
            wide = max(len(r.name) for r in rows)
            lines.append("{} x {} x {} (m x n x k), {}".format(*shape))
            lines.append(
                f"  {'':{wide}}   GFLOP/s   95 % interval        time / fastest   verdict"
            )
            lines += [f"  {r.name:{wide}}   {_row(r)}" for r in rows]
            remarks = dict.fromkeys(r.remark for r in rows if r.remark)
            lines += [f"  no verdict: {remark}" for remark in remarks]
        return "\n".join(lines)

    __repr__ = __str__


def _row(r: Result) -> str:
    if not r.verified:
        return f"not measured: {r.reason}"
    low, high = r.ci95_gflops
    return (
        f"{r.median_gflops:7.4g}   {f'[{low:.4g}, {high:.4g}]':18}   "
        f"{r.time_of_fastest:14.3f}   {r.verdict}"
    )


def t_quantile(p: float, df: int) -> float:
    """Student's t by Cornish and Fisher's expansion (Abramowitz and Stegun 26.7.5), within 0.2 %
    from 5 degrees of freedom on."""
    z = statistics.NormalDist().inv_cdf(p)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / df ** (i + 1) for i, term in enumerate(terms))


def _interval(logs: Sequence[float]) -> tuple[float, float, float]:
    """The mean of logarithms and its t interval, as numbers again."""
    mean = statistics.fmean(logs)
    half = t_quantile((1 + LEVEL) / 2, len(logs) - 1) * statistics.stdev(logs) / len(logs) ** 0.5
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


# Significand bits of the type of the sums, and of each type itself.
_SUMMED_IN = {"float64": 53, "float32": 24, "float16": 24, "bfloat16": 24}
_BITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}


def _numpy_dtype(dtype: Any):
    import numpy as np

    if str(dtype) in ("bfloat16", "bf16"):
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(dtype)


def _exact_operands(m: int, n: int, k: int, dtype, generator):
    """Whole numbers whose sums every type holds, whatever the order: |a b| summed is at most 256."""
    import numpy as np

    integers = dtype.kind in "iu"
    low = 0 if dtype.kind == "u" else -2
    a = generator.integers(low, 3, (m, k))
    b = generator.integers(low, 3, (k, n))
    if not integers:  # few enough are not 0
        a *= generator.random((m, k)) < min(1.0, 32 / max(k, 1))
        excess = np.abs(a).sum(axis=1, keepdims=True) > 64
        a[np.broadcast_to(excess, a.shape)] = 0
    return a.astype(dtype), b.astype(dtype), a.astype(np.int64) @ b.astype(np.int64)


def _check_exact(product, operands) -> str:
    import numpy as np

    a, b, wanted = operands
    got = product(a, b)
    if got.shape != wanted.shape:
        return f"its result is {got.shape}, not {wanted.shape}"
    if not np.array_equal(got.astype(np.float64), wanted.astype(np.float64)):
        wrong = np.argwhere(got.astype(np.float64) != wanted)[0]
        at = tuple(int(i) for i in wrong)
        return f"whole numbers: element {at} is {got[at]}, not {wanted[at]}"
    return ""


def _error_of_bound(product, a, b) -> float:
    """The largest |c - a b| over gamma_k |a| |b| and a rounding of the result (Higham, 3.5): true of
    every order of sums."""
    import numpy as np

    name = a.dtype.name
    got = product(a, b).astype(np.float64)
    wide = np.longdouble if name == "float64" else np.float64
    exact = a.astype(wide) @ b.astype(wide)
    sums = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    unit = 2.0 ** -_SUMMED_IN[name]
    bound = a.shape[1] * unit * sums + 2.0 ** -_BITS[name] * np.abs(exact).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(bound > 0, np.abs(got - exact).astype(np.float64) / bound, got != exact)
    return float(np.max(share, initial=0.0))


def _repeats(product, operands, place) -> int:
    """How often to call it within a trial; the calls warm it up, too."""
    count = 1
    while True:
        took = count * _time(product, operands, place, count)
        if took >= LEAST_ROUND_S:
            return count
        count = max(2 * count, math.ceil(count * LEAST_ROUND_S / max(took, 1e-9)))


def _time(product, operands, place, count: int) -> float:
    a, b = operands
    place.finish()
    start = time.perf_counter()
    for _ in range(count):
        product(a, b)
    place.finish()
    return (time.perf_counter() - start) / count


def _verify(callable_, dtype, sets, place) -> tuple[str, float]:
    exact, (a, b) = sets

    def product(x, y):
        return place.get(callable_(place.put(x), place.put(y)))

    try:
        if reason := _check_exact(product, exact):
            return reason, math.nan
        if dtype.kind in "iu":
            return "", 0.0
        error = _error_of_bound(product, a, b)
    except Exception as failure:  # whatever a callable throws is its result
        return f"{type(failure).__name__}: {failure}".splitlines()[0], math.nan
    return ("" if error <= 1 else f"errs by {error:.3g} times its bound"), error


def _verdict(low: float, high: float) -> str:
    """The verdict on a ratio of times from its interval, by the laboratory's rule and margin."""
    if low > 1 + MARGIN and high <= WIDEST * low:
        return "slower"
    return "tie" if high <= 1 + MARGIN and low >= 1 / (1 + MARGIN) else "unclear"


def _too_wide(who: str, fastest: str, low: float, high: float) -> str:
    if high <= WIDEST * low:
        return ""
    return (
        f"{who} takes [{low:.3g}, {high:.3g}] times as long as {fastest}, an interval too wide: "
        "measure on a quiet machine, or more rounds"
    )


def _rank(case, times: Mapping[str, Sequence[float]], errors, disturbed: str = "") -> list[Result]:
    """`disturbed`: why no verdict may rest on the times; empty where one may."""
    m, n, k, name = case
    flop = 2.0 * m * n * k
    logs = {who: [math.log(t) for t in taken] for who, taken in times.items()}
    order = sorted(times, key=lambda who: statistics.fmean(logs[who]))
    ranked = []
    for who in order:
        middle, low, high = _interval(logs[who])
        ratio = _interval([x - y for x, y in zip(logs[who], logs[order[0]])])
        verdict = "fastest" if who == order[0] else _verdict(*ratio[1:])
        rates = [flop / t / 1e9 for t in (middle, high, low)]
        ranked.append(
            Result(
                who, m, n, k, name, True, "", errors[who], tuple(times[who]),
                rates[0], (rates[1], rates[2]), ratio[0], (ratio[1], ratio[2]),
                "unclear" if disturbed else verdict,
                disturbed or _too_wide(who, order[0], *ratio[1:]),
            )
        )
    return ranked


def _one_shape(callables, shape, dtype, rounds, generator, place) -> list[Result]:
    from ._quiet import Watch, reason_against_verdicts

    m, k, n = shape
    exact = _exact_operands(m, n, k, dtype, generator)
    if dtype.kind in "iu":
        a, b = exact[:2]
    else:
        a = generator.uniform(-1, 1, (m, k)).astype(dtype)
        b = generator.uniform(-1, 1, (k, n)).astype(dtype)
    errors, refused = {}, []
    for name, product in callables.items():
        reason, errors[name] = _verify(product, dtype, (exact, (a, b)), place)
        if reason:
            refused.append(Result(name, m, n, k, dtype.name, False, reason, errors[name]))
    running = [name for name in callables if name not in {r.name for r in refused}]
    operands = place.put(a), place.put(b)
    counts = {name: _repeats(callables[name], operands, place) for name in running}
    times: dict[str, list[float]] = {name: [] for name in running}
    watch = Watch()
    for _ in range(rounds):
        for name in random.sample(running, len(running)):
            trials = [_time(callables[name], operands, place, counts[name]) for _ in range(3)]
            times[name].append(statistics.median(trials))
    disturbed = reason_against_verdicts(watch.seen())
    return _rank((m, n, k, dtype.name), times, errors, disturbed) + refused


def bench(
    callables: Mapping[str, Callable[[Any, Any], Any]],
    shapes: Iterable[int | tuple[int, int, int]] = (512,),
    dtype: Any = "float64",
    *,
    device: Any = None,
    rounds: int = 12,
    seed: int = 0,
) -> Bench:
    """Verifies and times callables f(a, b) -> a @ b in this process, in turns.

    shapes: numbers n for n x n by n x n, or (m, k, n) for m x k by k x n. dtype: float64, float32,
    float16, bfloat16 (ml_dtypes), int32, int8 or uint8. device: None gives the callables arrays of
    NumPy, "cpu", "cuda" or "cuda:1" tensors of PyTorch there; all are row-major. Before it is timed
    each callable must multiply whole numbers exactly and random ones (uniform from -1 to 1) within
    the error bound of any order of sums. Then `rounds` times, in random order, each has the median of
    three trials of at least 2 ms; the interval is Student's, of the logarithms of these medians, and
    verdicts compare the same rounds. Where other work took the processors meanwhile, or an interval
    ends at more than twice its beginning, the verdict is "unclear" and `remark` says why. Raises
    ValueError for fewer than 6 rounds and for a device that isn't there.

        >>> print(carat_gemm.bench({"carat": carat_gemm.matmul, "numpy": np.matmul}, [256, 1024]))
    """
    import numpy as np

    from ._places import NumpyArrays, Tensors

    if rounds < 6:
        raise ValueError(f"bench: rounds is {rounds}: an interval needs 6 or more")
    if not callables:
        raise ValueError("bench: there are no callables: give {'name': f}")
    place = NumpyArrays() if device is None else Tensors(device)
    generator = np.random.default_rng(seed)
    kind = _numpy_dtype(dtype)
    if kind.name not in _BITS and kind.name not in ("int32", "int8", "uint8"):
        raise TypeError(f"bench: dtype is {kind}: it must be one that carat multiplies on a CPU")
    results: list[Result] = []
    for shape in shapes:
        sizes = (shape, shape, shape) if isinstance(shape, int) else tuple(shape)
        if len(sizes) != 3 or min(sizes) < 1:
            raise ValueError(f"bench: a shape is {shape}: give n or (m, k, n), all at least 1")
        results += _one_shape(callables, sizes, kind, rounds, generator, place)
    return Bench(tuple(results))
