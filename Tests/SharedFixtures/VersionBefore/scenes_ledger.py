"""What happens at a purchase server."""

from programs import *
from scenes_store import *

ENCYCLOPEDIA_TEXT = b"".join(hashlib.sha256(str(number).encode()).hexdigest().encode() for number in range(480))
SMALL_PRINT_TEXT = b"Everything nobody reads.\n" * 40


class Server:
    def __init__(self, address, operator):
        self.address, self.operator = address, operator

    def operate(self, method, path, body=None, raw=None):
        return expect(method, f"{self.address}/v1/operator/{path}", body, self.operator, raw)

    def app(self, method, path, token=None, body=None, app=APP):
        return http(method, f"{self.address}/v1/apps/{app}/{path}", body, token)

    def installation(self, device=None, app=APP):
        status, answer = self.app("POST", "installations", None, {"device": str(device)} if device else {}, app)
        assert status == 201, answer
        return answer["customer"], answer["token"]

    def redeem(self, token, proof, *transactions, app=APP):
        return self.app(
            "POST", "redemptions", token, {"proof": proof, "purchases": [{"transactionId": id} for id in transactions]}, app)

    def publish(self, product, **members):
        self.operate("PUT", f"apps/{APP}/products/{product}", members)

    def files(self, product, *files):
        listed = []
        for name, content in files:
            digest = hashlib.sha256(content).hexdigest()
            self.operate("PUT", f"content?sha256={digest}", raw=content)
            listed.append({"name": name, "sha256": digest, "mediaType": "text/plain; charset=utf-8"})
        self.operate("PUT", f"apps/{APP}/products/{product}/content", {"files": listed})


def catalog(server):
    words = {"en": {"name": "Fifty pages", "description": "To print"}, "de": {"name": "Fünfzig Seiten", "description": "Zum Drucken"}}
    server.publish(PAGES, type="Consumable", credits={"unit": "pages", "amount": 50}, localisations=words)
    server.publish(SMALL_PRINT, type="Non-Consumable")
    server.files(SMALL_PRINT, ("smallprint.txt", b"The first edition.\n"))
    server.files(SMALL_PRINT, ("smallprint.txt", SMALL_PRINT_TEXT))
    server.publish(ENCYCLOPEDIA, type="Non-Consumable")
    server.files(ENCYCLOPEDIA, ("encyclopedia.txt", ENCYCLOPEDIA_TEXT))
    server.publish(SEPIA, type="Non-Consumable", isListed=False)
    server.publish(SEASON, type="Non-Renewing Subscription", accessDays=30)
    server.publish(CLUB, type="Auto-Renewable Subscription")
    server.operate("PUT", f"apps/{OTHER}/products/{COINS}", {"type": "Consumable", "credits": {"unit": "coins", "amount": 10}})


def given(answer):
    status, body = answer
    assert status == 200 and all("given" in p or "refusal" in p for p in body["purchases"]), answer
    return body


def story(server, store, identity, first):
    """Customers who redeem, spend, are refunded, join, get what others had, and go. Devices are numbered from `first`."""
    facts = {"customers": {}, "tokens": {}, "spends": [], "redemptions": []}

    def arrives(name, number, account, app=APP):
        device = Device(store.address, first + number, account, app)
        customer, token = server.installation(device.device, app)
        facts["customers"][name], facts["tokens"][name] = customer, {"token": token, "app": app, "customer": customer}
        return device, customer, token

    def spends(name, token, key, amount, unit="pages", app=APP):
        status, movement = server.app("POST", f"credits/{unit}/spends", token, {"key": key, "amount": amount}, app)
        assert status == 200, movement
        facts["spends"].append({"of": name, "app": app, "unit": unit, "key": key, "amount": amount, "movement": movement})

    # One who has everything.
    account = f"account {first}"
    store.customer(account)
    device, customer, token = arrives("owner", 0, account)
    pages, book, club, season = (device.buy(p, f"r-{i}") for i, p in enumerate([PAGES, SMALL_PRINT, CLUB, SEASON]))
    receipt = device.receipt()
    given(server.redeem(token, {"appReceipt": receipt}, pages, book, club, season))
    facts["redemptions"].append({"of": "owner", "transactions": [pages, book, club, season], "appReceipt": receipt})
    spends("owner", token, "print-1", 30)
    spends("owner", token, "print-2", 5)
    # Refunded and reversed: two deliveries.
    store.do("POST", f"transactions/{book}/refund")
    assert server.redeem(token, {"appReceipt": device.receipt()}, book)[0] == 410
    http("DELETE", f"{store.control}/transactions/{book}/refund")
    given(server.redeem(token, {"appReceipt": device.receipt()}, book))
    # A signed transaction and a legacy receipt.
    by_jws = device.buy(PAGES, "r-5")
    given(server.redeem(token, {"signedTransaction": device.jws}, by_jws))
    by_legacy = device.buy(PAGES, "r-6", quantity=2)
    given(server.redeem(token, {"legacyReceipt": device.legacy}, by_legacy))

    # The same app, installed again on the same device: joined.
    joined, joining = server.installation(device.device)
    status, answer = server.app("POST", "restores", joining, {"proof": {"appReceipt": device.receipt()}})
    assert status == 200 and answer["customer"] == customer, answer
    facts["joined"] = {"customer": joined, "to": customer, "token": joining}

    # Another device of the same account, with something of its own: transferred.
    second, second_customer, second_token = arrives("second", 1, account)
    mine = second.buy(PAGES, "r-1")
    # By its signed transaction: the receipt shows the owner's purchases, too, and would join this customer with them.
    given(server.redeem(second_token, {"signedTransaction": second.jws}, mine))
    status, answer = server.app("POST", "restores", second_token, {"proof": {"appReceipt": second.receipt()}})
    assert status == 200 and answer["customer"] == second_customer, answer
    facts["transferred"] = {"transaction": book, "from": customer, "to": second_customer}

    # Refunded after everything was spent: a debt. And before it was ever shown: refused.
    account = f"account {first + 2}"
    store.customer(account)
    debtor, _, token = arrives("debtor", 2, account)
    spent = debtor.buy(PAGES, "r-1")
    receipt = debtor.receipt()
    given(server.redeem(token, {"appReceipt": receipt}, spent))
    spends("debtor", token, "print-all", 50)
    store.do("POST", f"transactions/{spent}/refund")
    assert server.redeem(token, {"appReceipt": receipt}, spent)[0] in (200, 410)
    early = debtor.buy(PAGES, "r-2")
    receipt = debtor.receipt()
    store.do("POST", f"transactions/{early}/refund")
    facts["refused"] = server.redeem(token, {"appReceipt": receipt}, early)[1]["error"]["code"]
    # In the other app what was spent blocks.
    blocked, _, token = arrives("blocked", 3, account, OTHER)
    coins = blocked.buy(COINS, "r-1", quantity=2)
    receipt = blocked.receipt()
    given(server.redeem(token, {"appReceipt": receipt}, coins, app=OTHER))
    spends("blocked", token, "game", 15, "coins", OTHER)
    store.do("POST", f"transactions/{coins}/refund")
    server.redeem(token, {"appReceipt": receipt}, coins, app=OTHER)

    # One whom the identity system names, on two devices of hers.
    account = f"account {first + 4}"
    store.customer(account)
    named = Device(store.address, first + 4, account)
    sepia, hers = named.buy(SEPIA, "r-1"), named.buy(PAGES, "r-2")
    jwt = identity.token("olga")
    answer = given(server.redeem(jwt, {"appReceipt": named.receipt()}, sepia, hers))
    facts["customers"]["identified"] = answer["customer"]
    facts["subject"] = f"{identity.issuer} olga"
    spends("identified", jwt, "hers", 8)

    # One who is erased, one who signs out, one who has nothing.
    erased, _, token = arrives("erased", 5, account)
    forgotten = erased.buy(PAGES, "r-1")
    given(server.redeem(token, {"appReceipt": erased.receipt()}, forgotten))
    assert server.app("DELETE", "customer", token)[0] == 204
    _, _, token = arrives("signed out", 6, account)
    assert server.app("DELETE", "installations/current", token)[0] == 204
    arrives("nobody", 7, account)

    # Operators.
    second_key = server.operate("POST", "keys", {"name": "olaf"})
    revoked = server.operate("POST", "keys", {"name": "otto"})
    server.operate("DELETE", f"keys/{revoked['id']}")
    facts["operator keys"] = {"first": server.operator, "olaf": second_key["token"], "revoked": revoked["token"]}
    target = f"apps/{APP}/customers/{facts['customers']['nobody']}"
    server.operate("POST", f"{target}/grants", {"key": "sorry", "credits": {"unit": "pages", "amount": 12}, "reason": "A jam"})
    server.operate("POST", f"{target}/grants", {"key": "gift", "productId": SEPIA, "reason": "A gift"})
    server.operate("POST", f"{target}/grants", {
        "key": "trial", "productId": SMALL_PRINT, "accessUntil": 4_102_444_800_000, "reason": "A trial"})
    server.operate("POST", f"{target}/revocations", {"productId": SEPIA, "source": "gift", "reason": "A mistake"})
    server.operate("POST", f"apps/{APP}/customers/{facts['customers']['second']}/moves", {
        "transactionId": season, "environment": "Sandbox", "reason": "Asked for"})
    facts["moved"] = {"transaction": season, "to": facts["customers"]["second"]}

    facts["exports"] = {
        name: server.operate("GET", f"customers/{id}") for name, id in facts["customers"].items() if name != "erased"}
    facts["audit"] = server.operate("GET", "audit?limit=1000")["entries"]
    facts["keys"] = server.operate("GET", "keys")["keys"]
    return facts
