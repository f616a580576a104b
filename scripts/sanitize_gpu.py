#!/usr/bin/env python3
"""GPU tests and the fuzzer under NVIDIA's compute-sanitizer: sanitize_gpu.py [OPTIONS] PROGRAM...

Each program, of tests or carat_fuzz, runs in shards, several at a time, under each tool: memcheck
finds accesses out of bounds, racecheck hazards in shared memory, synccheck misused barriers,
initcheck reads of what nobody wrote. initcheck is left out unless --tools names it: it takes an
exchange of tensor maps for a read (ADR 0103). racecheck takes much longer than the others. What it
says of the kernels that turn f32 is printed and is no finding. Logs are kept beside the programs, under
sanitizer/. Exit code: 0 all clean, 1 findings or failed tests, 77 nothing could be checked, 130 after
Ctrl-C.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

CHECKER = "compute-sanitizer"
TOOLS = ("memcheck", "racecheck", "synccheck")
ALL_TOOLS = (*TOOLS, "initcheck")
FUZZER = "carat_fuzz"
FOUND = 86  # the exit code asked of the checker; tests that fail by themselves end with 1
# Warps of these hand operands on: all lanes write, and after __syncwarp() one lane arrives at an mbarrier
# for them. racecheck does not follow that (results/h200/sanitizer.json).
HANDS_ON = re.compile(r"fma::gemm_kernel<.*\(bool\)1>, float>")
stopped = False  # by Ctrl-C


def arguments():
    parser = argparse.ArgumentParser(
        description="The GPU tests under NVIDIA's compute-sanitizer.",
        epilog="Example: scripts/sanitize_gpu.py --tools racecheck --filter 'wide*' "
               "build/dev/tests/cuda/carat_test_cuda")
    parser.add_argument("--tools", default=",".join(TOOLS), help="of %(default)s, by commas")
    parser.add_argument("--filter", default="*",
                        help="tests to run, as --gtest_filter takes them: --filter='-limits.*'")
    parser.add_argument("--thin", type=int, default=1500,
                        help="keep one trial of so many in sweeps (%(default)s)")
    parser.add_argument("--cases", type=int, default=100, help="of the fuzzer a shard (%(default)s)")
    parser.add_argument("--seed", type=int, default=1,
                        help="of the fuzzer's first shard; the others' follow (%(default)s)")
    parser.add_argument("--shards", type=int, default=8, help="processes a program (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at a time (%(default)s)")
    parser.add_argument("--limit", type=float, default=3600, help="seconds a process (%(default)s)")
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    given.tools = given.tools.split(",")
    for tool in given.tools:
        if tool not in ALL_TOOLS:
            parser.error(f"--tools {tool}: none of {', '.join(ALL_TOOLS)}")
    for name in ("thin", "cases", "shards", "jobs", "limit"):
        if getattr(given, name) <= 0:
            parser.error(f"--{name} {getattr(given, name)}: give more than 0")
    for program in given.programs:
        if not os.access(program, os.X_OK) or program.is_dir():
            parser.error(f"{program}: no program; ./dev build dev makes the tests")
    return given


def what_is_missing():
    if shutil.which(CHECKER) is None:
        return f"no {CHECKER} on PATH (it comes with the CUDA toolkit)"
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True)
    except OSError:
        return "no nvidia-smi, so no GPU"
    return None if done.returncode == 0 and done.stdout.strip() else "no GPU"


def judge(code, said):
    """What was found, in words ("" nothing), and how many tests passed."""
    passed = re.search(r"(?:\[  PASSED  \] |^gpu: )(\d+) (?:test|cases)", said, re.MULTILINE)
    tests = int(passed[1]) if passed else 0
    summaries = re.findall(r"=+ (?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)", said)
    found = sum(int(number) for pair in summaries for number in pair if number)
    if code is None:
        return "did not end within its time", tests
    if found or code == FOUND:
        return f"{found} findings", tests
    if code != 0:
        return f"tests failed (exit code {code})", tests
    # The checker's own word is asked for: a program it could not follow is not clean.
    return ("" if summaries else "the checker gave no summary"), tests


def only_hand_overs(said):
    """Whether all hazards that are shown are those, and no test failed."""
    hazards = re.findall("Race reported between (.*)", said)
    return bool(hazards) and all(map(HANDS_ON.search, hazards)) and "[  FAILED  ]" not in said


def output_into(log, command, environment, limit):
    """The command's exit code, None where it was ended; what it started ends with it."""
    with open(log, "w") as out, subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=environment,
            start_new_session=True) as process:
        until = time.monotonic() + limit
        while process.poll() is None:
            if stopped or time.monotonic() > until:
                os.killpg(process.pid, signal.SIGKILL)
                return None
            time.sleep(0.1)
        return process.returncode


def run(given, tool, program, shard):
    if stopped:
        return tool, "not run", 0
    log = program.parent / "sanitizer" / f"{program.name}.{tool}.{shard}.log"
    log.parent.mkdir(exist_ok=True)
    environment = {**os.environ, "GTEST_TOTAL_SHARDS": str(given.shards),
                   "GTEST_SHARD_INDEX": str(shard), "CARAT_TEST_THIN": str(given.thin)}
    words = ([f"--gtest_filter={given.filter}"] if program.name != FUZZER else
             ["--gpu", "--here", "--cases", str(given.cases), "--seed", str(given.seed + shard)])
    # Tests run out of memory on purpose: what the runtime answers then is no finding.
    command = [CHECKER, "--tool", tool, "--error-exitcode", str(FOUND), "--report-api-errors", "no",
               program, *words]
    began = time.monotonic()
    code = output_into(log, command, environment, given.limit)
    said = log.read_text(errors="replace")
    fault, tests = judge(code, said)
    if code is not None and only_hand_overs(said):
        print(f"{tool:9} {program.name} {shard + 1}/{given.shards}: {fault} in kernels that turn f32, see {log}")
        fault = ""
    print(f"{tool:9} {program.name} {shard + 1}/{given.shards}: {tests} passed, "
          f"{time.monotonic() - began:.0f} s{', ' if fault else ''}{fault}"
          f"{f', see {log}' if fault else ''}", flush=True)
    return tool, fault, tests


def stop(*_):
    global stopped
    stopped = True


def main():
    given = arguments()
    signal.signal(signal.SIGINT, stop)
    missing = what_is_missing()
    if missing:
        print(f"sanitize_gpu: kernels were not checked: {missing}")
        return 77
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        runs = [pool.submit(run, given, tool, program, shard) for tool in given.tools
                for program in given.programs for shard in range(given.shards)]
        results = [r.result() for r in runs]
    if stopped:
        print("sanitize_gpu: stopped; logs of what ended are kept")
        return 130
    bad = False
    for tool in given.tools:
        of_tool = [r for r in results if r[0] == tool]
        tests = sum(r[2] for r in of_tool)
        faults = sum(1 for r in of_tool if r[1])
        bad |= faults > 0 or tests == 0
        print(f"{tool}: {tests} tests passed, {faults} of {len(of_tool)} processes with findings"
              f"{'' if tests else ': no test ran'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
