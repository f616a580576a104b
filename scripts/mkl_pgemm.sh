#!/usr/bin/env bash
# Links pdgemm, psgemm and the BLACS of MKL into one library, build/peers/lib/libmkl_pgemm.so, which
# carat bench --distributed measures. MKL's shared libraries would be 220 MB. Needs Open MPI and g++.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps mkl-static==2026.2.0 -d "$work"
python3 - "$work" <<'P'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
parts = ("scalapack_lp64", "blacs_openmpi_lp64", "intel_lp64", "gnu_thread", "core")
with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
    for name in wheel.namelist():
        if pathlib.Path(name).name in {f"libmkl_{part}.a" for part in parts}:
            (folder / pathlib.Path(name).name).write_bytes(wheel.read(name))
P
mkdir -p build/peers/lib
roots=(pdgemm_ psgemm_ Cblacs_get Cblacs_gridinit Cblacs_gridexit)
mpicxx -shared -o build/peers/lib/libmkl_pgemm.so "${roots[@]/#/-Wl,-u,}" -Wl,--gc-sections \
    -Wl,--start-group "$work"/libmkl_*.a -Wl,--end-group -lgomp -lpthread -lm -ldl
ls -l build/peers/lib/libmkl_pgemm.so
