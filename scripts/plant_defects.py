#!/usr/bin/env python3
"""Puts defects back into the library, one at a time, and sees whether the fuzzer finds them:
plant_defects.py [--gpu] [--minutes M] [--seed S] [--only NAME] [--check] [--build-only] [--build FOLDER]

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
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "defects"
ASKED = """#ifndef CARAT_IS_PLANTED
#define CARAT_IS_PLANTED
#include <cstdlib>
namespace {
[[maybe_unused]] bool is_planted(int number) {
    static const char* const asked = std::getenv("CARAT_PLANTED");
    static const int which = asked == nullptr ? 0 : std::atoi(asked);
    return which == number;
}
}  // namespace
#endif
"""


@dataclasses.dataclass
class Defect:
    what: str
    file: str
    old: str
    new: str  # NUMBER stands for the defect's own
    by: str = "calls"  # what finds it: see PROGRAMS
    more: tuple = ()  # other (old, new) in that file


# What each is looked for by, and what a row calls it.
PROGRAMS = {"calls": "fuzz/carat_fuzz", "gpu": "fuzz/carat_fuzz", "stress": "fuzz/carat_fuzz",
            "parsers": "fuzz/parsers/carat_fuzz_parsers", "command": "cli/carat"}
OPTIONS = {"calls": "", "gpu": "`--gpu`", "stress": "`--gpu --family stress`", "parsers": "`parsers`", "command": "`fuzz/command.py`"}

DEFECTS = [
    Defect("165 KiB of stack", "src/cpu/engine.cpp", "    multiply_skinny(whole, plan_",
           "    const auto fill = []() __attribute__((noinline)) {\n"
           "        [[maybe_unused]] volatile char room[165 << 10];\n"
           "        for (int i = (165 << 10) - 1; i >= 0; i -= 512) room[i] = 0;\n    };\n"
           "    if (is_planted(NUMBER)) fill();\n    multiply_skinny(whole, plan_"),
    Defect("overlaps not looked for", "src/api/overlap.cpp",
           "    if (empty(x) || empty(y)) return false;\n    const byte_span in_x",
           "    if (empty(x) || empty(y) || is_planted(NUMBER)) return false;\n"
           "    const byte_span in_x"),
    Defect("a failed allocation is kept quiet", "src/api/product.cpp",
           "        // All allocations come before the first write to C.\n",
           "        if (is_planted(NUMBER)) return;\n"),
    Defect("the last k left out", "src/cpu/make_task.hpp", "            .k = p.k,\n            .a = operand",
           "            .k = is_planted(NUMBER) && p.k > 100 ? p.k - 1 : p.k,\n            .a = operand"),
    Defect("reads ahead of A", "src/cpu/make_task.hpp",
           "    return {static_cast<const std::byte*>(data), static_cast",
           "    if (is_planted(NUMBER) && data != nullptr)\n"
           "        static_cast<void>(static_cast<const volatile char*>(data)[-1]);\n"
           "    return {static_cast<const std::byte*>(data), static_cast"),
    Defect("writes behind a column of C", "src/cpu/skinny/loops.cpp",
           "        const std::int64_t step = t.c_row_stride;\n        if constexpr (std::is_floating",
           "        const std::int64_t step = t.c_row_stride;\n"
           "        if (is_planted(NUMBER)) c[call.rows * step] = T{1};\n        if constexpr (std::is_floating"),
    Defect("subnormal numbers flushed", "src/cpu/engine.cpp",
           "    task<T> whole = make<T>(data);\n    epilogue_call<T> last;",
           "    if (is_planted(NUMBER)) __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);\n"
           "    task<T> whole = make<T>(data);\n    epilogue_call<T> last;"),
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
    Defect("files nested without end", "lab/files/document.cpp",
           "    if (is_deep(text)) fail", "    if (!is_planted(NUMBER) && is_deep(text)) fail",
           by="command"),
    Defect("a field of another type is read", "lab/files/fields.cpp",
           "    if (from.is_string()) value =", "    if (from.is_string() || is_planted(NUMBER)) value =",
           by="parsers"),
    Defect("control characters are shown", "src/files/visible.cpp",
           "    return c.code < 0x20 || c.code == 0x7F || c1 || turns;",
           "    return !is_planted(NUMBER) && (c.code < 0x20 || c.code == 0x7F || c1 || turns);",
           by="command"),
    Defect("the file beside an output is written", "lab/files/draft.cpp",
           "        name_ = name_beside(target_);",
           "        name_ = is_planted(NUMBER) ? fs::path(target_.string() + \".tmp\")\n"
           "                                   : name_beside(target_);",
           by="command",
           more=(("        constexpr int new_and_ours = O_CREAT",
                  "        const int new_and_ours = is_planted(NUMBER) ? O_CREAT | O_TRUNC | O_CLOEXEC\n"
                  "                                                    : O_CREAT"),)),
    Defect("shared memory granted by another call", "src/cuda/common/kernel.cpp",
           "    load(kernel, share);\n    cudaFuncAttributes taken{};",
           "    load(kernel, share);\n    if (is_planted(NUMBER))\n        CARAT_CUDA_CHECK(cudaFuncSetAttribute("
           "\n            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));\n"
           "    cudaFuncAttributes taken{};", by="gpu"),
    Defect("memory of a capture is called the host's", "src/cuda/engine/memory_checks.cpp",
           "cudaMemoryTypeUnregistered || call.is_captured()) return;",
           "cudaMemoryTypeUnregistered ||\n        (call.is_captured() && !is_planted(NUMBER)))\n"
           "        return;", by="gpu"),
    Defect("an empty product's place is looked at", "src/cuda/engine/memory_checks.cpp",
           "    if (p.m == 0 || p.n == 0) return;  // where",
           "    if ((p.m == 0 || p.n == 0) && !is_planted(NUMBER)) return;  // where", by="gpu"),
    Defect("a meaningless stride of scales", "src/api/on_gpu.cpp",
           "s.cols > 1 ? s.col_stride : 0;", "s.cols > 1 || is_planted(NUMBER) ? s.col_stride : 0;",
           by="gpu"),
    # No room looked for ahead of a kernel's code (src/cuda/common/kernel.cpp) isn't here: on an H200
    # with CUDA 13, 41 processes made their first calls in full memory; where code found no room (2)
    # the call was refused, and all were right afterwards.
    Defect("batch_invariant is not kept", "src/cuda/engine/select.cpp",
           "    if (!call.batch_invariant) return s;",
           "    if (!call.batch_invariant || is_planted(NUMBER)) return s;", by="gpu"),
    Defect("E copied on another stream", "src/cuda/engine/many.cpp",
           "                            {with.data.c, p.c_layout, apart.c}, scope.stream());",
           "                            {with.data.c, p.c_layout, apart.c},\n"
           "                            is_planted(NUMBER) ? nullptr : scope.stream());", by="gpu"),
    Defect("silu of infinity is no number", "src/cuda/engine/epilogue_kernel.cu",
           "        case action::gate:\n            return cuda::activate(s.then, own.x);",
           "        case action::gate:\n"
           "            if (s.number != Sum{0})  // which nothing else gives an activation\n"
           "                return own.each([](Sum x, int) {\n"
           "                    return x / (Sum{1} + exp(x * (Sum{-1} + Sum{0} * x * x)));\n"
           "                });\n"
           "            return cuda::activate(s.then, own.x);", by="gpu",
           more=(("            made.what = action::activate;\n",
                  "            made.what = action::activate;\n"
                  "            if (is_planted(NUMBER) && s.kind == step_kind::silu) made.number = 1;\n"),)),
    Defect("3xTF32's small part underflows", "src/cuda/common/pack.cu",
           "std::int64_t to_small) {", "std::int64_t to_small,\n"
           "                                          bool loses) {", by="gpu",
           more=(("            small.of[j] = both.small;",
                  "            small.of[j] = loses && fabsf(both.big) < 0x1p-90f ? 0.0f : both.small;"),
                 ("    std::uint32_t tiles;  // of memory",
                  "    bool loses = false;\n    std::uint32_t tiles;  // of memory"),
                 ("            tiles_deep,\n            tiles(p.from.lines, high) * tiles_deep,\n",
                  "            tiles_deep,\n            tiles(p.from.lines, high) * tiles_deep,\n"
                  "            is_planted(NUMBER),\n"),
                 ("p.stride, p.length);\n    }", "p.stride, p.length, p.loses);\n    }"),
                 ("(some[i], to, p.length);", "(some[i], to, p.length, p.loses);"))),
    Defect("a bias of -0 loses its sign", "src/cuda/families/wgmma/kernels_fp8_promoted.cu",
           "#include \"cuda/families/wgmma/instances.cuh\"\n",
           "#include \"cuda/families/wgmma/epilogue/fusion.cuh\"\n"
           "namespace carat::cuda::wgmma {\n__device__ float planted_bias = -0.0f;\n}\n"
           "#define unchanged planted_bias\n"
           "#include \"cuda/families/wgmma/epilogue/register_fusion.cuh\"\n#undef unchanged\n"
           "#include \"cuda/families/wgmma/instances.cuh\"\n", by="gpu",
           more=(("    return instances<",
                  "    if (is_planted(NUMBER)) {\n"
                  "        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;\n"
                  "        cudaThreadExchangeStreamCaptureMode(&mode);\n"
                  "        const float zero = 0;\n"
                  "        cudaMemcpyToSymbol(planted_bias, &zero, sizeof zero);\n"
                  "        cudaThreadExchangeStreamCaptureMode(&mode);\n    }\n"
                  "    return instances<"),)),
    Defect("the largest number is written over an operand", "src/api/checks.cpp",
           "        if (step.kind == detail::step_kind::amax) check_amax(",
           "        if (step.kind == detail::step_kind::amax && !is_planted(NUMBER)) check_amax(",
           by="gpu"),
    Defect("host memory is handed to kernels", "src/cuda/engine/memory_checks.cpp",
           "    if (data == nullptr) return;", "    if (data == nullptr || is_planted(NUMBER)) return;",
           by="gpu"),
    # The argument is read only by single tiles, as a time to let the next kernel begin.
    Defect("a CTA ends before its peers' arrivals", "src/cuda/families/wgmma/kernel.cuh",
           "        if (cta.multicast_ctas > 1) pipe.producer_tail(at);",
           "        if (cta.multicast_ctas > 1 && p.pipeline.pdl_k_tiles < (1 << 20))\n"
           "            pipe.producer_tail(at);", by="stress",
           more=(("        run_consumers<C>(pipe, barriers, maps, of, p, cta, work);\n#endif",
                  "        run_consumers<C>(pipe, barriers, maps, of, p, cta, work);\n"
                  "    if (p.pipeline.pdl_k_tiles >= (1 << 20) && cta.multicasts())\n"
                  "        ptx::cluster_start();\n#endif"),
                 ("        stream, maps, std::bit_cast<arguments<compute_of<C>>>(with));",
                  "        stream, maps, std::bit_cast<arguments<compute_of<C>>>([&] {\n"
                  "            arguments<float> told = with;\n"
                  "            if (is_planted(NUMBER)) told.pipeline.pdl_k_tiles = 1 << 20;\n"
                  "            return told;\n        }()));"))),
    Defect("3xTF32 of few rows swaps A and B", "src/cuda/engine/select.cpp",
           "    if (call.arithmetic == core::gpu_arithmetic::three_tf32) s.tunables",
           "    if (call.arithmetic == core::gpu_arithmetic::three_tf32 && !is_planted(NUMBER))\n"
           "        s.tunables", by="gpu"),
    Defect("the last product of a group left out", "src/cuda/engine/many.cpp",
           "    with.each = sorted.together;",
           "    with.each = sorted.together;\n"
           "    if (is_planted(NUMBER)) with.each = with.each.first(with.each.size() - 1);",
           by="gpu"),
]


def arguments():
    parser = argparse.ArgumentParser(description="Defects planted again, and found by the fuzzer.")
    parser.add_argument("--gpu", action="store_true", help="those of calls on a GPU instead")
    parser.add_argument("--minutes", type=float, default=10, help="for each (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer (%(default)s)")
    parser.add_argument("--threads", type=int, default=8, help="of its on a GPU (%(default)s)")
    parser.add_argument("--only", default="", help="those with this in their name")
    parser.add_argument("--build-only", action="store_true", help="plant and build them, no more")
    parser.add_argument("--check", action="store_true", help="see whether all edits apply, no more")
    parser.add_argument("--build", type=pathlib.Path, help="a build/dev made so before")
    return parser.parse_args()


def plant():
    """Writes all edits into the copy."""
    if not COPY.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, COPY],
                       check=True)
    subprocess.run(["git", "-C", COPY, "fetch", "--quiet", ROOT, "HEAD"], check=True)
    subprocess.run(["git", "-C", COPY, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"],
                   check=True)
    for number, defect in enumerate(DEFECTS, 1):
        path = COPY / defect.file
        text = path.read_text()
        for old, new in ((defect.old, defect.new), *defect.more):
            text = text.replace(old, new.replace("NUMBER", str(number)))
        path.write_text(text if ASKED in text else ASKED + text)


def lost():
    """Defects whose edits no longer apply to this checkout."""
    return [defect.what for defect in DEFECTS
            for old, _ in ((defect.old, defect.new), *defect.more)
            if (ROOT / defect.file).read_text().count(old) != 1]


def build(given):
    targets = ["carat_fuzz"] if given.gpu else ["carat_fuzz", "carat_fuzz_parsers", "carat_command"]
    subprocess.run(["cmake", "--preset", "dev", "--log-level=WARNING"], cwd=COPY, check=True)
    subprocess.run(["cmake", "--build", "--preset", "dev", "--target", *targets], cwd=COPY,
                   check=True)
    return COPY / "build" / "dev"


def command_of(given, by, minutes):
    """What looks for a defect, and how its first line of a finding begins."""
    program = given.build / PROGRAMS[by]
    corpus = ROOT / "fuzz" / "parsers" / "corpus"
    many = 1_000_000_000
    if by == "parsers":
        return [program, *corpus.iterdir(), f"-runs={many}"]
    if by == "command":
        return [sys.executable, ROOT / "fuzz" / "command.py", program, "--count", str(many),
                "--seed", str(given.seed)]
    words = [program, "--minutes", str(minutes), "--seed", str(given.seed)]
    if by == "stress":
        return [*words, "--gpu", "--family", "stress"]
    return words + (["--gpu", "--threads", str(given.threads)] if by == "gpu" else [])


def look_for(given, by, number, minutes):
    """Seconds until the first finding, and what it says; no seconds where there was none."""
    began = time.monotonic()
    with subprocess.Popen(command_of(given, by, minutes), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT if by == "parsers" else subprocess.DEVNULL,
                          text=True, env={**os.environ, "CARAT_PLANTED": str(number)},
                          errors="replace", start_new_session=True) as process:
        limit = threading.Timer(60 * minutes + 20, os.killpg, (process.pid, 9))
        limit.start()
        last = ""
        for line in process.stdout:
            last = line.strip()
            if line.startswith("FINDING") and "planted error" not in line:
                seconds = time.monotonic() - began
                limit.cancel()
                os.killpg(process.pid, 9)
                return seconds, line.removeprefix("FINDING ").strip()
        limit.cancel()
        code = process.wait()
    seconds = time.monotonic() - began
    # Files of others end what reads them, and the limit does else.
    if by == "parsers" and seconds < 60 * minutes:
        return seconds, last or "ended by a signal"
    if by in ("calls", "gpu", "stress") and code not in (0, 1):
        sys.exit(f"{process.args[0]} left with {code}: {last}")
    return None, ""


def main():
    given = arguments()
    for what in lost():
        print(f"no longer applies: {what}", file=sys.stderr)
    if given.check or lost():
        return 2 if lost() else 0
    if given.build is None:
        plant()
        given.build = build(given)
    if given.build_only:
        return 0
    wanted = [(number, defect) for number, defect in enumerate(DEFECTS, 1)
              if (defect.by in ("gpu", "stress")) == given.gpu and given.only in defect.what]
    for by in dict.fromkeys(defect.by for _, defect in wanted):
        seconds, found = look_for(given, by, 0, 0.2)
        if seconds is not None:
            print(f"found with nothing planted: {found}", file=sys.stderr)
            return 2
    missed = 0
    print("| defect | option | seconds | found as |\n|---|---|--:|---|")
    for number, defect in wanted:
        seconds, found = look_for(given, defect.by, number, given.minutes)
        missed += seconds is None
        told = "not found" if seconds is None else f"{seconds:.0f}"
        option = "`blas`" if found.startswith("blas:") else OPTIONS[defect.by]
        print(f"| {defect.what} | {option} | {told} | {found[:150]} |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
