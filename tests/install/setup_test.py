"""scripts/setup.sh where .venv is what a Python without its venv package leaves: one without pip.

No package is installed and nothing fetched: the list of tools is empty here."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "setup.sh"


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        scripts, self.tools = self.folder / "scripts", self.folder / "tools"
        scripts.mkdir()
        self.tools.mkdir()
        shutil.copy(SCRIPT, scripts)
        (scripts / "docs-tools.txt").touch()
        # Every package is here.
        stub = self.tools / "dpkg-query"
        stub.write_text("#!/bin/sh\necho install ok installed\n")
        stub.chmod(0o755)

    def test_a_half_made_environment_is_completed(self):
        if importlib.util.find_spec("ensurepip") is None:
            self.skipTest("NOT TESTED: this Python has no pip to put there (python3-venv)")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder / ".venv"],
                       check=True)
        done = subprocess.run(["bash", self.folder / "scripts" / "setup.sh", "docs"],
                              env=dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}"),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((self.folder / ".venv" / ".docs-tools").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
