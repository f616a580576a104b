#!/usr/bin/env bash
# Prints the path of an nvcc of CUDA 12, which compiles for a V100 as those of 13 no longer do; it is
# fetched into build/cuda12. PyPI has CUDA 12's ptxas, headers and libraries, but not nvcc itself, which
# is taken from Debian 13's package. Debian only: its signing keys and apt are needed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
list=scripts/cuda12-tools.txt
folder=$PWD/build/cuda12
toolkit=$folder/toolkit
stamp=$folder/.cuda12-tools
keys=/usr/share/keyrings/debian-archive-keyring.gpg

fail() {
    echo "cuda12_toolkit: $*: install CUDA 12 and name its nvcc in CUDACXX" >&2
    exit 1
}

# Debian 13's package, unpacked in $1, by lists of its own: nothing of this system's apt changes.
unpack_nvcc() {
    local apt=$1/apt options mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' | sort -u | grep -v security | head -1)
    [ -n "$mirror" ] || return 1
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "deb [signed-by=$keys] $mirror trixie non-free" >"$apt/sources.list"
    touch "$apt/status"
    options=(-q "-oDir::Etc::sourcelist=$apt/sources.list" -oDir::Etc::sourceparts=-
        "-oDir::State::Lists=$apt/lists" "-oDir::State::status=$apt/status"
        "-oDir::Cache=$apt/cache" -oAPT::Sandbox::User=root)
    apt-get "${options[@]}" update >&2 || return 1
    (cd "$apt" && apt-get "${options[@]}" download nvidia-cuda-toolkit >&2) || return 1
    dpkg-deb -x "$apt"/nvidia-cuda-toolkit_*.deb "$1/package"
}

# One folder as NVIDIA's installer makes it.
assemble() { # package's folder, wheels' folder
    local lib=$1/usr/lib/nvidia-cuda-toolkit
    rm -rf "$toolkit"
    mkdir -p "$toolkit"/{bin,include,lib64,nvvm/bin}
    cp "$1"/usr/bin/{__nvcc_device_query,bin2c,cudafe++,cuobjdump,fatbinary,nvdisasm,nvlink} \
        "$lib"/bin/nvcc "$2"/cuda_nvcc/bin/ptxas "$toolkit/bin"
    cp -r "$lib/bin/crt" "$toolkit/bin"
    cp "$lib/bin/cicc" "$toolkit/nvvm/bin"
    cp -r "$lib/libdevice" "$toolkit/nvvm"
    chmod +x "$toolkit"/bin/ptxas
    for part in cuda_runtime cuda_nvcc cuda_cccl cublas; do
        cp -r "$2/$part"/include/. "$toolkit/include"
        [ ! -d "$2/$part/lib" ] || cp -r "$2/$part"/lib/. "$toolkit/lib64"
    done
    ln -sf libcudart.so.12 "$toolkit/lib64/libcudart.so"
    # Kernels that launch kernels need it, and carat has none: nvlink refuses the newer wheel's.
    rm -f "$toolkit/lib64/libcudadevrt.a"
    ar rc "$toolkit/lib64/libcudadevrt.a"
    cat >"$toolkit/bin/nvcc.profile" <<'PROFILE'
TOP                = $(_HERE_)/..
CICC_PATH          = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH              += $(CICC_PATH):$(_HERE_):
INCLUDES          += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES         =+ $(_SPACE_) "-L$(TOP)/lib64"
PROFILE
}

fetch() {
    local unpacked=$folder/unpacked
    [ "$(uname -m)" = x86_64 ] || fail "there is no CUDA 12 to fetch for $(uname -m)"
    [ -f "$keys" ] && command -v apt-get dpkg-deb >/dev/null || fail "this is no Debian"
    echo "cuda12_toolkit: fetching CUDA 12.4 (500 MB) into build/cuda12" >&2
    mkdir -p "$unpacked"
    unpack_nvcc "$unpacked" || fail "Debian 13's nvidia-cuda-toolkit could not be fetched"
    python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-deps --target "$unpacked/wheels" \
        --upgrade -r "$list" >&2 || fail "the wheels of $list could not be fetched"
    assemble "$unpacked/package" "$unpacked/wheels/nvidia"
    rm -rf "$unpacked"
    touch "$stamp"
}

[ "$stamp" -nt "$list" ] || fetch
echo "$toolkit/bin/nvcc"
