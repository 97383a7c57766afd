"""A backend's test, as somebody who has never heard of Swift writes it: standard library only.

It buys on a customer's behalf, checks the books, fetches both receipts as the customer's device would, and verifies
them in production first and then in the sandbox. Its one argument is the status to end with when all of that holds.
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


def device(verb, **call):
    body = {"installationID": "a phone", "call": call}
    return exchange(f"{os.environ['OPENSTOREKIT_URL']}/device/v1/{verb}", body)


def verify(environment, receipt):
    body = {"receipt-data": receipt, "password": os.environ["OPENSTOREKIT_SHARED_SECRET"]}
    return exchange(f"{os.environ[f'OPENSTOREKIT_{environment}_URL']}/verifyReceipt", body)


def main(status):
    bundle_id = os.environ["OPENSTOREKIT_BUNDLE_ID"]
    customer = os.environ["OPENSTOREKIT_ACCOUNT"]

    bought = control("purchases", {
        "bundleId": bundle_id, "environment": "Sandbox", "customer": customer, "productId": "shop.tea", "quantity": 3,
    })
    transaction_id = bought["transactionId"]
    assert [t["transactionId"] for t in control("transactions")["transactions"]] == [transaction_id]
    charges = control("charges")["charges"]
    assert [(c["transactionId"], c["amount"]) for c in charges] == [(transaction_id, 6000)], charges

    device("register", registration={
        "installationID": "a phone", "bundleID": bundle_id, "environment": "Sandbox",
        "deviceID": str(uuid.UUID(int=1)), "applicationVersion": os.environ["OPENSTOREKIT_APP_VERSION"],
    })
    device("signIn", credentials={"account": customer})
    batch = device("unfinished")
    [delivery] = batch["deliveries"]

    for receipt in [batch["receipt"], delivery["transactionReceipt"]]:
        assert verify("PRODUCTION", receipt) == {"status": 21007}
        answer = verify("SANDBOX", receipt)
        assert answer["status"] == 0, answer
        [purchase] = answer["receipt"].get("in_app", [answer["receipt"]])
        assert purchase["transaction_id"] == transaction_id
        assert purchase["product_id"] == "shop.tea"
        assert purchase["quantity"] == "3"
        forged = base64.b64encode(base64.b64decode(receipt)[:-100]).decode()
        assert verify("SANDBOX", forged)["status"] in (21002, 21003)

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
