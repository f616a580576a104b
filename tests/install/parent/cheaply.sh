#!/bin/sh
# Compiles without optimisation: parent_test.py needs no speed, and kernels at -O3 took five times
# as long.
cache=$(command -v ccache)
for argument; do
    shift
    case $argument in
        -O[23]) argument=-O0 ;;
    esac
    set -- "$@" "$argument"
done
exec $cache "$@"
