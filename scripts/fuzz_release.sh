#!/usr/bin/env bash
# Fuzzes before a release: scripts/fuzz_release.sh [SECONDS_BOTH [SECONDS_CPU [SEED [FOLDER]]]]
#
# carat_fuzz for 20 seconds on a GPU that it has to itself, whose memory it fills; two processes of
# its stress for 60 seconds; on the GPU and on half of the processors at once for SECONDS_BOTH
# (200); then on all processors for SECONDS_CPU (200), from SEED or a random seed. Its output is
# kept in FOLDER (build/fuzz_release); the totals come last. CARAT_FUZZ names another program. Exit
# code: 0 nothing found, 1 findings, 77 there was no GPU and nothing else was found.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.."
both=${1:-200} cpu=${2:-200} seed=${3:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
folder=${4:-build/fuzz_release} fuzz=${CARAT_FUZZ:-build/dev/fuzz/carat_fuzz}
half=$(( ($(nproc) + 1) / 2 ))
mkdir -p "$folder"
rm -f "$folder"/{alone,stress,gpu,cpu,all}.txt "$folder"/kernels.txt

minutes() { awk "BEGIN { print $1 / 60 }"; }

"$fuzz" --gpu --minutes "$(minutes 20)" --seed "$((seed + 2))" > "$folder/alone.txt" 2> "$folder/gpu.err"
of_alone=$?
"$fuzz" --gpu --family stress --minutes 1 --seed "$((seed + 3))" --jobs 2 > "$folder/stress.txt" \
    2>> "$folder/gpu.err"
of_stress=$?
"$fuzz" --gpu --minutes "$(minutes "$both")" --seed "$seed" --jobs "$half" \
    --kernels "$folder/kernels.txt" > "$folder/gpu.txt" 2>> "$folder/gpu.err" &
gpu=$!
"$fuzz" --minutes "$(minutes "$both")" --seed "$seed" --jobs "$half" > "$folder/cpu.txt" 2>&1
wait "$gpu"
of_gpu=$?
"$fuzz" --minutes "$(minutes "$cpu")" --seed "$((seed + 1))" --jobs "$(nproc)" > "$folder/all.txt" 2>&1

grep -h -A1 '^FINDING' "$folder"/{alone,stress,gpu,cpu,all}.txt
sed -n '/^gpu: /,$p' "$folder/gpu.txt"
awk -v seed="$seed" -v kernels="$(cut -d' ' -f2- "$folder/kernels.txt" 2> /dev/null | sort -u | wc -l)" '
    /^(products|blas|c|gpu|full|stress): / {
        cases[$1 ~ /stress/ ? "stress" : $1 ~ /gpu|full/ ? "GPU" : "CPU"] += $2; entries += $4 }
    /^[0-9]+ findings/ { findings += $1 }
    END { printf "seed %s: %d CPU cases, %d GPU cases on %d kernels, %d calls of the stress, " \
                 "%.3g entries, %d findings\n",
          seed, cases["CPU"], cases["GPU"], kernels, cases["stress"], entries, findings
          exit findings > 0 }' "$folder"/{alone,stress,gpu,cpu,all}.txt || exit 1
for other in "$of_alone" "$of_stress"; do
    [ "$of_gpu" -ne 0 ] || of_gpu=$other
done
case "$of_gpu" in
    0) ;;
    77) exit 77 ;;
    *) echo "fuzz_release: the run on a GPU left with $of_gpu, see $folder" >&2 && exit 1 ;;
esac
