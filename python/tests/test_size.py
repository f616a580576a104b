"""What a wheel carries, with kernels for GPUs where this build has them."""

import pathlib
import shutil
import subprocess
import zipfile

import carat_gemm as cg
import pytest

MOST_BYTES = 25e6  # of a wheel; python/tests/wheel.py holds the one without CUDA to it


def test_a_wheel_stays_small(tmp_path):
    strip = shutil.which("strip")
    if strip is None:
        pytest.skip("strip is not installed here (binutils)")
    library = tmp_path / "_native.so"
    subprocess.run([strip, "-o", library, cg._native.__file__], check=True)
    with zipfile.ZipFile(tmp_path / "wheel.zip", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.write(library)
        for source in pathlib.Path(cg.__file__).parent.glob("*.py*"):
            wheel.write(source)
    size = (tmp_path / "wheel.zip").stat().st_size
    print(f"{size / 1e6:.1f} MB")
    assert 1e5 < size <= MOST_BYTES
