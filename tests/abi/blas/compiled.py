"""Programs compiled and linked with the library for a test, each test in a folder of its own."""

import os
import pathlib
import subprocess
import tempfile
import unittest


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, compiler, file, text, library=None):
        """Compiles TEXT as FILE with the command COMPILER; links it with LIBRARY, if any."""
        source = self.folder / file
        source.write_text(text)
        program = source.with_suffix("")
        options = []
        if library is not None:
            name = library.name.removeprefix("lib").split(".so")[0]
            options = [f"-L{library.parent}", f"-l{name}", f"-Wl,-rpath,{library.parent}"]
        subprocess.run([*compiler, source, "-o", program, *options], check=True, timeout=300)
        return program

    def run_program(self, *command, code=0, **environment):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300,
                              env={**os.environ, "OMP_NUM_THREADS": "1", **environment}, check=False,
                              cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done
