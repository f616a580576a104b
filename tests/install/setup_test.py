"""scripts/setup.sh and peers.sh where something is in their way: a .venv without pip, as a Python
without its venv package leaves it, another's update of the lists of packages, a package that the
system does not have; cuda_toolkit.sh where there is no nvcc; and what ./dev bench and package build
with a GPU and without.

No package is installed and nothing fetched: the list of tools is empty here, and apt is not apt."""

import importlib.util
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        scripts, self.tools = self.folder / "scripts", self.folder / "tools"
        scripts.mkdir()
        self.tools.mkdir()
        shutil.copy(SCRIPTS / "setup.sh", scripts)
        shutil.copy(SCRIPTS / "peers.sh", scripts)
        (scripts / "lint-tools.txt").touch()

    def stub(self, name, text):
        file = self.tools / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def run_script(self, name, *arguments):
        return subprocess.run(["bash", self.folder / "scripts" / name, *arguments],
                              env=dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}"),
                              capture_output=True, text=True)

    def test_a_half_made_environment_is_completed(self):
        if importlib.util.find_spec("ensurepip") is None:
            self.skipTest("NOT TESTED: this Python has no pip to put there (python3-venv)")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder / ".venv"],
                       check=True)
        self.stub("dpkg-query", "echo install ok installed")
        done = self.run_script("setup.sh", "lint")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((self.folder / ".venv" / ".lint-tools").exists())

    def install_with(self, says):
        """Installs where the first update fails and says so; what apt-get was called for."""
        calls = self.folder / "calls"
        self.stub("dpkg-query", "exit 1")
        self.stub("apt-cache", "exit 0")
        self.stub("sleep", "exit 0")
        self.stub("sudo", 'exec "$@"')
        self.stub("apt-get", f"""echo "$*" >>{calls}
            [ "$1" != update ] || [ "$(wc -l <{calls})" -gt 1 ] ||
                {{ echo "{says}" >&2; exit 100; }}""")
        done = self.run_script("setup.sh", "build")
        return done, [line.split() for line in calls.read_text().splitlines()]

    def test_another_update_is_waited_for(self):
        done, calls = self.install_with("E: Could not get lock /var/lib/apt/lists/lock.")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([call[0] for call in calls], ["update", "update", "-o"])
        # cpack needs these to make a package that names its library dependencies.
        self.assertLessEqual({"install", "g++", "file", "dpkg-dev"}, set(calls[-1]))

    def test_an_update_that_fails_is_told(self):
        done, calls = self.install_with("E: The repository has no Release file.")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no Release file", done.stderr)
        self.assertEqual([call[0] for call in calls], ["update"])

    def test_peers_are_listed_though_one_is_not_to_be_had(self):
        packages = self.folder / "build" / "peers" / "lib" / "python3.11" / "site-packages"
        (packages / "mkl-2026.2.0.dist-info").mkdir(parents=True)
        wheel = packages / "scipy_openblas32" / "lib" / "libscipy_openblas.so"
        wheel.parent.mkdir(parents=True)
        wheel.touch()
        cublas = packages / "nvidia" / "cu13" / "lib" / "libcublasLt.so.13"
        cublas.parent.mkdir(parents=True)
        cublas.touch()
        (self.folder / "scripts" / "setup.sh").write_text("#!/bin/sh\n")
        self.stub("uname", "echo aarch64")
        self.stub("dpkg", "exit 1")
        self.stub("dpkg-query", "echo ii libblas3 3.11.0-2; exit 1")
        done = self.run_script("peers.sh")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"libblas3 +3\.11\.0-2\n +mkl +2026\.2\.0\n$")
        self.assertTrue((self.folder / "build/peers/lib/libscipy_openblas.so").samefile(wheel))
        newest = self.folder / "build/peers/lib/libcublasLt.newest.so"
        self.assertTrue(newest.samefile(cublas))

    def dev(self, *arguments, gpu, code=0, toolkit=True):
        """What ./dev runs: the calls of CMake and cpack, and the carat built with its arguments."""
        for name in ("setup.sh", "only_news.sh"):
            (self.folder / "scripts" / name).write_text("#!/bin/sh\n[ $# -gt 0 ] || cat\n")
            (self.folder / "scripts" / name).chmod(0o755)
        calls = self.folder / "calls"
        calls.write_text("")
        shutil.copy(SCRIPTS.parent / "dev", self.folder)
        self.stub("nvidia-smi", f"[ $1 = -L ] || printf '{gpu}\\n'" if gpu else "exit 9")
        self.stub("ctest", f'echo "ctest $*" >>{calls}')
        if not (self.tools / "compiler-of-cuda").exists():
            self.stub("compiler-of-cuda", "exit 0")
        self.stub("cmake", f"""echo "$*" >>{calls}
            [ "$CUDACXX" = compiler-of-cuda ] || echo "CUDACXX=$CUDACXX" >>{calls}
            case "$*" in --build*) mkdir -p build/$3/cli
                printf '#!/bin/sh\\necho ran %s "$*"\\n' "$3" >build/$3/cli/carat
                chmod +x build/$3/cli/carat;; esac""")
        self.stub("cpack", f'echo "cpack $*" in "$PWD" >>{calls}')
        done = subprocess.run(["bash", self.folder / "dev", *arguments],
                              env=dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}",
                                       CARAT_GPU_FILE=str(self.folder / "no-gpu"),
                                       CUDACXX="compiler-of-cuda" if toolkit else "no-such-compiler"),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.objected = done.stderr
        return calls.read_text(), done.stdout

    def bench(self, *arguments, gpu, toolkit=True):
        return self.dev("bench", *arguments, gpu=gpu, toolkit=toolkit)

    def test_a_build_says_how_far_it_is(self):
        told = ("[1/100 0.1] Building a.cpp.o\n[10/100 61.2] Building b.cpp.o\nb.cpp:1: warning: x\n"
                "[20/100 62.0] Building c.cpp.o\n[99/100 121.0] Linking d\nninja: no work to do.\n")
        script = SCRIPTS / "only_news.sh"
        logged = subprocess.run(["bash", script], input=told, capture_output=True, text=True).stdout
        self.assertEqual(logged, "build: 10 of 100 steps, about 9 min left\nb.cpp:1: warning: x\n"
                                 "build: 99 of 100 steps, about 1 s left\n")
        ours, terminal = pty.openpty()
        subprocess.run(["bash", script], input=told.encode(), stdout=terminal)
        os.close(terminal)
        seen = os.read(ours, 10000).decode()
        os.close(ours)
        self.assertIn("\r\033[K10 of 100 steps, about 9 min left: Building b.cpp.o\r", seen)
        self.assertIn("\r\033[Kb.cpp:1: warning: x\r\n", seen)

    def test_seconds_are_noted(self):
        self.dev("test", gpu=False)
        for part in ("build", "tests"):
            noted = (self.folder / f"build/dev/seconds_of_{part}").read_text()
            self.assertRegex(noted, r"^[0-9.]+ [0-9.]+ [0-9.]+\n$")

    def test_packages_with_cuda_are_made_where_they_are_asked_for(self):
        packed = f"cpack -B {self.folder}/build/cpu/../packages in {self.folder}/build/cpu\n"
        calls, _ = self.dev("package", gpu=True)
        self.assertNotIn("release", calls)
        self.assertTrue(calls.endswith("--build --preset cpu\n" + packed), calls)
        calls, _ = self.dev("package", "--with-cuda", gpu=False)
        self.assertIn(packed, calls)
        self.assertTrue(calls.endswith(packed.replace("build/cpu", "build/release")), calls)
        self.assertIn("-DCARAT_CUDA=ON -DCARAT_GPUS=release\n", calls)
        self.assertEqual(self.dev("package", "--cuda", gpu=False, code=2), ("", ""))

    def test_a_wheel_is_made_and_tagged(self):
        tools = self.folder / ".venv/bin"
        tools.mkdir(parents=True)
        (tools / "python").write_text(
            "#!/bin/sh\necho python $* >>calls\n"
            'case "$*" in *" wheel "*) mkdir -p build/wheels; touch build/wheels/x.whl;; esac\n')
        (tools / "python").chmod(0o755)
        calls, _ = self.dev("wheel", "--quiet", gpu=False)
        self.assertEqual(calls, "python -m pip wheel -q --no-deps --no-build-isolation -w build/wheels "
                                "--quiet .\npython scripts/tag_wheel.py build/wheels/x.whl dist\n")
        calls, _ = self.dev("wheel", "--with-cuda", "--quiet", gpu=False)
        self.assertIn(" --config-settings=cmake.define.CARAT_CUDA=ON "
                      "--config-settings=cmake.define.CARAT_GPUS=release --quiet .\n", calls)

    def test_kernels_for_gpus_are_built_where_there_is_one(self):
        calls, told = self.bench(gpu=False)
        self.assertNotIn("release", calls)
        self.assertTrue(calls.endswith("--build --preset cpu --target carat_command\n"), calls)
        self.assertEqual(told, "ran cpu \n")
        calls, told = self.bench("--size", "64", gpu=True)
        self.assertNotIn("--preset cpu", calls)
        self.assertEqual(told, "ran release bench --size 64\n")

    def toolkit(self, cuda="13.0", fails=False, machine="x86_64"):
        """cuda_toolkit.sh where no nvcc is, with a driver for that CUDA, and pip that is not pip."""
        shutil.copy(SCRIPTS / "cuda_toolkit.sh", self.folder / "scripts")
        (self.folder / "scripts/cuda-tools.txt").touch()
        pip = self.folder / "pip"
        pip.write_text(f"""#!/bin/sh
            [ {int(fails)} = 0 ] || exit 1
            to={self.folder}/build/cuda/lib/python3.11/site-packages/nvidia/cu13
            mkdir -p $to/bin $to/lib; touch $to/bin/nvcc $to/lib/libcudart.so.13
            chmod +x $to/bin/nvcc; echo "$*" >>{self.folder}/fetched""")
        pip.chmod(0o755)
        self.stub("uname", f"echo {machine}")
        self.stub("nvidia-smi", f'echo "| NVIDIA-SMI 580  Driver Version: 580  CUDA Version: {cuda} |"')
        self.stub("python3", f"mkdir -p $3/bin; ln -sf {pip} $3/bin/python")
        os.environ["CARAT_CUDA_TOOLKIT"] = str(self.folder / "nowhere")
        self.addCleanup(os.environ.pop, "CARAT_CUDA_TOOLKIT", None)

    def fetched(self):
        told = self.folder / "fetched"
        return told.read_text().count("\n") if told.exists() else 0

    def test_nvcc_is_fetched_once_where_a_gpu_lacks_it(self):
        self.toolkit()
        nvcc = self.folder / "build/cuda/toolkit/bin/nvcc"
        for said in ("no nvcc here: fetching", ""):
            done = self.run_script("cuda_toolkit.sh")
            self.assertEqual((done.returncode, done.stdout), (0, f"{nvcc}\n"), done.stderr)
            self.assertIn(said, done.stderr)
            self.assertEqual(self.fetched(), 1)
        self.assertTrue(os.access(nvcc, os.X_OK))
        self.assertTrue((nvcc.parents[1] / "lib/libcudart.so").exists())

    def test_an_installed_toolkit_outside_path_is_taken(self):
        self.toolkit()
        nvcc = self.folder / "nowhere/bin/nvcc"
        nvcc.parent.mkdir(parents=True)
        nvcc.touch(0o755)
        self.assertEqual(self.run_script("cuda_toolkit.sh").stdout, f"{nvcc}\n")
        self.assertEqual(self.fetched(), 0)

    def test_why_nvcc_is_not_fetched_is_one_line(self):
        for how, why in (({"cuda": "12.4"}, "the driver runs CUDA 12"),
                         ({"machine": "aarch64"}, "none to fetch for aarch64"),
                         ({"fails": True}, "could not be fetched")):
            self.toolkit(**how)
            done = self.run_script("cuda_toolkit.sh")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(why, done.stderr.splitlines()[-1])
            self.assertEqual(self.fetched(), 0)

    def test_bench_goes_on_with_the_nvcc_that_was_fetched(self):
        self.toolkit()
        calls, told = self.bench("--size", "64", gpu=True, toolkit=False)
        self.assertIn("no nvcc here: fetching", self.objected)
        self.assertIn("CUDACXX=" + str(self.folder / "build/cuda/toolkit/bin/nvcc"), calls)
        self.assertEqual(told, "ran release bench --size 64\n")
        calls, _ = self.dev("test", "--with-cuda", gpu=True, toolkit=False)
        self.assertIn("CUDACXX=" + str(self.folder / "build/cuda/toolkit/bin/nvcc"), calls)
        self.assertEqual(self.objected, "")

    def test_every_first_build_for_a_gpu_has_the_nvcc_that_is_fetched(self):
        self.toolkit()
        own = "CUDACXX=" + str(self.folder / "build/cuda/toolkit/bin/nvcc")
        for command in ("build", "test"):
            calls, _ = self.dev(command, gpu="9.0", toolkit=False)
            self.assertIn(own, calls)
        for command in (["build"], ["build", "cpu"], ["test"]):
            calls, _ = self.dev(*command, gpu="9.0" if "cpu" in command else False, toolkit=False)
            self.assertNotIn(own, calls)
        self.assertEqual(self.fetched(), 1)
        self.toolkit(fails=True)
        shutil.rmtree(self.folder / "build")
        calls, _ = self.dev("build", gpu="9.0", toolkit=False)
        self.assertIn("There is a GPU here but no CUDA toolkit", self.objected)
        self.assertIn("--build --preset release\n", calls)

    def test_a_gpu_without_a_toolkit_is_told_before_the_build(self):
        self.toolkit(fails=True)
        calls, told = self.bench(gpu=True, toolkit=False)
        self.assertIn("There is a GPU here but no CUDA toolkit", self.objected)
        self.assertIn("CUDACXX", self.objected)
        self.assertNotIn("release", calls)
        self.assertEqual(told, "ran cpu \n")
        for gpu, toolkit in ((True, True), (False, False)):
            self.bench(gpu=gpu, toolkit=toolkit)
            self.assertEqual(self.objected, "")
        calls, _ = self.dev("test", "--with-cuda", gpu=False, toolkit=False, code=1)
        self.assertEqual(calls, "")
        self.assertIn("could not be fetched", self.objected.splitlines()[-1])

    def test_a_v100_gets_cuda_12(self):
        self.stub("compiler-of-cuda", "echo 'Cuda compilation tools, release 13.0, V13.0.88'")
        twelve = self.folder / "scripts/cuda12_toolkit.sh"
        twelve.write_text("#!/bin/sh\necho /the/twelve/nvcc\n")
        twelve.chmod(0o755)
        calls, told = self.bench(gpu="7.0")
        self.assertIn("CUDACXX=/the/twelve/nvcc", calls)
        self.assertIn("needs CUDA 12", self.objected)
        self.assertEqual(told, "ran release \n")
        for gpu, release in (("7.0", "12.4"), ("7.0\\n8.0", "13.0"), ("12.0", "13.0")):
            self.stub("compiler-of-cuda", f"echo 'Cuda compilation tools, release {release}, V1'")
            calls, _ = self.bench(gpu=gpu)
            self.assertNotIn("CUDACXX", calls)
            self.assertEqual(self.objected, "")
        twelve.write_text("#!/bin/sh\necho cuda12_toolkit: this is no Debian >&2; exit 1\n")
        self.stub("compiler-of-cuda", "echo 'Cuda compilation tools, release 13.0, V13.0.88'")
        calls, told = self.bench(gpu="7.0")
        self.assertIn("this is no Debian", self.objected)
        self.assertEqual(told, "ran cpu \n")

    def test_tests_with_cuda_use_the_same_folder(self):
        calls, _ = self.dev("test", "-R", "x", gpu=False)
        self.assertNotIn("CARAT_CUDA", calls)
        calls, _ = self.dev("test", "--with-cuda", "-R", "x", gpu=False)
        self.assertRegex(calls, r"^--preset dev .*-DCARAT_CUDA=ON\n")
        self.assertRegex(calls, r"--build --preset dev\nctest --preset dev .* -R x\n$")

    def test_cuda_can_be_insisted_on(self):
        calls, told = self.bench("--with-cuda", "--size", "64", gpu=False)
        self.assertRegex(calls, r"^--preset release .*-DCARAT_CUDA=ON\n")
        self.assertEqual(told, "ran release bench --size 64\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
