"""Follows README.md, testing.md, server-walk.md and apple-hosts.md: every fenced command is run, and must do what the page says."""
import json
import os
import pathlib
import re
import signal
import subprocess
import unittest

from pages import PROGRAM, ROOT, Reader, blocks, split, temporary_folder

TESTING = "Documentation/testing.md"
WALK = "Documentation/server-walk.md"
APPLE_HOSTS = "Documentation/apple-hosts.md"

# A test in Python, as a backend developer may have one, for the command in "Around a test run".
BACKEND_TEST = """
import json, os, unittest, urllib.request

class PurchaseTest(unittest.TestCase):
    def test_store(self):
        with urllib.request.urlopen(os.environ["OPENSTOREKIT_CONTROL_URL"] + "/transactions") as answer:
            self.assertEqual(json.load(answer)["transactions"], [])
"""


class Pages(unittest.TestCase):
    def follow(self, reader, page_blocks):
        self.addCleanup(reader.stop)
        return reader.follow(page_blocks)

    def place_program(self, folder):
        """Puts the program beside the tests into a folder of programs, and returns the folder."""
        programs = folder / "programs"
        programs.mkdir()
        (programs / "openstorekit").symlink_to(PROGRAM)
        return programs

    def place_catalog(self, folder):
        """Writes the catalog of testing.md into a folder."""
        catalog = next(block.text for block in blocks(TESTING) if block.file and "Shop.storekit" in block.file)
        (folder / "Shop.storekit").write_text(catalog)

    def environment(self, folder):
        """The programs of a reader: openstorekit, and a Python that has Apple's library."""
        return {"PATH": f"{self.place_program(folder)}:{ROOT}/.build/server-library/bin:{os.environ['PATH']}"}

    def test_apple_hosts(self):
        folder = temporary_folder(self)
        self.place_catalog(folder)
        page = blocks(APPLE_HOSTS)
        reader = Reader(folder, self.environment(folder))
        self.assertEqual(len(self.follow(reader, page)), 5)
        # The answer of curl, beside which nothing else is compared.
        self.assertEqual(sum(block.language == "json" for block in page), 1)

    def test_server_walk(self):
        folder = temporary_folder(self)
        programs = self.place_program(folder)
        (folder / "shop-server").mkdir()
        page = blocks(WALK)
        # The first block builds the program, which this test run has done.
        self.assertEqual(split(page[0].text), [
            "cd OpenStoreKit", "make program", 'export PATH="$PWD/.build/debug:$PATH"',
            "mkdir -p ../shop-server", "cd ../shop-server"])
        reader = Reader(folder / "shop-server", {"PATH": f"{programs}:{os.environ['PATH']}"})
        commands = self.follow(reader, page[1:])
        self.assertEqual(len(commands), sum(len(split(block.text)) for block in page[1:] if block.language == "sh"))
        # All answers of the page were compared.
        self.assertEqual(sum(block.language == "json" and not block.file for block in page), 7)

    def test_testing(self):
        folder = temporary_folder(self)
        page = blocks(TESTING)
        self.assertEqual([block.file for block in page if block.file], [
            "Package.swift", "Tests/ShopTests/Shop.storekit", "Sources/Shop/Shop.swift",
            "Tests/ShopTests/ShopTests.swift"])
        for block in page:
            # Not a symbolic link beside the package: everything would be compiled again under another path.
            block.text = block.text.replace('path: "../OpenStoreKit"', f'path: "{ROOT}"')
        reader = Reader(folder, {"SWIFTPM_BUILD_DIR": str(ROOT / ".build")})
        self.addCleanup(reader.stop)
        self.assertEqual(split(page[0].text), ["mkdir -p Shop/Sources/Shop Shop/Tests/ShopTests", "cd Shop"])
        reader.run(page[0].text)
        reader.folder = folder / "Shop"
        printed = ""
        for block in page[1:]:
            if block.file:
                reader.write(block)
            else:
                self.assertEqual(split(block.text), ["swift test"])
                # The plan of one package in the folder must not be taken for another's, as for the examples.
                printed = reader.run("swift test --disable-build-manifest-caching --disable-xctest")
        self.assertRegex(printed, r"Test run with 7 tests .*passed")

    def test_readme(self):
        folder = temporary_folder(self)
        home = folder / "home"
        home.mkdir()
        (home / "Sources").symlink_to(ROOT / "Sources")
        (home / "content").mkdir()
        (home / "shared-secret").write_text("c0ffee\n")
        self.place_catalog(home)
        (home / "test_shop.py").write_text(BACKEND_TEST)
        page = blocks("README.md")

        # `make test` runs these tests; the other command of the first block has a test of its own.
        self.assertEqual([line.split("#")[0].strip() for line in split(page[0].text)], ["make demo", "make test"])
        self.assertIn("make test", (ROOT / ".ci/run").read_text())

        # The program is built already. Servers get a free port.
        for block in page[1:]:
            lines = split(block.text) if block.language == "sh" else [block.text]
            for index, line in enumerate(lines):
                server = Reader.SERVERS.search(line)
                if server and server.group(1) in ("demo", "device"):
                    line = line.split("#")[0].strip() + " --port 0"
                elif line.startswith("openstorekit exec"):
                    # A notification that does not arrive must not stop the tests for ever.
                    line = "timeout 120 " + line
                lines[index] = line
            block.text = "\n".join(lines)
        sections = {}
        for block in page[1:]:
            sections.setdefault(block.section, []).append(block)
        tested = {
            "See it", "Run an App Store for a backend", "Run a purchase server", "Around a test run, in any language",
            "A backend in Python", "Inspect receipts"}
        self.assertEqual({name for name, them in sections.items() if any(b.language == "sh" for b in them)}, tested)

        environment = self.environment(folder)
        see = Reader(home, environment)
        self.addCleanup(see.stop)
        # The store of the demo's catalog has the default port, 8080, where it may be taken: it gets a free one.
        for block in sections["See it"]:
            for command in split(block.text):
                see.start(command + (" --port 8080" if "emulator" in command else ""))
        reader = Reader(home, environment)
        self.follow(reader, sections["Run an App Store for a backend"] + sections["Around a test run, in any language"]
                    + sections["A backend in Python"] + sections["Inspect receipts"])
        server = Reader(home, environment)
        self.follow(server, sections["Run a purchase server"])

    def test_make_demo(self):
        process = subprocess.Popen(
            ["make", "demo"], cwd=ROOT, env={**os.environ, "PORT": "0"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.addCleanup(process.stdout.close)
        printed = []
        for line in process.stdout:
            printed.append(line)
            if line.startswith("ready http://127.0.0.1:"):
                break
        self.assertRegex("".join(printed), r"\d+ checks")
        self.assertTrue(printed[-1].startswith("ready "), "".join(printed))
        # As Ctrl-C does.
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=60)


if __name__ == "__main__":
    unittest.main()
