#!/usr/bin/env bash
# Regenerates the captures of this folder with the pinned IREE tools (tests/tools/setup installs them).
#
#   tests/data/capture.sh [FOLDER]      captures into FOLDER, by default this folder
#
# Timings differ between runs, so new captures change the expected results: run BLESS=1 tests/run, and review the diff.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
bin=$("$here/../tools/setup" --print-bin)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

cpu_modes=queue-events,host-execution,memory-events,executable-metadata,command-region-events
gpu_modes=queue-events,device-queue-events,dispatch-events,memory-events,executable-metadata

matmul_inputs=(--input=256x512xf32=1 --input=512x128xf32=2)
loop_inputs=(--input=64x64xf32=0.01 --input=3)
mlp_inputs=(--input=32x128xf32=1 --input=128x256xf32=0.01 --input=256xf32=0.5 --input=256x64xf32=0.01 --input=64xf32=0.25)

compile() { # MODEL BACKEND OUTPUT [FLAGS]
  local model=$1 backend=$2 output=$3
  shift 3
  "$bin/iree-compile" --iree-hal-target-backends="$backend" "$@" "$here/models/$model.mlir" -o "$work/$output"
}

# Calls the function `main` with the inputs; without inputs, all functions, one after the other.
benchmark() { # DEVICE MODULE MODES OUTPUT ITERATIONS [INPUTS...]
  local device=$1 module=$2 modes=$3 output=$4 iterations=$5
  shift 5
  [ $# = 0 ] || set -- --function=main "$@"
  "$bin/iree-benchmark-module" --device="$device" --module="$work/$module" "$@" \
    --benchmark_min_time="${iterations}x" --device_profiling_mode="$modes" \
    --device_profiling_output="$out/$output" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  echo "captured $output"
}

compile matmul llvm-cpu matmul.vmfb --iree-llvmcpu-target-cpu=generic
compile mlp llvm-cpu mlp.vmfb --iree-llvmcpu-target-cpu=generic
compile mlp vulkan-spirv mlp-vulkan.vmfb
compile matmul vulkan-spirv matmul-vulkan.vmfb
compile loop llvm-cpu loop.vmfb --iree-llvmcpu-target-cpu=generic
compile loop vulkan-spirv loop-vulkan.vmfb
compile two llvm-cpu two.vmfb --iree-llvmcpu-target-cpu=generic
compile two vulkan-spirv two-vulkan.vmfb

benchmark local-task matmul.vmfb "$cpu_modes" matmul-local-task.ireeprof 8 "${matmul_inputs[@]}"
benchmark local-task mlp.vmfb "$cpu_modes" mlp-local-task.ireeprof 20 "${mlp_inputs[@]}"
benchmark local-sync mlp.vmfb queue-events,host-execution,memory-events,executable-metadata mlp-local-sync.ireeprof 8 "${mlp_inputs[@]}"
benchmark vulkan matmul-vulkan.vmfb "$gpu_modes" matmul-vulkan.ireeprof 8 "${matmul_inputs[@]}"
benchmark vulkan mlp-vulkan.vmfb "$gpu_modes" mlp-vulkan.ireeprof 20 "${mlp_inputs[@]}"
benchmark local-task loop.vmfb queue-events,host-execution,executable-metadata loop-local-task.ireeprof 6 "${loop_inputs[@]}"
benchmark vulkan loop-vulkan.vmfb queue-events,device-queue-events,dispatch-events,executable-metadata loop-vulkan.ireeprof 6 "${loop_inputs[@]}"
benchmark local-task two.vmfb queue-events,host-execution,executable-metadata two-local-task.ireeprof 10
benchmark vulkan two-vulkan.vmfb queue-events,device-queue-events,dispatch-events,executable-metadata two-vulkan.ireeprof 10
benchmark local-task mlp.vmfb queue-events queue-only.ireeprof 4 "${mlp_inputs[@]}"

# The sources of dispatches, for tests of what they tell.
for model in mlp operations; do
  rm -rf "$out/sources/$model"
  mkdir -p "$out/sources/$model"
  compile "$model" llvm-cpu "$model-sources.vmfb" --iree-llvmcpu-target-cpu=generic \
    --iree-hal-dump-executable-sources-to="$out/sources/$model"
  echo "dumped sources/$model"
done

# The configurations of dispatches, for tests of what they tell.
rm -rf "$out/configurations/mlp"
mkdir -p "$out/configurations/mlp"
compile mlp llvm-cpu "mlp-configurations.vmfb" --iree-llvmcpu-target-cpu=generic --iree-codegen-add-tuner-attributes \
  --iree-hal-dump-executable-configurations-to="$out/configurations/mlp"
echo "dumped configurations/mlp"

# A replay: recorded once, then repeated by iree-benchmark-replay, which reloads the executables each time.
"$bin/iree-run-module" --device=local-task --module="$work/mlp.vmfb" --function=main "${mlp_inputs[@]}" \
  --device_replay_output="$work/mlp.ireereplay" --output=@/dev/null --output=@/dev/null >"$work/log" 2>&1
"$bin/iree-benchmark-replay" --device=local-task --benchmark_min_time=5x --device_profiling_mode="$cpu_modes" \
  --device_profiling_output="$out/mlp-replay.ireeprof" "$work/mlp.ireereplay" >"$work/log" 2>&1
echo "captured mlp-replay.ireeprof"

# A capture that is killed while it runs: its file_length is 0.
"$bin/iree-benchmark-module" --device=local-task --module="$work/mlp.vmfb" --function=main "${mlp_inputs[@]}" \
  --benchmark_min_time=600s --device_profiling_mode="$cpu_modes" --device_profiling_flush_interval_ms=1 \
  --device_profiling_output="$work/killed.ireeprof" >"$work/log" 2>&1 &
pid=$!
for _ in $(seq 200); do
  sleep 0.02
  [ "$(stat -c %s "$work/killed.ireeprof" 2>/dev/null || echo 0)" -gt 20000 ] && break
done
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
# Keeps the first 40,000 bytes to limit the size of the file; the cut is likely inside a record, as after a kill.
head -c 40000 "$work/killed.ireeprof" >"$out/killed.ireeprof"
echo "captured killed.ireeprof"
