"""What is installed works on its own: install_test.py CMAKE BUILD SOURCE CXX NVCC"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from running import EXPECTED, run

CMAKE, BUILD, SOURCE, CXX, NVCC = sys.argv[1:6]
PACKAGE = "carat-cuda" if NVCC else "carat"

BLAS_PROGRAM = r"""
#include <carat/cblas.h>
#include <stdio.h>
int main(void) {
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    const CBLAS_INT two = 2;
    double c[4];
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, two, two, two, 1, a, two, b, two, 0, c, two);
    printf("%g %g %g %g, %d\n", c[0], c[1], c[2], c[3], (int)sizeof two * 8);
    return 0;
}
"""


def has_dynamic_section(file):
    """An ELF program or shared library, as opposed to an object file or anything else."""
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        head = opened.read(18)
    return head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], sys.byteorder) in (2, 3)


def search_paths(file):
    """The elements of its RPATH and RUNPATH; none where it has none."""
    lists = re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", file))
    return [element for found in lists for element in found.split(":")]


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        staged = cls.folder / "staged"
        run(CMAKE, "--install", BUILD, "--prefix", staged)
        # Moved after installing: nothing may remember where it was put first.
        cls.prefix = staged.rename(cls.folder / "moved")

    def check(self, program):
        self.assertTrue(run(program).startswith(EXPECTED), run(program))

    def test_find_package(self):
        build = self.folder / "consumer"
        run(CMAKE, "-S", f"{SOURCE}/examples/consumer", "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
        run(CMAKE, "--build", build)
        self.check(build / "consumer")

    @unittest.skipIf(not NVCC, "this build has no CUDA")
    def test_the_example_for_gpus(self):
        build = self.folder / "gpu"
        run(CMAKE, "-S", f"{SOURCE}/examples/gpu", "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}",
            f"-DCUDAToolkit_ROOT={pathlib.Path(NVCC).parent.parent}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror")
        run(CMAKE, "--build", build)
        self.assertRegex(run(build / "gpu"), r"^(12|no memory on a GPU: .*|matrix_product: .*)\n$")

    def test_another_minor_version_is_refused(self):
        source = self.folder / "later"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(later CXX)\n"
            "find_package(carat 0.2 REQUIRED)\n")
        with self.assertRaisesRegex(AssertionError, "0.1.0"):
            run(CMAKE, "-S", source, "-B", self.folder / "later-build",
                f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")

    def flags_of(self, package):
        where = [str(file.parent) for file in self.prefix.rglob(f"{package}.pc")]
        self.assertEqual(len(where), 1)
        found = dict(os.environ, PKG_CONFIG_PATH=where[0])
        return run("pkg-config", "--cflags", "--libs", package, env=found).split()

    def test_pkg_config(self):
        flags = self.flags_of("carat")
        program = self.folder / "by-pkg-config"
        run(CXX, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            f"{SOURCE}/examples/consumer/main.cpp", "-o", program, *flags)
        library = next(self.prefix.rglob("libcarat.so")).parent
        self.assertTrue(run(program, env=dict(os.environ, LD_LIBRARY_PATH=str(library)))
                        .startswith(EXPECTED))

    def test_the_blas_by_pkg_config(self):
        self.assertEqual(list(self.prefix.rglob("include/cblas.h")), [], "it hides another's")
        for package, bits in (("carat_blas", 32), ("carat_blas64", 64)):
            flags = self.flags_of(package)
            program = self.folder / package
            source = program.with_suffix(".c")
            source.write_text(BLAS_PROGRAM)
            run("cc", "-Wall", "-Werror", source, "-o", program, *flags)
            library = next(self.prefix.rglob(f"lib{package}.so"))
            found = dict(os.environ, LD_LIBRARY_PATH=str(library.parent), CARAT_PROFILE="1")
            done = subprocess.run([program], capture_output=True, text=True, check=True, env=found)
            self.assertEqual(done.stdout, f"19 22 43 50, {bits}\n")
            self.assertRegex(done.stderr, r"dgemm +NN +2x2x2 +1 ")

    def test_the_blas_by_find_package(self):
        source = self.folder / "blas"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(user C)\n"
            "find_package(carat 0.1 REQUIRED)\n"
            "foreach(blas blas blas64)\nadd_executable(user_of_${blas} user.c)\n"
            "target_link_libraries(user_of_${blas} PRIVATE carat::${blas})\nendforeach()\n")
        (source / "user.c").write_text(BLAS_PROGRAM)
        run(CMAKE, "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(CMAKE, "--build", source / "build")
        for blas, bits in (("blas", 32), ("blas64", 64)):
            self.assertEqual(run(source / "build" / f"user_of_{blas}"), f"19 22 43 50, {bits}\n")

    def test_the_library_shows_only_its_interface(self):
        library = next(self.prefix.rglob("libcarat.so"))
        symbols = run("nm", "--dynamic", "--defined-only", "--with-symbol-versions", "--demangle",
                      library).splitlines()
        number = re.search(r"#define CARAT_ABI abi_(\d+)\n", pathlib.Path(
            SOURCE, "include/carat/export.hpp").read_text())[1]
        shown = [line.split(maxsplit=2)[2] for line in symbols]
        of_c = [name for name in shown
                if re.match(r"(carat_\w+@@CARAT_C_1|CARAT_C_1(@@CARAT_C_1)?)$", name)]
        self.assertGreater(len(of_c), 5, shown)
        shown = [name for name in shown if name not in of_c]
        calls = [name for name in shown if re.match(
            rf"carat::detail::(multiply|prepare)\w*\((carat::(detail::)?abi_{number}::|int\))", name)]
        self.assertGreater(len(calls), 5, shown)
        for name in set(shown) - set(calls):
            self.assertRegex(name, r"^(carat::error::~?error\(|(typeinfo|typeinfo name|vtable) for "
                                   rf"carat::error@|CARAT_ABI_{number}(@|$))")
        for name in shown:
            self.assertRegex(name, rf"CARAT_ABI_{number}$")

    def test_a_program_that_runs_can_open_the_library(self):
        """Opens it like Python: dlopen has no room for static thread-local storage of this size."""
        library = next(self.prefix.rglob("libcarat.so"))
        self.assertNotIn("STATIC_TLS", run("readelf", "--dynamic", library))
        run(sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", library)

    def test_a_thread_that_called_the_library_may_end_after_it_is_closed(self):
        script = '''
import _ctypes, ctypes, sys, threading
blas = ctypes.CDLL(sys.argv[1])
one, c = ctypes.c_double(1), (ctypes.c_double * 25)()
called, closed = threading.Event(), threading.Event()
def call():
    for _ in range(4):
        blas.cblas_dgemm(101, 111, 111, 5, 5, 5, one, c, 5, c, 5, one, (ctypes.c_double * 25)(), 5)
    called.set()
    closed.wait()
thread = threading.Thread(target=call)
thread.start()
called.wait()
_ctypes.dlclose(blas._handle)
closed.set()
thread.join()
'''
        for name in ("libcarat.so", "libcarat_blas.so"):
            library = next(self.prefix.rglob(name))
            self.assertIn("NODELETE", run("readelf", "--dynamic", library))
        run(sys.executable, "-c", script, library)

    @unittest.skipIf(not NVCC, "this build has no CUDA")
    def test_machine_code_for_gpus_is_compressed(self):
        code = self.folder / "code"
        run("objcopy", "--dump-section", f".nv_fatbin={code}", next(self.prefix.rglob("libcarat.so")),
            self.folder / "copy")
        self.assertGreater(code.stat().st_size, 100_000)
        self.assertNotIn(b"\x7fELF", code.read_bytes())

    def test_the_command_runs_from_there(self):
        carat = self.prefix / "bin" / "carat"
        self.assertIn("cpu.engine", run(carat, "list"))
        dynamic = run("readelf", "--dynamic", carat)
        self.assertNotIn(BUILD, dynamic)
        line = run(carat, "run", "--m", 32, "--n", 16, "--k", 8, "--trials", 3)
        self.assertIn("Impl=cpu.engine M=32 N=16 K=8", line)

    def test_an_installed_judge_has_all_it_needs(self):
        verdict = run(self.prefix / "bin" / "carat", "judge",
                      pathlib.Path(SOURCE, "examples/judge/honest/naive.c"), "--at-least", 0,
                      "--size", 64, "--quiet")
        self.assertIn("naive: right", verdict)

    def test_no_library_is_looked_for_in_the_current_directory(self):
        looked_at = {}
        for tree in (pathlib.Path(BUILD), self.prefix):
            for file in filter(has_dynamic_section, tree.rglob("*")):
                looked_at[file] = [e for e in search_paths(file) if not e.startswith(("/", "$ORIGIN"))]
        names = {file.name for file in looked_at}
        self.assertLessEqual({"carat", "libcarat.so.0.1.0", "libcarat_blas.so.0.1.0"}, names)
        self.assertEqual({str(file): bad for file, bad in looked_at.items() if bad}, {})

    def test_what_is_installed_looks_in_its_own_folders_alone(self):
        for file in filter(has_dynamic_section, self.prefix.rglob("*")):
            paths = search_paths(file)
            wanted = ["$ORIGIN/../lib/carat"] if file.name == "carat" else []
            if file.name.startswith(("libcarat_distributed", "libcarat_mpi", "libcarat_pblas")):
                wanted = ["$ORIGIN"]  # they use libcarat
            self.assertEqual([path for path in paths if path.startswith("$ORIGIN")], wanted, file)
            self.assertEqual([path for path in paths if path.startswith(BUILD)], [], file)

    def test_package(self):
        run(shutil.which("cpack") or "cpack", "--config", f"{BUILD}/CPackConfig.cmake", "-G", "DEB",
            "-B", self.folder / "package")
        package = next((self.folder / "package").glob(f"{PACKAGE}_0.1.0_*.deb"))
        content = run("dpkg-deb", "--contents", package)
        for wanted in ("bin/carat\n", "lib/carat/judge_host\n", "lib/carat/host.py\n",
                       "include/carat/carat_kernel.h\n", "include/carat/carat.hpp\n",
                       "include/carat/carat.h\n", "include/carat/cblas.h\n",
                       "carat-config.cmake\n", "carat.pc\n",
                       "libcarat.so.0.1.0\n", "libcarat_blas.so.0.1.0\n",
                       "libcarat_blas64.so.0.1.0\n", "carat_blas.pc\n"):
            self.assertIn(wanted, content)
        self.assertEqual("lib/carat/judge_channel.so\n" in content, bool(NVCC))
        self.assertNotIn(BUILD, content)
        self.assertIn("libgomp1", run("dpkg-deb", "--field", package, "Depends"))
        for relation in ("Conflicts", "Replaces", "Provides"):
            # A field that is not there is an empty line.
            self.assertEqual(run("dpkg-deb", "--field", package, relation).strip(),
                             "carat" if NVCC else "")
        run("dpkg-deb", "--extract", package, self.folder / "root")
        run("dpkg-deb", "--control", package, self.folder / "control")
        for script in ("postinst", "prerm"):
            named = re.search(r'"(/usr/\S+)/libblas\$bits\.so\.3"',
                              (self.folder / "control" / script).read_text()).group(1)
            for bits in ("", "64"):
                self.assertTrue((self.folder / f"root{named}/libblas{bits}.so.3").exists())
        self.assertIn("ldconfig", (self.folder / "control/triggers").read_text())

    def test_tarball(self):
        run(shutil.which("cpack") or "cpack", "--config", f"{BUILD}/CPackConfig.cmake", "-G", "TGZ",
            "-B", self.folder / "tar")
        archive = next((self.folder / "tar").glob(f"{PACKAGE}-0.1.0-*.tar.gz"))
        (self.folder / "unpacked").mkdir()
        run("tar", "-C", self.folder / "unpacked", "-xzf", archive)
        command = next((self.folder / "unpacked").rglob("bin/carat"))
        self.assertRegex(run(command, "--version"), r"^0\.1\.0 \(\S+\)\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
