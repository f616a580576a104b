"""Whether others took the processors while bench measured, so that no verdict may rest on its figures.

The laboratory's rule (lab/measure/busy.cpp) with what one process can see of itself.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass

BACKGROUND = 0.25  # processors that daemons and the kernel take of a quiet machine
WAITING = 0.05  # of its threads' time, ready and without a processor; on a quiet machine below 1 %
TICKS_PER_S = 100  # in which the system counts


@dataclass(frozen=True)
class Seen:
    """Seconds: on the clock, of all processors, of this process and its children, and those in which
    its threads waited for a processor."""

    passed_s: float
    busy_s: float
    own_s: float
    waited_s: float
    cpus: int


def _waited_s() -> float:
    nanoseconds = 0
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/schedstat", encoding="ascii") as file:
                nanoseconds += int(file.readline().split()[1])
        except OSError:  # a thread that has ended, or a kernel that doesn't count
            continue
    return nanoseconds / 1e9


def _look() -> tuple[float, float, float, float] | None:
    """None where the system doesn't say."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
        waited = _waited_s()
    except (OSError, ValueError):
        return None
    busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    own = os.times()
    own_s = own.user + own.system + own.children_user + own.children_system
    return time.perf_counter(), busy, own_s, waited


class Watch:
    """Measures from its creation on."""

    def __init__(self) -> None:
        self._start = _look()

    def seen(self) -> Seen | None:
        end = _look()
        if self._start is None or end is None:
            return None
        passed, busy, own, waited = (x - y for x, y in zip(end, self._start))
        return Seen(passed, busy, own, waited, os.cpu_count() or 1)


def reason_against_verdicts(seen: Seen | None) -> str:
    """One line with the remedy where others took more than the idle processors, or made its threads
    wait; else empty."""
    if seen is None or seen.passed_s <= 0:
        return ""
    taken_s = seen.busy_s - seen.own_s
    taken = taken_s / seen.passed_s
    # Three standard deviations of the error from whole ticks.
    uncertain = 3 * math.sqrt(seen.cpus / (4 * TICKS_PER_S * seen.passed_s))
    least = max(BACKGROUND, uncertain)
    idle = max(0, seen.cpus - math.ceil(seen.own_s / seen.passed_s))
    # A process that takes a processor makes one thread wait as long, or two that would have shared
    # another.
    waited = WAITING * (seen.own_s + seen.waited_s) < seen.waited_s <= 2 * taken_s
    if taken <= least or (taken - idle <= least and not waited):
        return ""
    share = round(100 * taken / seen.cpus)
    return f"other work took {share} % of the processors' time: stop it and measure again"
