"""A backend's test, as a developer who uses no Swift writes it: with Python's standard library only.

It buys for a customer, checks the store's records, gets the receipts that an app would send to its server, and verifies both in
production first and then in the sandbox. After a refund, it does so again. Its argument is the exit status if all checks pass.
"""

import base64
import json
import os
import sys
import urllib.error
import urllib.request
import uuid

# Requests to this machine must not go through a proxy.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def exchange(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with OPENER.open(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{url}: {error.code} {error.read().decode()}") from error


def control(path, body=None):
    return exchange(f"{os.environ['OPENSTOREKIT_CONTROL_URL']}/{path}", body)


def verify(environment, receipt):
    body = {"receipt-data": receipt, "password": os.environ["OPENSTOREKIT_SHARED_SECRET"]}
    return exchange(f"{os.environ[f'OPENSTOREKIT_{environment}_URL']}/verifyReceipt", body)


def main(status):
    bundle_id = os.environ["OPENSTOREKIT_BUNDLE_ID"]
    customer = os.environ["OPENSTOREKIT_ACCOUNT"]

    order = {
        "bundleId": bundle_id, "environment": "Sandbox", "customer": customer, "productId": "shop.tea", "quantity": 3,
        # A caller that loses the answer repeats the request with the same id, and the customer is charged once.
        "paymentId": str(uuid.uuid4()),
    }
    transaction_id = control("purchases", order)["transactionId"]
    assert control("purchases", order)["transactionId"] == transaction_id
    assert [t["transactionId"] for t in control("transactions")["transactions"]] == [transaction_id]
    charges = control("charges")["charges"]
    assert [(c["transactionId"], c["amount"]) for c in charges] == [(transaction_id, 6000)], charges

    proofs = control(f"transactions/{transaction_id}/proofs")
    payload = proofs["signedTransaction"].split(".")[1]
    signed = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert (signed["transactionId"], signed["quantity"]) == (transaction_id, 3), signed
    for receipt in [proofs["appReceipt"], proofs["legacyReceipt"]]:
        assert verify("PRODUCTION", receipt) == {"status": 21007}
        answer = verify("SANDBOX", receipt)
        assert answer["status"] == 0, answer
        [purchase] = answer["receipt"].get("in_app", [answer["receipt"]])
        assert purchase["transaction_id"] == transaction_id
        assert purchase["product_id"] == "shop.tea"
        assert purchase["quantity"] == "3"
        forged = base64.b64encode(base64.b64decode(receipt)[:-100]).decode()
        assert verify("SANDBOX", forged)["status"] == 21002

    control(f"transactions/{transaction_id}/refund", {})
    refunded = control(f"transactions/{transaction_id}/proofs")
    [purchase] = verify("SANDBOX", refunded["appReceipt"])["receipt"]["in_app"]
    assert "cancellation_date" in purchase, purchase

    for name in ["ROOT_CERTIFICATE", "RECEIPT_ROOT_CERTIFICATE", "RECEIPT_INTERMEDIATE_CERTIFICATE"]:
        with open(os.environ[f"OPENSTOREKIT_{name}"], "rb") as file:
            assert file.read(1) == b"\x30", name
    connection = control("connection")
    with open(os.environ["OPENSTOREKIT_ROOT_CERTIFICATE"], "rb") as file:
        assert base64.b64encode(file.read()).decode() == connection["rootCertificate"]

    # What an app would keep goes with the emulator.
    with open(os.path.join(os.environ["OPENSTOREKIT_DATA"], "something"), "w") as file:
        file.write("kept by an app")
    print(f"bought {transaction_id} at {os.environ['OPENSTOREKIT_DATA']}")
    sys.exit(status)


main(int(sys.argv[1]))
