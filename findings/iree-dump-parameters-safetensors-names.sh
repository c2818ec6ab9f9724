#!/usr/bin/env bash
# iree-dump-parameters and iree-convert-parameters 3.13.0 (PyPI: iree-base-runtime): names in .safetensors are taken as their JSON is written.
#
# Expected: the names are those that were given to safetensors, however its header, which is JSON, writes them.
# Seen: escapes stay in the names. A tensor `a"b` is named `a\"b`, one with a tab `\t`, and `é`, if the header has it as `\u00e9` (as Python's json
# writes it), has six letters. So two files with equal headers have different names. Converted to .irpa, the escapes are part of the names.
#
# Run by hand. Needs python3 and a network; takes a few seconds. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check iree-base-runtime==3.13.0 safetensors==0.6.2 numpy
bin=$folder/python/bin
"$bin/python" - "$folder" <<'PYTHON'
import json
import struct
import sys
from pathlib import Path

import numpy
from safetensors.numpy import load, save

names = ['a"b', "c\td", "é"]
data = save({name: numpy.ones(1, numpy.float32) for name in names})
folder = Path(sys.argv[1])
(folder / "plain.safetensors").write_bytes(data)
# The same header as Python's json writes it.
[length] = struct.unpack("<Q", data[:8])
header = json.dumps(json.loads(data[8 : 8 + length])).encode()
header += b" " * (-len(header) % 8)
again = struct.pack("<Q", len(header)) + header + data[8 + length :]
(folder / "escaped.safetensors").write_bytes(again)
assert sorted(load(data)) == sorted(load(again)) == sorted(names)
PYTHON
status=0

# check FILE NAME...: compares the names that are listed.
check() {
  local listed
  listed=$("$bin/iree-dump-parameters" --parameters="$folder/$1" | sed -n 's/.*| `\(.*\)`$/\1/p' | sort | tr '\n' ' ')
  echo "$1: $listed"
  shift
  [ "$listed" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] || status=1
}

check plain.safetensors 'a\"b' 'c\td' 'é'
check escaped.safetensors 'a\"b' 'c\td' '\u00e9'
"$bin/iree-convert-parameters" --quiet --parameters="$folder/escaped.safetensors" --output="$folder/escaped.irpa"
check escaped.irpa 'a\"b' 'c\td' '\u00e9'
exit "$status"
