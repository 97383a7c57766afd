"""The wheel in dist, on a Debian with Python that has nothing else: no Swift, no compiler, no network."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

from empty_root import EmptyRoot

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/DocumentationTests"))
from pages import blocks  # noqa: E402

PYTHON = ROOT / ".build/python-client/bin/python"
# Seconds from the first byte of the installation until the tests have passed.
LONGEST = 30

# Beside the test of README.md: one's own webhook, a server that verifies what it receives.
WEBHOOK = """
import json, threading
from wsgiref.simple_server import make_server
import pytest

@pytest.fixture
def webhook(app_store):
    received = []

    def answer(request, respond):
        body = json.loads(request["wsgi.input"].read(int(request["CONTENT_LENGTH"])))
        notification = app_store.verifier().verify_and_decode_notification(body["signedPayload"])
        received.append((notification.notificationType.value, notification.data.bundleId))
        respond("200 OK", [])
        return []

    server = make_server("127.0.0.1", 0, answer)
    threading.Thread(target=server.serve_forever).start()
    app_store.notifications.send_to(f"http://127.0.0.1:{server.server_port}/apple")
    yield received
    server.shutdown()
    server.server_close()
"""

TEST = """
def test_refund_at_the_webhook(app_store, webhook):
    coins = app_store.buy("coins")
    app_store.refund(coins)
    app_store.notifications.wait_for("REFUND")
    assert webhook == [("ONE_TIME_CHARGE", "com.example.shop"), ("REFUND", "com.example.shop")]
"""


class Wheel(unittest.TestCase):
    def setUp(self):
        [self.wheel] = (ROOT / "dist").glob("*.whl")

    def test_auditwheel_accepts_its_tag(self):
        shown = subprocess.run(
            [PYTHON, "-m", "auditwheel", "show", self.wheel], check=True, capture_output=True, text=True).stdout
        tag = re.search(r"-(py3-none-manylinux_2_(\d+)_x86_64)\.whl$", self.wheel.name)
        # Documentation/releases.md: the oldest glibc on which the program runs.
        self.assertLessEqual(int(tag[2]), 34)
        found = re.search(r'consistent with the following platform tag: "manylinux_2_(\d+)_x86_64"', " ".join(shown.split()))
        self.assertTrue(found and int(found[1]) <= int(tag[2]), shown)
        with zipfile.ZipFile(self.wheel) as wheel:
            files = {"openstorekit/bin/openstorekit", "openstorekit/bin/THIRD-PARTY-NOTICES", "openstorekit/control_api.py"}
            self.assertLessEqual(files, set(wheel.namelist()))
            self.assertTrue(any(name.endswith("/licenses/LICENSE") for name in wheel.namelist()), wheel.namelist())
            [metadata] = [name for name in wheel.namelist() if name.endswith(".dist-info/WHEEL")]
            self.assertIn(f"Root-Is-Purelib: false\nTag: {tag[1]}\n", wheel.read(metadata).decode())
            [metadata] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
            self.assertNotIn("Requires-Dist", wheel.read(metadata).decode())

    def test_it_is_the_same_whenever_it_is_built(self):
        temporary = tempfile.TemporaryDirectory(prefix="openstorekit-wheel-")
        self.addCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name)
        with zipfile.ZipFile(self.wheel) as wheel:
            program = pathlib.Path(wheel.extract("openstorekit/bin/openstorekit", folder))
            notices = wheel.extract("openstorekit/bin/THIRD-PARTY-NOTICES", folder)
        program.chmod(0o755)
        subprocess.run(
            [ROOT / "Python/build-wheel.sh", program, PYTHON, folder], check=True,
            env={**os.environ, "OPENSTOREKIT_NOTICES": notices})
        [again] = folder.glob("*.whl")
        self.assertEqual((again.name, again.read_bytes()), (self.wheel.name, self.wheel.read_bytes()))

    def test_a_signed_refund_reaches_ones_own_webhook(self):
        root = EmptyRoot(["python3", "python3-venv"])
        self.addCleanup(root.remove)
        shop = root.path / "root/shop"
        shop.mkdir()
        [catalog] = [block for block in blocks("Documentation/testing.md") if block.file and "Shop.storekit" in block.file]
        (shop / "Shop.storekit").write_text(catalog.text)
        for block in blocks("README.md"):
            if block.section == "Test a backend in Python" and block.file:
                (shop / block.file).write_text(block.text + "\n")
        (shop / "conftest.py").write_text(WEBHOOK)
        (shop / "test_webhook.py").write_text(TEST)
        # pytest and Apple's library come from PyPI, before the time that counts. The wheel needs neither.
        wheels = root.path / "root/wheels"
        subprocess.run(
            [PYTHON, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--dest",
             wheels, "pytest==8.4.2", "app-store-server-library==3.1.2"], check=True)
        begin = time.monotonic()
        shutil.copy(self.wheel, shop)
        printed = root.run("""
            cd /root/shop
            python3 -m venv /root/python
            . /root/python/bin/activate
            python3 -m pip install --quiet --no-index --find-links /root/wheels pytest app-store-server-library openstorekit-*.whl
            openstorekit --version
            python3 -m pytest -q
            ! grep -l openstorekit /proc/[0-9]*/comm
        """)
        seconds = time.monotonic() - begin
        print(f"{printed}\nThe wheel ({self.wheel.stat().st_size / 1e6:.1f} MB): green after {seconds:.1f} s")
        self.assertIn("2 passed", printed)
        self.assertLess(seconds, LONGEST)


if __name__ == "__main__":
    unittest.main()
