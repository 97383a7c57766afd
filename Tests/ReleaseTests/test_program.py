"""The tarball in dist, on a Debian that has only what is on every Debian: no Python, no libpq, no Swift, no network."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from empty_root import EmptyRoot, Packages

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEGABYTES = 30

CATALOG = '{"products": [{"productID": "coins", "type": "Consumable", "displayPrice": "0.99"}]}'
SERVER = """{"trust": {"apple": true}, "apps": [{"bundleId": "com.example.shop", "verification": "both"}],
  "database": {"postgresql": "host=/nowhere"}, "content": {"linkKeys": ["%s"]}}""" % ("B" * 43 + "=")

# Run in an App Store of `exec`.
RECEIPT = r"""
id=$(openstorekit transactions buy coins --json | sed -n 's/.*"transactionId" *: *"\([0-9]*\)".*/\1/p')
openstorekit transactions proof $id --receipt > receipt
openstorekit receipt verify receipt --bundle-id com.example.shop --store $OPENSTOREKIT_URL
"""


class Tarball(unittest.TestCase):
    def setUp(self):
        [self.tarball] = (ROOT / "dist").glob("*.tar.xz")

    def test_the_checksums_are_those_of_all_files(self):
        sums = dict(reversed(line.split()) for line in (ROOT / "dist/SHA256SUMS").read_text().splitlines())
        self.assertEqual(sums, {
            file.name: hashlib.sha256(file.read_bytes()).hexdigest()
            for file in (ROOT / "dist").iterdir() if file.name != "SHA256SUMS"})

    def test_its_size_and_its_files(self):
        self.assertLess(self.tarball.stat().st_size, MEGABYTES * 1_000_000)
        with tarfile.open(self.tarball) as tar:
            folder = self.tarball.name.removesuffix(".tar.xz")
            self.assertEqual(tar.getnames(), [f"{folder}/{name}" for name in ("LICENSE", "THIRD-PARTY-NOTICES", "openstorekit")])
            self.assertEqual({(entry.uid, entry.gid, entry.uname) for entry in tar}, {(0, 0, "root")})
            notices = tar.extractfile(f"{folder}/THIRD-PARTY-NOTICES").read().decode()
        for name in ["Swift 6", "ICU 7", "UNICODE LICENSE V3", "SQLite 3", "zlib", "swift-crypto", "GRDB.swift", "libgcc",
                     "Sources/CNIOLLHTTP/LICENSE", "CNIOSHA1/c_nio_sha1.c", "NIOHPACK/HuffmanTables.swift"]:
            self.assertIn(name, notices)

    def test_it_needs_only_glibc(self):
        with tarfile.open(self.tarball) as tar, tempfile.TemporaryDirectory() as folder:
            [program] = [entry for entry in tar if entry.name.endswith("/openstorekit")]
            tar.extract(program, folder)
            needed = subprocess.run(
                ["readelf", "--dynamic", f"{folder}/{program.name}"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(
            set(re.findall(r"\(NEEDED\).*\[(.+)\]", needed)), {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})

    def test_it_is_packed_to_the_same_bytes_again(self):
        # The date of the commit that the tarball was made of; another one can be checked out by now.
        with tarfile.open(self.tarball) as tar:
            date = tar.next().mtime
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["/usr/bin/python3", ROOT / "Scripts/release/release.py", "--pack-into", folder], check=True,
                stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(date)})
            self.assertEqual((pathlib.Path(folder) / self.tarball.name).read_bytes(), self.tarball.read_bytes())


class MissingPackages(unittest.TestCase):
    def test_an_empty_root_is_not_made_without_a_package_that_it_needs(self):
        with self.assertRaisesRegex(LookupError, "not installed: openstorekit-none$"):
            Packages().with_dependencies(["libc6", "openstorekit-none"])


class EmptyDebian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        [tarball] = (ROOT / "dist").glob("*.tar.xz")
        cls.root = EmptyRoot(["xz-utils"])
        cls.addClassCleanup(cls.root.remove)
        home = cls.root.path / "root"
        shutil.copy(tarball, home)
        for name, text in {"Shop.storekit": CATALOG, "server.json": SERVER, "receipt.sh": RECEIPT}.items():
            (home / name).write_text(text)
        cls.run_in(f"""
            tar --extract --file {tarball.name}
            cp openstorekit-*/openstorekit /usr/bin
        """)

    @classmethod
    def run_in(cls, script):
        return cls.root.run("cd /root\n" + script)

    def test_exec(self):
        self.run_in("""
            openstorekit exec --config Shop.storekit --bundle-id com.example.shop -- true
            ! openstorekit exec --config Shop.storekit --bundle-id com.example.shop -- false
        """)

    def test_a_receipt_that_it_made_is_verified(self):
        printed = self.run_in("openstorekit exec --config Shop.storekit --bundle-id com.example.shop -- sh -eu receipt.sh")
        self.assertRegex(printed, r"verdict +verified: chains to OpenStoreKit Emulator Receipt Root CA")

    def test_the_demo_plays_its_script(self):
        printed = self.run_in("openstorekit demo --headless")
        self.assertIn("checks passed: nothing was lost, granted twice or charged twice.", printed)

    def test_a_ledger_in_postgresql_needs_libpq_and_says_so(self):
        printed = self.run_in("openstorekit server --config server.json --port 0 && exit 9; test $? = 1")
        self.assertIn("libpq, PostgreSQL's client library, cannot be loaded (libpq.so.5: cannot open shared object file", printed)
        self.assertIn("the package libpq5 (Debian, Ubuntu)", printed)

    def test_a_store_with_tls_needs_only_roots(self):
        printed = self.run_in("""
            openstorekit emulator --config Shop.storekit --bundle-id com.example.shop --port 0 --tls-port 0 --in-memory \\
              --control-token token > ready 2> log &
            emulator=$!
            while ! grep -q ready ready; do kill -0 $emulator; done
            export OPENSTOREKIT_CONTROL_TOKEN=token
            port=$(sed -n 's/.*TLS on https:..127.0.0.1:\\([0-9]*\\).*/\\1/p' log)
            openstorekit clock --store https://localhost:$port && exit 9
            kill $emulator
            wait $emulator
        """)
        self.assertRegex(printed, "no TLS connection .* from a root of the system .ca-certificates., or in the PEM file that SSL_CERT")


if __name__ == "__main__":
    unittest.main()
