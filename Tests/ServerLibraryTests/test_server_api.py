"""Apple's App Store Server Library for Python calls the App Store Server API of a running emulator. See `library.py`."""
import inspect
import unittest
import uuid

from library import *  # noqa: F403

from appstoreserverlibrary.api_client import APIError, AppStoreServerAPIClient
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
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

# The methods that the emulator answers with "not emulated", because it has no retention messaging.
NOT_EMULATED = {
    "upload_image", "delete_image", "get_image_list", "upload_message", "delete_message", "get_message_list",
    "configure_default_message", "delete_default_message", "get_default_message", "configure_realtime_url",
    "delete_realtime_url", "get_realtime_url", "initiate_performance_test", "get_performance_test_results"}


class CountedClient:
    """Passes calls to a client of the library, and collects the names of the methods that have succeeded."""

    def __init__(self, client, succeeded):
        self.client, self.succeeded = client, succeeded

    def __getattr__(self, name):
        method = getattr(self.client, name)

        def call(*arguments):
            answer = method(*arguments)
            self.succeeded.add(name)
            return answer
        return call


class ServerAPI(LibraryTests):
    # The tests that have begun, and the methods that have succeeded in them.
    started, succeeded = set(), set()

    def setUp(self):
        super().setUp()
        self.started.add(self._testMethodName)

    def client(self, environment=Environment.SANDBOX, connection=None):
        return CountedClient(super().client(environment, connection), self.succeeded)

    def test_transactions_histories_and_refunds(self):
        client = self.client()
        bought = [self.buy(COINS) for _ in range(23)]
        info = client.get_transaction_info(bought[0])
        self.assertEqual(self.decoded([info.signedTransactionInfo])[0].productId, COINS)
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
            startDate=0, endDate=4_000_000_000_000, productIds=[COINS, "none"], productTypes=[ProductType.CONSUMABLE],
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
        transaction = self.buy(PLAN, "Production")
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
        transaction = self.paid_subscription()
        statuses = client.get_all_subscription_statuses(transaction, [Status.ACTIVE, Status.EXPIRED])
        last = statuses.data[0].lastTransactions[0]
        self.assertEqual((last.status, last.originalTransactionId), (Status.ACTIVE, transaction))
        renewal = self.verifier().verify_and_decode_renewal_info(last.signedRenewalInfo)
        self.assertEqual(renewal.autoRenewProductId, PLAN)
        extension = ExtendRenewalDateRequest(
            extendByDays=30, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, requestIdentifier="outage")
        answer = client.extend_subscription_renewal_date(transaction, extension)
        self.assertTrue(answer.success)
        request = MassExtendRenewalDateRequest(
            requestIdentifier=str(uuid.uuid4()), extendByDays=1, extendReasonCode=ExtendReasonCode.OTHER,
            productId=PLAN, storefrontCountryCodes=["USA"])
        identifier = client.extend_renewal_date_for_all_active_subscribers(request).requestIdentifier
        self.assertEqual(identifier, request.requestIdentifier)
        status = client.get_status_of_subscription_renewal_date_extensions(identifier, PLAN)
        self.assertFalse(status.complete)
        self.store.ask("PATCH", "clock", {"advanceMilliseconds": 120_000})
        status = client.get_status_of_subscription_renewal_date_extensions(identifier, PLAN)
        self.assertEqual((status.complete, status.succeededCount, status.failedCount), (True, 1, 0))

    def test_consumption_information_is_shown_beside_the_request(self):
        client = self.client()
        transaction = self.buy(COINS)
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
        transaction = self.buy(COINS)
        self.install()
        signed = client.get_app_transaction_info(transaction).signedAppTransactionInfo
        app = self.verifier().verify_and_decode_app_transaction(signed)
        self.assertEqual((app.bundleId, app.applicationVersion, app.receiptType), (BUNDLE_ID, "1.2", Environment.SANDBOX))
        bought = self.decoded([client.get_transaction_info(transaction).signedTransactionInfo])[0]
        self.assertEqual(app.appTransactionId, bought.appTransactionId)

    def test_notifications_are_sent_and_listed(self):
        client = self.client()
        bodies = self.receive()
        token = client.request_test_notification().testNotificationToken
        transaction = self.buy(COINS)
        self.settle()
        received = [json.loads(body)["signedPayload"] for body in bodies]
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

    def test_tokens(self):
        transaction = self.buy(COINS)
        other = dict(self.connection, keyId="UNKNOWN")
        reason = self.unauthenticated(self.client(connection=other).get_transaction_info, transaction)
        self.assertIn("kid", reason)
        added = self.store.ask("POST", "keys", {"bundleId": BUNDLE_ID})
        client = self.client(connection=dict(self.connection, **added))
        client.get_transaction_info(transaction)
        self.store.ask("DELETE", f"keys/{added['keyId']}")
        self.unauthenticated(client.get_transaction_info, transaction)

    def test_what_is_not_emulated_is_404_without_an_error_object_and_the_journal_says_so(self):
        client = self.client()
        for name in sorted(NOT_EMULATED):
            parameters = [parameter for parameter in inspect.signature(getattr(client.client, name)).parameters.values()
                          if parameter.default is parameter.empty]
            with self.assertRaises(APIException) as refusal:
                getattr(client, name)(*[b"png" if parameter.name == "image" else None for parameter in parameters])
            self.assertEqual((refusal.exception.http_status_code, refusal.exception.api_error), (404, None), name)
            self.assertTrue(self.newest_request()["reason"].startswith("not emulated"), name)

    @classmethod
    def tearDownClass(cls):
        """Each public method of the library succeeds in one of these tests, or is not emulated."""
        methods = {name for name, _ in inspect.getmembers(AppStoreServerAPIClient, inspect.isfunction)
                   if not name.startswith("_")}
        ran_all = cls.started >= set(unittest.defaultTestLoader.getTestCaseNames(cls))
        if ran_all and methods != cls.succeeded | NOT_EMULATED:
            raise AssertionError(f"no test calls {sorted(methods - cls.succeeded - NOT_EMULATED)} with success; "
                                 f"the library does not have {sorted(NOT_EMULATED - methods)}")


if __name__ == "__main__":
    unittest.main()
