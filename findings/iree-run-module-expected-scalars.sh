#!/usr/bin/env bash
# iree-run-module 3.13.0 (PyPI: iree-base-runtime, iree-base-compiler): results that are scalars never match --expected_output.
#
# Expected: a function that returns 0.5 and 5 matches `--expected_output=0.5 --expected_output=5`.
# Seen: it never matches: "variant types mismatch; expected f32 but got f32", exit code 1, for the right values and for wrong ones. The form in which
# the tool prints scalars (`f32=0.5`) cannot be read. The same values as tensors match, or are told with both values.
#
# Run by hand. Needs python3 and a network; takes half a minute. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check iree-base-runtime==3.13.0 iree-base-compiler==3.13.0
bin=$folder/python/bin
cat >"$folder/module.mlir" <<'MLIR'
func.func @scalars(%a: f32, %b: i32) -> (f32, i32) {
  return %a, %b : f32, i32
}
func.func @tensors(%a: tensor<f32>, %b: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  return %a, %b : tensor<f32>, tensor<i32>
}
MLIR
"$bin/iree-compile" --iree-hal-target-device=local --iree-hal-local-target-device-backends=vmvx "$folder/module.mlir" -o "$folder/module.vmfb"
status=0

# check CODE WORDS FUNCTION FLAG…: runs a function, and compares the exit code and words that must be there.
check() {
  local wanted=$1 words=$2 function=$3 code=0
  shift 3
  "$bin/iree-run-module" --device=local-sync --module="$folder/module.vmfb" --function="$function" "$@" >"$folder/out" 2>&1 || code=$?
  echo "$function ${*}: exit code $code; $(grep -m 1 -o "$words" "$folder/out" || true)"
  [ "$code" = "$wanted" ] && grep -q "$words" "$folder/out" || status=1
}

check 1 "expected f32 but got f32" scalars --input=0.5 --input=5 --expected_output=0.5 --expected_output=5
check 1 "expected f32 but got f32" scalars --input=0.5 --input=5 --expected_output=7.5 --expected_output=5
check 1 "parsing value .f32=0.5. as f32" scalars --input=0.5 --input=5 --expected_output=f32=0.5 --expected_output=i32=5
check 0 "SUCCESS" tensors --input=f32=0.5 --input=i32=5 --expected_output=f32=0.5 --expected_output=i32=5
check 1 "does not match the expected" tensors --input=f32=0.5 --input=i32=5 --expected_output=f32=7.5 --expected_output=i32=5
exit "$status"
