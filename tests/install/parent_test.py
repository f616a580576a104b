"""carat as a part of another project, shared and static, and installed from there:
parent_test.py CMAKE BUILD SOURCE CXX"""

import json
import os
import pathlib
import re
import shutil
import sys
import unittest

from running import EXPECTED, run

CMAKE, BUILD, SOURCE, CXX = sys.argv[1:5]
PARENT = pathlib.Path(__file__).resolve().parent / "parent"
# What only the laboratory and the tests are built on.
OTHERS = ("fmt", "nlohmann_json", "CLI11", "Boost", "PkgConfig", "GTest", "Eigen3", "Python3")
FOREIGN = (b"/nlohmann/", b"/fmt/", b"/CLI/", b"/boost/", b"hwloc.h", b"/gtest/")


class Part(unittest.TestCase):
    def setUp(self):
        # The same each time, so that a compiler's cache knows its files.
        self.folder = pathlib.Path(BUILD) / "part-of-another"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.addCleanup(shutil.rmtree, self.folder)
        self.build = self.folder / "build"

    def configure(self, source, *options):
        run(CMAKE, "-S", source, "-B", self.build, f"-DCMAKE_CXX_COMPILER={CXX}", "-Werror=dev",
            "-DCARAT_CUDA=OFF", "-DCARAT_BATCHES=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
            f"-DCMAKE_CXX_COMPILER_LAUNCHER={PARENT / 'cheaply.sh'}",
            *[f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in OTHERS], *options)

    def compile(self, *targets):
        run(CMAKE, "--build", self.build, "--parallel", "2", *targets,
            env=os.environ | {"CARAT_BUILT": BUILD})

    def cached(self):
        return dict(line.split("=", 1) for line in (self.build / "CMakeCache.txt").read_text()
                    .splitlines() if "=" in line and not line.startswith(("#", "//")))

    def check_program(self, program):
        told = run(program)
        self.assertTrue(told.startswith(EXPECTED), told)

    def test_a_parent_gets_the_library_alone(self):
        self.configure(PARENT, f"-DCARAT_SOURCE={SOURCE}")
        cached = self.cached()
        self.assertEqual(cached.get("CMAKE_BUILD_TYPE:STRING", ""), "")
        self.assertFalse([name for name in cached if re.match("BUILD_SHARED|CPACK|CARAT_C(HART|CACHE)",
                                                              name)])
        self.assertFalse((self.build / "CPackConfig.cmake").exists())
        commands = json.loads((self.build / "compile_commands.json").read_text())
        for command in commands:
            ours = "/src/" in command["file"]
            self.assertEqual(bool(re.search(r" -O[23] ", command["command"])), ours, command)
            self.assertNotRegex(command["file"], r"/(lab|cli|ladder|vendor|abi/blas|tests)/")
        self.compile()
        self.assertIn("Total Tests: 1\n", run("ctest", "-N", "--test-dir", self.build))
        self.check_program(self.build / "program")
        self.assertIn("libcarat.so.0.1", run("readelf", "-d", self.build / "program"))
        for file in self.build.rglob("*"):
            if file.name in (".ninja_deps", "compiler_depend.make") or file.suffix == ".d":
                self.assertEqual([f for f in FOREIGN if f in file.read_bytes()], [], file)

        # A second time over the same objects.
        self.configure(PARENT, "-DBUILD_SHARED_LIBS=OFF")
        self.compile()
        self.check_program(self.build / "program")
        self.assertNotIn("libcarat", run("readelf", "-d", self.build / "program"))

        # Installed from there, though the parent names no build type, the library serves others.
        self.configure(PARENT, "-DCARAT_INSTALL=ON", "-DCMAKE_INSTALL_LIBDIR=lib")
        self.compile()
        prefix = self.folder / "staged"
        run(CMAKE, "--install", self.build, "--prefix", prefix)
        self.check_installed(prefix.rename(self.folder / "moved"))

    def check_installed(self, prefix):
        self.assertEqual(sorted(file.name for file in (prefix / "lib").glob("libcarat*")),
                         ["libcarat.a", "libcarat_distributed.a"])
        consumer = self.folder / "consumer"
        run(CMAKE, "-S", f"{SOURCE}/examples/consumer", "-B", consumer,
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
        run(CMAKE, "--build", consumer)
        self.check_program(consumer / "consumer")
        flags = run("pkg-config", "--cflags", "--libs", prefix / "lib/pkgconfig/carat.pc").split()
        run(CXX, "-std=c++20", f"{SOURCE}/examples/consumer/main.cpp", "-o", self.folder / "program",
            *flags)
        self.check_program(self.folder / "program")

    def test_the_library_alone_needs_none_of_the_laboratorys_packages(self):
        self.configure(SOURCE, "-DBUILD_SHARED_LIBS=OFF", "-DCARAT_BUILD_LAB=OFF", "-DCARAT_BUILD_BLAS=OFF")
        commands = json.loads((self.build / "compile_commands.json").read_text())
        self.assertGreater(len(commands), 20)
        for command in commands:
            self.assertNotRegex(command["file"], r"/(lab|cli|ladder|vendor|abi/blas|tests)/")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
