"""Writes tests/data/advisories.json: the advisories about crates of Cargo.lock, from a clone of the RustSec database.

    python3 tests/tools/advisories.py FOLDER_OF_THE_CLONE

Only facts are kept: the advisory's id, the crate, and the versions that it does not affect.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

root = pathlib.Path(__file__).parents[2]
database = pathlib.Path(sys.argv[1])


def git(*words):
    return subprocess.run(["git", "-C", database, *words], check=True, capture_output=True, text=True).stdout


lock = tomllib.loads((root / "Cargo.lock").read_text())
crates = sorted({package["name"] for package in lock["package"] if "source" in package})
advisories = []
paths = [path for path in git("ls-tree", "-r", "--name-only", "HEAD", "crates").splitlines() if path.endswith(".md")]
for path in paths:
    if path.split("/")[1] not in crates:
        continue
    front = re.match(r"```toml\n(.*?)```", git("show", f"HEAD:{path}"), re.DOTALL)
    entry = tomllib.loads(front.group(1))
    about, versions = entry["advisory"], entry["versions"]
    if "withdrawn" not in about:
        fine = versions.get("patched", []) + versions.get("unaffected", [])
        advisories.append({"id": about["id"], "crate": about["package"], "unaffected": fine})
advisories.sort(key=lambda advisory: (advisory["crate"], advisory["id"]))
commit, date = git("log", "-1", "--format=%H %cs").split()
written = {"database": "rustsec/advisory-db", "commit": commit, "date": date, "crates": crates, "advisories": advisories}
(root / "tests/data/advisories.json").write_text(json.dumps(written, indent=1) + "\n")
