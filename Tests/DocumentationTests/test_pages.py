"""Follows the pages that have commands: every fenced command is run, and must do what the page says."""
import json
import os
import pathlib
import re
import signal
import subprocess
import unittest
import urllib.request

from pages import PROGRAM, ROOT, Reader, blocks, split, temporary_folder

TESTING = "Documentation/testing.md"
FIVE_MINUTES = "Documentation/test-on-linux.md"
WALK = "Documentation/server-walk.md"
APPLE_HOSTS = "Documentation/apple-hosts.md"
PYTHON = "Documentation/python.md"
RUNNING = "Documentation/running-the-server.md"
POSTGRESQL = "Documentation/postgresql.md"
# The environment of Python's package, which has pytest and Apple's library.
PYTHON_CLIENT = ROOT / ".build/python-client"

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

    def place_wheel(self, folder):
        """Builds the wheel, whose program is the one beside the tests."""
        program = folder / "launcher"
        program.write_text(f'#!/bin/sh\nexec "{PROGRAM}" "$@"\n')
        program.chmod(0o755)
        subprocess.run(
            [ROOT / "Python/build-wheel.sh", program, PYTHON_CLIENT / "bin/python", folder], check=True)

    def python_reader(self, folder):
        """A reader who has the wheel, and a Python with pytest."""
        self.place_wheel(folder)
        reader = Reader(folder, {"PATH": f"{PYTHON_CLIENT}/bin:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"})
        self.addCleanup(reader.stop)
        return reader

    def test_python(self):
        folder = temporary_folder(self)
        (folder / "Shop.storekit").write_text((ROOT / "Python/tests/Shop.storekit").read_text())
        (folder / "pytest.ini").write_text("[pytest]\napp_store_config = Shop.storekit\n")
        page = blocks(PYTHON)
        reader = self.python_reader(folder)
        reader.run("python3 -m pip install --quiet --no-index --no-deps --force-reinstall openstorekit-*.whl")
        printed = []
        for block in page:
            if block.file:
                reader.write(block)
            elif block.language == "sh":
                printed.append(reader.run(block.text))
            elif block.section == "A store":
                self.assertEqual(printed[-1], block.text)
        self.assertEqual(len(printed), 2)
        self.assertIn("3 passed", printed[1])

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
        self.assertEqual(sum(block.language == "json" and not block.file for block in page), 8)

    def test_running_the_server(self):
        folder = temporary_folder(self)
        self.place_catalog(folder)
        page = blocks(RUNNING)
        commands = [command for block in page if block.language == "sh" for command in split(block.text)]
        reader = Reader(folder, {"PATH": f"{self.place_program(folder)}:{os.environ['PATH']}", "NO_PROXY": "*"})
        self.addCleanup(reader.stop)
        check, key, restored, run, *others = commands
        # The smallest configuration of the page is one for Apple.
        (folder / "server.json").write_text(next(block.text for block in page if block.language == "json"))
        reader.run(check)
        reader.start("openstorekit emulator --config Shop.storekit --bundle-id com.example.reader --port 8080"
                     " --notification-url http://127.0.0.1:8090/v1/apps/com.example.reader/notifications")
        (folder / "server.json").write_text(reader.with_free_ports(json.dumps({
            "trust": {"emulator": "http://127.0.0.1:8080"},
            "apps": [{"bundleId": "com.example.reader", "verification": "serverAPI"}]})))
        reader.run(check)
        reader.run(f"KEY=$({key.split('#')[0].strip()})")
        operator_key = reader.run("echo $KEY")
        reader.run(restored)
        server = reader.start(run)
        examples = self.sell(server, reader.with_free_ports("http://127.0.0.1:8080"), operator_key, folder)
        answers = []
        for command in others:
            # Without curl's progress, which it prints because its output is not a terminal.
            for written, real in {"curl ": "curl --silent ", "https://purchases.example": server, "operator_…": "$KEY",
                                  **examples}.items():
                command = command.replace(written, real)
            answers.append(reader.run(command + (f" --server {server}" if " server import " in command else "")))
        new_key, notifications, replay, webhook, by_customer, by_product, by_transaction, _, dry_run, applied = answers
        self.assertEqual(json.loads(new_key)["role"], "support")
        self.assertIn("ONE_TIME_CHARGE", [each["type"] for each in json.loads(notifications)["notifications"]])
        # It was not set aside.
        self.assertEqual(json.loads(replay), {"result": "known"})
        self.assertRegex(json.loads(webhook)["secret"], "^whsec_")
        self.assertEqual([json.loads(answer)["checked"] for answer in (by_customer, by_product, by_transaction)], [1, 1, 1])
        self.assertIn("1 would be given, 0 given before, 0 refused", dry_run)
        self.assertIn("1 given, 0 given before, 0 refused", applied)

    def sell(self, server, store, key, folder):
        """Publishes a filter, which two customers buy. One redeems it, the other is in the file for an import. Returns what the ids
        of the page are at this server."""
        def ask(address, method="GET", document=None, token=None):
            request = urllib.request.Request(
                address, data=None if document is None else json.dumps(document).encode(), method=method,
                headers={"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})})
            with urllib.request.urlopen(request) as reply:
                return json.loads(reply.read() or b"null")

        app = f"{server}/v1/apps/com.example.reader"
        operators = f"{server}/v1/operator/apps/com.example.reader"
        ask(f"{operators}/products/filter", "PUT", {"type": "Non-Consumable"}, key)
        sold, customers = [], []
        for name in ("ada", "bob"):
            ask(f"{store}/control/v1/customers", "POST", {"environment": "Sandbox", "name": name})
            customers.append(ask(f"{app}/installations", "POST", {}))
            bought = ask(f"{store}/control/v1/purchases", "POST", {
                "bundleId": "com.example.reader", "environment": "Sandbox", "customer": name, "productId": "filter"})
            proofs = ask(f"{store}/control/v1/transactions/{bought['transactionId']}/proofs")
            sold.append((bought["transactionId"], proofs["signedTransaction"]))
        ask(f"{store}/control/v1/notifications/settle", "POST", {})
        ask(f"{app}/redemptions", "POST",
            {"proof": {"signedTransaction": sold[0][1]}, "purchases": [{"transactionId": sold[0][0]}]}, customers[0]["token"])
        (folder / "purchases.csv").write_text(f"customer,signedTransaction\n{customers[1]['customer']},{sold[1][1]}\n")
        [first, *_] = ask(f"{operators}/notifications", token=key)["notifications"]
        return {"6f9619ff-8b86-4011-b42d-00c04fc964ff": customers[0]["customer"], "7707103423000000003": sold[0][0],
                "3f0c7b1e-5d0a-4c55-9a51-0d6f1f2c9b10": first["uuid"], "com.example.reader.book": "filter"}

    def test_postgresql(self):
        [number, locks, writers] = [statement for block in blocks(POSTGRESQL) if block.language == "sql"
                                    for statement in split(block.text)]
        # In one session, which holds the lock that the second statement must find, and then the transaction of the third.
        statements = (f"{number}\nSELECT 'locked' FROM (SELECT pg_advisory_lock(n) FROM ({number.rstrip(';')}) t(n)) l;\n{locks}\n"
                      f"BEGIN;\nSELECT pg_backend_pid() FROM pg_current_xact_id();\n{writers}\n")
        ended = subprocess.run(
            [ROOT / "Benchmarks/with-postgresql.sh", "bash", "-c",
             'psql "$POSTGRESQL" --no-psqlrc --quiet -v ON_ERROR_STOP=1 --tuples-only --no-align'],
            input=statements, check=True, capture_output=True, text=True)
        computed, locked, found, process, writer = ended.stdout.strip().split("\n")
        self.assertEqual(locked, "locked")
        self.assertEqual(found.split("|")[1:], ["t", computed])
        [pid, database, user, _, state] = writer.split("|")
        self.assertEqual([pid, database, user, state], [process, "postgres", "postgres", "active"])

    def test_all_pages(self):
        """Every page with fenced commands is one that these tests follow"""
        followed = {TESTING, FIVE_MINUTES, WALK, APPLE_HOSTS, PYTHON, RUNNING, POSTGRESQL}
        found = {str(page.relative_to(ROOT)) for page in (ROOT / "Documentation").glob("*.md")
                 if any(block.language in ("sh", "sql") for block in blocks(page.relative_to(ROOT)))}
        self.assertEqual(found, followed)

    def follow_package(self, name, directories, files, tests):
        """Follows a page that makes a package beside this one, and tests it."""
        folder = temporary_folder(self)
        page = blocks(name)
        self.assertEqual([block.file for block in page if block.file], files)
        for block in page:
            # Not a symbolic link beside the package: everything would be compiled again under another path.
            block.text = block.text.replace('path: "../OpenStoreKit"', f'path: "{ROOT}"')
        reader = Reader(folder, {"SWIFTPM_BUILD_DIR": str(ROOT / ".build")})
        self.addCleanup(reader.stop)
        self.assertEqual(split(page[0].text), [f"mkdir -p {directories}", "cd Shop"])
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
        self.assertRegex(printed, rf"Test run with {tests} tests .*passed")
        return page

    def test_testing(self):
        self.follow_package(TESTING, "Shop/Sources/Shop Shop/Tests/ShopTests", [
            "Package.swift", "Tests/ShopTests/Shop.storekit", "Sources/Shop/Shop.swift",
            "Tests/ShopTests/ShopTests.swift"], 7)

    def test_five_minutes(self):
        workflow = ".github/workflows/test.yml"
        page = self.follow_package(
            FIVE_MINUTES, "Shop/Sources/Shop Shop/Tests/ShopTests Shop/.github/workflows", [
                "Package.swift", "Tests/ShopTests/Shop.storekit", "Sources/Shop/Shop.swift",
                "Tests/ShopTests/ShopTests.swift", workflow], 5)
        # The workflow runs the page's command, after it has installed what the build needs here, too.
        text = next(block.text for block in page if block.file == workflow)
        runs = re.findall(r"- run: (.*)\n(?:        working-directory: (.*))?", text + "\n")
        self.assertEqual(runs, [
            ("apt-get update && apt-get install --yes libsqlite3-dev", ""), ("swift test", "Shop")])
        self.assertIn("libsqlite3-dev", (ROOT / "Makefile").read_text())
        self.assertEqual(re.findall(r"path: (\w+)$", text, re.M), ["Shop", "OpenStoreKit"])

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
            "See it", "Test a backend in Python", "Run an App Store for a backend", "Run a purchase server",
            "Around a test run, in any language", "A backend in Python", "Inspect receipts"}
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
                    + sections["Inspect receipts"])
        server = Reader(home, environment)
        self.follow(server, sections["Run a purchase server"])
        python = self.python_reader(home)
        section = sections["Test a backend in Python"]
        self.assertEqual([block.file for block in section if block.file], ["pytest.ini", "shop.py", "test_shop.py"])
        *first, last, shown = section
        python.follow(first)
        # Only the time differs.
        answers = [re.sub(r" in [\d.]+s", "", text) for text in (python.run(last.text), shown.text)]
        self.assertEqual(answers[0], answers[1])
        backend, command = sections["A backend in Python"]
        python.write(backend)
        self.assertEqual(python.run("timeout 120 " + command.text).strip(), "ONE_TIME_CHARGE coins")
        self.assertIn("It prints `ONE_TIME_CHARGE coins`.", (ROOT / "README.md").read_text())

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
