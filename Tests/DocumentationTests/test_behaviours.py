"""Checks that each behaviour has a test, and that behaviours.md is up to date."""
import importlib.util
import subprocess
import sys
import unittest

from pages import ROOT

SCRIPT = ROOT / "Scripts/behaviours.py"


def module():
    specification = importlib.util.spec_from_file_location("behaviours", SCRIPT)
    loaded = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(loaded)
    return loaded


class Behaviours(unittest.TestCase):
    def test_page(self):
        result = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_suites(self):
        """The suite of a title is the type around it, or after it"""
        behaviours = module()
        text = """
@Suite("A1 products", .serialized) struct ProductTests {
  struct World {}
  @Test(
    "B9 C4 nothing is lost", arguments: [1])
  func lost() {}
}
"""
        found = [(match.group(1), behaviours.suite(text, match.start(), behaviours.TYPE))
                 for match in behaviours.TITLE.finditer(text)]
        self.assertEqual(found, [("A1 ", "ProductTests"), ("B9 C4 ", "ProductTests")])

    def test_standings(self):
        for _, rows in module().sections():
            for identifier, standing, text in rows:
                self.assertRegex(standing, r"^(documented|measured: |assumed|ours)", identifier)
                self.assertTrue(text.endswith("."), identifier)
