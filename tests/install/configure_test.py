"""What a build makes of folders for what is installed, and of what is found on the machine:
configure_test.py CMAKE SOURCE CXX"""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from running import run

CMAKE, SOURCE, CXX = sys.argv[1:4]
# Where Debian and Eigen itself put what CMake finds it by.
EIGEN = ["/usr/share/eigen3/cmake", "/usr/local/share/eigen3/cmake", "/usr/lib/cmake/eigen3"]


class Configured(unittest.TestCase):
    def configure(self, *options, env=None):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        told = run(CMAKE, "-S", SOURCE, "-B", folder / "build", f"-DCMAKE_CXX_COMPILER={CXX}",
                   "-Werror=dev", "-Werror=deprecated", "-DCARAT_BUILD_TESTS=OFF", "-DCARAT_CUDA=OFF",
                   f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}", *options, env=env)
        return folder, told

    def test_cuda_needs_a_gpu_unless_it_is_insisted_on(self):
        if pathlib.Path("/dev/nvidia0").exists():
            self.skipTest("NOT TESTED: this machine has a GPU, whatever nvidia-smi says")
        with tempfile.TemporaryDirectory() as tools:
            smi = pathlib.Path(tools, "nvidia-smi")
            env = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
            no_nvcc = "-DCMAKE_CUDA_COMPILER=NOTFOUND"
            for gpu, told_so in ((False, "CUDA: there is no GPU"), (True, "CUDA: nvcc was not found")):
                smi.write_text(f"#!/bin/sh\nexit {0 if gpu else 9}\n")
                smi.chmod(0o755)
                _, told = self.configure("-DCARAT_CUDA=AUTO", no_nvcc, env=env)
                self.assertIn(told_so, told)
            with self.assertRaisesRegex(AssertionError, "CARAT_CUDA=ON, but nvcc was not found"):
                self.configure("-DCARAT_CUDA=ON", no_nvcc, env=env)

    def test_folders_given_in_full(self):
        folder, _ = self.configure("-DCMAKE_INSTALL_PREFIX=/opt/x",
                                   "-DCMAKE_INSTALL_LIBDIR=/opt/y/lib",
                                   "-DCMAKE_INSTALL_INCLUDEDIR=/opt/z/include")
        found = dict(os.environ, PKG_CONFIG_PATH=str(folder / "build"))
        self.assertEqual(run("pkg-config", "--cflags", "--libs", "carat", env=found).split(),
                         ["-I/opt/z/include", "-L/opt/y/lib", "-lcarat"])
        with self.assertRaisesRegex(AssertionError, r"is not\s+built:\s+run\s+cmake\s+--build"):
            run(CMAKE, "--install", folder / "build", "--prefix", folder / "staged")
        self.assertFalse((folder / "staged").exists())

    def test_a_compiler_that_is_too_old_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder, "g++-11")
            old.write_text(f'#!/bin/sh\nexec {shutil.which("g++")} -U__GNUC__ -D__GNUC__=11 "$@"\n')
            old.chmod(0o755)
            with self.assertRaisesRegex(AssertionError, r"g\+\+-11 is GNU 11[.0-9]*:\s+carat needs g\+\+ 12,"
                                                        r" clang 14 or\s+newer"):
                self.configure(f"-DCMAKE_CXX_COMPILER={old}")

    def test_the_standard_asked_for_is_the_standard_compiled(self):
        for options, flag in (((), r"-std=c\+\+(20|2a) "),
                              (["-DCMAKE_CXX_STANDARD=23"], r"-std=c\+\+(23|2b) ")):
            folder, _ = self.configure("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
            commands = json.loads((folder / "build" / "compile_commands.json").read_text())
            ours = [c for c in commands if "/src/" in c["file"] and "eigen" not in c["file"]]
            self.assertGreater(len(ours), 20)
            for command in ours:
                self.assertRegex(command["command"], flag)
        with self.assertRaisesRegex(AssertionError, "CMAKE_CXX_STANDARD=17: carat is C"):
            self.configure("-DCMAKE_CXX_STANDARD=17")

    def test_batches_are_compiled_where_all_is_and_each_file_alone_otherwise(self):
        presets = json.loads((pathlib.Path(SOURCE) / "CMakePresets.json").read_text())
        own = {p["name"]: p["cacheVariables"] for p in presets["configurePresets"]}
        self.assertEqual([name for name in own if own[name].get("CARAT_BATCHES")],
                         ["release", "dev", "asan"])
        for batches, expected in (("ON", True), ("OFF", False)):
            folder, _ = self.configure("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-GNinja",
                                       f"-DCARAT_BATCHES={batches}")
            files = (folder / "build" / "compile_commands.json").read_text()
            self.assertEqual("cli/CMakeFiles/carat_command.dir/Unity" in files, expected)
            self.assertEqual("/Unity/" in files, expected)

    def test_eigen_installed_after_the_first_build(self):
        folder, told = self.configure("-DCMAKE_IGNORE_PATH=" + ";".join(EIGEN))
        if "Eigen not found" not in told:
            self.skipTest("NOT TESTED: Eigen is here, in a place of its own")
        config = folder / "prefix" / "share" / "eigen3" / "cmake"
        config.mkdir(parents=True)
        (config / "Eigen3Config.cmake").write_text("add_library(Eigen3::Eigen INTERFACE IMPORTED)\n")
        (config / "Eigen3ConfigVersion.cmake").write_text(
            "set(PACKAGE_VERSION 3.4.0)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
        run(CMAKE, "--build", folder / "build", "--target", "carat_revision")
        self.assertIn("carat_eigen_baseline",
                      run(CMAKE, "--build", folder / "build", "--target", "help"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
