#!/usr/bin/env bash
# The ablation on a machine of a testbed: 14 workers, a core for each thread, in under 10 minutes after building.
#
#   bench/testbed.sh [WORKERS] [ablation's options]
#
# Checks what measurements of microseconds need of a machine, says what is missing, and goes on.
set -euo pipefail
cd "$(dirname "$0")/.."

workers=14
if [[ "${1:-}" =~ ^[0-9]+$ ]]; then
    workers=$1
    shift
fi
threads=$((workers + 1))

missing() { printf 'missing: %s\n         %s\n' "$1" "$2"; }

cores=$(nproc)
if ((cores < threads + 1)); then
    printf 'error: %s workers, the dispatcher and the system need %s cores; this process may use %s.\n' \
        "$workers" "$((threads + 1))" "$cores" >&2
    printf '       Give a smaller number of workers: bench/testbed.sh %s\n' "$((cores > 2 ? cores - 2 : 1))" >&2
    exit 1
fi

governors=$(cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor 2>/dev/null | sort -u | tr '\n' ' ')
if [[ -n $governors && $governors != "performance " ]]; then
    missing "the governor \`performance\` (now: ${governors% })" \
        'cpupower frequency-set --governor performance; turns are timed in ticks, service times change with the clock'
fi

isolated=$(cat /sys/devices/system/cpu/isolated 2>/dev/null || true)
if [[ -z $isolated ]]; then
    missing 'isolated cores' "boot with isolcpus=2-$((threads + 1)) nohz_full=2-$((threads + 1)); others' threads show as host gaps"
fi

huge=$(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || echo none)
if [[ $huge != *'[always]'* && $huge != *'[madvise]'* ]]; then
    missing 'transparent hugepages' 'echo madvise > /sys/kernel/mm/transparent_hugepage/enabled; scans pay for TLB misses'
fi

if ! grep -qm1 'constant_tsc.*nonstop_tsc\|nonstop_tsc.*constant_tsc' /proc/cpuinfo; then
    missing 'an invariant time stamp counter' 'quanta and latencies are measured with it'
fi

if [[ $(cat /sys/devices/system/cpu/smt/active 2>/dev/null || echo 0) == 1 ]]; then
    missing 'one thread per core' 'echo off > /sys/devices/system/cpu/smt/control; siblings slow each other down'
fi

# The isolated cores when there are enough, else all but the first, which the system keeps for itself.
expand() { tr ',' '\n' <<<"$1" | while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done; }
if [[ -n $isolated ]] && (($(expand "$isolated" | wc -l) >= threads)); then
    chosen=$(expand "$isolated" | head -n "$threads" | paste -sd,)
else
    chosen=$(taskset -cp $$ | sed 's/.*: //' | { read -r list; expand "$list"; } | tail -n +2 | head -n "$threads" | paste -sd,)
fi
printf 'cores: %s (the dispatcher on the first)\n' "$chosen"

# Built on all cores, measured on the chosen ones: the runtime pins its threads to the cores that it may use, in order.
cargo xtask ablation --build-only
exec taskset -c "$chosen" cargo xtask ablation --no-build --workers "$workers" "$@"
