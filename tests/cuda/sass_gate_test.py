#!/usr/bin/env python3
"""What nobody may do to a matrix instruction under way: sass_gate_test.py GATE

Machine code with and without each fault, written by hand; needs neither GPU nor compiler.
"""

import subprocess
import sys
import unittest

GATE = sys.argv[1]


def listing(*instructions):
    lines = ["\t\tFunction : kernel"]
    lines += [f"        /*{16 * i:04x}*/                   {instruction} ;    /* 0x0 */"
              for i, instruction in enumerate(instructions)]
    return "\n".join(lines) + "\n"


def judge(*instructions):
    done = subprocess.run([sys.executable, GATE, "-"], input=listing(*instructions), text=True,
                          capture_output=True)
    return done.returncode, done.stdout + done.stderr


# Sums in R24 to R55, A in R4 to R7.
OPEN = "HGMMA.64x64x8.F32.TF32 R24, R4, gdesc[UR4], R24"
LAST = OPEN + ", gsb0"
OTHER = "HGMMA.64x64x8.F32.TF32 R24, R8, gdesc[UR4], R24, gsb0"
DONE = "WARPGROUP.DEPBAR.LE gsb0, 0x0"
ALL_BUT_ONE = "WARPGROUP.DEPBAR.LE gsb0, 0x1"


class Gate(unittest.TestCase):
    def passes(self, *instructions):
        code, said = judge(*instructions)
        self.assertEqual(code, 0, said)
        self.assertIn("1 kernels with matrix instructions", said)

    def fails(self, what, *instructions):
        code, said = judge(*instructions)
        self.assertEqual(code, 1, said)
        self.assertRegex(said, what)

    def test_words_of_a_may_be_read_and_written_only_once_it_is_done(self):
        self.passes(LAST, "FADD R9, R4, R5", "LDS R8, [R2]", DONE, "LDS.128 R4, [R2]", "EXIT")
        for write in ("LDS R7, [R2]", "LDS.128 R1, [R2]", "MOV R4, R3",
                      "IMAD.WIDE R6, R2, R3, R8", "LDS.64 R3, [R2]", "SHFL.IDX PT, R5, R9, R1, 0x1f",
                      "DFMA R3, R10, R12, R14"):
            with self.subTest(write):
                self.fails("disturbs A of HGMMA", LAST, write, DONE, "EXIT")

    def test_a_store_from_a_is_no_write_of_it(self):
        self.passes(LAST, "STS [R4], R5", "ST.E [R6.64], R4", "ISETP.NE.AND P0, PT, R4, RZ, PT",
                    DONE, "EXIT")

    def test_the_last_groups_may_be_left_under_way(self):
        self.passes(LAST, OTHER, ALL_BUT_ONE, "MOV R4, R3", DONE, "MOV R8, R3", "EXIT")
        self.fails("0x30.*disturbs A of HGMMA.* at 0x10", LAST, OTHER, ALL_BUT_ONE, "MOV R8, R3",
                   DONE, "EXIT")
        self.fails("disturbs A", LAST, OPEN, ALL_BUT_ONE, "MOV R4, R3", DONE, "EXIT")

    def test_sums_are_not_even_read(self):
        self.fails("disturbs the sums", LAST, "FADD R9, R55, R5", DONE, "EXIT")
        self.fails("disturbs the sums", LAST, "MOV R24, R5", DONE, "EXIT")
        self.passes(LAST, "FADD R9, R56, R23", DONE, "FADD R9, R55, R5", "EXIT")

    def test_another_matrix_instruction_may_not_sum_into_a(self):
        self.fails("disturbs A", LAST, "HGMMA.64x64x8.F32.TF32 R0, R40, gdesc[UR4], R0, gsb0", DONE,
                   "EXIT")

    def test_every_way_is_followed(self):
        # Around a loop: the next round's word is read while the last round's group is under way.
        self.fails("disturbs A", "MOV R4, R3", LAST, "@P0 BRA 0x0", DONE, "EXIT")
        self.passes("MOV R4, R3", LAST, DONE, "@P0 BRA 0x0", "EXIT")
        # Code after an unconditional jump is not reached.
        self.passes(LAST, "BRA 0x30", "MOV R4, R3", DONE, "EXIT")
        self.fails("disturbs A", LAST, "@!P1 BRA 0x30", "MOV R4, R3", DONE, "EXIT")
        # BSYNC goes on where BSSY says.
        self.passes("BSSY B0, 0x40", LAST, "BSYNC B0", "MOV R4, R3", DONE, "EXIT")
        self.fails("disturbs A", "BSSY B0, 0x40", LAST, "BSYNC B0", "EXIT", "MOV R4, R3", DONE)

    def test_nothing_to_judge_is_a_failure(self):
        self.fails("nothing was judged", "MOV R4, R3", "EXIT")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
