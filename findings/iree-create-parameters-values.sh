#!/usr/bin/env bash
# iree-create-parameters 3.13.0 (PyPI: iree-base-runtime): parameters with a value in the file can only have elements of one byte.
#
# Expected: `--data=c=8x2xf32=2.1`, an example of `--help`, writes sixteen times 2.1.
# Seen: "write failed, possibly out of disk space or device lost", exit code 1, for all elements of two, four or eight bytes, whatever their number;
# a file is left that lacks the contents. Elements of one byte are written, and so are zeros (`--data=c=8x2xf32`) and values that are not in
# the file (`--splat=c=8x2xf32=2.1`).
#
# Run by hand. Needs python3 and a network; takes a few seconds. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check iree-base-runtime==3.13.0
create=$folder/python/bin/iree-create-parameters
status=0

# check WANTED FLAG: runs the tool, and compares its exit code.
check() {
  local code=0
  rm -f "$folder/file.irpa"
  "$create" --quiet "$2" --output="$folder/file.irpa" >"$folder/out" 2>"$folder/errors" || code=$?
  echo "$2: exit code $code; $(grep -o 'write failed[^;]*' "$folder/errors" || true)"
  [ "$code" = "$1" ] || status=1
}

check 1 --data=c=8x2xf32=2.1
check 1 --data=c=1xi16=7
check 1 --data=c=4096xf64=0.5
check 0 --data=c=4xi8=7
check 0 --data=c=8x2xf32
check 0 --splat=c=8x2xf32=2.1
exit "$status"
