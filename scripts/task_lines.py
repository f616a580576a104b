"""Lines of code of the programs in examples/tasks: those between "task NAME" and "end" that hold more
than a comment or a bracket."""

import re

from tables_common import ROOT, table

FOLDER = ROOT / "examples" / "tasks"
PROGRAMS = {"carat": "carat.cpp", "NumPy": "numpy_tasks.py", "Eigen": "eigen.cpp",
            "oneDNN": "onednn.cpp", "cuBLASLt": "cublaslt.cpp",
            "std::linalg": "std_linalg.cpp"}
TASKS = {"product": "C = A B, f32", "scaled": "C = 2 A B^T + E",
         "layer": "gelu(A B + bias)", "bf16": "bf16 by bf16 into f32",
         "bytes": "int8 by int8 into int32", "batch": "a batch at equal distances",
         "prepared": "B packed once, used twice"}
BLOCK = re.compile(r"(?://|#) task ([\w-]+)\n(.*?)(?://|#) end\n", re.DOTALL)
EMPTY = re.compile(r"\s*(//.*|#.*|[{}()\[\];]*)\s*")


def lines_of(text):
    """{task: lines that say something}"""
    return {task: sum(not EMPTY.fullmatch(line) for line in body.splitlines())
            for task, body in BLOCK.findall(text)}


def counted():
    """{library: {task: lines}}"""
    return {library: lines_of((FOLDER / program).read_text(encoding="utf-8"))
            for library, program in PROGRAMS.items()}


def tasks():
    found = counted()
    rows = [[what, *(str(of.get(task, "-")) for of in found.values())]
            for task, what in {**TASKS, "set-up": "set-up, once"}.items()]
    return table(["lines of code", *found], ["---"] + ["--:"] * len(found), rows)


PAGES = {"docs/choose.md": {"tasks": tasks}}
