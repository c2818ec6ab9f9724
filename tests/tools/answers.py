"""Whether answers of two engines are the same: rows in any order or in theirs, numbers with a tolerance, NULL apart from '' and NaN."""

import collections
import datetime
import decimal
import math


def equal(one, other):
    one, other = (tuple(value.values()) if isinstance(value, dict) else value for value in (one, other))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(equal, one, other))
    if one is None or other is None or isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    if all(isinstance(value, (int, float, decimal.Decimal)) for value in (one, other)):
        one, other = float(one), float(other)
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, datetime.date) and isinstance(other, datetime.date):
        # A date is the timestamp of its midnight.
        return str(one).removesuffix(" 00:00:00") == str(other).removesuffix(" 00:00:00")
    return type(one) is type(other) and one == other


def same(rows, others, ordered):
    """Whether two answers have the same rows, in the same order if they are ordered."""
    if len(rows) != len(others) or ordered:
        return len(rows) == len(others) and all(map(equal, rows, others))
    # Those that are equal to the last digit are counted, the rest compared one by one.
    counts = collections.Counter(map(key, rows))
    counts.subtract(map(key, others))
    rows, left = ([row for row in side if counts[key(row)]] for side in (rows, others))
    for row in rows:
        found = next((nth for nth, other in enumerate(left) if equal(row, other)), None)
        if found is None:
            return False
        del left[found]
    return True


def key(value):
    """What can be counted, and is the same only for values that are equal."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        return tuple(map(key, value))
    return type(value).__name__, value
