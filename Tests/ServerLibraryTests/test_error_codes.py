"""Each error code of the App Store Server API arrives as the exception of Apple's library: by its cause, or by a fault."""
import http.client
import tempfile
import unittest
import urllib.error
import urllib.parse
import uuid

from library import *  # noqa: F403

from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest

# The codes that nothing in this store can cause, by the reason. A fault can answer with those of the first group.
BY_FAULT_ONLY = {
    "a customer with purchases cannot be removed": [APIError.ACCOUNT_NOT_FOUND, APIError.ACCOUNT_NOT_FOUND_RETRYABLE],
    "a token names a known app": [
        APIError.APP_NOT_FOUND, APIError.APP_NOT_FOUND_RETRYABLE, APIError.INVALID_APP_IDENTIFIER],
    "the store answers with it only if it fails": [
        APIError.ORIGINAL_TRANSACTION_ID_NOT_FOUND_RETRYABLE, APIError.GENERAL_INTERNAL, APIError.GENERAL_INTERNAL_RETRYABLE],
    "Apple has not sent it since version 1.11": [APIError.INVALID_TRANSACTION_NOT_CONSUMABLE]}
LEFT_OUT = {
    "retention messaging is not emulated": [
        APIError.INVALID_IMAGE, APIError.HEADER_TOO_LONG, APIError.BODY_TOO_LONG, APIError.INVALID_LOCALE,
        APIError.ALT_TEXT_TOO_LONG, APIError.INVALID_PERFORMANCE_TEST_REQUEST, APIError.INVALID_REQUEST_ID,
        APIError.EXISTING_PERFORMANCE_TEST_RUN, APIError.BAD_REQUEST_REALTIME_URL, APIError.BAD_REQUEST_IMAGE_SIZE,
        APIError.BAD_REQUEST_TOO_MANY_BULLET_POINTS, APIError.BAD_REQUEST_BULLET_POINT_TEXT_TOO_LONG,
        APIError.BAD_REQUEST_ABOVE_IMAGE_REQUIRES_AN_IMAGE, APIError.MAXIMUM_NUMBER_OF_IMAGES_REACHED,
        APIError.MAXIMUM_NUMBER_OF_MESSAGES_REACHED, APIError.MESSAGE_NOT_APPROVED, APIError.IMAGE_NOT_APPROVED,
        APIError.IMAGE_IN_USE, APIError.FORBIDDEN_NO_PASSING_TEST, APIError.IMAGE_NOT_FOUND, APIError.MESSAGE_NOT_FOUND,
        APIError.PERFORMANCE_TEST_RUN_NOT_FOUND, APIError.DEFAULT_MESSAGE_NOT_FOUND, APIError.REALTIME_URL_NOT_FOUND,
        APIError.IMAGE_ALREADY_EXISTS, APIError.MESSAGE_ALREADY_EXISTS]}

INFORMATION_V1 = {
    "customerConsented": True, "consumptionStatus": 0, "platform": 0, "sampleContentProvided": False, "deliveryStatus": 0,
    "appAccountToken": "", "accountTenure": 0, "playTime": 0, "lifetimeDollarsRefunded": 0, "lifetimeDollarsPurchased": 0,
    "userStatus": 0}


def listed(groups):
    return [error for errors in groups.values() for error in errors]


class ErrorCodes(LibraryTests):
    def setUp(self):
        # The club's plans, shared with the family.
        with tempfile.NamedTemporaryFile("w", suffix=".storekit") as shared:
            club = json.loads(pathlib.Path(CLUB_CATALOG).read_text())
            for plan in club["subscriptionGroups"][0]["subscriptions"]:
                plan["familyShareable"] = True
            json.dump(club, shared)
            shared.flush()
            self.catalogs = (CATALOG, shared.name)
            super().setUp()
        self.caused = set()
        self.api = self.client()

    def causes(self, error, call, *arguments):
        """Checks that a call is refused with the error."""
        self.refused(error, call, *arguments)
        self.caused.add(error)

    def send(self, method, path, query=None, body=None):
        """A request of the library with values that its types do not have."""
        return self.api._make_request(f"/inApps/{path}", method, query or {}, body, None)

    def test_each_code_is_caused_by_values_or_state_or_is_listed_with_the_reason_why_not(self):
        self.cause_errors_of_transactions_and_histories()
        self.cause_errors_of_consumption_information()
        self.cause_errors_of_subscriptions()
        self.cause_errors_of_notifications()
        self.cause_too_many_requests()
        left_out = listed(BY_FAULT_ONLY) + listed(LEFT_OUT)
        self.assertEqual(self.caused & set(left_out), set())
        self.assertEqual(set(APIError) - self.caused - set(left_out), set())

    def cause_errors_of_transactions_and_histories(self):
        api, history = self.api, TransactionHistoryRequest
        transaction = self.buy(COINS)
        token = UpdateAppAccountTokenRequest(appAccountToken=str(uuid.uuid4()))
        self.causes(APIError.INVALID_TRANSACTION_ID, api.get_transaction_info, "seven")
        for call in (api.get_transaction_info, api.finish_transaction, api.get_app_transaction_info):
            self.causes(APIError.TRANSACTION_ID_NOT_FOUND, call, "7")
        app = self.decoded([api.get_transaction_info(transaction).signedTransactionInfo])[0].appTransactionId
        self.causes(APIError.APP_TRANSACTION_ID_NOT_SUPPORTED_ERROR, api.get_transaction_info, app)
        self.causes(APIError.APP_TRANSACTION_DOES_NOT_EXIST_ERROR, api.get_app_transaction_info, transaction)
        self.causes(APIError.GENERAL_BAD_REQUEST, api.look_up_order_id, "M0")
        self.causes(APIError.ORIGINAL_TRANSACTION_ID_NOT_FOUND, api.set_app_account_token, "7", token)
        self.causes(APIError.INVALID_APP_ACCOUNT_TOKEN_UUID_ERROR, api.set_app_account_token, transaction,
                    UpdateAppAccountTokenRequest(appAccountToken="seven"))
        self.causes(APIError.INVALID_REQUEST_REVISION, api.get_transaction_history, transaction, "x", history(), V2)
        for error, query in [
                (APIError.INVALID_START_DATE, {"startDate": "x"}), (APIError.INVALID_END_DATE, {"endDate": "x"}),
                (APIError.INVALID_END_DATE, {"startDate": "7", "endDate": "7"}), (APIError.INVALID_SORT, {"sort": "UP"}),
                (APIError.INVALID_PRODUCT_TYPE, {"productType": "TEA"}), (APIError.INVALID_PRODUCT_ID, {"productId": ""}),
                (APIError.INVALID_SUBSCRIPTION_GROUP_IDENTIFIER, {"subscriptionGroupIdentifier": ""}),
                (APIError.INVALID_IN_APP_OWNERSHIP_TYPE, {"inAppOwnershipType": "LENT"}),
                (APIError.INVALID_REVOKED, {"revoked": "maybe"}),
                (APIError.INVALID_EXCLUDE_REVOKED, {"excludeRevoked": "maybe"})]:
            self.causes(error, self.send, "GET", f"v2/history/{transaction}", query)
        self.causes(APIError.INVALID_STATUS, self.send, "GET", f"v1/subscriptions/{transaction}", {"status": "6"})

    def cause_errors_of_consumption_information(self):
        transaction, owned = self.buy(COINS), self.buy(SHARED)
        for member, error in [
                ("accountTenure", APIError.INVALID_ACCOUNT_TENURE), ("appAccountToken", APIError.INVALID_APP_ACCOUNT_TOKEN),
                ("consumptionStatus", APIError.INVALID_CONSUMPTION_STATUS),
                ("customerConsented", APIError.INVALID_CUSTOMER_CONSENTED),
                ("deliveryStatus", APIError.INVALID_DELIVERY_STATUS),
                ("lifetimeDollarsPurchased", APIError.INVALID_LIFETIME_DOLLARS_PURCHASED),
                ("lifetimeDollarsRefunded", APIError.INVALID_LIFETIME_DOLLARS_REFUNDED),
                ("platform", APIError.INVALID_PLATFORM), ("playTime", APIError.INVALID_PLAY_TIME),
                ("sampleContentProvided", APIError.INVALID_SAMPLE_CONTENT_PROVIDED),
                ("userStatus", APIError.INVALID_USER_STATUS)]:
            for body in ({**INFORMATION_V1, member: 99},
                         {name: value for name, value in INFORMATION_V1.items() if name != member}):
                self.causes(error, self.send, "PUT", f"v1/transactions/consumption/{transaction}", None, body)
        self.causes(APIError.INVALID_CUSTOMER_CONSENTED, self.send, "PUT", f"v1/transactions/consumption/{transaction}", None,
                    {**INFORMATION_V1, "customerConsented": False})
        self.causes(APIError.INVALID_TRANSACTION_TYPE_NOT_SUPPORTED, self.send, "PUT", f"v1/transactions/consumption/{owned}",
                    None, INFORMATION_V1)

    def cause_errors_of_subscriptions(self):
        api = self.api
        for name in ("ada", "bob"):
            self.store.ask("POST", "customers", {"environment": "Sandbox", "name": name, "family": "f"})
        coins, original = self.buy(COINS), self.paid_subscription(customer="ada")
        share = self.store.transactions("?customer=bob")[0]["transactionId"]
        information = ConsumptionRequest(
            customerConsented=True, sampleContentProvided=False, deliveryStatus=DeliveryStatus.DELIVERED)
        self.causes(APIError.FAMILY_TRANSACTION_NOT_SUPPORTED_ERROR, api.send_consumption_information, share, information)

        def extension(days=1, reason=ExtendReasonCode.OTHER, identifier="outage"):
            return ExtendRenewalDateRequest(extendByDays=days, extendReasonCode=reason, requestIdentifier=identifier)

        extend = api.extend_subscription_renewal_date
        self.causes(APIError.INVALID_ORIGINAL_TRANSACTION_ID, extend, "seven", extension())
        self.causes(APIError.INVALID_EXTEND_BY_DAYS, extend, original, extension(days=91))
        self.causes(APIError.INVALID_REQUEST_IDENTIFIER, extend, original, extension(identifier=""))
        self.causes(APIError.INVALID_EXTEND_REASON_CODE, self.send, "PUT", f"v1/subscriptions/extend/{original}", None,
                    {"extendByDays": 1, "extendReasonCode": 9, "requestIdentifier": "outage"})
        self.causes(APIError.SUBSCRIPTION_EXTENSION_INELIGIBLE, extend, coins, extension())
        self.causes(APIError.FAMILY_SHARED_SUBSCRIPTION_EXTENSION_INELIGIBLE, extend, share, extension())
        for _ in range(2):
            extend(original, extension())
        self.causes(APIError.SUBSCRIPTION_MAX_EXTENSION, extend, original, extension())
        self.store.ask("PATCH", "clock", {"advanceMilliseconds": 40 * DAY})
        renewal = self.store.transactions("?customer=ada&limit=1")[0]["transactionId"]
        self.assertNotEqual(renewal, original)
        self.causes(APIError.TRANSACTION_ID_IS_NOT_ORIGINAL_TRANSACTION_ID_ERROR, api.set_app_account_token, renewal,
                    UpdateAppAccountTokenRequest(appAccountToken=str(uuid.uuid4())))

        mass = MassExtendRenewalDateRequest(
            requestIdentifier=str(uuid.uuid4()), extendByDays=1, extendReasonCode=ExtendReasonCode.OTHER, productId="none")
        extend_all = api.extend_renewal_date_for_all_active_subscribers
        self.causes(APIError.INVALID_PRODUCT_ID, extend_all, mass)
        mass.productId, mass.storefrontCountryCodes = PLAN, ["ZZZ"]
        self.causes(APIError.INVALID_STOREFRONT_COUNTRY_CODE, extend_all, mass)
        mass.storefrontCountryCodes = []
        self.causes(APIError.INVALID_EMPTY_STOREFRONT_COUNTRY_CODE_LIST, extend_all, mass)
        self.causes(APIError.STATUS_REQUEST_NOT_FOUND, api.get_status_of_subscription_renewal_date_extensions,
                    str(uuid.uuid4()), PLAN)

    def cause_errors_of_notifications(self):
        api, now = self.api, self.store.ask("GET", "clock")["now"]

        def history(token=None, start=now - DAY, end=now + DAY, **filters):
            return api.get_notification_history(token, NotificationHistoryRequest(startDate=start, endDate=end, **filters))

        self.causes(APIError.SERVER_NOTIFICATION_URL_NOT_FOUND, api.request_test_notification)
        self.causes(APIError.INVALID_TEST_NOTIFICATION_TOKEN, api.get_test_notification_status, "x")
        self.causes(APIError.TEST_NOTIFICATION_NOT_FOUND, api.get_test_notification_status, str(uuid.uuid4()))
        self.causes(APIError.INVALID_PAGINATION_TOKEN, history, "x")
        self.causes(APIError.START_DATE_TOO_FAR_IN_PAST, history, None, 7, 8)
        self.causes(APIError.START_DATE_AFTER_END_DATE, history, None, 8, 7)
        self.causes(APIError.INVALID_NOTIFICATION_TYPE, lambda: history(notificationSubtype=Subtype.INITIAL_BUY))
        self.causes(APIError.MULTIPLE_FILTERS_SUPPLIED, lambda: history(
            notificationType=NotificationTypeV2.TEST, transactionId=self.buy(COINS)))
        self.receive()
        for _ in range(21):
            api.request_test_notification()
        self.settle()
        token = history().paginationToken
        self.assertEqual(len(history(token).notificationHistory), 1)
        self.store.ask("POST", "reset")
        self.causes(APIError.PAGINATION_TOKEN_EXPIRED, history, token)

    def cause_too_many_requests(self):
        self.store.ask("PATCH", "settings", {"rateLimits": True})
        # One test notification is allowed each second, in the sandbox a tenth, and by hour: 360. The library makes a connection
        # and a token for each request, which takes longer.
        address = urllib.parse.urlsplit(self.connection["baseURLs"]["sandbox"])
        connection = http.client.HTTPConnection(address.netloc)
        self.addCleanup(connection.close)
        # If an hour of the machine's clock ends meanwhile, its limit begins again.
        for _ in range(2 * 360):
            connection.request("GET", f"{address.path}/inApps/v1/notifications/test/x", headers=self.api._get_headers())
            answer = connection.getresponse()
            answer.read()
            if answer.status == 429:
                break
        self.causes(APIError.RATE_LIMIT_EXCEEDED, self.api.get_test_notification_status, "x")

    def test_a_fault_answers_with_each_code_that_is_not_of_a_family_that_is_left_out(self):
        transaction = self.buy(COINS)
        for error in APIError:
            if error in listed(LEFT_OUT):
                with self.assertRaises(urllib.error.HTTPError, msg=str(error)) as refusal:
                    with self.fault("serverAPIError", errorCode=error.value):
                        pass
                self.assertEqual(refusal.exception.code, 422)
            else:
                with self.fault("serverAPIError", errorCode=error.value):
                    self.refused(error, self.api.get_transaction_info, transaction)
        self.api.get_transaction_info(transaction)


if __name__ == "__main__":
    unittest.main()
