#!/usr/bin/env python3
"""Prints comments and sentences for a reading test, drawn at random.

    Scripts/reading-sample.py SEED [COUNT]

COUNT (50) comments of Sources, each with the code that follows it, and as many sentences of README.md and Documentation,
each with its paragraph. The same seed draws the same sample from the same files. A reader writes down what each says, and
then compares that with the code.
"""

import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLLOWING_LINES = 8


def tracked(suffix):
    names = subprocess.run(["git", "ls-files", "*" + suffix], cwd=ROOT, capture_output=True, text=True, check=True)
    return names.stdout.splitlines()


def comments():
    """The comments of Sources: (file, line, comment, the code after it)."""
    for name in tracked(".swift"):
        if not name.startswith("Sources/"):
            continue
        lines = (ROOT / name).read_text().split("\n")
        is_comment, in_literal = [], False
        for line in lines:
            in_literal ^= line.count('"""') % 2 == 1
            is_comment.append(not in_literal and re.match(r"\s*//(?! (MARK|swift))", line) is not None)
        start = 0
        while start < len(lines):
            end = start
            while end < len(lines) and is_comment[end]:
                end += 1
            if end > start:
                yield name, start + 1, "\n".join(lines[start:end]), "\n".join(lines[end : end + FOLLOWING_LINES])
            start = end + 1


def sentences():
    """The sentences of the documentation: (file, line of the paragraph, sentence, paragraph)."""
    for name in tracked(".md"):
        if name != "README.md" and not name.startswith("Documentation/"):
            continue
        # Code blocks become empty lines, so that the lines keep their numbers.
        text = re.sub(r"```.*?```", lambda block: "\n" * block.group().count("\n"), (ROOT / name).read_text(), flags=re.S)
        line = 1
        # A paragraph, an item of a list, or a row of a table.
        for block in re.split(r"(\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.)\s?))", text):
            first, line = line, line + block.count("\n")
            paragraph = " ".join(block.split())
            if paragraph.startswith("#") or re.fullmatch(r"[\s|:-]*", paragraph):
                continue
            for sentence in re.split(r"(?<=[.!?:])\s+(?=[A-Z`*“\"])", paragraph):
                if len(sentence.split()) >= 4:
                    yield name, first, sentence, paragraph


def main():
    if len(sys.argv) not in (2, 3) or not all(argument.isdigit() for argument in sys.argv[1:]):
        sys.exit(__doc__)
    random.seed(int(sys.argv[1]))
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    number = 0
    for name, line, comment, code in random.sample(list(comments()), count):
        number += 1
        print(f"### {number}. {name}:{line}\n--- the comment:\n{comment}\n--- the code that follows it:\n{code}\n")
    for name, line, sentence, paragraph in random.sample(list(sentences()), count):
        number += 1
        print(f"### {number}. {name}, near line {line}\n--- the sentence: {sentence}")
        print(f"--- its paragraph: {paragraph}\n" if paragraph != sentence else "")


if __name__ == "__main__":
    main()
