"""The notifications of a store, at its own receiver and at a server of the test."""

import contextlib
import http.client
import http.server
import json
import threading
import urllib.parse

import pytest

from openstorekit import AppStore, ControlError, NotificationError, StoppedError
from openstorekit.notifications import _Changes

SHOP = "com.example.shop"
pytestmark = pytest.mark.app_store(config="tests/Shop.storekit", bundle_id=SHOP)


class Webhook:
    """The server under test."""

    def __init__(self):
        self.types, self.status, self.answer, self.path = [], 200, b"", "/apple"
        self.begun, self.released = threading.Event(), threading.Event()
        self.released.set()
        webhook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                webhook.begun.set()
                webhook.released.wait(60)
                webhook.types.append((self.path, sorted(body)))
                self.send_response(webhook.status)
                self.end_headers()
                self.wfile.write(webhook.answer)

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}{self.path}"

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def webhook():
    webhook = Webhook()
    yield webhook
    webhook.close()


def test_a_refund_is_received(app_store):
    coins = app_store.buy("coins")
    app_store.refund(coins)
    refund = app_store.notifications.wait_for("REFUND")
    assert (refund.type, refund.subtype, refund.state) == ("REFUND", None, "sent")
    assert refund.transaction_id == refund.transaction_info["transactionId"] == coins.transaction_id
    assert refund.payload["notificationUUID"] == refund.uuid
    assert refund.renewal_info == {}
    assert [of.type for of in app_store.notifications] == ["ONE_TIME_CHARGE", "REFUND"]
    assert app_store.notifications.received[1] == refund.body == {"signedPayload": refund.signed_payload}


def test_each_call_returns_the_next_one(app_store):
    bought = [app_store.buy(product) for product in ["coins", "filter", "coins"]]
    wait_for = app_store.notifications.wait_for
    assert wait_for("ONE_TIME_CHARGE", transaction_id=bought[1].transaction_id).transaction_info["productId"] == "filter"
    assert [wait_for("ONE_TIME_CHARGE").transaction_id for _ in range(2)] == [
        bought[0].transaction_id, bought[2].transaction_id]
    with pytest.raises(NotificationError, match=r"No ONE_TIME_CHARGE .* ONE_TIME_CHARGE \(sent\), ONE_TIME_CHARGE"):
        wait_for("ONE_TIME_CHARGE", timeout=0)


def test_subtypes_of_a_subscription(app_store):
    club = app_store.buy("club.monthly")
    subscribed = app_store.notifications.wait_for("SUBSCRIBED", "INITIAL_BUY")
    assert subscribed.renewal_info["autoRenewProductId"] == "club.monthly"
    app_store.control.change_subscription(club.original_transaction_id, is_auto_renew_on=False)
    with pytest.raises(NotificationError, match="DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED"):
        app_store.notifications.wait_for("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", timeout=0)
    app_store.notifications.wait_for("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED")
    app_store.advance(days=40)
    assert app_store.notifications.wait_for("EXPIRED").subtype == "VOLUNTARY"
    assert [of.uuid for of in app_store.notifications.all("SUBSCRIBED", "INITIAL_BUY")] == [subscribed.uuid]


def test_a_server_of_the_test_receives(app_store, webhook):
    app_store.notifications.send_to(webhook.url)
    coins = app_store.buy("coins")
    sent = app_store.notifications.wait_for("ONE_TIME_CHARGE")
    assert webhook.types == [("/apple", ["signedPayload"])]
    assert (sent.attempts[0].url, sent.attempts[0].http_status, sent.transaction_id) == (
        webhook.url, 200, coins.transaction_id)
    assert app_store.notifications.received == []


def test_the_address_of_the_server_can_be_an_option(config, webhook):
    with AppStore(config, notification_url=webhook.url) as store:
        store.buy("coins")
        store.notifications.wait_for("ONE_TIME_CHARGE")
        store.reset()
        store.buy("coins")
        store.notifications.settle()
    assert len(webhook.types) == 2


def test_without_an_address_there_are_none(config):
    with AppStore(config, notifications=False) as store:
        store.buy("coins")
        with pytest.raises(NotificationError, match="no address"):
            store.notifications.wait_for("ONE_TIME_CHARGE", timeout=0)


def test_a_server_that_refuses_is_an_error_with_its_words(app_store, webhook):
    app_store.notifications.send_to(webhook.url)
    webhook.status, webhook.answer = 500, b"no such customer"
    app_store.buy("coins")
    with pytest.raises(NotificationError, match="HTTP 500: no such customer"):
        app_store.notifications.wait_for("ONE_TIME_CHARGE")
    with pytest.raises(NotificationError, match="was made, and not sent"):
        app_store.notifications.wait_for("ONE_TIME_CHARGE", timeout=0)
    webhook.status = 200
    app_store.notifications.resend(app_store.notifications.all()[0])
    assert len(app_store.notifications.wait_for("ONE_TIME_CHARGE").attempts) == 2
    app_store.buy("coins", environment="production")
    app_store.notifications.wait_for("ONE_TIME_CHARGE")
    webhook.status = 503
    app_store.buy("coins", environment="production")
    with pytest.raises(NotificationError, match="advance the clock"):
        app_store.notifications.wait_for("ONE_TIME_CHARGE")
    webhook.status = 200
    app_store.advance(hours=1)
    assert len(app_store.notifications.wait_for("ONE_TIME_CHARGE").attempts) == 2


def test_no_server_is_an_error(app_store):
    app_store.notifications.send_to("http://127.0.0.1:1/apple")
    app_store.buy("coins")
    with pytest.raises(NotificationError, match="1/apple, and not accepted"):
        app_store.notifications.wait_for("ONE_TIME_CHARGE")


def test_held_notifications_are_sent_at_the_end_of_the_block(app_store):
    with app_store.notifications.held():
        app_store.buy("coins")
        assert app_store.notifications.settle().held == 1
        with pytest.raises(NotificationError, match="is held"):
            app_store.notifications.wait_for("ONE_TIME_CHARGE", timeout=0)
        assert app_store.notifications.received == []
    app_store.notifications.wait_for("ONE_TIME_CHARGE")


def test_what_another_thread_causes_is_waited_for(app_store):
    waits, asked = threading.Event(), app_store.notifications._list

    def listing(*arguments):
        waits.set()
        return asked(*arguments)

    def backend():
        waits.wait()
        app_store.refund(coins)

    coins = app_store.buy("coins")
    app_store.notifications._list = listing
    thread = threading.Thread(target=backend)
    thread.start()
    app_store.notifications.wait_for("REFUND", timeout=60)
    thread.join()
    del app_store.notifications._list


def test_the_wait_ends_with_its_time_or_with_the_store(app_store):
    with pytest.raises(NotificationError, match="No REFUND was sent, and no other"):
        app_store.notifications.wait_for("REFUND", timeout=0.05)
    changes = app_store.notifications._list

    def killing(*arguments):
        threading.Thread(target=app_store._process._process.kill).start()
        app_store.notifications._list = changes
        return changes(*arguments)

    app_store.notifications._list = killing
    with pytest.raises(StoppedError):
        app_store.notifications.wait_for("REFUND", timeout=60)
    app_store.stop()


def test_a_server_that_does_not_answer_to_a_later_one_hides_no_notification(app_store, webhook, monkeypatch):
    settle, wait_for = app_store.notifications.settle, app_store.notifications.wait_for
    app_store.notifications.send_to(webhook.url)
    coins = app_store.buy("coins")
    settle()
    webhook.begun.clear()
    webhook.released.clear()
    app_store.refund(coins)
    webhook.begun.wait()
    monkeypatch.setattr(app_store.notifications, "settle", lambda _: settle(0))
    assert wait_for("ONE_TIME_CHARGE", timeout=0).state == "sent"
    with pytest.raises(NotificationError, match="REFUND was made, and not sent: a server has not answered"):
        wait_for("REFUND", timeout=0)
    with pytest.raises(NotificationError, match=r"No EXPIRED .* ONE_TIME_CHARGE \(sent\), REFUND \(waiting\)"):
        wait_for("EXPIRED", timeout=0)
    webhook.released.set()
    assert wait_for("REFUND", timeout=60).attempts[0].http_status == 200


@pytest.mark.parametrize("is_retry", [False, True])
def test_an_answer_that_takes_long_is_waited_for(app_store, webhook, monkeypatch, is_retry):
    settle, calls = app_store.notifications.settle, []

    def settle_at_once(_):
        calls.append(1)
        if len(calls) == 2:
            webhook.released.set()
        return settle(0)

    app_store.notifications.send_to(webhook.url)
    if is_retry:
        webhook.status = 503
        app_store.buy("coins", environment="production")
        settle()
        webhook.status = 200
    webhook.begun.clear()
    webhook.released.clear()
    if is_retry:
        app_store.advance(hours=1)
    else:
        app_store.buy("coins")
    webhook.begun.wait()
    monkeypatch.setattr(app_store.notifications, "settle", settle_at_once)
    sent = app_store.notifications.wait_for("ONE_TIME_CHARGE", timeout=60)
    assert [attempt.http_status for attempt in sent.attempts] == ([503, 200] if is_retry else [200])


def test_a_refusal_is_an_error_although_another_server_does_not_answer(app_store, webhook, monkeypatch):
    settle = app_store.notifications.settle
    with contextlib.closing(Webhook()) as silent:
        silent.released.clear()
        app_store.control.set_notification_urls(SHOP, production=silent.url, sandbox=webhook.url)
        webhook.status = 500
        app_store.buy("coins")
        settle()
        app_store.buy("filter", environment="production")
        silent.begun.wait()
        monkeypatch.setattr(app_store.notifications, "settle", lambda _: settle(0))
        with pytest.raises(NotificationError, match="not accepted: the server answered with HTTP 500"):
            app_store.notifications.wait_for("ONE_TIME_CHARGE", timeout=60)


def test_changes_are_waited_for_again_after_a_time_limit(app_store):
    with _Changes(app_store) as changes:
        changes.wait(60)
        for _ in range(3):
            changes.wait(0.01)
        app_store.buy("coins")
        changes.wait(60)


def test_a_store_with_too_many_pages_is_not_a_store_that_has_ended(config):
    with AppStore(config) as store, contextlib.ExitStack() as pages:
        for _ in range(200):
            page = http.client.HTTPConnection(urllib.parse.urlsplit(store.url).netloc)
            pages.callback(page.close)
            page.request("GET", "/console/live")
            assert pages.enter_context(page.getresponse()).status == 200
        with pytest.raises(ControlError, match="Too many pages are open") as refusal:
            store.notifications.wait_for("REFUND")
        assert refusal.value.status == 503


def test_duplicates_are_received_twice(app_store):
    with app_store.fault("notificationDoubled", count=1):
        app_store.buy("coins")
        app_store.notifications.wait_for("ONE_TIME_CHARGE")
    received = app_store.notifications.received
    assert len(received) == 2
    assert received[0] == received[1]


def test_an_attempt_under_way_ends_before_a_reset(app_store, webhook, monkeypatch):
    settle, pid = app_store.notifications.settle, app_store.pid

    def settle_with_answer(timeout):
        webhook.released.set()
        return settle(timeout)

    monkeypatch.setattr(app_store.notifications, "settle", settle_with_answer)
    app_store.notifications.send_to(webhook.url)
    webhook.released.clear()
    app_store.buy("coins")
    app_store.buy("coins")
    webhook.begun.wait()
    app_store.reset()
    assert len(webhook.types) == 1
    assert (app_store.notifications.all(), app_store.pid) == ([], pid)


def test_a_server_that_does_not_answer_does_not_delay_a_reset(app_store, webhook, monkeypatch):
    settle, pid = app_store.notifications.settle, app_store.pid
    monkeypatch.setattr(app_store.notifications, "settle", lambda _: settle(0))
    app_store.notifications.send_to(webhook.url)
    webhook.released.clear()
    app_store.buy("coins")
    webhook.begun.wait()
    app_store.reset()
    assert (app_store.notifications.all(), app_store.pid == pid) == ([], False)
