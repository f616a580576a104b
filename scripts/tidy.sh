#!/usr/bin/env bash
# clang-tidy over the project's sources: scripts/tidy.sh BUILD_FOLDER
# A file is read again only when it, a header or the rules have changed since its last clean pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export build=$1
mkdir -p "$build/tidy"
state=$({ cat .clang-tidy; git ls-files -z '*.hpp' '*.h' | xargs -0 cat; } | sha256sum | cut -c1-16)
export state

check() { # file
    local stamp
    stamp=$build/tidy/$(sha256sum <"$1" | cut -c1-16)-$state
    [ -f "$stamp" ] && return 0
    clang-tidy -p "$build" --quiet --warnings-as-errors='*' \
        --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null || {
        echo "clang-tidy: $1" >&2
        return 1
    }
    touch "$stamp"
}
export -f check

# Tests are held to the compiler's warnings; CUDA sources to nvcc's.
git ls-files 'src/*.cpp' 'lab/*.cpp' 'cli/*.cpp' 'ladder/cpu/*.cpp' |
    xargs -P "${CARAT_JOBS:-$(nproc)}" -I{} bash -c 'check {}'
