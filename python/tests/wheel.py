"""wheel.py SOURCES BUILD WORK COMPILER: makes the sdist, a CPU wheel of it by the C++ compiler of BUILD, installs
that into a fresh environment, and runs README's Python and the command there."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile

MOST_BYTES = 25e6


def settings(sources):
    """Those of the development build, so that the compiler's cache has all of the library."""
    presets = json.loads((sources / "CMakePresets.json").read_text())["configurePresets"]
    chosen = {}
    for preset in presets:
        if preset["name"] in ("tested", "dev"):
            chosen |= preset["cacheVariables"]
    build_type = chosen.pop("CMAKE_BUILD_TYPE")
    return {f"cmake.define.{name}": value for name, value in chosen.items()} | {
        "cmake.define.CARAT_CUDA": "OFF",
        "cmake.build-type": build_type,
        "cmake.define.CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "build-dir": "build/wheel",
        "install.strip": "true",
    }


def run(*command, **options):
    done = subprocess.run(
        [str(part) for part in command], text=True, capture_output=True, **options
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def make_sdist(sources, work):
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, work, cwd=sources)
    (sdist,) = work.glob("carat_gemm-*.tar.gz")
    names = [name.partition("/")[2] for name in tarfile.open(sdist).getnames()]
    for wanted in ("CMakeLists.txt", "pyproject.toml", "LICENSE", "src/api/product.cpp", "PKG-INFO",
                   "scripts/ptxas_gate.py"):
        assert wanted in names, f"the sdist lacks {wanted}"
    for name in names:
        assert not name.startswith(("results/", "build", ".venv", "lab/")), f"the sdist has {name}"
    return sdist


def unpacked(sdist, work):
    """The sdist's folder. Pip builds in it, so that how it compiled can be read afterwards."""
    with tarfile.open(sdist) as archive:
        archive.extractall(work)
    return work / sdist.name.removesuffix(".tar.gz")


def commands(build, sources):
    """How the engine on CPUs, most of the time, is compiled there: names without the paths of that build."""
    listed = json.loads((build / "compile_commands.json").read_text())
    return {one["command"].replace(str(build), "BUILD").replace(str(sources), "SOURCES")
            for one in listed if "/src/cpu/" in one["file"]}


def check_that_the_cache_serves(wheel_sources, sources, build):
    """A compiler's cache tells compilers apart by the name they were called by, and all options count."""
    ours = commands(wheel_sources / "build/wheel", wheel_sources)
    new = ours - commands(build, sources)
    assert len(ours) > 10, ours
    assert not new, f"{build} does not compile as the wheel does, in {len(new)} files: {min(new)}"


def make_wheel(sources, unpacked_sdist, work, compiler):
    chosen = [f"--config-settings={name}={value}" for name, value in settings(sources).items()]
    # Unless CXX is set, scikit-build-core takes the compiler that Python was built by.
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
        "--no-index", "-w", work, *chosen, unpacked_sdist, env=os.environ | {"CXX": compiler})
    (wheel,) = work.glob("carat_gemm-*.whl")
    size = wheel.stat().st_size
    assert size <= MOST_BYTES, f"{wheel.name} has {size} bytes"
    abi3 = sys.version_info >= (3, 12)
    assert ("cp312-abi3" in wheel.name) == abi3, wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("carat_gemm/py.typed", "carat_gemm/__init__.pyi", "carat_gemm/_native.pyi"):
        assert wanted in names, f"the wheel lacks {wanted}"
    print(f"{wheel.name}: {size / 1e6:.2f} MB")
    return wheel


def tagged(sources, wheel, work):
    """The wheel as `./dev wheel` makes it, for the systems that auditwheel finds."""
    told = run(sys.executable, sources / "scripts/tag_wheel.py", wheel, work / "tagged")
    copy = pathlib.Path(told.strip())
    assert copy.exists() and re.search(r"-manylinux_2_\d+_\w+\.whl$", copy.name), told
    return copy


def install(wheel, work):
    """Installs into an environment that sees this one's libraries, after its own."""
    fresh = work / "fresh"
    venv.create(fresh, with_pip=True)
    python = fresh / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel)
    (site,) = fresh.glob("lib/python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return python


def readme_lines(sources):
    blocks = re.findall(r"```python\n(.*?)```", (sources / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 1, "README.md has one block of Python"
    return blocks[0]


def main():
    sources, build, work = (pathlib.Path(arg).resolve() for arg in sys.argv[1:4])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    sdist = unpacked(make_sdist(sources, work), work)
    wheel = make_wheel(sources, sdist, work, compiler=sys.argv[4])
    check_that_the_cache_serves(sdist, sources, build)
    python = install(tagged(sources, wheel, work), work)
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    told = run(python, "-c", readme_lines(sources), cwd=work, env=clean)
    print(told)
    assert "carat" in told, "README's Python prints a table"
    where = run(python, "-c", "import carat_gemm; print(carat_gemm.__file__)", cwd=work, env=clean)
    assert str(work / "fresh") in where, where
    ranked = run(python, "-m", "carat_gemm", "--size", "64", "--rounds", "6", cwd=work, env=clean)
    assert "numpy" in ranked, ranked


main()
