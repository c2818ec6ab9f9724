#!/usr/bin/env bash
# iree-run-module 3.13.0 (PyPI: iree-base-runtime, iree-base-compiler): of an argument, what cannot be read is dropped without a word.
#
# Expected: `--input=1.9` for an i32, text after a number, and numbers that do not fit are errors.
# Seen: exit code 0. 1.9 is 1, `1x` and `1 2` are 1, 3000000000 is -1294967296, 5000000000 is 705032704, and 010 is 8 for an i32, as an argument and as
# an element of a tensor; 1e50 is infinite for an f32. A value for an i8 may be 300, as the function is called with an i32. Elements of 16 and 64
# bits that do not fit are errors.
#
# Run by hand. Needs python3 and a network; takes half a minute. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check iree-base-runtime==3.13.0 iree-base-compiler==3.13.0
bin=$folder/python/bin
cat >"$folder/module.mlir" <<'MLIR'
func.func @int(%a: i32) -> i32 {
  return %a : i32
}
func.func @float(%a: f32) -> f32 {
  return %a : f32
}
func.func @byte(%a: i8) -> i8 {
  return %a : i8
}
func.func @tensor(%a: tensor<i32>) -> tensor<i32> {
  return %a : tensor<i32>
}
func.func @short(%a: tensor<i16>) -> tensor<i16> {
  return %a : tensor<i16>
}
MLIR
"$bin/iree-compile" --iree-hal-target-device=local --iree-hal-local-target-device-backends=vmvx "$folder/module.mlir" -o "$folder/module.vmfb"
status=0

# check RESULT FUNCTION INPUT: runs a function, and compares what it prints; `error` for an exit code.
check() {
  local printed
  printed=$("$bin/iree-run-module" --device=local-sync --module="$folder/module.vmfb" --function="$2" --input="$3" 2>/dev/null | sed -n 's/^result\[0\]: //p; s/^\(i[0-9]*=.*\)$/\1/p' | tail -n 1) || printed=error
  echo "$2, --input='$3': ${printed:-error}"
  [ "${printed:-error}" = "$1" ] || status=1
}

check "i32=1" int 1.9
check "i32=1" int 1x
check "i32=1" int "1 2"
check "i32=-1294967296" int 3000000000
check "i32=705032704" int 5000000000
check "i32=8" int 010
check "f32=inf" float 1e50
check "i32=300" byte 300
check "i32=1" tensor i32=1.9
check "i32=1" tensor i32=1x
check "i32=705032704" tensor i32=5000000000
check "error" short i16=70000
exit "$status"
