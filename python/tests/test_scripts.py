"""scripts/numpy_speed.py and scripts/wheel_suites.py, as a person would see them."""

import importlib
import pathlib
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
SUITE = '''
import os, pathlib

preloaded = "LD_PRELOAD" in os.environ


def test_that_passes():
    if preloaded and {counts}:
        pathlib.Path(os.environ["CARAT_PROFILE"]).write_text("dgemm   all shapes   7   0.1\\n")


def test_that_fails_always():
    assert False


def test_that_fails_on_carat():
    assert not preloaded
'''


def script(name):
    sys.path.insert(0, str(SCRIPTS))  # scripts share modules
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(SCRIPTS))


def test_a_ratio_has_its_interval():
    told = script("numpy_speed").summary([[1, 2, 0.5], [2, 2, 1.0], [4, 2, 2.0]] * 3)
    assert told["ratio"] == 1 and told["carat_us"] == 2 and told["least_and_most"] == [0.5, 2]
    assert told["ci95"][0] == pytest.approx(1 / told["ci95"][1], abs=0.002) and told["ci95"][0] < 0.8


@pytest.mark.parametrize(
    "arguments, said",
    [(["call", "libx.so"], "give `call`"), (["preload"], "give `call`"),
     (["call", "--processes", "5"], "--processes 5: an interval needs 6")],
)
def test_speed_refuses(arguments, said):
    done = subprocess.run([sys.executable, SCRIPTS / "numpy_speed.py", *arguments],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and said in done.stderr


@pytest.mark.parametrize("counts", [True, False])
def test_only_what_fails_because_of_the_library_counts(tmp_path, monkeypatch, capsys, counts):
    (tmp_path / "tiny_suite.py").write_text(SUITE.format(counts=counts))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def compare():
        return script("wheel_suites").compare(sys.executable, "tiny_suite", tmp_path, "libm.so.6")

    if not counts:
        with pytest.raises(SystemExit, match="made no call of libm.so.6: it proves nothing"):
            compare()
        return
    assert compare() == ["tiny_suite::test_that_fails_on_carat"]
    assert "1 passed, 2 failed, 0 skipped; without: 2 passed, 1 failed, 0 skipped; 7 calls; 1 fail " \
        "only with the library" in capsys.readouterr().out
