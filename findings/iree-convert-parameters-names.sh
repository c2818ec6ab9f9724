#!/usr/bin/env bash
# iree-convert-parameters 3.13.0 (PyPI: iree-base-runtime): a parameter can take the name of another one, and wrong names are not told.
#
# Expected: --rename, --exclude and --splat of a parameter that does not exist, and --rename to a name that is taken, are errors.
# Seen: all end with exit code 0. A rename to a name that is taken writes a file with two parameters of that name;
# flags with unknown names do nothing. The same for a splat whose value is longer than the parameter, and for digits that are not hexadecimal.
#
# Run by hand. Needs python3 and a network; takes a few seconds. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check iree-base-runtime==3.13.0
bin=$folder/python/bin
"$bin/iree-create-parameters" --quiet --data=a=4xi8=1 --data=b=2xi8=2 --output="$folder/in.irpa"
status=0

# check LISTED FLAG: converts the file, and compares the names and lengths that it then has.
check() {
  local listed
  "$bin/iree-convert-parameters" --parameters="$folder/in.irpa" --quiet "$2" --output="$folder/out.irpa"
  listed=$("$bin/iree-dump-parameters" --parameters="$folder/out.irpa" | sed -n 's/.*| *\([0-9]*\) | `\(.*\)`$/\2:\1/p' | paste -sd ' ')
  echo "$2: exit code 0; $listed"
  [ "$listed" = "$1" ] || status=1
}

check "b:4 b:2" --rename=a=b
check "a:4 b:2" --rename=nothing=c
check "a:4 b:2" --exclude=nothing
check "a:4 b:2" --splat=nothing=i8=1
check "a:4 b:2" --splat=b=f32=1.5
check "a:4 b:2" --splat=a=x8=ZZ
exit "$status"
