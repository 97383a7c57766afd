"""Apple's App Store Server Library for Python verifies what a running emulator signs, with its online checks. See `library.py`."""
import datetime
import unittest

from library import *  # noqa: F403

from appstoreserverlibrary.signed_data_verifier import VerificationStatus


class OnlineChecks(LibraryTests):
    def sign(self, transaction, certificate="valid"):
        return self.store.ask("GET", f"transactions/{transaction}/proofs?certificate={certificate}")["signedTransaction"]

    def test_a_signed_transaction_is_verified_also_with_the_clock_years_ahead(self):
        for year in [None, 2031, 2062]:
            if year:
                self.store.ask("PATCH", "clock", {"now": int(datetime.datetime(year, 6, 1).timestamp() * 1000)})
            transaction = self.buy(COINS)
            for certificate in ["valid", "rotatedIntermediate"]:
                decoded = self.decoded([self.sign(transaction, certificate)])[0]
                self.assertEqual((decoded.transactionId, decoded.productId), (transaction, COINS))
        asked = self.store.ask("GET", "requests?call=ocsp")["requests"]
        self.assertEqual([request["outcome"] for request in asked], ["answered"] * 12)

    def test_each_way_to_sign_wrongly_is_refused(self):
        transaction = self.buy(COINS)
        for certificate in ["expired", "notYetValid", "wrongSignature"]:
            self.assertEqual(
                self.status(self.sign(transaction, certificate)), VerificationStatus.VERIFICATION_FAILURE, certificate)

    def test_a_transaction_of_an_earlier_run_is_verified_after_a_restart_at_another_port(self):
        folder = Folder()
        self.addCleanup(folder.stop)

        def start(*arguments, port="0"):
            self.store = Emulator(CATALOG, "--data", folder / "store", *arguments, port=port)
            self.addCleanup(self.store.stop)

        start()
        self.connection = self.store.ask("GET", "connection")
        signed, address = self.sign(self.buy(COINS)), self.store.address
        self.store.stop()
        start("--advertise", "http://localhost:1/elsewhere")
        self.assertEqual(self.store.ask("GET", "connection")["rootCertificate"], self.connection["rootCertificate"])
        self.assertEqual(
            self.status(self.sign(self.buy(COINS))), VerificationStatus.RETRYABLE_VERIFICATION_FAILURE)
        self.store.stop()
        start(port=address.rsplit(":", 1)[1])
        self.assertIsNone(self.status(signed))


if __name__ == "__main__":
    unittest.main()
