#!/usr/bin/env bash
# One part of scripts/try_systems.sh, in the system that is tried: bench, test, isa, cmake, lto, aarch64,
# package, installed or the name of a compiler. Exit status 77: the system has no such compiler, or nothing to
# install. Whatever is built passes without a warning.
set -Eeuo pipefail
trap 'echo "try_part.sh:$LINENO: $BASH_COMMAND" >&2' ERR
cd "$(dirname "${BASH_SOURCE[0]}")/.."

smoke='^(core|plan|statistics|cpu|api|report|machine)\.|^install\.|^cli\.commands|^blas\.netlib'

install() {
    apt-get install -y -q --no-install-recommends "$@" >/dev/null
}

# Runs a command and fails over what it warns of, too.
quietly() {
    local told
    told=$(mktemp)
    "$@" 2>&1 | tee "$told"
    if grep -qE 'warning:|CMake (Deprecation )?Warning' "$told"; then
        echo "try_part: warnings, see above"
        return 1
    fi
}

configure() { # folder, options
    "${cmake:-cmake}" -G Ninja -S . -B "$1" -Werror=dev -DCARAT_CUDA=OFF -DCMAKE_BUILD_TYPE=Release \
        -DCARAT_WARNINGS_AS_ERRORS=ON -DCARAT_BATCHES=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:2}"
}

# What has been configured and was not made, every file whose name fits, without making code.
check_syntax() { # folder, pattern
    ninja -C "$1" carat_revision lab/report/page.cpp
    python3 - "$@" <<'PY'
import concurrent.futures, json, pathlib, re, shlex, subprocess, sys

def check(entry):
    words = [w for w in shlex.split(entry["command"]) if "ccache" not in w]
    at = words.index("-o")
    words[at:at + 2] = ["-fsyntax-only"]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True)
    return done.returncode, done.stderr

def is_left(entry):
    if not re.search(sys.argv[2], str(pathlib.Path(entry["file"]).relative_to(pathlib.Path.cwd()))):
        return False
    words = shlex.split(entry["command"])
    return not pathlib.Path(entry["directory"], words[words.index("-o") + 1]).exists()

entries = json.loads(pathlib.Path(sys.argv[1], "compile_commands.json").read_text())
entries = [entry for entry in entries if is_left(entry)]
with concurrent.futures.ThreadPoolExecutor() as pool:
    results = list(pool.map(check, entries))
print("".join(text for _, text in results))
sys.exit(f"of {len(results)} files {bad} failed" if (bad := sum(code != 0 for code, _ in results)) else 0)
PY
}

compiler() { # g++-14 or clang-19
    local program=${1/clang/clang++} packages=("$1")
    [[ $1 != clang-* ]] || packages+=("libomp-${1#clang-}-dev")
    apt-cache show "${packages[@]}" >/dev/null 2>&1 || {
        echo "no package $1 here"
        exit 77
    }
    scripts/setup.sh test
    install "${packages[@]}"
    configure "build/$1" "-DCMAKE_CXX_COMPILER=$program"
    quietly ninja -C "build/$1" carat carat_command
    quietly check_syntax "build/$1" .
    configure "build/$1-23" "-DCMAKE_CXX_COMPILER=$program" -DCMAKE_CXX_STANDARD=23
    quietly check_syntax "build/$1-23" '^(src|include|build|tests/api)/'
}

cmakes() {
    local version cmake
    scripts/setup.sh test
    install python3-venv
    for version in '==3.25.*' '>=4'; do
        rm -rf build/venv build/cmake
        python3 -m venv build/venv
        build/venv/bin/pip install -q --disable-pip-version-check "cmake$version"
        cmake=build/venv/bin/cmake
        "$cmake" --version
        quietly configure build/cmake
        quietly "$cmake" --build build/cmake --target carat carat_blas carat_blas64 \
            carat_blas_alternative carat_blas64_alternative carat_command carat_completions
        quietly env DESTDIR="$PWD/build/staged" "$cmake" --install build/cmake
    done
}

# All files but logs, caches and what apt and dpkg keep for themselves.
files_here() {
    find / -xdev \( -path /root -o -path /tmp -o -path /var/log -o -path /var/cache -o -path /var/lib/apt \
        -o -path '/var/lib/dpkg/*' ! -path '/var/lib/dpkg/alternatives*' \) -prune -o ! -type d -print | sort
}

purge() { # package, options
    apt-get purge -y -q "$(dpkg-deb --field "$1" Package)" "${@:2}" >/dev/null
}

# Runs a command, shows what it tells, and fails where no line of that fits.
tells() { # pattern, command
    local told code=0
    told=$("${@:2}" 2>&1) || code=$?
    echo "$told"
    if [ $code -ne 0 ] || ! grep -q -- "$1" <<<"$told"; then
        echo "try_part: ${*:2}: exit status $code, a line like $1 was expected" >&2
        return 1
    fi
}

offered() { # bits; every BLAS of this system that is ours
    update-alternatives --list "libblas$1.so.3-$multiarch" 2>/dev/null | grep /carat/ || true
}

carat_works() { # package, command
    local kernels=""
    tells " ($(cat build/packages/revision))$" "$2" --version # or ./dev package made it long ago
    [[ $1 != */carat-cuda* ]] || kernels=cuda.engine
    tells '^cpu\.engine .* yes$' "$2" list
    [ "$("$2" list | grep -o '^cuda\.engine' || true)" = "$kernels" ]
    tells 'Impl=cpu.engine M=32 N=16 K=8' "$2" run --m 32 --n 16 --k 8 --trials 3
}

# Its dependencies are all that it needs, and what it brought goes with it.
comes_and_goes() { # package
    files_here >/tmp/before
    install "./$1"
    carat_works "$1" carat
    [ "$(offered "")$(offered 64)" = /usr/lib/carat/blas/libblas.so.3/usr/lib/carat/blas/libblas64.so.3 ]
    purge "$1" --autoremove
    files_here | diff /tmp/before -
}

# A program in C and NumPy call it once it is chosen, and another BLAS when it is removed.
serves_as_blas() { # package
    local product='import numpy as np; a = np.full((300, 300), 2.0); assert (a @ a == 1200).all()'
    install "./$1"
    update-alternatives --set "libblas.so.3-$multiarch" "$(offered "")"
    tells '^dgemm .* 1x1x1 ' env CARAT_PROFILE=1 /tmp/dgemm
    tells '^dgemm .* 300x300x300 ' env CARAT_PROFILE=1 python3 -c "$product"
    purge "$1"
    [ -z "$(offered "")$(offered 64)" ]
    /tmp/dgemm
    python3 -c "$product"
}

# One package takes the place of the other, and is offered once.
takes_the_place() { # package, of package
    install "./$2"
    install "./$1"
    carat_works "$1" carat
    [ "$(offered "")" = /usr/lib/carat/blas/libblas.so.3 ]
    purge "$1"
}

# The packages in build/packages on this system, which has nothing else at first.
packages() {
    local debs=(build/packages/carat*.deb) package
    [ -f "${debs[0]}" ] || {
        echo "no packages: try the part package first, or make them here: ./dev package --with-cuda"
        exit 77
    }
    multiarch=$(basename /usr/lib/*-linux-gnu)
    for package in "${debs[@]}"; do comes_and_goes "$package"; done
    install libopenblas0-openmp libblas-dev gcc libc6-dev python3-numpy
    printf '%s\n' 'double cblas_ddot(int, const double *, int, const double *, int);' \
        'void dgemm_();' 'int main() { double x = 3, y = 0, one = 1; int n = 1;' \
        'dgemm_("N", "N", &n, &n, &n, &one, &x, &n, &x, &n, &one, &y, &n);' \
        'return y != 9 || cblas_ddot(1, &x, 1, &x, 1) != 9; }' >/tmp/dgemm.c
    gcc -std=gnu11 /tmp/dgemm.c -o /tmp/dgemm -lblas
    for package in "${debs[@]}"; do serves_as_blas "$package"; done
    if [ ${#debs[@]} = 2 ]; then
        takes_the_place "${debs[0]}" "${debs[1]}"
        takes_the_place "${debs[1]}" "${debs[0]}"
    fi
    for package in build/packages/carat-*.tar.gz; do
        rm -rf /tmp/moved
        mkdir /tmp/moved
        tar -C /tmp/moved -xzf "$package"
        carat_works "$package" "$(echo /tmp/moved/*/bin/carat)"
    done
    echo "held: ${debs[*]##*/}"
}

# CI's suite as on a machine of each level, as far as this one goes.
levels() {
    local level tried=""
    scripts/setup.sh test
    for level in baseline avx2 avx512 amx; do
        scripts/as_on.py "$level" true || continue
        quietly scripts/as_on.py "$level" ./dev test
        tried+=" $level"
    done
    echo "passed on:$tried"
    [ -n "$tried" ] || exit 77
}

part() {
    apt-get update -q >/dev/null
    case "$1" in
        bench)
            quietly ./dev bench
            test -s carat-report.html && test -s carat-results.json
            ;;
        test) quietly ./dev test -R "$smoke" ;;
        isa) levels ;;
        cmake) cmakes ;;
        lto)
            scripts/setup.sh build
            configure build/lto -DCARAT_BUILD_TESTS=OFF -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
            quietly ninja -C build/lto carat carat_blas carat_blas64
            ;;
        aarch64)
            install python3
            quietly ./dev arm --part command
            ;;
        package) quietly ./dev package ;;
        installed) packages ;;
        g++-* | clang-*) compiler "$1" ;;
        *)
            echo "try_part: unknown part '$1': use bench, test, isa, cmake, lto, aarch64, package, installed or a compiler" >&2
            exit 2
            ;;
    esac
}

part "${1:-}"
