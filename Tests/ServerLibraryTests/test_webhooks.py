"""The library of Standard Webhooks, as PyPI has it, verifies the messages of a purchase server's webhooks."""
import http.server
import json
import threading
import unittest
import urllib.request
import uuid

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from library import *  # noqa: F403

from programs import PurchaseServer

CREDITS = "monkey-credits"


class WebhookReceiver(http.server.BaseHTTPRequestHandler):
    """Answers each message with the next status of its server, then with 204."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.changed:
            status = self.server.statuses.pop(0) if self.server.statuses else 204
            self.server.messages.append((dict(self.headers), body))
            self.server.changed.notify_all()
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Webhooks(LibraryTests):
    def setUp(self):
        super().setUp()
        folder = Folder()
        self.addCleanup(folder.stop)
        # Signed transactions have prices.
        self.server = PurchaseServer(folder, self.store, {}, {
            "apps": [{"bundleId": BUNDLE_ID, "verification": "offline"}], "webhooks": {"allowLoopback": True}})
        self.addCleanup(self.server.stop)
        self.server.sell_credits(COINS, CREDITS, 5)
        self.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), WebhookReceiver)
        self.receiver.messages, self.receiver.statuses, self.receiver.changed = [], [], threading.Condition()
        thread = threading.Thread(target=self.receiver.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.receiver.server_close)
        self.addCleanup(self.receiver.shutdown)

    def ask(self, method, path, document=None):
        request = urllib.request.Request(
            f"{self.server.address}/v1/operator/{path}", data=None if document is None else json.dumps(document).encode(),
            method=method, headers={"Authorization": f"Bearer {self.server.key}"})
        with urllib.request.urlopen(request) as reply:
            return json.loads(reply.read() or b"null")

    def create(self, **members):
        made = self.ask("POST", "webhooks", {
            "name": "backend", "url": f"http://127.0.0.1:{self.receiver.server_port}/hook",
            "environments": ["Sandbox"], "reason": "a test", **members})
        return made["webhook"]["id"], made["secret"]

    def redeem(self, customer="customer"):
        """Buys credits in the store and redeems them at the server. Returns the transaction and the customer's id."""
        transaction = self.buy(COINS, customer=customer)
        proofs = self.store.ask("GET", f"transactions/{transaction}/proofs")
        address = f"{self.server.address}/v1/apps/{BUNDLE_ID}"
        installation = self.post(f"{address}/installations", {"device": str(uuid.uuid4())})
        request = urllib.request.Request(
            f"{address}/redemptions", headers={"Authorization": f"Bearer {installation['token']}"},
            data=json.dumps({"proof": {"signedTransaction": proofs["signedTransaction"]},
                             "purchases": [{"transactionId": transaction}]}).encode())
        with urllib.request.urlopen(request) as reply:
            self.assertEqual(reply.status, 200)
        return transaction, installation["customer"]

    def received(self, count):
        """Waits for a number of messages, and returns all so far: their header fields and bodies."""
        with self.receiver.changed:
            self.assertTrue(
                self.receiver.changed.wait_for(lambda: len(self.receiver.messages) >= count, timeout=300), self.receiver.messages)
            return list(self.receiver.messages)

    def test_the_library_verifies_a_purchase_and_refuses_what_is_altered(self):
        identifier, secret = self.create()
        self.ask("POST", f"webhooks/{identifier}/test", {"reason": "a test"})
        self.received(1)
        transaction, customer = self.redeem()
        messages = self.received(2)
        library = Webhook(secret)
        test, purchase = (library.verify(body, headers) for headers, body in messages)
        self.assertEqual(test["type"], "TEST")
        self.assertEqual((purchase["type"], purchase["version"]), ("NON_RENEWING_PURCHASE", 1))
        data = purchase["data"]
        self.assertEqual(
            (data["transactionId"], data["customer"], data["productId"], data["environment"], data["app"]),
            (transaction, customer, COINS, "Sandbox", BUNDLE_ID))
        self.assertEqual(data["id"], {name.lower(): value for name, value in messages[1][0].items()}["webhook-id"])
        headers, body = messages[1]
        for wrong_headers, wrong_body in [
                (headers, body.replace(b"NON_RENEWING_PURCHASE", b"INITIAL_PURCHASE")),
                ({**headers, "Webhook-Id": "msg_other"}, body), (messages[0][0], body)]:
            fields = {name.lower(): value for name, value in wrong_headers.items()}
            with self.assertRaises(WebhookVerificationError):
                library.verify(wrong_body, fields)
        with self.assertRaises(WebhookVerificationError):
            Webhook("whsec_" + "A" * 43 + "=").verify(body, headers)

    def test_both_secrets_verify_after_a_rotation(self):
        identifier, before = self.create()
        after = self.ask("POST", f"webhooks/{identifier}/rotate", {"reason": "a test"})["secret"]
        self.assertNotEqual(before, after)
        transaction, _ = self.redeem()
        headers, body = self.received(1)[0]
        for secret in (before, after):
            self.assertEqual(Webhook(secret).verify(body, headers)["data"]["transactionId"], transaction)

    def test_a_repeated_message_has_the_same_id_and_body_and_is_among_the_events(self):
        self.receiver.statuses = [500]
        identifier, secret = self.create()
        self.redeem()
        messages = self.received(2)
        library = Webhook(secret)
        first, second = (library.verify(body, headers) for headers, body in messages)
        self.assertEqual(first, second)
        # The same bodies, one in each line.
        request = urllib.request.Request(
            f"{self.server.address}/v1/operator/events", headers={"Authorization": f"Bearer {self.server.key}"})
        with urllib.request.urlopen(request) as reply:
            lines = [json.loads(line) for line in reply.read().splitlines()]
        self.assertIn(first, lines)
        deliveries = self.ask("GET", f"webhooks/{identifier}/deliveries")["deliveries"]
        self.assertEqual([each["message"] for each in deliveries], [first["data"]["id"]])


if __name__ == "__main__":
    unittest.main()
