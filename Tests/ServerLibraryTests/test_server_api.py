"""Apple's App Store Server Library for Python, as PyPI has it, calls the App Store Server API of a running emulator.

`make server-library-tests` installs the library in `.build/server-library` and runs this. The library has Apple's addresses as
constants: the address of the emulator is put in their place. Everything that is signed is verified, with online checks.
"""
import base64
import http.server
import json
import pathlib
import sys
import threading
import unittest
import uuid
import warnings

from appstoreserverlibrary.api_client import (
    APIError, APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion)
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.LifetimeDollarsPurchased import LifetimeDollarsPurchased
from appstoreserverlibrary.models.LifetimeDollarsRefunded import LifetimeDollarsRefunded
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.Platform import Platform
from appstoreserverlibrary.models.PlayTime import PlayTime
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.models.UserStatus import UserStatus
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "BrowserTests"))
from programs import BUNDLE_ID, CATALOG, ROOT, Emulator  # noqa: E402

COINS = "com.xamarin.storekit.testing.consume5credits"
CLUB_CATALOG = str(ROOT / "Sources/Demo/Club.storekit")
PLAN = "com.example.club.gold.monthly"
V2 = GetTransactionHistoryVersion.V2


class ServerAPI(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", DeprecationWarning)
        self.store = Emulator(CATALOG, "--config", CLUB_CATALOG)
        self.addCleanup(self.store.stop)
        self.connection = self.store.ask("GET", "connection")
        self.plan, self.once = PLAN, COINS

    def client(self, environment=Environment.SANDBOX, connection=None):
        connection = connection or self.connection
        client = AppStoreServerAPIClient(
            connection["privateKey"].encode(), connection["keyId"], connection["issuerId"], connection["bundleId"],
            environment)
        name = "sandbox" if environment == Environment.SANDBOX else "production"
        client._base_url = self.connection["baseURLs"][name]
        return client

    def verifier(self, environment=Environment.SANDBOX):
        root = base64.b64decode(self.connection["rootCertificate"])
        return SignedDataVerifier(
            [root], True, environment, self.connection["bundleId"], self.connection["appAppleId"])

    def buy(self, product, environment="Sandbox", customer="customer"):
        return self.store.ask("POST", "purchases", {
            "bundleId": BUNDLE_ID, "environment": environment, "customer": customer,
            "productId": product})["transactionId"]

    def decoded(self, signed, environment=Environment.SANDBOX):
        verifier = self.verifier(environment)
        return [verifier.verify_and_decode_signed_transaction(jws) for jws in signed]

    def refused(self, error, call, *arguments):
        with self.assertRaises(APIException) as refusal:
            call(*arguments)
        self.assertEqual(refusal.exception.api_error, error, refusal.exception.error_message)
        self.assertEqual(refusal.exception.http_status_code, error.value // 10_000)

    def test_transactions_histories_and_refunds(self):
        client = self.client()
        bought = [self.buy(self.once) for _ in range(23)]
        info = client.get_transaction_info(bought[0])
        self.assertEqual(self.decoded([info.signedTransactionInfo])[0].productId, self.once)
        for version in (V2, GetTransactionHistoryVersion.V1):
            listed, revision, more = [], None, True
            while more:
                page = client.get_transaction_history(bought[0], revision, TransactionHistoryRequest(), version)
                listed += self.decoded(page.signedTransactions)
                revision, more = page.revision, page.hasMore
            self.assertEqual([t.transactionId for t in listed], bought)
        self.assertEqual((page.bundleId, page.environment), (BUNDLE_ID, Environment.SANDBOX))
        self.store.ask("POST", f"transactions/{bought[3]}/refund")
        query = TransactionHistoryRequest(
            startDate=0, endDate=4_000_000_000_000, productIds=[self.once, "none"], productTypes=[ProductType.CONSUMABLE],
            sort=Order.DESCENDING, inAppOwnershipType=InAppOwnershipType.PURCHASED, revoked=True)
        page = client.get_transaction_history(bought[0], None, query, V2)
        self.assertEqual([t.transactionId for t in self.decoded(page.signedTransactions)], [bought[3]])
        page = client.get_transaction_history(bought[0], revision, TransactionHistoryRequest(), V2)
        self.assertEqual([t.transactionId for t in self.decoded(page.signedTransactions)], [bought[3]])
        refunds = client.get_refund_history(bought[0], None)
        self.assertEqual(self.decoded(refunds.signedTransactions)[0].revocationReason, 0)
        self.assertEqual(client.get_refund_history(bought[0], refunds.revision).signedTransactions, [])
        client.finish_transaction(bought[1])
        token = uuid.uuid4()
        client.set_app_account_token(bought[1], UpdateAppAccountTokenRequest(appAccountToken=str(token)))
        signed = client.get_transaction_info(bought[1]).signedTransactionInfo
        self.assertEqual(self.decoded([signed])[0].appAccountToken, str(token))

    def test_orders_in_production(self):
        client = self.client(Environment.PRODUCTION)
        transaction = self.buy(self.plan, "Production")
        order = self.store.ask("GET", "charges")["charges"][0]["orderId"]
        found = client.look_up_order_id(order)
        self.assertEqual(found.status, OrderLookupStatus.VALID)
        self.assertEqual(
            self.decoded(found.signedTransactions, Environment.PRODUCTION)[0].transactionId, transaction)
        self.assertEqual(client.look_up_order_id("M0").status, OrderLookupStatus.INVALID)
        self.refused(APIError.TRANSACTION_ID_NOT_FOUND, self.client().get_transaction_info, transaction)
        self.assertEqual(
            client.get_transaction_history(transaction, None, TransactionHistoryRequest(), V2).appAppleId,
            self.connection["appAppleId"])

    def test_subscriptions_and_their_extensions(self):
        client = self.client()
        transaction = self.buy(self.plan)
        statuses = client.get_all_subscription_statuses(transaction, [Status.ACTIVE, Status.EXPIRED])
        last = statuses.data[0].lastTransactions[0]
        self.assertEqual((last.status, last.originalTransactionId), (Status.ACTIVE, transaction))
        renewal = self.verifier().verify_and_decode_renewal_info(last.signedRenewalInfo)
        self.assertEqual(renewal.autoRenewProductId, self.plan)
        # The first period can be free. The clock moves to a paid one.
        while self.decoded([client.get_all_subscription_statuses(transaction).data[0].lastTransactions[0]
                            .signedTransactionInfo])[0].price == 0:
            self.store.ask("PATCH", "clock", {"toNextEvent": True})
        extension = ExtendRenewalDateRequest(
            extendByDays=30, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, requestIdentifier="outage")
        answer = client.extend_subscription_renewal_date(transaction, extension)
        self.assertTrue(answer.success)
        request = MassExtendRenewalDateRequest(
            requestIdentifier=str(uuid.uuid4()), extendByDays=1, extendReasonCode=ExtendReasonCode.OTHER,
            productId=self.plan, storefrontCountryCodes=["USA"])
        identifier = client.extend_renewal_date_for_all_active_subscribers(request).requestIdentifier
        self.assertEqual(identifier, request.requestIdentifier)
        status = client.get_status_of_subscription_renewal_date_extensions(identifier, self.plan)
        self.assertFalse(status.complete)
        self.store.ask("PATCH", "clock", {"advanceMilliseconds": 120_000})
        status = client.get_status_of_subscription_renewal_date_extensions(identifier, self.plan)
        self.assertEqual((status.complete, status.succeededCount, status.failedCount), (True, 1, 0))
        self.refused(APIError.SUBSCRIPTION_MAX_EXTENSION, client.extend_subscription_renewal_date, transaction, extension)
        self.refused(
            APIError.STATUS_REQUEST_NOT_FOUND, client.get_status_of_subscription_renewal_date_extensions,
            str(uuid.uuid4()), self.plan)
        request.storefrontCountryCodes = ["ZZZ"]
        self.refused(
            APIError.INVALID_STOREFRONT_COUNTRY_CODE, client.extend_renewal_date_for_all_active_subscribers, request)
        request.storefrontCountryCodes = []
        self.refused(
            APIError.INVALID_EMPTY_STOREFRONT_COUNTRY_CODE_LIST, client.extend_renewal_date_for_all_active_subscribers,
            request)

    def test_consumption_information_is_shown_beside_the_request(self):
        client = self.client()
        transaction = self.buy(self.once)
        self.store.ask("POST", f"transactions/{transaction}/refundRequests", {"reason": "UNINTENDED_PURCHASE"})
        client.send_consumption_data(transaction, ConsumptionRequestV1(
            customerConsented=True, consumptionStatus=ConsumptionStatus.UNDECLARED, platform=Platform.NON_APPLE,
            sampleContentProvided=False, deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY,
            appAccountToken="", accountTenure=AccountTenure.UNDECLARED, playTime=PlayTime.UNDECLARED,
            lifetimeDollarsRefunded=LifetimeDollarsRefunded.UNDECLARED,
            lifetimeDollarsPurchased=LifetimeDollarsPurchased.UNDECLARED, userStatus=UserStatus.ACTIVE))
        client.send_consumption_information(transaction, ConsumptionRequest(
            customerConsented=True, sampleContentProvided=True, deliveryStatus=DeliveryStatus.DELIVERED,
            consumptionPercentage=50_000))
        request = self.store.ask("GET", f"transactions/{transaction}/refundRequests")["refundRequests"][0]
        self.assertEqual(request["consumptionInformation"]["version"], 2)
        self.assertIn("50000", request["consumptionInformation"]["content"])
        decided = self.store.ask(
            "POST", f"transactions/{transaction}/refundRequests/{request['id']}/decision", {"outcome": "full"})
        self.assertEqual(decided["outcome"], "full")

    def test_app_transactions(self):
        client = self.client()
        transaction = self.buy(self.once)
        self.refused(APIError.APP_TRANSACTION_DOES_NOT_EXIST_ERROR, client.get_app_transaction_info, transaction)

    def test_notifications_are_sent_and_listed(self):
        client = self.client()
        received = []

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["signedPayload"])
                self.send_response(200)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.store.ask("PUT", f"apps/{BUNDLE_ID}/notificationURLs", {
            "production": None, "sandbox": f"http://127.0.0.1:{server.server_port}/"})
        token = client.request_test_notification().testNotificationToken
        transaction = self.buy(self.once)
        self.store.ask("POST", "notifications/settle", {"timeoutMilliseconds": 30_000})
        status = client.get_test_notification_status(token)
        self.assertEqual(status.signedPayload, received[0])
        self.assertEqual(status.sendAttempts[0].sendAttemptResult, SendAttemptResult.SUCCESS)
        decoded = [self.verifier().verify_and_decode_notification(payload) for payload in received]
        self.assertEqual(
            [n.notificationType for n in decoded], [NotificationTypeV2.TEST, NotificationTypeV2.ONE_TIME_CHARGE])
        now = self.store.ask("GET", "clock")["now"]
        request = NotificationHistoryRequest(startDate=now - 3_600_000, endDate=now + 3_600_000)
        history = client.get_notification_history(None, request)
        self.assertEqual([item.signedPayload for item in history.notificationHistory], received)
        request.transactionId = transaction
        history = client.get_notification_history(None, request)
        self.assertEqual([item.signedPayload for item in history.notificationHistory], received[1:])
        self.refused(APIError.INVALID_PAGINATION_TOKEN, client.get_notification_history, "x", request)

    def test_tokens(self):
        transaction = self.buy(self.once)
        other = dict(self.connection, keyId="UNKNOWN")
        with self.assertRaises(APIException) as refusal:
            self.client(connection=other).get_transaction_info(transaction)
        self.assertEqual((refusal.exception.http_status_code, refusal.exception.api_error), (401, None))
        journaled = self.store.ask("GET", "requests?call=getTransactionInfo")["requests"][-1]
        self.assertIn("kid", journaled["reason"])
        added = self.store.ask("POST", "keys", {"bundleId": BUNDLE_ID})
        self.client(connection=dict(self.connection, **added)).get_transaction_info(transaction)
        self.store.ask("DELETE", f"keys/{added['keyId']}")
        with self.assertRaises(APIException):
            self.client(connection=dict(self.connection, **added)).get_transaction_info(transaction)

    def test_each_error_is_its_exception(self):
        """Each code that the library knows and the emulator can answer with."""
        client = self.client()
        transaction = self.buy(self.once)
        answered = 0
        for error in APIError:
            try:
                self.store.ask("POST", "faults", {"kind": "serverAPIError", "errorCode": error.value, "count": 1})
            except Exception:  # The code of a family that is left out.
                continue
            self.refused(error, client.get_transaction_info, transaction)
            answered += 1
        self.assertGreater(answered, 60)
        client.get_transaction_info(transaction)

    def test_errors_by_their_causes(self):
        client = self.client()
        transaction = self.buy(self.once)
        history = TransactionHistoryRequest
        for error, call, arguments in [
                (APIError.INVALID_TRANSACTION_ID, client.get_transaction_info, ("seven",)),
                (APIError.TRANSACTION_ID_NOT_FOUND, client.get_transaction_info, ("7",)),
                (APIError.TRANSACTION_ID_NOT_FOUND, client.finish_transaction, ("7",)),
                (APIError.ORIGINAL_TRANSACTION_ID_NOT_FOUND, client.set_app_account_token,
                 ("7", UpdateAppAccountTokenRequest(appAccountToken=str(uuid.uuid4())))),
                (APIError.INVALID_REQUEST_REVISION, client.get_transaction_history,
                 (transaction, "x", history(), V2)),
                (APIError.INVALID_END_DATE, client.get_transaction_history,
                 (transaction, None, history(startDate=7, endDate=7), V2)),
                (APIError.SERVER_NOTIFICATION_URL_NOT_FOUND, client.request_test_notification, ()),
                (APIError.INVALID_TEST_NOTIFICATION_TOKEN, client.get_test_notification_status, ("x",)),
                (APIError.TEST_NOTIFICATION_NOT_FOUND, client.get_test_notification_status, (str(uuid.uuid4()),)),
                (APIError.GENERAL_BAD_REQUEST, client.look_up_order_id, ("M0",)),
                (APIError.START_DATE_TOO_FAR_IN_PAST, client.get_notification_history,
                 (None, NotificationHistoryRequest(startDate=7, endDate=8))),
                (APIError.START_DATE_AFTER_END_DATE, client.get_notification_history,
                 (None, NotificationHistoryRequest(startDate=8, endDate=7)))]:
            self.refused(error, call, *arguments)


if __name__ == "__main__":
    unittest.main()
