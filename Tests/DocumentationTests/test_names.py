"""Checks that the tests which the documentation names exist: `SuiteTests`, `SuiteTests.test`, and further ones of a suite after a comma."""
import re
import unittest

from pages import ROOT

# `SuiteTests.first`, `second`
NAMED = re.compile(r"`(\w+Tests)(?:\.(\w+))?`((?:, `[a-z]\w*`)*)")
TYPE = re.compile(r"^ *(?:(?:private|fileprivate|final|package|public|@\w+(?:\([^\n]*\))?) )*(?:struct|class|enum|actor|extension) +(\w+)", re.M)
FUNCTION = re.compile(r"\bfunc +(\w+)|\bdef +(test_\w+)")


def tests():
    """Returns the names of the tests of each suite, from all test files. A suite can be inside of another."""
    suites = {}
    files = [*ROOT.glob("Tests/**/*.swift"), *ROOT.glob("Tests/**/*.py"), *ROOT.glob("Python/tests/**/*.py")]
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        names = set()
        for found in FUNCTION.finditer(text):
            # The attribute is in the paragraph of the function, before it.
            if found.group(2) or "@Test" in text[:found.start()].rsplit("\n\n", 1)[-1]:
                names.add(found.group(1) or found.group(2))
        for suite in TYPE.findall(text):
            suites.setdefault(suite, set()).update(names)
    return suites


def named(page):
    """Returns the suites and tests that a page names, such as ("ExportTests", None) and ("ImportTests", "othersIDs")."""
    found = []
    for suite, test, further in NAMED.findall(page.read_text()):
        found.append((suite, test or None))
        if test:
            found += [(suite, name) for name in re.findall(r"`(\w+)`", further)]
    return found


class TestNames(unittest.TestCase):
    def test_named_tests_exist(self):
        suites = tests()
        missing = []
        for page in sorted(ROOT.glob("Documentation/*.md")) + [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
            for suite, test in named(page):
                if suite not in suites or test and test not in suites[suite] and test not in suites:
                    missing.append(f"{page.name}: {suite}{'.' + test if test else ''}")
        self.assertEqual(missing, [])

    def test_threat_model(self):
        """These attacks have a test each."""
        page = named(ROOT / "Documentation/threat-model.md")
        for suite, test in [
            ("ServerAPITests", "bareIDs"), ("NotificationEndpointTests", "replayed"),
            ("NotificationEndpointTests", "forged"), ("ImportTests", "othersIDs"),
            ("WebhookTransportTests", "privateAddress"), ("WebhookTransportTests", "redirect"),
            ("WebhookTransportTests", "changedName"),
        ]:
            self.assertIn((suite, test), page)


if __name__ == "__main__":
    unittest.main()
