#!/usr/bin/env python3
"""Checks that each folder of a target uses only the folders before it.

folder-order.txt lists the folders of each target in order. A target's own files come last. This script finds every use of a
type, or of a member of an extension, that only later folders declare. It reads names, not types: a member after a dot is
reported only if neither an earlier folder nor another target declares that name as well. A member without a dot is one of the type
that the code extends or declares.

An entry with a slash lists the files of one folder in order, for a folder of rules. Each file uses only the types, and the rules of a
unit of work (`work.charges`), of the files before it.

Usage: folder-order.py [--uses TARGET]
"""
import collections
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPE = re.compile(r"\b(?:struct|class|enum|actor|protocol|typealias)\s+(?!func\b|var\b|let\b)(\w+)")
MEMBER = re.compile(r"\b(?:func|var|let|case)\s+`?(\w+)")
GENERIC = re.compile(r"\b(?:(?:func|struct|class|enum|actor)\s+\w+|init)\s*<([^>(]*)>|\bassociatedtype\s+(\w+)")
EXTENSION = re.compile(r"^(?:\w+\s+)*extension\s+([\w.]+)", re.MULTILINE)
QUALIFIER = re.compile(r"\b([A-Z]\w*)$")
UNIT_OF_WORK = re.compile(r"^extension StoreUnitOfWork\b(?!\.)", re.MULTILINE)
BODY = re.compile(r"\b(?:struct|class|enum|actor|extension)\s+([\w.]+)[^{}\n]*")
WORD = re.compile(r"(\.?)\b([A-Za-z_]\w*)")
BARE = re.compile(r"(?<![.\w`$])([a-z_]\w*)\b(?!\s*:)")
# Parameters, the names of a tuple, of a loop, and of a closure's parameters.
LOCAL = re.compile(r"\b([a-z_]\w*)\s*:|\b(?:let|var)\s*\(([\w\s,]+)\)|\bfor\s+(\w+)\s+in\b|[{(,]\s*(\w+)(?=[^{}()]*\bin\b)")


def code(text):
    """The text without comments and without the contents of strings, but with what is interpolated into them."""
    result, index = [], 0
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|#*"""|#*"', re.DOTALL)
    while match := pattern.search(text, index):
        result.append(text[index:match.start()])
        token = match.group()
        index = match.end()
        if token.startswith("/"):
            result.append("\n" * token.count("\n"))
            continue
        hashes = token.count("#")
        end, escape = token.lstrip("#") + "#" * hashes, "\\" + "#" * hashes
        while index < len(text) and not text.startswith(end, index):
            if text.startswith(escape + "(", index):
                index += len(escape) + 1
                depth, start = 1, index
                while depth and index < len(text):
                    depth += {"(": 1, ")": -1}.get(text[index], 0)
                    index += 1
                result.append(" " + code(text[start:index - 1]) + " ")
            elif text.startswith(escape, index):
                index += len(escape) + 1
            else:
                if text[index] == "\n":
                    result.append("\n")
                index += 1
        index += len(end)
    return "".join(result) + text[index:]


def block(text, start):
    """The text between the braces that begin after `start`."""
    begin = text.find("{", start)
    depth = 0
    for index in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return text[begin + 1:index]
    return text[begin + 1:]


def outer(text):
    """The text of a block without what is in braces within it."""
    result, depth = [], 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0 or character in "{}":
            result.append(character)
    return "".join(result)


def foreign_names(name):
    """The members' names of every other target."""
    names = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        if path.relative_to(ROOT / "Sources").parts[0] != name:
            names.update(MEMBER.findall(texts(path)))
    return names


@functools.cache
def texts(path):
    return code(path.read_text())


class Target:
    def __init__(self, name):
        folder = ROOT / "Sources" / name
        self.files = {}
        for path in sorted(folder.rglob("*.swift")):
            parts = path.relative_to(folder).parts
            self.files[path] = (parts[0] if len(parts) > 1 else "", texts(path))
        self.types = collections.defaultdict(set)
        self.members = collections.defaultdict(set)
        # Where extensions declare members, by (type, member).
        self.extensions = collections.defaultdict(set)
        # Where each name of a member is declared; a name of another target's member may be either's.
        self.names = collections.defaultdict(set)
        self.external = set(orders().get("external", []))
        self.foreign = foreign_names(name) | self.external
        for place, text in self.files.values():
            for type_name in TYPE.findall(text):
                self.types[type_name].add(place)
            for name in MEMBER.findall(text):
                self.names[name].add(place)
        for place, text in self.files.values():
            for match in EXTENSION.finditer(text):
                for name in MEMBER.findall(outer(block(text, match.end()))):
                    self.members[name].add(place)
                    self.extensions[match.group(1), name].add(place)

    def implicit_uses(self, path, place, text):
        """Each use, without a dot, of a member that another folder's extension of the same type declares."""
        names = {name for groups in LOCAL.findall(text) for name in re.findall(r"\w+", " ".join(groups))}
        for body in BODY.finditer(text):
            start = text.count("\n", 0, text.find("{", body.end())) + 1
            for number, line in enumerate(block(text, body.end()).split("\n"), start):
                for match in BARE.finditer(line):
                    word = match.group(1)
                    places = self.extensions.get((body.group(1), word))
                    if places and place not in self.names[word] and word not in names:
                        yield path, number, word, places

    def uses(self):
        """Each use of another folder: (path, line, name, folders that declare it)."""
        for path, (place, text) in self.files.items():
            # Generic parameters have the names of nobody's types.
            generics = {name for groups in GENERIC.findall(text) for name in re.findall(r"\b[A-Z]\w*", " ".join(groups))}
            for number, line in enumerate(text.split("\n"), 1):
                for match in WORD.finditer(line):
                    dot, word = match.groups()
                    # A type of another module's type, such as BoundedJSON.Fault.
                    before = QUALIFIER.search(line, 0, match.start(1)) if dot else None
                    if before and before.group(1) not in self.types:
                        continue
                    if places := self.types.get(word):
                        if place not in places and word not in generics and word not in self.external:
                            yield path, number, word, places
                    elif dot and (places := self.members.get(word)) and place not in self.names[word] \
                            and word not in self.foreign:
                        yield path, number, "." + word, self.names[word]
            yield from self.implicit_uses(path, place, text)


def orders():
    found, name = {}, None
    for line in (ROOT / "Scripts" / "folder-order.txt").read_text().split("\n"):
        line = line.split("#")[0].rstrip()
        if line and not line[0].isspace():
            name = line.rstrip(":")
            found[name] = []
        elif line:
            found[name] += line.split()
    return found


def check_files(name, order):
    """Each use of a type, or of a rule of a unit of work, that a later file of the folder declares."""
    folder = ROOT / "Sources" / name
    files = {path.stem: texts(path) for path in sorted(folder.glob("*.swift"))}
    for place in sorted(set(files).symmetric_difference(order)):
        yield f"Sources/{name}/{place}.swift: not in the list, or not there"
    declared = {}
    for place, text in files.items():
        if place in order:
            for type_name in TYPE.findall(text):
                declared[type_name] = place
            for match in UNIT_OF_WORK.finditer(text):
                for rule in MEMBER.findall(outer(block(text, match.end()))):
                    declared["work." + rule] = place
    for place, text in files.items():
        # Types that the file itself extends or nests, such as an enum Outcome, may have the name of another file's.
        own = set(TYPE.findall(text))
        for number, line in enumerate(text.split("\n"), 1):
            for word in re.findall(r"work\.\w+|(?<!\.)\b[A-Z]\w*", line):
                other = declared.get(word)
                if other and word not in own and place in order and order.index(other) > order.index(place):
                    yield f"Sources/{name}/{place}.swift:{number}: {word} is declared in a later file: {other}.swift"


def check():
    problems = []
    listed = orders()
    listed.pop("external", None)
    for name in [name for name in listed if "/" in name]:
        problems += check_files(name, listed.pop(name))
    for name, order in sorted(listed.items()):
        target = Target(name)
        places = {place for place, _ in target.files.values()} - {""}
        for place in sorted(places.symmetric_difference(order)):
            problems.append(f"Sources/{name}/{place}: not in the list, or not there")
        rank = {place: number for number, place in enumerate(order)}
        rank[""] = len(order)
        for path, number, word, declaring in target.uses():
            own = rank.get(target.files[path][0], len(order))
            if all(rank.get(place, 0) > own for place in declaring):
                folders = ", ".join(sorted(place or name for place in declaring))
                problems.append(f"{path.relative_to(ROOT)}:{number}: {word} is declared in a later folder: {folders}")
    for folder in sorted((ROOT / "Sources").iterdir()):
        has_folders = folder.is_dir() and any(path.is_dir() and list(path.rglob("*.swift")) for path in folder.iterdir())
        if has_folders and folder.name not in listed:
            problems.append(f"Sources/{folder.name}: not in Scripts/folder-order.txt")
    return problems


def edges(name):
    """What each folder of a target uses, for finding an order."""
    target = Target(name)
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for path, number, word, declaring in target.uses():
        if len(declaring) == 1:
            (place,) = declaring
            found[target.files[path][0]][place].append(f"{path.name}:{number} {word}")
    for place in sorted(found):
        for other in sorted(found[place]):
            uses = found[place][other]
            print(f"{place or '(root)'} -> {other or '(root)'}: {len(uses)}  {'; '.join(sorted(set(uses))[:4])}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--uses"]:
        edges(sys.argv[2])
    else:
        found = check()
        print("\n".join(found))
        sys.exit(1 if found else 0)
