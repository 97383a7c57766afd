"""Apple's App Store Server Library for Python, as PyPI has it, verifies what a running emulator signs, with its online checks.

`make server-library-tests` installs the library in `.build/server-library` and runs this.
"""
import base64
import datetime
import pathlib
import sys
import unittest

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException, VerificationStatus

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "BrowserTests"))
from programs import BUNDLE_ID, CATALOG, Emulator, Folder  # noqa: E402

COINS = "com.xamarin.storekit.testing.consume5credits"


class OnlineChecks(unittest.TestCase):
    def emulator(self, *arguments):
        store = Emulator(CATALOG, *arguments)
        self.addCleanup(store.stop)
        return store

    def verifier(self, store):
        """A verifier that has verified nothing yet: a verified chain is not checked again for fifteen minutes."""
        root = base64.b64decode(store.ask("GET", "connection")["rootCertificate"])
        return SignedDataVerifier([root], True, Environment.SANDBOX, BUNDLE_ID)

    def buy(self, store):
        return store.ask("POST", "purchases", {
            "bundleId": BUNDLE_ID, "environment": "Sandbox", "customer": "customer", "productId": COINS})["transactionId"]

    def sign(self, store, transaction, certificate="valid"):
        return store.ask("GET", f"transactions/{transaction}/proofs?certificate={certificate}")["signedTransaction"]

    def status(self, store, signed):
        """The status with which the library refuses signed data."""
        with self.assertRaises(VerificationException) as refusal:
            self.verifier(store).verify_and_decode_signed_transaction(signed)
        return refusal.exception.status

    def test_a_signed_transaction_is_verified_also_with_the_clock_years_ahead(self):
        store = self.emulator()
        for year in [None, 2031, 2062]:
            if year:
                store.ask("PATCH", "clock", {"now": int(datetime.datetime(year, 6, 1).timestamp() * 1000)})
            transaction = self.buy(store)
            for certificate in ["valid", "rotatedIntermediate"]:
                signed = self.sign(store, transaction, certificate)
                decoded = self.verifier(store).verify_and_decode_signed_transaction(signed)
                self.assertEqual((decoded.transactionId, decoded.productId), (transaction, COINS))
        asked = store.ask("GET", "requests?call=ocsp")["requests"]
        self.assertEqual([request["outcome"] for request in asked], ["answered"] * 12)

    def test_each_fault_is_the_status_that_apple_documents(self):
        store = self.emulator()
        transaction = self.buy(store)
        signed = self.sign(store, transaction)
        for kind, members, status in [
                ("ocspDown", {}, VerificationStatus.RETRYABLE_VERIFICATION_FAILURE),
                ("ocspDown", {"failure": "unreachable"}, VerificationStatus.RETRYABLE_VERIFICATION_FAILURE),
                ("ocspDown", {"failure": "tryLater"}, VerificationStatus.VERIFICATION_FAILURE),
                ("ocspRevoked", {}, VerificationStatus.VERIFICATION_FAILURE),
                ("ocspRevoked", {"certificate": "intermediate"}, VerificationStatus.VERIFICATION_FAILURE)]:
            store.ask("POST", "faults", {"kind": kind, "id": "f", **members})
            self.assertEqual(self.status(store, signed), status, f"{kind} {members}")
            store.ask("DELETE", "faults/f")
        self.assertEqual(
            self.status(store, self.sign(store, transaction, "expired")), VerificationStatus.VERIFICATION_FAILURE)
        self.verifier(store).verify_and_decode_signed_transaction(signed)

    def test_a_transaction_of_an_earlier_run_is_verified_after_a_restart_at_another_port(self):
        folder = Folder()
        self.addCleanup(folder.stop)
        first = Emulator(CATALOG, "--data", folder / "store")
        signed = self.sign(first, self.buy(first))
        address, root = first.address, first.ask("GET", "connection")["rootCertificate"]
        first.stop()
        second = self.emulator("--data", folder / "store", "--advertise", "http://localhost:1/elsewhere")
        self.assertEqual(second.ask("GET", "connection")["rootCertificate"], root)
        self.assertEqual(
            self.status(second, self.sign(second, self.buy(second))), VerificationStatus.RETRYABLE_VERIFICATION_FAILURE)
        second.stop()
        third = Emulator(CATALOG, "--data", folder / "store", port=address.rsplit(":", 1)[1])
        self.addCleanup(third.stop)
        self.verifier(third).verify_and_decode_signed_transaction(signed)


if __name__ == "__main__":
    unittest.main()
