#!/usr/bin/env python3
"""Makes Documentation/behaviours.md from Documentation/behaviours.txt and the titles of the tests.

Usage: behaviours.py [--check]

With --check, fails if the page is not up to date, if a behaviour has no test, or if a title begins with an unknown id.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "Documentation/behaviours.txt"
PAGE = ROOT / "Documentation/behaviours.md"
ID = r"[A-Z]\d+"
# The title of a test or a suite of Swift Testing, which may be on the next line; and the docstring of a Python test.
TITLE = re.compile(rf'@(?:Test|Suite)\(\s*"((?:{ID} )+)')
DOCSTRING = re.compile(rf'"""((?:{ID} )+)')
TYPE = re.compile(r"^ *(?:(?:private|final|package|public|@\w+(?:\([^\n]*\))?) )*(?:struct|class|actor|enum|extension) +(\w+)", re.M)
NAMES_OF_TYPES = re.compile(r"^class +(\w+)", re.M)


def suite(text, position, pattern):
    """The type around a position, or the one that follows it if it is the attribute of a suite."""
    if text.startswith("@Suite", position):
        found = pattern.search(text, position)
        return found.group(1) if found else None
    before = [match.group(1) for match in pattern.finditer(text, 0, position)]
    # Not a helper between the suite and its test.
    suites = [name for name in before if name.endswith("Tests")]
    return (suites or before or [None])[-1]


def tests():
    """Returns the suites whose titles have an id, by id."""
    found = {}
    for folder in [ROOT / "Tests", ROOT / "Examples", ROOT / "Python/tests"]:
        for file in sorted(folder.rglob("*")):
            if ".build" in file.parts or file.suffix not in (".swift", ".py"):
                continue
            text = file.read_text(encoding="utf-8", errors="replace")
            title, pattern = (TITLE, TYPE) if file.suffix == ".swift" else (DOCSTRING, NAMES_OF_TYPES)
            for match in title.finditer(text):
                name = suite(text, match.start(), pattern) or file.stem
                for identifier in match.group(1).split():
                    found.setdefault(identifier, set()).add(name)
    return found


def sections():
    """Returns the behaviours in sections: (title, [(id, standing, text)])."""
    result = []
    for line in DATA.read_text().splitlines():
        if line.startswith("## "):
            result.append((line[3:], []))
        elif line and not line.startswith("#"):
            result[-1][1].append(tuple(part.strip() for part in line.split("|", 2)))
    return result


def page(found):
    lines = [
        "# Behaviours", "",
        "What the whole system does, for authors of tests and of other implementations. Each behaviour has a permanent id, and the "
        "tests that prove it have the id in their titles. *Standing* says how the behaviour of Apple's store is known: documented by "
        "Apple, measured, assumed, or a rule of this project (ours).", "",
        "This page is made: `Scripts/behaviours.py` reads `behaviours.txt` and the titles of the tests.",
    ]
    for title, behaviours in sections():
        lines += ["", f"## {title}", "", "| id | behaviour | standing | suites |", "|---|---|---|---|"]
        for identifier, standing, text in behaviours:
            names = ", ".join(f"`{name}`" for name in sorted(found.get(identifier, [])))
            lines.append(f"| {identifier} | {text} | {standing} | {names} |")
    return "\n".join(lines) + "\n"


def main():
    found = tests()
    known = [identifier for _, behaviours in sections() for identifier, _, _ in behaviours]
    problems = [f"{identifier} is in behaviours.txt twice." for identifier in set(known) if known.count(identifier) > 1]
    problems += [f"{identifier} has no test: no title begins with it." for identifier in known if identifier not in found]
    problems += [
        f"{identifier} is in titles ({', '.join(sorted(found[identifier]))}), and not in behaviours.txt."
        for identifier in sorted(set(found) - set(known))
    ]
    text = page(found)
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text() != text:
            problems.append("Documentation/behaviours.md is not up to date: run Scripts/behaviours.py.")
    else:
        PAGE.write_text(text)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
