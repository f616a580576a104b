#!/usr/bin/env bash
# Builds and tries carat on clean systems: bootstraps each once (kept under the cache folder), clones
# the commit checked out here into a copy, and runs parts of scripts/try_part.sh there. Mounts are made
# in a namespace of their own, so nothing stays mounted however this ends. Needs root and debootstrap.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: scripts/try_systems.sh [SYSTEM | SYSTEM:PART[,PART...]] ...

  SYSTEM  debian12, debian13 (these two by default), sid or ubuntu24.04
  PART    bench      ./dev bench, as the README promises it
          test       a smoke set of ./dev test
          isa        all of ./dev test, four times: as on machines that have the baseline's instructions
                     alone, AVX2, AVX-512 and AMX; those that this machine lacks are left out
          compilers  every g++ from 12 to 14 and clang from 14 to 19 that the system has
          g++-14 ... one of them: builds the library and the command as C++20, warnings being errors,
                     and checks everything else and C++23 without making code
          cmake      CMake 3.25 and the newest one, from pip
          lto        the libraries with link-time optimisation
          aarch64    the libraries and the command for 64-bit Arm, on Debian, under QEMU
          package    the .deb and the tarball are made
          installed  these, or those that lie in build/packages here where this machine is that system, as
                     ./dev package --with-cuda leaves them: installed alone, used as the system's BLAS,
                     removed without a trace, unpacked elsewhere

Without parts all of them are run. CARAT_MIRROR_DEBIAN and CARAT_MIRROR_UBUNTU name package mirrors; by
default they are this machine's own, then debootstrap's. XDG_CACHE_HOME says where systems, logs and
compiled files are kept.
TEXT
}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/carat
compilers=g++-12,g++-13,g++-14,clang-14,clang-15,clang-16,clang-17,clang-18,clang-19
all_parts=bench,test,isa,compilers,cmake,lto,aarch64,package,installed
table=()
passed=0 failed=0 skipped=0
work="" child=""

suite_of() {
    case "$1" in
        debian12) echo bookworm ;;
        debian13) echo trixie ;;
        sid) echo sid ;;
        ubuntu24.04) echo noble ;;
        *)
            echo "try_systems: unknown system '$1': use debian12, debian13, sid or ubuntu24.04" >&2
            return 1
            ;;
    esac
}

report() { # system, part, outcome, seconds, remark
    table+=("$(printf '%-12s %-10s %-8s %6s s  %s' "$1" "$2" "$3" "$4" "${5:-}")")
    echo "${table[-1]}"
}

finish() {
    if [ -n "$child" ]; then # it is the parent of a namespace, which ends with it
        kill -KILL "$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    echo
    [ ${#table[@]} -eq 0 ] || printf '%s\n' "${table[@]}"
    echo "passed $passed, failed $failed, skipped $skipped"
    rm -rf --one-file-system "$work"
}

# Runs a command in namespaces whose mounts and processes end with it, in the background, so that a
# signal is answered at once.
apart() { # log, command
    unshare --mount --pid --fork --kill-child --propagation private "${@:2}" >"$1" 2>&1 </dev/null &
    child=$!
    local code=0
    wait "$child" || code=$?
    child=""
    return "$code"
}

# This machine's mirror of the distribution, if it is of that distribution itself.
mirror_of() { # Debian or Ubuntu
    local given=CARAT_MIRROR_${1^^}
    [ -z "${!given:-}" ] || { echo "${!given}" && return; }
    apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(RELEASE)' 2>/dev/null |
        awk -v origin="$1" '$2 == origin && $3 !~ /-/ { print $1; exit }'
}

# How this machine reaches packages: apt's own way through a proxy, pip's settings, certificates.
copy_settings() { # root of a system
    local file
    apt-config dump --format '%F "%v";%n' Acquire |
        grep -E '^Acquire::(http|https|Check-[A-Za-z-]*|ForceIPv4)(::Proxy|::Timeout)? "[^"]+' \
            >"$1/etc/apt/apt.conf.d/90host" || true
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    for file in /etc/pip.conf "$HOME/.config/pip/pip.conf"; do
        [ ! -f "$file" ] || cp "$file" "$1/etc/pip.conf"
    done
    cp /etc/ssl/certs/ca-certificates.crt "$1/root/certificates.crt"
}

bootstrap() { # system; leaves the reason in $why if it can't be
    local base=$cache/systems/$1.tar log=$cache/logs/$1-bootstrap.log family=Debian components=main
    local suite script keyring
    [ ! -s "$base" ] || return 0
    suite=$(suite_of "$1")
    script=/usr/share/debootstrap/scripts/$suite
    case "$1" in ubuntu*) family=Ubuntu components=main,universe script=${script%/*}/gutsy ;; esac
    keyring=/usr/share/keyrings/${family,,}-archive-keyring.gpg
    why="no $keyring here"
    [ -f "$keyring" ] || return 1
    echo "bootstrapping $1"
    if ! apart "$log" debootstrap --variant=minbase --components="$components" \
        --keyring="$keyring" "$suite" "$work/new" "$(mirror_of "$family")" "$script"; then
        why=$(tail -1 "$log")
        return 1
    fi
    tar -C "$work/new" -cf "$base.new" . && mv "$base.new" "$base"
    rm -rf --one-file-system "$work/new"
}

kept=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY \
    PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_PROXY PIP_DEFAULT_TIMEOUT; do
    [ -z "${!name:-}" ] || kept+=("$name=${!name}")
done

mounts_and='
    root=$1 compiled=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mkdir -p "$root/root/.cache/ccache"
    mount --bind "$compiled" "$root/root/.cache/ccache"
    exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
        DEBIAN_FRONTEND=noninteractive PIP_CERT=/root/certificates.crt "$@"'

try() { # system, root, part
    local log=$cache/logs/$1-$3.log before=$SECONDS code=0
    apart "$log" bash -c "$mounts_and" mounts_and "$2" "$cache/ccache" ${kept[@]+"${kept[@]}"} \
        bash /root/carat/scripts/try_part.sh "$3" || code=$?
    case $code in
        0)
            passed=$((passed + 1))
            report "$1" "$3" passed $((SECONDS - before))
            ;;
        77)
            skipped=$((skipped + 1))
            report "$1" "$3" skipped $((SECONDS - before)) "$(tail -1 "$log")"
            ;;
        *)
            failed=$((failed + 1))
            tail -30 "$log" | sed 's/^/    /'
            report "$1" "$3" FAILED $((SECONDS - before)) "$log"
            ;;
    esac
}

unpack() { # system, root
    mkdir "$2"
    tar -C "$2" -xf "$cache/systems/$1.tar"
    copy_settings "$2"
    git clone -q -c advice.detachedHead=false --no-hardlinks . "$2/root/carat"
}

# Installs packages that were built elsewhere on a bare system: they must bring what they need.
try_installed() { # system, root that packages may have been made in
    local clean=$2-clean to=$2-clean/root/carat/build/packages from=("$2/root/carat")
    unpack "$1" "$clean"
    mkdir -p "$to"
    git rev-parse --short=10 HEAD >"$to/revision"
    ! is_this_machine "$1" || from=(. "${from[@]}")
    find "${from[@]/%//build/packages}" -maxdepth 1 -name 'carat[-_]*' -exec cp {} "$to" \; 2>/dev/null || true
    try "$1" "$clean" installed
    rm -rf --one-file-system "$clean"
}

is_this_machine() { # system
    [ "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" = "$(suite_of "$1")" ]
}

try_system() { # system, parts
    local root=$work/$1 part why=""
    if ! bootstrap "$1"; then
        skipped=$((skipped + 1))
        report "$1" all skipped 0 "it can't be bootstrapped here: $why"
        return
    fi
    unpack "$1" "$root"
    for part in ${2//,/ }; do
        case $part in
            installed) try_installed "$1" "$root" ;;
            *) try "$1" "$root" "$part" ;;
        esac
    done
    rm -rf --one-file-system "$root"
}

[ $# -gt 0 ] || set -- debian12 debian13
if [[ $1 =~ ^(-h|--help|help)$ ]]; then usage && exit; fi
for wanted; do
    suite_of "${wanted%%:*}" >/dev/null || exit 2
    [[ $wanted == *:* ]] || continue
    for part in $(tr , ' ' <<<"${wanted#*:}"); do
        [[ $part == compilers || ,$all_parts,$compilers, == *,$part,* ]] && continue
        echo "try_systems: unknown part '$part' of $wanted: use $all_parts or $compilers" >&2
        exit 2
    done
done
if [ "$(id -u)" -ne 0 ]; then
    echo "try_systems: it makes other systems' roots and mounts in them: run it as root" >&2
    exit 2
fi
command -v debootstrap >/dev/null || {
    echo "try_systems: no debootstrap here; apt install debootstrap" >&2
    exit 2
}
mkdir -p "$cache/ccache" "$cache/logs" "$cache/systems"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/carat-systems-XXXXXX")
trap finish EXIT
trap 'exit 130' INT TERM
echo "commit $(git describe --always --dirty), $(date +%F)"
for wanted; do
    parts=$all_parts
    [[ $wanted != *:* ]] || parts=${wanted#*:}
    try_system "${wanted%%:*}" "${parts/compilers/$compilers}"
done
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
