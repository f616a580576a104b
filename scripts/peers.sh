#!/usr/bin/env bash
# Installs the optional libraries to measure against: packages through apt, newer ones from pip into
# build/peers, and libxsmm as a shared library, linked there from the package's static one. All that
# is not the system's lies in build/peers/lib. What is there already is left alone, so a second run
# only prints it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${CARAT_PEERS:-build/peers}
pip=("$folder/bin/python" -m pip install -q --disable-pip-version-check --no-deps)

# $1: file of packages; $2: what they are. Without the libraries that they would bring along: on
# GNU's OpenMP MKL needs none of them.
wheels() {
    local stamp=$folder/.${1##*/}
    if [ "$stamp" -nt "$1" ]; then return 0; fi
    if [ "$(uname -m)" != x86_64 ]; then
        echo "peers: on $(uname -m) the system's packages alone"
        return 0
    fi
    echo "peers: fetching $2"
    [ -x "${pip[0]}" ] || python3 -m venv "$folder"
    "${pip[@]}" -r "$1" && touch "$stamp"
}

# The name carries the version, as the library has no call that tells it.
libxsmm() {
    local archive version
    archive=$(dpkg -L libxsmm-dev 2>/dev/null | grep '/libxsmm\.a$') || return 0
    version=$(dpkg-query -W -f='${Version}' libxsmm-dev)
    local shared=$folder/lib/libxsmm.so.${version%%-*}
    if [ ! "$shared" -nt "$archive" ]; then
        mkdir -p "$folder/lib"
        "${CC:-gcc}" -shared -o "$shared" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive \
            "${archive%.a}noblas.a" -lpthread -ldl -lm &&
            ln -sf "${shared##*/}" "$folder/lib/libxsmm.so"
    fi
}

# What lies among a package's Python, where CARAT_PEER_PATH finds it.
link() {
    local file
    for file in "$folder"/lib/python3*/site-packages/scipy_openblas32/lib/libscipy_openblas.so; do
        [ ! -e "$file" ] || ln -sf "${file#"$folder"/lib/}" "$folder/lib/"
    done
    # A separate name makes it a row beside the system's (lab/vendor/cublas/library.hpp).
    for file in "$folder"/lib/python3*/site-packages/nvidia/cu*/lib/libcublasLt.so.*; do
        [ ! -e "$file" ] || ln -sf "${file#"$folder"/lib/}" "$folder/lib/libcublasLt.newest.so"
    done
}

# dpkg-query fails over one that the system does not know, after it has listed the others.
installed() {
    {
        dpkg-query -W -f='${db:Status-Abbrev} ${Package} ${Version}\n' 'libopenblas0-*' \
            'libblis4-*' libblas3 'libdnnl[0-9]*' libeigen3-dev libxsmm-dev 2>/dev/null || true
    } | sed -n 's/^ii *//p'
    local wheel
    for wheel in "$folder"/lib/python3*/site-packages/*.dist-info; do
        case "${wheel##*/}" in
            mkl-* | onednn* | scipy_openblas32-* | nvidia_cublas-*)
                basename "$wheel" .dist-info | tr - ' '
                ;;
        esac
    done
}

# Debian 12 has oneDNN 2.6. The newest wheel, onednn 2026.1 (3.13), needs SYCL's run time and gives
# no number of threads; of those on GNU's OpenMP this is the last one (3.2).
onednn() {
    if dpkg-query -W libdnnl3 >/dev/null 2>&1; then return 0; fi
    wheels scripts/peers-onednn.txt "oneDNN (about 20 MB)"
}

# 440 MB, and of no use without a GPU.
cublas() {
    nvidia-smi -L >/dev/null 2>&1 || return 0
    wheels scripts/peers-gpu.txt "cuBLAS (about 450 MB)"
}

status=0
scripts/setup.sh peers || status=1
wheels scripts/peers.txt "MKL and OpenBLAS (about 230 MB)" || status=1
onednn || status=1
cublas || status=1
libxsmm || status=1
link
echo "peers here (carat list vendor tells which of them it can use):"
installed | awk '{ printf "  %-22s %s\n", $1, $2 }'
exit $status
