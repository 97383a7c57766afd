"""Each fault for developers' servers, set by its name, as Apple's library sees it."""
import unittest

from library import *  # noqa: F403

from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.signed_data_verifier import VerificationStatus

FAILURE, RETRYABLE = VerificationStatus.VERIFICATION_FAILURE, VerificationStatus.RETRYABLE_VERIFICATION_FAILURE
MINUTE = 60_000


class Faults(LibraryTests):
    def setUp(self):
        super().setUp()
        self.api = self.client()

    def signed(self, transaction):
        return self.api.get_transaction_info(transaction).signedTransactionInfo

    def test_answers_of_the_server_api(self):
        transaction = self.buy(COINS)
        with self.fault("transactionNotFoundYet", count=2):
            for _ in range(2):
                self.refused(APIError.TRANSACTION_ID_NOT_FOUND, self.signed, transaction)
            self.signed(transaction)
        with self.fault("transactionNotFoundYet", durationSeconds=60):
            self.refused(APIError.TRANSACTION_ID_NOT_FOUND, self.signed, transaction)
            self.store.ask("PATCH", "clock", {"advanceMilliseconds": MINUTE})
            self.signed(transaction)
        for kind, members, error in [
                ("rateLimitExceeded", {}, APIError.RATE_LIMIT_EXCEEDED),
                ("serverAPIFailure", {}, APIError.GENERAL_INTERNAL_RETRYABLE),
                ("serverAPIFailure", {"internalError": "final"}, APIError.GENERAL_INTERNAL),
                ("serverAPIError", {"errorCode": 4040002}, APIError.ACCOUNT_NOT_FOUND_RETRYABLE)]:
            with self.fault(kind, **members):
                self.refused(error, self.signed, transaction)
            self.signed(transaction)

    def test_tokens(self):
        sandbox, production = self.buy(COINS), self.buy(COINS, "Production")
        released = self.client(Environment.PRODUCTION)
        with self.fault("tokenRefused"):
            self.assertIn("fault", self.unauthenticated(self.signed, sandbox))
        with self.fault("appNotReleased"):
            self.assertIn("release", self.unauthenticated(released.get_transaction_info, production))
            self.signed(sandbox)
        # The library's tokens are valid for five minutes, and more than an hour is refused.
        for ahead, word in [(10 * MINUTE, "exp"), (-57 * MINUTE, "exp"), (4 * MINUTE, None), (-50 * MINUTE, None)]:
            with self.fault("clocksApart", aheadMilliseconds=ahead):
                if word:
                    self.assertIn(word, self.unauthenticated(self.signed, sandbox), ahead)
                else:
                    self.signed(sandbox)
        released.get_transaction_info(production)

    def test_signatures(self):
        self.install()
        transaction = self.paid_subscription()
        for kind, members, status in [
                ("expiredCertificate", {}, FAILURE), ("expiredCertificate", {"when": "notYetValid"}, FAILURE),
                ("wrongSignature", {}, FAILURE), ("rotatedIntermediate", {}, None)]:
            with self.fault(kind, **members):
                last = self.api.get_all_subscription_statuses(transaction).data[0].lastTransactions[0]
                app = self.api.get_app_transaction_info(transaction).signedAppTransactionInfo
                signed = self.signed(transaction)
            for verify, jws in [
                    (self.verifier().verify_and_decode_signed_transaction, signed),
                    (self.verifier().verify_and_decode_signed_transaction, last.signedTransactionInfo),
                    (self.verifier().verify_and_decode_renewal_info, last.signedRenewalInfo),
                    (self.verifier().verify_and_decode_app_transaction, app)]:
                if status is None:
                    verify(jws)
                    continue
                with self.assertRaises(VerificationException, msg=kind) as refusal:
                    verify(jws)
                self.assertEqual(refusal.exception.status, status, kind)
        self.assertIsNone(self.status(self.signed(transaction)))

    def test_the_status_of_certificates(self):
        signed = self.signed(self.buy(COINS))
        for kind, members, status in [
                ("ocspDown", {}, RETRYABLE), ("ocspDown", {"failure": "unreachable"}, RETRYABLE),
                ("ocspDown", {"failure": "tryLater"}, FAILURE), ("ocspDown", {"failure": "internalError"}, FAILURE),
                ("ocspRevoked", {}, FAILURE), ("ocspRevoked", {"certificate": "intermediate"}, FAILURE),
                ("ocspStale", {}, FAILURE),
                # The library allows a minute.
                ("clocksApart", {"aheadMilliseconds": 5 * MINUTE}, FAILURE),
                ("clocksApart", {"aheadMilliseconds": MINUTE // 2}, None),
                ("clocksApart", {"aheadMilliseconds": -120 * MINUTE}, FAILURE)]:
            with self.fault(kind, **members):
                self.assertEqual(self.status(signed), status, f"{kind} {members}")
            self.assertIsNone(self.status(signed))

    def test_notifications(self):
        bodies = self.receive()

        def settled(*products):
            """The transactions of the purchases, and those in the notifications that the server has received since."""
            bodies.clear()
            bought = [self.buy(product) for product in products]
            self.settle()
            received = []
            for body in bodies:
                notification = self.verifier().verify_and_decode_notification(json.loads(body)["signedPayload"])
                self.assertEqual(notification.notificationType, NotificationTypeV2.ONE_TIME_CHARGE)
                received += self.decoded([notification.data.signedTransactionInfo])
            return bought, [transaction.transactionId for transaction in received]

        with self.fault("notificationLost", count=1):
            (_, second), received = settled(COINS, COINS)
            self.assertEqual(received, [second])
        with self.fault("notificationDoubled", count=1):
            (first, second), received = settled(COINS, COINS)
            self.assertEqual(received, [first, first, second])
            self.assertEqual(bodies[0], bodies[1])
        with self.fault("notificationOutOfOrder", count=1):
            (first, second), received = settled(COINS, COINS)
            self.assertEqual(received, [second, first])
        with self.fault("notificationLate", delayMilliseconds=1, count=1):
            (first,), received = settled(COINS)
            self.assertEqual(received, [first])
        with self.fault("notificationTruncated", count=1):
            bodies.clear()
            self.buy(COINS)
            self.settle()
            with self.assertRaises(json.JSONDecodeError):
                json.loads(bodies[0])


if __name__ == "__main__":
    unittest.main()
