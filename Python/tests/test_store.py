"""What a store does: purchases, refunds, its clock, its errors."""

import json
import urllib.request
from datetime import timedelta

import pytest

from openstorekit import AppStore, ControlAPI, ControlError, OpenStoreKitError, StartError, StoppedError

SHOP = "com.example.shop"
pytestmark = pytest.mark.app_store(config="tests/Shop.storekit", bundle_id=SHOP)


def test_a_store_runs_in_its_with_block(config):
    with AppStore(config, bundle_id=SHOP) as store:
        coins = store.buy("coins", quantity=3)
        assert (coins.product_id, coins.quantity, coins.price, coins.environment) == ("coins", 3, 2970, "Sandbox")
        assert store.is_running
    assert not store.is_running
    for ask in [lambda: store.url, lambda: store.buy("coins"), lambda: store.notifications.all()]:
        with pytest.raises(StoppedError, match="not running"):
            ask()


def test_a_store_can_be_started_again(config):
    store = AppStore([config], bundle_id=SHOP)
    with store:
        store.buy("coins")
        with pytest.raises(OpenStoreKitError, match="runs already"):
            store.start()
    with store:
        assert store.transactions() == []
    store.stop()


@pytest.mark.parametrize("content, words", [
    (None, "nowhere.storekit"), ("{", "JSON"), ('{"products": 7}', "products")])
def test_a_store_that_cannot_start_says_why(tmp_path, content, words):
    file = tmp_path / "nowhere.storekit"
    if content is not None:
        file.write_text(content)
    with pytest.raises(StartError, match=words) as failure, AppStore(file):
        pass
    assert failure.value.status == 2
    assert str(failure.value) == failure.value.stderr


def test_no_configuration_file_is_an_error():
    with pytest.raises(StartError, match=r"\.storekit"):
        AppStore([]).start()


def test_a_program_that_is_none_is_an_error(config, monkeypatch):
    for program, words in [("/nowhere/openstorekit", "cannot be run: No such file"), ("/bin/true", "ended with status 0")]:
        monkeypatch.setenv("OPENSTOREKIT_PROGRAM", program)
        with pytest.raises(StartError, match=words):
            AppStore(config).start()
    monkeypatch.setenv("OPENSTOREKIT_PROGRAM", "/bin/cat")
    with pytest.raises(StartError, match="unrecognized option"):
        AppStore(config).start()


def test_a_store_that_is_not_ready_in_time_is_an_error(config, monkeypatch, tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    program.chmod(0o755)
    monkeypatch.setenv("OPENSTOREKIT_PROGRAM", str(program))
    with pytest.raises(StartError, match=r"not ready within 0\.01 seconds"):
        AppStore(config, start_timeout=0.01).start()


def test_a_refusal_has_the_words_of_the_store(app_store):
    with pytest.raises(ControlError) as refusal:
        app_store.buy("tea")
    assert (refusal.value.status, refusal.value.code) == (422, "productNotAvailable")
    assert "tea" in refusal.value.message
    assert str(refusal.value) == f"{refusal.value.message} (422 productNotAvailable)"
    with pytest.raises(ControlError, match="thousandths of a percent"):
        app_store.refund(app_store.buy("coins"), percent=101)


def test_refunds(app_store):
    coins = app_store.buy("coins")
    assert app_store.refund(coins, percent=12.5, reason="app-issue").revocation_percentage == 12500
    assert app_store.transaction(coins).revocation_reason == 1
    assert app_store.reverse_refund(coins.transaction_id).state == "unfinished"
    assert app_store.refund(coins).revocation_type == "REFUND_FULL"


def test_customers_have_transactions(app_store):
    app_store.control.add_customer(environment="Sandbox", name="ada/é")
    bought = [app_store.buy("coins", customer=name).transaction_id for name in ["customer", "ada/é", "customer"]]
    assert [of.transaction_id for of in app_store.transactions()] == bought
    assert [of.transaction_id for of in app_store.transactions(customer="ada/é")] == bought[1:2]
    assert app_store.control.customer("sandbox", "ada/é").storefront == "USA"


def test_all_pages_of_transactions_are_read(app_store):
    pages = app_store.control.transactions

    def small_pages(**query):
        return pages(**query, limit=2)

    app_store.control.transactions = small_pages
    bought = [app_store.buy("coins").transaction_id for _ in range(5)]
    assert [of.transaction_id for of in app_store.transactions()] == bought
    del app_store.control.transactions
    assert app_store.control.transactions(with_total=True).total == 5


def test_null_removes_and_none_keeps(app_store):
    app_store.control.change_customer("sandbox", "customer", family="fams", password="secret")
    app_store.control.change_customer("sandbox", "customer", needs_approval=True)
    assert app_store.control.customer("sandbox", "customer").family == "fams"
    app_store.control.change_customer("sandbox", "customer", family=None)
    customer = app_store.control.customer("sandbox", "customer")
    assert (customer.family, customer.needs_approval) == (None, True)


def test_production_and_account_tokens(app_store):
    token = "2d9f7a3e-5e0c-4d0e-9d4b-2d6c8f3b1a77"
    coins = app_store.buy("coins", environment="production", app_account_token=token)
    assert (coins.environment, coins.app_account_token) == ("Production", token)


def test_the_clock_moves_and_a_subscription_renews(app_store):
    club = app_store.buy("club.monthly")
    before = app_store.now
    assert timedelta(days=31) <= app_store.advance(days=31) - before < timedelta(days=31, minutes=1)
    assert [of.transaction_reason for of in app_store.transactions()] == ["PURCHASE", "RENEWAL"]
    subscription = app_store.subscription(club.transaction_id)
    assert (subscription.state, subscription.renewal_price) == ("active", 4990)
    assert app_store.advance_to_next_event().timestamp() * 1000 == app_store.subscription(club).period_start_date


def test_a_time_rate_of_zero_stops_the_clock(config):
    with AppStore(config, time_rate=0) as store:
        assert store.now == store.now
        assert store.control.clock().rate == 0
        store.control.change_clock(rate=2)
        store.reset()
        assert store.control.clock().rate == 0


def test_proofs_and_verify_receipt(app_store):
    coins = app_store.buy("coins")
    proofs = app_store.proofs(coins)
    for environment, status in [("production", 21007), ("sandbox", 0)]:
        settings = app_store.settings(environment)
        body = {"receipt-data": proofs.app_receipt, "password": settings.shared_secret}
        request = urllib.request.Request(settings.verify_receipt_url, json.dumps(body).encode())
        with urllib.request.urlopen(request) as answer:
            verified = json.load(answer)
        assert verified["status"] == status
    assert verified["receipt"]["in_app"][0]["transaction_id"] == coins.transaction_id


def test_settings_for_another_process(app_store, tmp_path):
    variables = app_store.settings().environ(tmp_path)
    assert variables["OPENSTOREKIT_BUNDLE_ID"] == SHOP
    assert variables["OPENSTOREKIT_SANDBOX_URL"] == app_store.url + "/sandbox"
    assert (tmp_path / "root.cer").read_bytes() == app_store.settings().root_certificate
    key = tmp_path / "key.p8"
    assert variables["OPENSTOREKIT_PRIVATE_KEY"] == str(key)
    assert key.read_text().startswith("-----BEGIN PRIVATE KEY-----")
    assert key.stat().st_mode & 0o777 == 0o600


def test_faults_end_with_their_block(app_store):
    with app_store.fault("receiptServerError", http_status=503) as fault:
        assert app_store.control.fault(fault.id).kind == "receiptServerError"
    assert app_store.control.faults().faults == []
    with app_store.fault("ocspDown"):
        app_store.control.remove_faults()
    with pytest.raises(ControlError, match="errorCode"), app_store.fault("serverAPIError"):
        pass


def test_a_seed_repeats_identifiers(config):
    ids = []
    with AppStore(config, seed=7) as store:
        for _ in range(2):
            ids.append(store.buy("coins").transaction_id)
            store.reset()
    assert ids[0] == ids[1]


def test_a_reset_undoes_what_a_test_changed(app_store, config, tmp_path):
    control = app_store.control
    kept = (control.connection(), control.apps(), control.renewal_rules(SHOP), control.settings(),
            control.customers(), control.notification_policy(), control.notification_urls(SHOP), control.keys())
    pid = app_store.pid
    app_store.buy("coins")
    app_store.advance(days=400)
    control.change_product(SHOP, "coins", price=5000, is_on_sale=False)
    control.set_renewal_rules(SHOP, time_rate=4, grace_period="standard")
    control.change_settings(documented21003=True, locale="de")
    control.change_customer("sandbox", "customer", storefront="DEU")
    control.change_notification_policy(hold=True, drop=True)
    app_store.notifications.send_to("http://127.0.0.1:1/")
    control.add_key(bundle_id=SHOP)
    control.change_clock(rate=100)
    control.set_fault(kind="outage")
    app_store.reset()
    control = app_store.control
    assert kept == (
        control.connection(), control.apps(), control.renewal_rules(SHOP), control.settings(), control.customers(),
        control.notification_policy(), control.notification_urls(SHOP), control.keys())
    assert (app_store.transactions(), app_store.notifications.all(), control.faults().faults) == ([], [], [])
    assert control.clock().rate == 1
    assert app_store.pid == pid
    control.serve_app("com.example.other", configurations=[json.loads(config.read_bytes())])
    app_store.reset()
    assert [app.bundle_id for app in app_store.control.apps().apps] == [SHOP]
    assert app_store.pid != pid


def test_a_store_of_another_program_can_be_asked(app_store):
    control = ControlAPI(app_store.url, token="none is needed")
    assert control.connection().bundle_id == SHOP
    with pytest.raises(StoppedError, match="No store answers"):
        ControlAPI("http://127.0.0.1:1/control/v1").clock()
    with pytest.raises(ValueError, match="http"):
        ControlAPI("127.0.0.1:8080")
