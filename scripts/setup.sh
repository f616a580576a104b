#!/usr/bin/env bash
# Installs what a task needs and is not there yet:
#     scripts/setup.sh build | test | lint | docs | wheel | cuda | arm | peers
# Packages are looked up first, so a second run asks nothing of the network and takes no time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build_packages=(g++ cmake ninja-build ccache git pkg-config libfmt-dev libcli11-dev
    nlohmann-json3-dev libboost-dev libhwloc-dev libsodium-dev
    libseccomp-dev libjs-chart.js libopenblas0-openmp libblas3 libopenmpi-dev openmpi-bin
    dpkg-dev file) # the last two for cpack
test_packages=(libgtest-dev librapidcheck-dev python3 chromium binutils clang
    libomp-dev libblas-dev libblas-test libblas64-3 gfortran python3-numpy python3-scipy python3-pytest
    python3-hypothesis python3-dev python3-venv qemu-user zsh libscalapack-openmpi-dev)
lint_packages=(clang-tidy)
arm_packages=(g++-aarch64-linux-gnu qemu-user)
peer_packages=(libopenblas0-openmp libblis4-openmp libblas3 libeigen3-dev libxsmm-dev python3-venv)
case "$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")" in
    bookworm) peer_packages+=(libdnnl2) ;;
    *) peer_packages+=(libdnnl3) ;;
esac

missing() {
    local package
    for package in "$@"; do
        dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' ||
            echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "setup: root or sudo is needed for: $*" >&2
        exit 1
    fi
}

# Waits up to five minutes for another's update, as fresh machines run one by themselves: unlike
# dpkg's that lock has no timeout.
update_lists() {
    local waited told
    for ((waited = 0; ; waited += 5)); do
        told=$(as_root env LC_ALL=C apt-get update -q 2>&1 >/dev/null) && break
        if [[ $told != *lists/lock* ]] || ((waited >= 300)); then
            echo "$told" >&2
            exit 1
        fi
        sleep 5
    done
    [ -z "$told" ] || echo "$told" >&2
}

install() {
    local wanted known=() package
    mapfile -t wanted < <(missing "$@")
    [ ${#wanted[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || {
        echo "setup: no apt-get here; install by hand: ${wanted[*]}" >&2
        exit 1
    }
    echo "setup: installing ${wanted[*]}"
    update_lists
    # Ubuntu has no Chromium package that works in a container: what is missing there is said, and
    # the tests that need it are skipped aloud.
    for package in "${wanted[@]}"; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            known+=("$package")
        else
            echo "setup: there is no package $package here"
        fi
    done
    [ ${#known[@]} -gt 0 ] || return 0
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
        install -y -q --no-install-recommends "${known[@]}" >/dev/null
}

# Tools from scripts/$1.txt, which pins their versions: a formatter's output changes with its own.
python_tools() {
    local stamp=.venv/.$1 list=scripts/$1.txt
    if [ "$stamp" -nt "$list" ]; then return 0; fi
    [ -x .venv/bin/pip ] || python3 -m venv .venv
    .venv/bin/python -m pip install -q --disable-pip-version-check -r "$list"
    touch "$stamp"
}

case "${1:-build}" in
    build) install "${build_packages[@]}" ;;
    test)
        install "${build_packages[@]}" "${test_packages[@]}"
        python_tools python-tools
        # A toolkit may come without its disassembler, which a test of the GPU's machine code reads.
        if nvcc=$(command -v "${CUDACXX:-nvcc}") && [ ! -x "${nvcc%/*}/cuobjdump" ]; then
            python_tools sass-tools
        fi
        ;;
    lint)
        install "${build_packages[@]}" "${test_packages[@]}" "${lint_packages[@]}"
        python_tools lint-tools
        ;;
    wheel)
        install "${build_packages[@]}" python3-dev python3-venv
        python_tools python-tools
        ;;
    docs)
        install python3-venv
        python_tools site-tools
        ;;
    cuda) install "${build_packages[@]}" python3-venv ;;
    arm) install "${build_packages[@]}" "${arm_packages[@]}" ;;
    peers) install "${peer_packages[@]}" ;;
    *)
        echo "setup: unknown task '$1' (build, test, lint, docs, wheel, cuda, arm or peers)" >&2
        exit 2
        ;;
esac
