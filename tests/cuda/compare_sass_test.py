#!/usr/bin/env python3
"""Which kernels count as the same machine code: compare_sass_test.py SCRIPT

Disassembly written by hand; needs neither GPU nor compiler.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv[1]


def listing(**kernels):
    lines = []
    for name, code in kernels.items():
        lines.append(f"\t\tFunction : {name}")
        lines += [f"        /*{16 * i:04x}*/                   {instruction} ;    /* 0x{i:x} */"
                  for i, instruction in enumerate(code)]
    return "\n".join(lines) + "\n"


LOADS = ("LDC R1, c[0x0][0x28]", "ULDC UR4, c[0x0][0x210]", "IADD3 R2, R1, UR4, RZ",
         "LDC.64 R4, c[0x0][0x220]", "EXIT")


def moved(code, by):
    return tuple(re.sub("0x2[0-9]0", lambda m: hex(int(m[0], 16) + by), line) for line in code)


class Compare(unittest.TestCase):
    def compare(self, old, new, *options):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, kernels in (("old", old), ("new", new)):
                files.append(pathlib.Path(folder) / f"{name}.sass")
                files[-1].write_text(listing(**kernels))
            done = subprocess.run([sys.executable, SCRIPT, *options, *map(str, files)],
                                  text=True, capture_output=True)
        return done.returncode, done.stdout + done.stderr

    def expect(self, code, said, old, new, *options):
        got, output = self.compare(old, new, *options)
        self.assertIn(said, output)
        self.assertEqual(got, code, output)

    def test_names_are_no_code(self):
        self.expect(0, "1 same, 0 differ, 0 only in old, 0 only in new", {"strict": LOADS},
                    {"fma": LOADS})

    def test_neither_are_symbols_within_it(self):
        call = "CALL.REL.NOINC `($_Z3{}$__internal_0_$__cuda_sm20_div_s64)"
        self.expect(0, "1 same", {"one": (*LOADS, call.format("one"))},
                    {"two": (*LOADS, call.format("two"))})

    def test_parameters_may_move_but_not_change_places(self):
        self.expect(0, "1 same", {"one": LOADS}, {"one": moved(LOADS, 16)})
        swapped = (LOADS[0], LOADS[1], LOADS[2], LOADS[1], "EXIT")
        self.expect(1, "0 same, 1 differ", {"one": LOADS}, {"one": swapped})
        self.expect(1, "0 same, 1 differ", {"one": LOADS}, {"one": moved(LOADS, 16)}, "--exact")

    def test_what_the_launch_says_does_not_move(self):
        self.expect(1, "1 differ", {"one": LOADS},
                    {"one": ("LDC R1, c[0x0][0x0]", *LOADS[1:])})

    def test_what_differs_is_named_with_its_sizes_and_may_be_expected(self):
        longer = (*LOADS[:-1], "NOP", "EXIT")
        old, new = {"_Z4waitv": LOADS, "_Z4stayv": LOADS[1:]}, {"_Z4waitv": longer,
                                                               "_Z4stayv": LOADS[1:]}
        self.expect(1, "wait() [5 instructions] -> wait() [6 instructions]", old, new)
        self.expect(0, "1 same, 1 differ, 0 only in old, 0 only in new, 0 unexpected", old, new,
                    "--expected", "^wait")
        self.expect(1, "1 unexpected", old, new, "--expected", "^stay")

    def test_renamed_and_changed_is_paired_with_the_nearest(self):
        other = ("S2R R0, SR_TID.X", "STS [R0], R1", "BAR.SYNC 0x0", "LDS R2, [R0]", "RET")
        self.expect(1, "differs: walk [5 instructions] -> schedule [6 instructions]",
                    {"far": other, "walk": LOADS}, {"new": other, "schedule": (*LOADS, "NOP")})

    def test_none_may_come_or_go_unnoticed(self):
        both = {"one": LOADS, "two": LOADS[1:]}
        self.expect(1, "only in old: two [4 instructions]", both, {"one": LOADS})
        self.expect(1, "only in new: two [4 instructions]", {"one": LOADS}, both)
        self.expect(1, "1 same, 0 differ, 1 only in old", {"one": LOADS, "two": LOADS},
                    {"one": LOADS})

    def test_nothing_is_no_success(self):
        self.expect(1, "nothing was compared", {"one": LOADS}, {})

    def test_without_a_disassembler_it_is_skipped_aloud(self):
        done = subprocess.run([sys.executable, SCRIPT, "--cuobjdump", "no_such_tool", "a.o", "b.o"],
                              text=True, capture_output=True)
        self.assertEqual(done.returncode, 77)
        self.assertIn("SKIPPED", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
