#!/usr/bin/env python3
"""Puts defects back into the library, one at a time, and sees whether the fuzzer finds them:
plant_defects.py [--gpu] [--minutes M] [--seed S] [--only NAME] [--build-only]

All edits go into one copy of the checkout (build/defects), each behind a number that the
environment names, so that the library is built once. Prints a row for each: its option, the
seconds, what was found. Exit code: 0 all found, 1 one was not, 2 an edit no longer
applies or something is found with nothing planted.
"""

import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "defects"
ASKED = """#include <cstdlib>
namespace {
[[maybe_unused]] bool is_planted(int number) {
    static const char* const asked = std::getenv("CARAT_PLANTED");
    static const int which = asked == nullptr ? 0 : std::atoi(asked);
    return which == number;
}
}  // namespace
"""


@dataclasses.dataclass
class Defect:
    what: str
    file: str
    old: str
    new: str  # NUMBER stands for the defect's own
    on_gpu: bool = False


DEFECTS = [
    Defect("165 KiB of stack", "src/cpu/engine.cpp", "    multiply_skinny(whole, share_of",
           "    const auto fill = []() __attribute__((noinline)) {\n"
           "        [[maybe_unused]] volatile char room[165 << 10];\n"
           "        for (int i = (165 << 10) - 1; i >= 0; i -= 512) room[i] = 0;\n    };\n"
           "    if (is_planted(NUMBER)) fill();\n    multiply_skinny(whole, share_of"),
    Defect("overlaps not looked for", "src/api/overlap.cpp",
           "    if (empty(x) || empty(y)) return false;\n    const byte_span in_x",
           "    if (empty(x) || empty(y) || is_planted(NUMBER)) return false;\n"
           "    const byte_span in_x"),
    Defect("a failed allocation is kept quiet", "src/api/product.cpp",
           "        // All allocations come before the first write to C.\n",
           "        if (is_planted(NUMBER)) return;\n"),
    Defect("the last k left out", "src/cpu/engine.cpp", "            .k = p.k,\n            .a = operand",
           "            .k = is_planted(NUMBER) && p.k > 100 ? p.k - 1 : p.k,\n            .a = operand"),
    Defect("reads ahead of A", "src/cpu/engine.cpp",
           "    return {static_cast<const std::byte*>(data), static_cast",
           "    if (is_planted(NUMBER) && data != nullptr)\n"
           "        static_cast<void>(static_cast<const volatile char*>(data)[-1]);\n"
           "    return {static_cast<const std::byte*>(data), static_cast"),
    Defect("writes behind a column of C", "src/cpu/skinny/loops.cpp",
           "        const std::int64_t step = t.c_row_stride;\n        if (t.beta == T{0})",
           "        const std::int64_t step = t.c_row_stride;\n"
           "        if (is_planted(NUMBER)) c[call.rows * step] = T{1};\n        if (t.beta == T{0})"),
    Defect("subnormal numbers flushed", "src/cpu/engine.cpp",
           "    const kernel<T>& with = kernel_of<T>(*kernels_);\n    task<T> whole = make<T>(data);",
           "    if (is_planted(NUMBER)) __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);\n"
           "    const kernel<T>& with = kernel_of<T>(*kernels_);\n    task<T> whole = make<T>(data);"),
    Defect("an integer proof without E", "src/api/integers.cpp",
           "    const wide size = bound(p, f, a, b, e, &largest_of_elements);",
           "    const wide size = bound(p, f, a, b, is_planted(NUMBER) ? nullptr : e,\n"
           "                            &largest_of_elements);"),
    Defect("sums cut where threads say", "src/cpu/engine.cpp",
           "    is_lone_tile_ = is_one_tile();",
           "    if (is_planted(NUMBER) && plan_.threads() > 1 && plan_.blocks.kc > 8)\n"
           "        plan_.blocks.kc -= 8;\n    is_lone_tile_ = is_one_tile();"),
    Defect("a unit diagonal is read", "src/abi/blas/level3/triangular.cpp",
           "          first{blocks.m11, t.lower, t.unit},",
           "          first{blocks.m11, t.lower, t.unit && !is_planted(NUMBER)},"),
    Defect("shared memory granted by another call", "src/cuda/common/kernel.cpp",
           "    load(kernel);\n    cudaFuncAttributes taken{};",
           "    load(kernel);\n    if (is_planted(NUMBER))\n        CARAT_CUDA_CHECK(cudaFuncSetAttribute("
           "\n            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));\n"
           "    cudaFuncAttributes taken{};", on_gpu=True),
    Defect("memory of a capture is called the host's", "src/cuda/engine/memory_checks.cpp",
           "cudaMemoryTypeUnregistered || call.is_captured()) return;",
           "cudaMemoryTypeUnregistered ||\n        (call.is_captured() && !is_planted(NUMBER)))\n"
           "        return;", on_gpu=True),
    Defect("an empty product's place is looked at", "src/cuda/engine/memory_checks.cpp",
           "    if (p.m == 0 || p.n == 0) return;  // where",
           "    if ((p.m == 0 || p.n == 0) && !is_planted(NUMBER)) return;  // where", on_gpu=True),
    Defect("a meaningless stride of scales", "src/api/on_gpu.cpp",
           "s.cols > 1 ? s.col_stride : 0;", "s.cols > 1 || is_planted(NUMBER) ? s.col_stride : 0;",
           on_gpu=True),
    Defect("no memory for a kernel's code", "src/cuda/common/kernel.cpp",
           "    if (free_bytes() >= room_for_code_bytes) return;\n    give_back",
           "    if (free_bytes() >= room_for_code_bytes || is_planted(NUMBER)) return;\n    give_back",
           on_gpu=True),
    Defect("batch_invariant is not kept", "src/cuda/engine/task.cpp",
           "    if (!t.batch_invariant) return s;",
           "    if (!t.batch_invariant || is_planted(NUMBER)) return s;", on_gpu=True),
    Defect("E copied on another stream", "src/cuda/engine/one_launch.cpp",
           "                            {first.c, p.c_layout, apart.c}, call.stream());",
           "                            {first.c, p.c_layout, apart.c},\n"
           "                            is_planted(NUMBER) ? nullptr : call.stream());", on_gpu=True),
    Defect("the last product of a group left out", "src/cuda/engine/one_launch.cpp",
           "    return made.product->run_group(sorted.together, common) ? sorted.left : all_of(",
           "    if (is_planted(NUMBER)) sorted.together.pop_back();\n"
           "    return made.product->run_group(sorted.together, common) ? sorted.left : all_of(",
           on_gpu=True),
]


def arguments():
    parser = argparse.ArgumentParser(description="Defects planted again, and found by the fuzzer.")
    parser.add_argument("--gpu", action="store_true", help="those of calls on a GPU instead")
    parser.add_argument("--minutes", type=float, default=10, help="for each (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer (%(default)s)")
    parser.add_argument("--threads", type=int, default=8, help="of its on a GPU (%(default)s)")
    parser.add_argument("--only", default="", help="those with this in their name")
    parser.add_argument("--build-only", action="store_true", help="plant and build them, no more")
    parser.add_argument("--program", type=pathlib.Path, help="a carat_fuzz built so before")
    return parser.parse_args()


def plant():
    """Writes all edits into the copy; the edits that no longer apply."""
    if not COPY.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, COPY],
                       check=True)
    subprocess.run(["git", "-C", COPY, "fetch", "--quiet", ROOT, "HEAD"], check=True)
    subprocess.run(["git", "-C", COPY, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"],
                   check=True)
    lost = []
    for number, defect in enumerate(DEFECTS, 1):
        path = COPY / defect.file
        text = path.read_text()
        if text.count(defect.old) != 1:
            lost.append(defect.what)
            continue
        text = text.replace(defect.old, defect.new.replace("NUMBER", str(number)))
        path.write_text(text if ASKED in text else ASKED + text)
    return lost


def build():
    subprocess.run(["cmake", "--preset", "dev", "--log-level=WARNING"], cwd=COPY, check=True)
    subprocess.run(["cmake", "--build", "--preset", "dev", "--target", "carat_fuzz"], cwd=COPY,
                   check=True)
    return COPY / "build" / "dev" / "fuzz" / "carat_fuzz"


def look_for(given, program, number, minutes):
    """Seconds until the first finding, and what it says; no seconds where there was none."""
    words = [program, "--minutes", str(minutes), "--seed", str(given.seed)]
    if given.gpu:
        words += ["--gpu", "--threads", str(given.threads)]
    began = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, "CARAT_PLANTED": str(number)},
                          start_new_session=True) as process:
        for line in process.stdout:
            if line.startswith("FINDING") and "planted error" not in line:
                seconds = time.monotonic() - began
                os.killpg(process.pid, 9)
                return seconds, line.removeprefix("FINDING ").strip()
    return None, ""


def main():
    given = arguments()
    program = given.program
    if program is None:
        lost = plant()
        for what in lost:
            print(f"no longer applies: {what}", file=sys.stderr)
        if lost:
            return 2
        program = build()
    if given.build_only:
        return 0
    seconds, found = look_for(given, program, 0, 0.2)
    if seconds is not None:
        print(f"found with nothing planted: {found}", file=sys.stderr)
        return 2
    missed = 0
    print("| defect | option | seconds | found as |\n|---|---|--:|---|")
    for number, defect in enumerate(DEFECTS, 1):
        if defect.on_gpu != given.gpu or given.only not in defect.what:
            continue
        seconds, found = look_for(given, program, number, given.minutes)
        missed += seconds is None
        told = "not found" if seconds is None else f"{seconds:.0f}"
        option = "`--gpu`" if defect.on_gpu else "`blas`" if found.startswith("blas:") else ""
        print(f"| {defect.what} | {option} | {told} | {found[:150]} |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
