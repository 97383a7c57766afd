"""Apple's library against a store, and without it."""

import asyncio
import importlib.util
import sys

import pytest
from appstoreserverlibrary.signed_data_verifier import VerificationException

from openstorekit import OpenStoreKitError

pytestmark = pytest.mark.app_store(config="tests/Shop.storekit", bundle_id="com.example.shop")


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_a_verifier_and_a_client(app_store, environment):
    coins = app_store.buy("coins", environment=environment)
    app_store.refund(coins)
    verifier = app_store.verifier(environment)
    sent = app_store.notifications.wait_for("REFUND")
    notification = verifier.verify_and_decode_notification(sent.signed_payload)
    assert notification.notificationType.value == "REFUND"
    asked = app_store.api_client(environment).get_transaction_info(coins.transaction_id)
    refunded = verifier.verify_and_decode_signed_transaction(asked.signedTransactionInfo)
    assert (refunded.transactionId, refunded.revocationReason.value) == (coins.transaction_id, 0)
    proofs = app_store.proofs(coins)
    assert verifier.verify_and_decode_signed_transaction(proofs.signed_transaction).productId == "coins"


def test_online_checks_ask_the_store(app_store):
    signed = app_store.proofs(app_store.buy("coins")).signed_transaction
    with app_store.fault("ocspRevoked"):
        with pytest.raises(VerificationException):
            app_store.verifier().verify_and_decode_signed_transaction(signed)
        app_store.verifier(online_checks=False).verify_and_decode_signed_transaction(signed)


@pytest.mark.skipif(importlib.util.find_spec("httpx") is None, reason="httpx is not installed")
def test_an_asynchronous_client(app_store):
    coins = app_store.buy("coins")

    async def ask():
        client = app_store.async_api_client()
        answer = await client.get_transaction_info(coins.transaction_id)
        await client.async_close()
        return answer

    assert asyncio.run(ask()).signedTransactionInfo


def test_without_the_library_the_error_says_what_to_install(app_store, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("appstoreserverlibrary")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "appstoreserverlibrary", None)
    for ask in [app_store.verifier, app_store.api_client, app_store.async_api_client]:
        with pytest.raises(OpenStoreKitError, match="pip install app-store-server-library"):
            ask()
