#!/usr/bin/env bash
# Prints the path of an nvcc: the one in /usr/local/cuda, or one that is fetched from PyPI into
# build/cuda, with cuBLAS, whose headers the laboratory needs and which it measures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
list=scripts/cuda-tools.txt
installed=${CARAT_CUDA_TOOLKIT:-/usr/local/cuda}/bin/nvcc
folder=$PWD/build/cuda
stamp=$folder/.cuda-tools

fail() {
    echo "cuda_toolkit: $*" >&2
    exit 1
}

# The newest CUDA that the driver runs programs of; nothing without a driver.
cuda_of_driver() {
    nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9]*\)[.].*/\1/p' || true
}

# One name for the toolkit's folder whatever Python's version; and CMake asks for the shared runtime by
# the name that linkers use, which wheels leave out.
name_toolkit() {
    (cd "$folder" && ln -sfn lib/python3*/site-packages/nvidia/cu13 toolkit)
    ln -sf libcudart.so.13 "$folder/toolkit/lib/libcudart.so"
}

fetch() {
    local major
    [ "$(uname -m)" = x86_64 ] || fail "no nvcc here, and none to fetch for $(uname -m)"
    major=$(cuda_of_driver)
    [ "${major:-13}" -ge 13 ] ||
        fail "no nvcc here, and the driver runs CUDA $major while the one to fetch is 13:" \
            "update the driver, or install a toolkit of CUDA $major"
    echo "cuda_toolkit: no nvcc here: fetching NVIDIA's and cuBLAS (550 MB) into build/cuda" >&2
    python3 -m venv "$folder" >&2 || fail "python3 can't make an environment (python3-venv)"
    "$folder/bin/python" -m pip install -q --disable-pip-version-check --no-deps -r "$list" >&2 ||
        fail "nvcc could not be fetched"
    name_toolkit
    touch "$stamp"
}

if [ -x "$installed" ]; then
    echo "$installed"
    exit
fi
[ "$stamp" -nt "$list" ] || fetch
echo "$folder/toolkit/bin/nvcc"
