#!/usr/bin/env bash
# Builds for 64-bit Arm on an x86-64 Debian:
#     scripts/cross_arm.sh [TARGET ...]
# The compiler and the emulator are packages of the system. Libraries for Arm are unpacked into
# build/arm/system, which the package manager does not know, so nothing that is installed changes;
# cmake/aarch64.cmake finds them there. OpenBLAS is one of them, for comparison.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

system=$PWD/build/arm/system
apt=$PWD/build/arm/apt
libraries=(libfmt-dev libcli11-dev nlohmann-json3-dev libboost-dev libhwloc-dev libsodium-dev
    libseccomp-dev libgtest-dev librapidcheck-dev libgomp1 libopenblas0-pthread libblas3
    libblas-test)

# Asks apt about packages for Arm as if none were installed, with lists and archives of its own.
apt_arm() {
    apt-get -q -o Dir::State="$apt/state" -o Dir::State::status=/dev/null \
        -o Dir::Cache="$apt/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o APT::Sandbox::User= -o Debug::NoLocking=true "$@" >/dev/null
}

# Ubuntu keeps its packages for Arm on another server.
need_debian() {
    if grep -qx 'ID=debian' /etc/os-release && [ "$(uname -m)" = x86_64 ]; then return 0; fi
    echo "cross_arm: this needs Debian on x86-64; elsewhere build on the Arm machine itself, with ./dev" >&2
    exit 1
}

unpack() {
    local stamp="$system/.unpacked" archive
    if [ "$(cat "$stamp" 2>/dev/null)" = "${libraries[*]}" ]; then return 0; fi
    echo "cross_arm: fetching libraries for Arm into build/arm"
    rm -rf "$system" "$apt"
    mkdir -p "$apt"/state/lists/partial "$apt"/cache/archives/partial "$system"
    apt_arm update
    apt_arm install -y --download-only --no-install-recommends "${libraries[@]}"
    for archive in "$apt"/cache/archives/*.deb; do dpkg -x "$archive" "$system"; done
    rm -rf "$apt"
    echo "${libraries[*]}" >"$stamp"
}

need_debian
scripts/setup.sh arm
unpack
[ -f build/arm/dev/build.ninja ] || cmake --preset arm --log-level=WARNING
NINJA_STATUS='[%f/%t %e] ' cmake --build --preset arm ${1:+--target "$@"} | scripts/only_news.sh
