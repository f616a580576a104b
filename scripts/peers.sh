#!/usr/bin/env bash
# Installs the optional libraries to measure against: packages through apt, MKL from pip into .venv,
# and libxsmm as a shared library, linked there from the package's static one. What is there already
# is left alone, so a second run only prints it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Without the libraries that MKL would bring along: on GNU's OpenMP it needs none of them.
mkl() {
    local stamp=.venv/.peers
    if [ "$stamp" -nt scripts/peers.txt ]; then return 0; fi
    if [ "$(uname -m)" != x86_64 ]; then
        echo "peers: MKL is made for x86-64 only"
        return 0
    fi
    echo "peers: fetching MKL (about 220 MB)"
    [ -x .venv/bin/pip ] || python3 -m venv .venv
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-deps -r scripts/peers.txt &&
        touch "$stamp"
}

# The name carries the version, as the library has no call that tells it.
libxsmm() {
    local archive version
    archive=$(dpkg -L libxsmm-dev 2>/dev/null | grep '/libxsmm\.a$') || return 0
    version=$(dpkg-query -W -f='${Version}' libxsmm-dev)
    local shared=.venv/lib/libxsmm.so.${version%%-*}
    if [ ! "$shared" -nt "$archive" ]; then
        mkdir -p .venv/lib
        "${CC:-gcc}" -shared -o "$shared" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive \
            "${archive%.a}noblas.a" -lpthread -ldl -lm &&
            ln -sf "${shared##*/}" .venv/lib/libxsmm.so
    fi
}

# dpkg-query fails over one that the system does not know, after it has listed the others.
installed() {
    {
        dpkg-query -W -f='${db:Status-Abbrev} ${Package} ${Version}\n' 'libopenblas0-*' \
            'libblis4-*' libblas3 'libdnnl[0-9]*' libeigen3-dev libxsmm-dev 2>/dev/null || true
    } | sed -n 's/^ii *//p'
    local mkl=(.venv/lib/python3*/site-packages/mkl-*.dist-info)
    [ ! -d "${mkl[0]}" ] || basename "${mkl[0]}" .dist-info | tr - ' '
}

status=0
scripts/setup.sh peers || status=1
mkl || status=1
libxsmm || status=1
echo "peers here (carat list tells which of them it can use):"
installed | awk '{ printf "  %-22s %s\n", $1, $2 }'
exit $status
