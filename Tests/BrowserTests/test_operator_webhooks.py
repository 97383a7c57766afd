"""The operator's page of a webhook: its secret, its messages, and the forms that change it."""
import base64
import hashlib
import hmac
import http.server
import json
import threading

from operator_test_case import OperatorTestCase
from browser import TIMEOUT_SECONDS


class Receiver(http.server.ThreadingHTTPServer):
    """A receiver of messages on this machine. Answers each message with `status`."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), ReceiverHandler)
        self.status = 204
        # The path, the header fields with names in lower case, and the body of each message.
        self.messages, self.changed = [], threading.Condition()
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def received(self, count):
        """Waits until there are this many messages, and returns them."""
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.messages) >= count, timeout=TIMEOUT_SECONDS):
                raise TimeoutError(f"{len(self.messages)} of {count} messages were received")
            return list(self.messages)

    def stop(self):
        self.shutdown()
        self.server_close()
        self.thread.join()


class ReceiverHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.changed:
            self.server.messages.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            self.server.changed.notify_all()
            status = self.server.status
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def signature(secret, message):
    """The signature of a message by a secret, by Standard Webhooks."""
    _, headers, body = message
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


class OperatorWebhookTests(OperatorTestCase):
    settings = {"webhooks": {"allowLoopback": True}}

    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)

    def create(self, reason="create"):
        """Creates a webhook by the form, and opens its page. Returns its id and its secret, which is shown once."""
        self.open("webhooks")
        self.browser.write("Name", self.account, within="#create")
        self.browser.write("URL", f"{self.receiver.address}/hook?token=t", within="#create")
        self.browser.find("#create input[value=Sandbox]").click()
        self.send("#create", "Create the webhook", reason)
        secret = self.revealed()
        self.browser.press(self.account, within="#webhooks")
        self.browser.sees(f"{self.receiver.address}/hook?token=t", within="#properties")
        self.browser.sees("Production, Sandbox", within="#properties")
        return self.browser.driver.current_url.split("id=")[1], secret

    def revealed(self):
        """Returns the secret on the page, and goes back. No page shows it again."""
        self.browser.sees("It is shown only once.", within="main")
        secret = self.browser.text("#revealed")
        self.assertRegex(secret, r"^whsec_[A-Za-z0-9+/]{43}=$")
        address = self.browser.driver.current_url
        self.assertNotIn(secret, address)
        self.browser.press("Back")
        self.browser.gone("#revealed")
        for _ in range(2):
            self.assertNotIn(secret, self.browser.driver.page_source)
            self.browser.open(address)
        return secret

    def until_listed(self, number, **cells):
        """Waits until the list has a message with these cells, and returns all cells of its row."""
        found = {}

        def is_listed():
            self.browser.driver.execute_async_script("window.pages.look().then(arguments[0])")
            for row in self.rows("#deliveries"):
                if row["Number"] == str(number):
                    found.update(row)
            return all(found.get(name) == value for name, value in cells.items())

        self.browser.until_true(is_listed)
        return found

    def send_again(self, number, reason):
        self.browser.press(f"Send again message {number}", within="#deliveries", exact=True)
        self.send(f"[id='resend-{number}.']", "Send again", reason)

    def test_messages(self):
        """A webhook's messages with their states: a test, a purchase, one that is dead. Those that are settled are sent again"""
        webhook, secret = self.create()
        self.browser.sees("There is no such message.", within="#deliveries")
        self.send("#test", "Send a test", "test")
        [test] = self.receiver.received(1)
        self.assertEqual(test[0], "/hook?token=t")
        self.assertEqual(test[1]["webhook-signature"], signature(secret, test))
        self.assertEqual(json.loads(test[2])["type"], "TEST")
        row = self.until_listed(1, Type="TEST", State="delivered", Attempts="1", Answer="HTTP 204")
        self.assertEqual((row["Customer"], row["Next attempt"]), ("", ""))
        # The receiver fails, and a purchase is sent.
        self.receiver.status = 503
        customer, bought = self.buy()
        purchase = self.receiver.received(2)[1]
        self.assertEqual(json.loads(purchase[2])["data"]["transactionId"], bought)
        row = self.until_listed(2, Type="NON_RENEWING_PURCHASE", State="waiting", Answer="HTTP 503")
        self.assertEqual(row["Customer"], customer)
        self.assertIn(":", row["Next attempt"])
        # The newest message is the first one. What waits is not sent again by an operator.
        self.assertEqual([each["Number"] for each in self.rows("#deliveries")], ["2", "1"])
        forms = self.browser.driver.find_elements("css selector", "#deliveries form")
        self.assertEqual([form.get_attribute("id") for form in forms], ["resend-1."])
        # Three days later, the tenth attempt fails.
        self.change_ledger("UPDATE webhook_delivery SET attempts = 9, due = 0 WHERE webhook = ? AND number = 2", (webhook,))
        # The server has another address since it was started again.
        self.open(f"webhook?id={webhook}")
        self.until_listed(2, State="dead", Attempts="10", Answer="HTTP 503")
        self.check_page("operator-webhook-messages")
        # The list of one state, and of all again.
        self.browser.choose("State", "dead", within="#messages .filters")
        self.browser.press("Find", within="#messages .filters")
        self.browser.until("return document.querySelectorAll('#deliveries tbody tr').length === 1 && location.search.includes('state=dead')")
        self.assertEqual([each["Number"] for each in self.rows("#deliveries")], ["2"])
        self.assertEqual(self.browser.field("State", within="#messages .filters").get_attribute("value"), "dead")
        self.browser.press("All", within="#messages .filters")
        self.browser.until("return document.querySelectorAll('#deliveries tbody tr').length === 2")
        # A dead message and a delivered one are sent again: the same messages.
        self.receiver.status = 200
        count = len(self.receiver.messages)
        self.send_again(2, "mended")
        self.assertEqual(self.until_listed(2, State="delivered", Attempts="1")["Answer"], "HTTP 200")
        self.send_again(1, "lost")
        self.assertEqual(self.until_listed(1, Answer="HTTP 200")["State"], "delivered")
        for again, before in zip(self.receiver.received(count + 2)[count:], (purchase, test)):
            self.assertEqual((again[1]["webhook-id"], again[2]), (before[1]["webhook-id"], before[2]))
            self.assertEqual(again[1]["webhook-signature"], signature(secret, again))
        self.browser.press(customer, within="#deliveries")
        self.browser.sees("5 monkey-credits", within="#credits")
        self.assert_audited(
            ("resendWebhookDelivery", webhook, "message 1: lost"), ("resendWebhookDelivery", webhook, "message 2: mended"),
            ("testWebhook", webhook, "test"), ("createWebhook", webhook, f"{self.receiver.address}: create"))

    def test_changes(self):
        """A webhook's secret is replaced; it is disabled, changed, enabled, disabled by its receiver, and removed"""
        webhook, before = self.create()
        self.send("#rotate", "Replace the secret", "it leaked")
        after = self.revealed()
        self.assertNotEqual(before, after)
        self.browser.sees("The secret before also signs until", within="#properties")
        self.send("#test", "Send a test", "both secrets")
        [both] = self.receiver.received(1)
        self.assertEqual(set(both[1]["webhook-signature"].split()), {signature(before, both), signature(after, both)})
        self.until_listed(1, State="delivered")
        # Nothing is sent while it is disabled, and nothing is lost.
        self.send("#switch", "Disable", "maintenance")
        self.browser.sees("disabled", within="#head")
        self.send("#test", "Send a test", "while disabled")
        self.until_listed(2, State="waiting", Attempts="0")
        self.browser.write("Name", "another name", within="#change")
        self.browser.write("URL", f"{self.receiver.address}/new", within="#change")
        self.browser.find("#change input[value=REFUND]").click()
        self.browser.find("#change input[value=Production]").click()
        self.send("#change", "Change", "moved")
        self.browser.sees(f"{self.receiver.address}/new", within="#properties")
        self.browser.sees("another name", within="#head")
        self.assertEqual(self.ask("GET", f"operator/webhooks/{webhook}")["types"], ["REFUND"])
        self.assertEqual(self.ask("GET", f"operator/webhooks/{webhook}")["environments"], ["Sandbox"])
        self.check_page("operator-webhook-disabled")
        self.assertEqual(len(self.receiver.messages), 1)
        self.send("#switch", "Enable", "maintenance is over")
        self.browser.sees("enabled", within="#head")
        self.assertEqual(self.receiver.received(2)[1][0], "/new")
        self.until_listed(2, State="delivered", Attempts="1")
        # The receiver wants no more messages.
        self.receiver.status = 410
        self.send("#test", "Send a test", "gone")
        self.until_listed(3, State="waiting", Attempts="0", Answer="HTTP 410")
        self.browser.sees("disabled", within="#head .badge-bad")
        self.browser.sees("Problem", within="#properties")
        self.browser.sees("410", within="#properties")
        self.receiver.status = 204
        self.send("#switch", "Enable", "back")
        self.until_listed(3, State="delivered", Attempts="1")
        self.browser.sees_not("Problem", within="#properties")
        self.send("#remove", "Remove", "no longer needed", is_confirmed=True)
        self.browser.sees("Webhooks", within="h1")
        self.browser.sees_not("another name", within="#webhooks")
        self.assertEqual([each for each in self.ask("GET", "operator/webhooks")["webhooks"] if each["id"] == webhook], [])
        origin = self.receiver.address
        self.assert_audited(
            ("removeWebhook", webhook, "no longer needed"), ("changeWebhook", webhook, "enabled: back"),
            ("testWebhook", webhook, "gone"), ("changeWebhook", webhook, "enabled: maintenance is over"),
            ("changeWebhook", webhook, f"{origin}: moved"), ("testWebhook", webhook, "while disabled"),
            ("changeWebhook", webhook, "disabled: maintenance"), ("testWebhook", webhook, "both secrets"),
            ("rotateWebhookSecret", webhook, "it leaked"), ("createWebhook", webhook, f"{origin}: create"))

    def test_refused_address(self):
        """An address that is not accepted is refused beside its field, what was typed stays, and nothing is created or changed"""
        self.open("webhooks")
        self.browser.write("Name", self.account, within="#create")
        self.browser.write("URL", "http://10.0.0.1/hook", within="#create")
        self.browser.find("#create input[value=RENEWAL]").click()
        self.send("#create", "Create the webhook", "a test")
        self.browser.find("#create-url[aria-invalid=true] ~ .refusal")
        self.assertIn("https", self.browser.text("#create .refusal"))
        self.expect_refusal()
        self.assertEqual(
            [self.browser.field(name, within="#create").get_attribute("value") for name in ("Name", "URL", "Reason")],
            [self.account, "http://10.0.0.1/hook", "a test"])
        self.assertTrue(self.browser.find("#create input[value=RENEWAL]").is_selected())
        self.check_page("operator-webhook-refused")
        self.assertEqual([each for each in self.ask("GET", "operator/webhooks")["webhooks"] if each["name"] == self.account], [])
        # What is corrected is created.
        self.browser.write("URL", f"{self.receiver.address}/hook", within="#create")
        self.browser.press("Create the webhook", within="#create .send")
        self.revealed()
        [made] = [each for each in self.ask("GET", "operator/webhooks")["webhooks"] if each["name"] == self.account]
        self.assertEqual((made["types"], made["environments"]), (["RENEWAL"], ["Production"]))
        self.assert_audited(("createWebhook", made["id"], f"{self.receiver.address}: a test"))
