"""Apple's App Store Server Library for Python, as PyPI has it, beside a running emulator.

`make server-library-tests` installs the library in `.build/server-library` and runs the tests. The library has Apple's addresses
as constants: the address of the emulator is put in their place. Everything that is signed is verified, with online checks.
"""
import base64
import contextlib
import http.server
import json
import pathlib
import sys
import threading
import unittest
import urllib.request
import warnings

from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient, GetTransactionHistoryVersion
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "BrowserTests"))
from programs import BUNDLE_ID, CATALOG, ROOT, Emulator, Folder, request_store  # noqa: E402, F401

COINS = "com.xamarin.storekit.testing.consume5credits"
SHARED = "com.xamarin.storekit.testing.greyscale"
CLUB_CATALOG = str(ROOT / "Sources/Demo/Club.storekit")
PLAN = "com.example.club.gold.monthly"
DAY = 86_400_000
V2 = GetTransactionHistoryVersion.V2


class Receiver(http.server.BaseHTTPRequestHandler):
    """Receives notifications of one server."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.append(body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


class LibraryTests(unittest.TestCase):
    """A store of its own for each test."""
    catalogs = (CATALOG, CLUB_CATALOG)

    def setUp(self):
        warnings.simplefilter("ignore", DeprecationWarning)
        first, *others = self.catalogs
        self.store = Emulator(first, *[part for catalog in others for part in ("--config", catalog)])
        self.addCleanup(self.store.stop)
        self.connection = self.store.ask("GET", "connection")

    def client(self, environment=Environment.SANDBOX, connection=None):
        connection = connection or self.connection
        client = AppStoreServerAPIClient(
            connection["privateKey"].encode(), connection["keyId"], connection["issuerId"], connection["bundleId"],
            environment)
        name = "sandbox" if environment == Environment.SANDBOX else "production"
        client._base_url = self.connection["baseURLs"][name]
        return client

    def verifier(self, environment=Environment.SANDBOX):
        """A verifier that has verified nothing yet: a verified chain is not checked again for fifteen minutes."""
        root = base64.b64decode(self.connection["rootCertificate"])
        return SignedDataVerifier(
            [root], True, environment, self.connection["bundleId"], self.connection["appAppleId"])

    def buy(self, product, environment="Sandbox", customer="customer"):
        return self.store.ask("POST", "purchases", {
            "bundleId": BUNDLE_ID, "environment": environment, "customer": customer,
            "productId": product})["transactionId"]

    def install(self, customer="customer"):
        """A device on which the customer is signed in, with the app."""
        for call, content in [
                ("register", {"registration": {
                    "installationID": "phone", "bundleID": BUNDLE_ID, "environment": "Sandbox", "applicationVersion": "1.2",
                    "deviceID": "00000000-0000-4000-8000-000000000001"}}),
                ("signIn", {"credentials": {"account": customer}})]:
            self.post(f"{self.store.address}/device/v1/{call}", {"installationID": "phone", "call": content})

    def post(self, address, document):
        request = urllib.request.Request(
            address, data=json.dumps(document).encode(), headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return json.loads(reply.read() or b"null")

    @contextlib.contextmanager
    def fault(self, kind, **members):
        """Sets a fault, and removes it at the end."""
        self.store.ask("POST", "faults", {"kind": kind, "id": "f", **members})
        yield
        self.store.ask("DELETE", "faults/f")

    def receive(self):
        """Lets a server receive the sandbox's notifications, and returns the list of their bodies."""
        server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
        server.bodies = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.store.ask("PUT", f"apps/{BUNDLE_ID}/notificationURLs", {
            "production": None, "sandbox": f"http://127.0.0.1:{server.server_port}/"})
        return server.bodies

    def settle(self):
        return self.store.ask("POST", "notifications/settle", {"timeoutMilliseconds": 30_000})

    def decoded(self, signed, environment=Environment.SANDBOX):
        verifier = self.verifier(environment)
        return [verifier.verify_and_decode_signed_transaction(jws) for jws in signed]

    def status(self, signed):
        """The status with which the library refuses signed data; nothing if it accepts them."""
        try:
            self.verifier().verify_and_decode_signed_transaction(signed)
        except VerificationException as refusal:
            return refusal.status

    def refused(self, error, call, *arguments):
        with self.assertRaises(APIException, msg=str(error)) as refusal:
            call(*arguments)
        self.assertEqual(refusal.exception.api_error, error, refusal.exception.error_message)
        self.assertEqual(refusal.exception.http_status_code, error.value // 10_000)

    def unauthenticated(self, call, *arguments):
        """The reason in the journal of a call that was refused with 401, as Apple does: without an error object."""
        with self.assertRaises(APIException) as refusal:
            call(*arguments)
        self.assertEqual((refusal.exception.http_status_code, refusal.exception.api_error), (401, None))
        return self.newest_request()["reason"]

    def newest_request(self):
        return self.store.ask("GET", "requests")["requests"][-1]

    def paid_subscription(self, product=PLAN, customer="customer"):
        """The first transaction of a subscription whose current period was paid."""
        transaction = self.buy(product, customer=customer)
        client = self.client()
        # The first period can be free. The clock moves to a paid one.
        while self.decoded([client.get_all_subscription_statuses(transaction).data[0].lastTransactions[0]
                            .signedTransactionInfo])[0].price == 0:
            self.store.ask("PATCH", "clock", {"toNextEvent": True})
        return transaction
