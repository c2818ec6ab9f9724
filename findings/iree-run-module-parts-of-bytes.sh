#!/usr/bin/env bash
# iree-run-module 3.13.0 (PyPI: iree-base-runtime, iree-base-compiler): values of i4 are bytes in and nothing out.
#
# Expected: `--input=4xi4=1,2,3,4` gives a function four values, its result prints as `4xi4=1 2 3 4`, and --output=@r.npy is a file that numpy reads.
# Seen: the values are refused ("binary hex element count mismatch"). What is read are bytes in hexadecimal, each of two values, the first in the
# lower half: `4xi4=21,43`; one byte alone fills all. A result of i4 cannot be printed ("OUT_OF_RANGE", exit code 1). Written as .npy, it has exit
# code 0, and a file whose header tells of four bytes where two follow, which numpy refuses. Values of i1 are bytes in hexadecimal, too:
# `4xi1=01,00,02,ff` is true, false, false, true, as the lowest bit counts.
#
# Run by hand. Needs python3 and a network; takes half a minute. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check iree-base-runtime==3.13.0 iree-base-compiler==3.13.0
bin=$folder/python/bin
cat >"$folder/module.mlir" <<'MLIR'
func.func @from_four(%a: tensor<4xi4>) -> tensor<4xi32> {
  %wide = arith.extsi %a : tensor<4xi4> to tensor<4xi32>
  return %wide : tensor<4xi32>
}
func.func @to_four(%a: tensor<4xi32>) -> tensor<4xi4> {
  %narrow = arith.trunci %a : tensor<4xi32> to tensor<4xi4>
  return %narrow : tensor<4xi4>
}
func.func @from_one(%a: tensor<4xi1>) -> tensor<4xi32> {
  %wide = arith.extui %a : tensor<4xi1> to tensor<4xi32>
  return %wide : tensor<4xi32>
}
MLIR
"$bin/iree-compile" --iree-hal-target-device=local --iree-hal-local-target-device-backends=vmvx "$folder/module.mlir" -o "$folder/module.vmfb"
status=0

# check CODE WORDS FLAG...: runs a function, and compares the exit code and words that must be there.
check() {
  local wanted=$1 words=$2 code=0
  shift 2
  "$bin/iree-run-module" --device=local-sync --module="$folder/module.vmfb" "$@" >"$folder/out" 2>&1 || code=$?
  echo "${*//"$folder"\//}: exit code $code; $(grep -m 1 -o "$words" "$folder/out" || true)"
  [ "$code" = "$wanted" ] && grep -q "$words" "$folder/out" || status=1
}

check 1 'binary hex element count mismatch' --function=from_four --input=4xi4=1,2,3,4
check 0 '4xi32=1 2 3 4' --function=from_four --input=4xi4=21,43
check 0 '4xi32=1 2 1 2' --function=from_four --input=4xi4=21
check 1 'OUT_OF_RANGE; printing results' --function=to_four --input=4xi32=1,2,3,4
check 0 'EXEC @to_four' --function=to_four --input=4xi32=1,2,3,4 --output=@"$folder/four.npy"
check 1 'binary hex element count mismatch' --function=from_one --input=4xi1=1,0,1,1
check 0 '4xi32=1 0 0 1' --function=from_one --input=4xi1=01,00,02,ff
header=$(head --bytes=128 "$folder/four.npy" | grep -a -o "'descr': '[^']*'\|'shape': ([^)]*)")
data=$(tail --bytes=+129 "$folder/four.npy" | od -An -tx1)
echo "four.npy:" $header "data:$data"
[ "$header" = "'descr': '|i1'"$'\n'"'shape': (4,)" ] && [ "$data" = " 21 43" ] || status=1
exit "$status"
