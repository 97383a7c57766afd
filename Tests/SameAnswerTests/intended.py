"""The differences between the two programs that are meant.

Each line of `INTENDED` allows one change of one field in the answers of one endpoint. Everything else is compared. The table belongs
to the other program (README.md): with a newer one, remove the lines that no history uses any more.
"""
import json
from typing import NamedTuple


class Intended(NamedTuple):
    """A field of an endpoint's answers that has another value than before."""
    method: str
    route: str
    # The name of the member, however deep it is in the answer.
    field: str
    before: object
    now: object
    why: str


# None against a program that has the Server API.
INTENDED: list[Intended] = []


def intended_lines(route, before, now):
    """The lines of the table that explain all differences between two answers: their statuses, header fields and bodies. None if
    a difference is not in the table, or if there is none."""
    if before[:2] != now[:2]:
        return None
    try:
        found = set(differences(*(json.loads(body) for _, _, body in (before, now))))
    except ValueError:
        return None
    lines = {line for line in INTENDED if (line.method, line.route) == route}
    explained = {line for line in lines if (line.field, line.before, line.now) in found}
    return explained if found and found == {(line.field, line.before, line.now) for line in explained} else None


def differences(before, now, field=None):
    """The fields that differ, as (field, value before, value now). A value that is an object or a list is written as JSON."""
    if isinstance(before, dict) and isinstance(now, dict) and list(before) == list(now):
        for name in before:
            yield from differences(before[name], now[name], name)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for one, other in zip(before, now):
            yield from differences(one, other, field)
    elif before != now or type(before) is not type(now):
        yield field, *(json.dumps(value) if isinstance(value, (dict, list)) else value for value in (before, now))
