"""Compares the solutions of the compiler's constraints with those of z3: check_constraints.py FILE.

FILE has the text that iree-compile printed (`text`) and, for each operation `iree_codegen.smt.constraints` in it, the
names of its knobs (`knobs`) and the solutions that the program found (`solutions`).
"""

import json
import re
import sys

import z3

with open(sys.argv[1]) as file:
    case = json.load(file)

BINARY = {
    "smt.int.sub": lambda a, b: a - b,
    "smt.int.div": lambda a, b: a / b,
    "smt.int.mod": lambda a, b: a % b,
}
COMPARISONS = {
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
    "le": lambda a, b: a <= b,
    "lt": lambda a, b: a < b,
}


def product(values):
    result = values[0]
    for value in values[1:]:
        result = result * value
    return result


def formulas(lines):
    """Returns the knobs and what is asserted of them, from the lines of a region."""
    values, knobs, asserted = {}, {}, []
    for line in lines:
        if match := re.match(r"iree_codegen\.smt\.assert (%\S+),", line):
            asserted.append(values[match[1]])
            continue
        if line.startswith("^bb0"):
            for name in re.findall(r"(%\w+):", line):
                values[name] = z3.Int(name)
            continue
        result, kind, rest = re.match(r"(%\S+) = (\S+) (.*)", line).groups()
        operands = [values[name] for name in re.findall(r"%\w+", rest) if name in values]
        if kind == "smt.int.constant":
            value = z3.IntVal(int(rest))
        elif kind in ("iree_codegen.smt.knob", "smt.declare_fun"):
            name = re.match(r'"(\w+)"', rest)[1]
            value = z3.Int(name)
            if kind == "iree_codegen.smt.knob":
                knobs[name] = value
        elif kind == "iree_codegen.smt.lookup":
            keys, found = (json.loads(text) for text in re.findall(r"\[[^\]]*\]", rest))
            value = z3.IntVal(found[-1])
            for key, result_of_key in list(zip(keys, found))[-2::-1]:
                value = z3.If(operands[0] == key, result_of_key, value)
        elif kind == "smt.int.cmp":
            value = COMPARISONS[rest.split()[0]](*operands)
        elif kind == "smt.int.add":
            value = z3.Sum(operands)
        elif kind == "smt.int.mul":
            value = product(operands)
        elif kind in BINARY:
            value = BINARY[kind](*operands)
        elif kind == "smt.eq":
            value = operands[0] == operands[1]
        elif kind == "smt.and":
            value = z3.And(operands)
        elif kind == "smt.or":
            value = z3.Or(operands)
        elif kind == "smt.ite":
            value = z3.If(*operands)
        else:
            sys.exit(f"unknown operation: {line}")
        values[result] = value
    return knobs, asserted


def solutions(knobs, asserted):
    """Returns all assignments: fixes one knob after the other, each to all values that it can have."""
    # Intrinsics decide most of the rest.
    names = sorted(knobs, key=lambda name: not name.endswith("_idx"))

    solver = z3.Solver()
    solver.add(asserted)

    def descend(chosen):
        if len(chosen) == len(names):
            return [tuple(chosen)]
        found, knob = [], knobs[names[len(chosen)]]
        solver.push()
        while (answer := solver.check()) == z3.sat:
            value = solver.model().eval(knob, model_completion=True)
            solver.push()
            solver.add(knob == value)
            found += descend([*chosen, value.as_long()])
            solver.pop()
            solver.add(knob != value)
        if answer == z3.unknown:
            sys.exit(f"z3 cannot tell whether {names[len(chosen)]} has further values")
        solver.pop()
        return found

    return names, descend([])


def regions(text):
    """Returns the lines of each region of constraints."""
    lines = [line.strip() for line in text.splitlines()]
    starts = [at for at, line in enumerate(lines) if line.startswith("iree_codegen.smt.constraints ")]
    for start in starts:
        first = next(at for at in range(start, len(lines)) if lines[at].startswith("^bb0"))
        yield lines[first : lines.index("}", first)]


wrong = []
all_regions = list(regions(case["text"]))
if len(all_regions) != len(case["found"]):
    sys.exit(f"the text has {len(all_regions)} operations, but the program found {len(case['found'])}")
for nth, (region, ours) in enumerate(zip(all_regions, case["found"])):
    names, theirs = solutions(*formulas(region))
    # A knob that nothing is asserted of has no order here, so all are compared by name.
    order = [ours["knobs"].index(name) for name in names]
    found = {tuple(solution[at] for at in order) for solution in ours["solutions"]}
    missing, excess = set(theirs) - found, found - set(theirs)
    if missing or excess or len(found) != len(ours["solutions"]) or sorted(names) != sorted(ours["knobs"]):
        wrong.append(f"operation {nth} ({names}): missing {sorted(missing)[:3]}, in excess {sorted(excess)[:3]}")
    print(f"operation {nth}: {len(theirs)} solutions")
sys.exit("\n".join(wrong) or 0)
