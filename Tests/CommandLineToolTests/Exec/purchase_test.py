"""A backend's test, as somebody who has never heard of Swift writes it: standard library only.

It buys on a customer's behalf, checks the books, asks the store for what the app would send its server, and verifies both
receipts in production first and then in the sandbox; once more after a refund. Its one argument is the status to end with
when all of that holds.
"""

import base64
import json
import os
import sys
import urllib.error
import urllib.request
import uuid

# A proxy of the machine's has no business on the loopback interface.
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
        # Whoever loses the answer asks again under the same name, and is charged once.
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
        assert verify("SANDBOX", forged)["status"] in (21002, 21003)

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
