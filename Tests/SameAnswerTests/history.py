"""A long random history of an emulator and a purchase server, asked of two programs at once."""
import base64
import json
import random
import re
import urllib.error
import urllib.parse
import urllib.request

from intended import intended_lines
from masking import JWS, Masks

APP = "com.example.shop"
CATALOG = {
    "products": [
        {"productID": "coins", "type": "Consumable", "displayPrice": "0.99",
         "localizations": [{"locale": "en_US", "displayName": "Coins", "description": "To play with"}]},
        {"productID": "lamp", "type": "NonConsumable", "displayPrice": "4.99", "familyShareable": True},
        {"productID": "film", "type": "NonConsumable", "displayPrice": "7.49"}],
    "nonRenewingSubscriptions": [{"productID": "pass", "type": "NonRenewingSubscription", "displayPrice": "3.99"}],
    "subscriptionGroups": [{"id": "G", "name": "Club", "subscriptions": [
        {"productID": product, "type": "RecurringSubscription", "displayPrice": price, "groupNumber": level,
         "subscriptionGroupID": "G", "recurringSubscriptionPeriod": period, "familyShareable": True,
         "introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P1W"} if product == "silver" else None}
        for product, price, level, period in [("gold", "9.99", 1, "P1M"), ("silver", "4.99", 2, "P1M"),
                                              ("gold.year", "99.99", 1, "P1Y")]]}],
    "settings": {"_billingGracePeriodEnabled": True}, "version": {"major": 4, "minor": 0}}
PRODUCTS = ["coins", "lamp", "film", "pass", "gold", "silver", "gold.year"]
CUSTOMERS = ["customer", "ann", "tom", "joe"]
# What devices and backends call. A call that the other program does not have is not in the list.
UNDESCRIBED = {("POST", path) for path in [
    *[f"/device/v1/{call}" for call in [
        "register", "signIn", "signOut", "products", "quote", "confirm", "restore", "unfinished", "finish", "refreshReceipt", "changes",
        "subscriptions", "changeSubscription"]],
    "/sandbox/verifyReceipt", "/production/verifyReceipt"]}


class Difference(AssertionError):
    """The two programs answered a request differently."""


class Pair:
    """Two programs of a kind. A request is sent to both, and their answers are compared."""

    def __init__(self, programs):
        self.addresses = [program.address for program in programs]
        self.masks = [Masks(address) for address in self.addresses]
        self.asked = {}
        # The lines of the table of intended differences that were needed.
        self.intended = set()
        self.count = 0

    def ask(self, method, path, *bodies, headers=({}, {}), route=None, raw=False):
        """Sends a request, with a body for each program or one for both, and returns what each answered: status and value.

        `path` may be one for both, or one for each."""
        paths = path if isinstance(path, list) else [path, path]
        bodies = bodies * 2 if len(bodies) == 1 else bodies or (None, None)
        answers = [exchange(method, address + path, body, header)
                   for address, path, body, header in zip(self.addresses, paths, bodies, headers)]
        masked = [(status, self.masks[place].value(headers), self.masks[place].text(text))
                  for place, (status, headers, text) in enumerate(answers)]
        self.count += 1
        route = (method, route or re.sub(r"\?.*", "", paths[0]))
        if masked[0] != masked[1]:
            lines = intended_lines(route, *masked)
            if lines is None:
                raise Difference(f"{method} {paths[0]} {json.dumps(bodies[0])[:500]}\n{first_difference(*masked)}")
            self.intended |= lines
        # The statuses of each route, so that a test sees what was never successful.
        self.asked.setdefault(route, set()).add(answers[0][0])
        if raw:
            return [text for _, _, text in answers]
        return [json.loads(text) if status < 300 and text else None for status, _, text in answers]


def first_difference(left, right):
    for name, one, other in zip(("status", "fields", "body"), left, right):
        one, other = str(one), str(other)
        if one != other:
            place = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
            return f"{name} differs at {place}:\n  {one[max(0, place - 200):place + 200]}\n  {other[max(0, place - 200):place + 200]}"
    return ""


# The header fields that say something of the answer, and not of the connection.
FIELDS = ("content-type", "retry-after", "cache-control", "location", "etag", "content-disposition")


def exchange(method, address, body, headers):
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(address, data=data, method=method,
                                     headers={"Content-Type": "application/json", "Accept-Encoding": "identity", **headers})
    try:
        reply = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        reply = error
    with reply:
        text = reply.read().decode("utf-8", "replace")
        return reply.status, {name: reply.headers[name] for name in FIELDS if name in reply.headers}, text


def payload(signed):
    part = signed.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class History:
    """Random steps. Halfway, the steps that chance has left out are played, and `certain_steps`, so that every history of every seed
    contains each step, and each call with success."""

    # The names of the steps, and how often each is played in relation to the others.
    KINDS = {}

    def __init__(self, pair, seed):
        self.pair, self.random = pair, random.Random(seed)
        self.number = 0
        self.played = set()

    def step(self):
        self.number += 1
        self.play(self.random.choices(list(self.KINDS), list(self.KINDS.values()))[0])

    def play(self, kind):
        self.played.add(kind)
        getattr(self, kind)()

    def complete(self):
        for kind in self.KINDS:
            if kind not in self.played:
                self.number += 1
                self.play(kind)
        self.certain_steps()


class StoreHistory(History):
    """What customers, devices, backends and testers ask of an emulator."""

    KINDS = {"buy": 6, "operator_purchase": 3, "deliver": 5, "look": 6, "refund": 2, "advance": 4, "change_customer": 2,
             "change_subscription": 2, "restore": 2, "verify": 3, "fault": 1, "change_catalog": 1, "approve": 2, "nonsense": 1, "page": 4,
             "promote": 1, "switch": 1, "sign": 1}

    def __init__(self, pair, seed):
        super().__init__(pair, seed)
        self.transactions, self.subscriptions = [], set()
        self.phones = {}
        # The first dates are the machine's, which differ.
        self.control("PATCH", "clock", {"now": 1_896_084_000_000, "rate": 0})
        for name in CUSTOMERS[1:]:
            self.control("POST", "customers", {"environment": "Sandbox", "name": name, "family": "f"})
        for number, name in enumerate(CUSTOMERS):
            self.phones[f"phone{number}"] = name
            self.install(number, name)

    def install(self, number, name):
        self.device(f"phone{number}", "register", {"registration": {
            "installationID": f"phone{number}", "bundleID": APP, "environment": "Sandbox", "applicationVersion": "1.2",
            "deviceID": f"00000000-0000-4000-8000-00000000000{number}"}})
        self.device(f"phone{number}", "signIn", {"credentials": {"account": name}})

    def control(self, method, path, body=None, query="", route=None):
        return self.pair.ask(method, f"/control/v1/{path}{query}", body, route=f"/control/v1/{route or path}")[0]

    def device(self, phone, verb, call, other=None):
        bodies = [{"installationID": phone, "call": one} for one in (call, other or call)]
        return self.pair.ask("POST", f"/device/v1/{verb}", *bodies)

    def choose(self, values):
        return self.random.choice(list(values)) if values else None

    # Purchases

    def buy(self):
        phone = self.choose(self.phones)
        payment = {"paymentID": f"p{self.number}", "productID": self.choose(PRODUCTS), "quantity": self.random.choice([1, 1, 3])}
        if self.random.random() < 0.2:
            payment["applicationUsername"] = "someone"
        if self.random.random() < 0.1:
            payment["simulatesAskToBuyInSandbox"] = True
        quotes = self.device(phone, "quote", {"payment": payment})
        if quotes[0]:
            for _ in range(self.random.choice([1, 1, 2])):
                results = self.device(phone, "confirm", {"quote": quotes[0]}, {"quote": quotes[1]})
            self.note(results[0])

    def note(self, value):
        """Keeps the transaction ids of an answer."""
        found = re.findall(r'"(?:original)?[tT]ransactionI[dD]": "(\d{6,})', json.dumps(value))
        self.transactions += [number for number in found if number not in self.transactions]

    def operator_purchase(self):
        body = {"bundleId": APP, "environment": "Sandbox", "customer": self.choose(CUSTOMERS), "productId": self.choose(PRODUCTS)}
        if self.random.random() < 0.5:
            body["paymentId"] = f"o{self.random.randrange(40)}"
        self.note(self.control("POST", "purchases", body))

    def deliver(self):
        phone = self.choose(self.phones)
        batch = self.device(phone, "unfinished", {})[0]
        self.note(batch)
        self.device(phone, "changes", {"after": self.random.choice([0, 5, 20]), "waitSeconds": 0})
        for delivery in (batch or {}).get("deliveries", [])[:3]:
            if self.random.random() < 0.8:
                number = delivery.get("redelivery", {}).get("transactionID") or payload(delivery["signedTransaction"])["transactionId"]
                self.device(phone, "finish", {"transactionID": number})
        self.device(phone, "subscriptions", {})
        self.device(phone, "products", {"productIDs": PRODUCTS + ["none"]})

    def restore(self):
        phone = self.choose(self.phones)
        self.note(self.device(phone, "restore", {})[0])
        self.device(phone, "refreshReceipt", {})

    def refund(self):
        if number := self.choose(self.transactions):
            method = self.random.choice(["POST", "POST", "DELETE"])
            body = {} if method == "DELETE" else self.random.choice([{}, {"reason": 1}, {"percentage": 50_000}])
            self.control(method, f"transactions/{number}/refund", body, route="transactions/{transactionId}/refund")

    def approve(self):
        waiting = (self.control("GET", "approvals", query="?limit=3") or {}).get("approvals", [])
        if waiting:
            first = waiting[0]
            self.control("POST", f"approvals/{first['installationId']}/{first['paymentId']}",
                         {"decision": self.random.choice(["approve", "decline"])},
                         route="approvals/{installationId}/{paymentId}")

    # Time and settings

    def advance(self):
        body = self.random.choice([{"advanceMilliseconds": self.random.choice([1_000, 3_600_000, 86_400_000 * 8, 86_400_000 * 40])},
                                   {"toNextEvent": True}])
        self.control("PATCH", "clock", body)

    def change_customer(self):
        name = self.choose(CUSTOMERS)
        body = self.random.choice([
            {"storefront": self.random.choice(["USA", "DEU", "JPN"])}, {"paymentMethod": self.random.choice(["valid", "declined"])},
            {"needsApproval": self.random.random() < 0.3}, {"family": self.random.choice([None, "f", "g"])},
            {"paymentMethod": "needsAttention"}, {"paymentMethod": "valid"}])
        self.control("PATCH", f"customers/sandbox/{name}", body, route="customers/{environment}/{name}")

    def change_subscription(self):
        name = self.choose(CUSTOMERS)
        path = f"customers/sandbox/{name}/subscriptions"
        for view in (self.control("GET", path, route="customers/{environment}/{name}/subscriptions") or {}).get("subscriptions", []):
            number = view["originalTransactionId"]
            self.subscriptions.add(number)
            body = self.random.choice([
                {"isAutoRenewOn": False}, {"isAutoRenewOn": True}, {"priceIncrease": "withConsent"}, {"agreesToPrice": True},
                {"renewalDate": view["periodStartDate"] + 86_400_000 * 50}])
            self.control("PATCH", f"subscriptions/{number}", body, route="subscriptions/{originalTransactionId}")
            self.device(self.choose([phone for phone in self.phones if self.phones[phone] == name] or self.phones),
                        "changeSubscription", {"originalTransactionID": number, "setting": self.random.choice(
                            [{"autoRenew": {"isOn": False}}, {"autoRenew": {"isOn": True}}, {"priceIncrease": {"isAgreed": True}}])})

    def change_catalog(self):
        self.random.choice([
            lambda: self.control("PATCH", f"apps/{APP}/products/{self.choose(PRODUCTS)}", self.random.choice(
                [{"isOnSale": self.random.random() < 0.7}, {"price": self.random.choice([990, 4990, 10_000])}]),
                route="apps/{bundleId}/products/{productId}"),
            lambda: self.control("PUT", f"apps/{APP}", {"configurations": [CATALOG]}, route="apps/{bundleId}"),
            lambda: self.control("PUT", f"apps/{APP}/renewalRules", {
                "timeRate": 0, **self.random.choice([{"gracePeriod": "standard"}, {"gracePeriodSeconds": 259_200}, {}])},
                                 route="apps/{bundleId}/renewalRules"),
            lambda: self.control("PATCH", "settings", self.random.choice(
                [{"documented21003": self.random.random() < 0.5}, {"lenientBase64": False}, {"locale": None}]))])()

    def fault(self):
        fault = self.control("POST", "faults", self.random.choice([
            {"kind": "outage", "count": 1, "scope": {"customer": "ann"}}, {"kind": "declinedCard", "count": 1},
            {"kind": "receiptStatus", "status": 21005, "count": 1}, {"kind": "refusedPassword", "count": 1},
            {"kind": "appError", "error": {"domain": "SKErrorDomain", "code": 0}, "count": 1}]))
        self.control("GET", "faults")
        if fault:
            self.control("GET", f"faults/{fault['id']}", route="faults/{id}")
            self.control("POST", f"faults/{fault['id']}/release", {}, route="faults/{id}/release")
            if self.random.random() < 0.7:
                self.control("DELETE", f"faults/{fault['id']}", route="faults/{id}")
        if self.random.random() < 0.3:
            self.control("DELETE", "faults")

    def promote(self):
        self.control("POST", "promotedPurchases", {"installationId": self.choose(self.phones), "productId": self.choose(PRODUCTS)})

    def switch(self):
        phone = self.choose(self.phones)
        self.control("PATCH", f"installations/{phone}", {"restricted": self.random.random() < 0.3}, route="installations/{installationId}")

    def sign(self):
        phone = self.choose(self.phones)
        if self.random.random() < 0.5:
            self.device(phone, "signOut", {})
        else:
            self.control("POST", f"installations/{phone}/signOut", {}, route="installations/{installationId}/signOut")
        self.phones[phone] = self.choose(CUSTOMERS)
        self.device(phone, "signIn", {"credentials": {"account": self.phones[phone]}})

    # Looking

    def verify(self):
        number = self.choose(self.transactions)
        if not number:
            return
        answers = self.proofs(number)
        if not answers[0]:
            return
        self.number += 1
        kind = self.random.choice(["appReceipt", "legacyReceipt"])
        self.send_receipts([answer.get(kind) for answer in answers], is_right=self.random.random() < 0.9,
                           environment=self.random.choice(["sandbox", "sandbox", "production"]))

    def proofs(self, number):
        return self.pair.ask("GET", f"/control/v1/transactions/{number}/proofs", route="/control/v1/transactions/{transactionId}/proofs")

    def send_receipts(self, receipts, environment, is_right=True):
        bodies = [{"receipt-data": receipt, "exclude-old-transactions": self.number % 2 == 0} for receipt in receipts]
        secrets = self.pair.ask("GET", f"/control/v1/connection?bundleId={APP}")
        for body, answer in zip(bodies, secrets):
            body["password"] = answer["sharedSecret"] if is_right else "wrong"
        self.pair.ask("POST", f"/{environment}/verifyReceipt", *bodies)

    def look(self):
        query = f"?limit={self.random.choice([2, 10, 100])}"
        name, member, cursor = self.random.choice([
            ("transactions", "transactions", "before"), ("charges", "charges", "before"), ("refunds", "refunds", "before"),
            ("customers", "customers", "after"), ("apps", "apps", "after"), ("installations", "installations", "after"),
            ("approvals", "approvals", "after"), ("requests", "requests", "after")])
        filters = self.random.choice(["", f"&customer={self.choose(CUSTOMERS)}", f"&productId={self.choose(PRODUCTS)}", "&withTotal=true"])
        if name in ("customers", "apps", "installations", "approvals") or (name != "transactions" and "Total" in filters):
            filters = ""
        for _ in range(3):
            page = self.control("GET", name, query=query + filters)
            following = (page or {}).get("next") or (page or {}).get("older") or (page or {}).get("nextBefore")
            if not following:
                break
            query = f"?limit=10&{cursor}={urllib.parse.quote(str(following))}"
        self.note(page)
        name = self.choose(CUSTOMERS)
        self.control("GET", f"customers/sandbox/{name}", route="customers/{environment}/{name}")
        self.control("GET", f"customers/sandbox/{name}/subscriptions", route="customers/{environment}/{name}/subscriptions")
        if number := self.choose(self.transactions):
            self.control("GET", f"transactions/{number}", route="transactions/{transactionId}")
        if number := self.choose(sorted(self.subscriptions)):
            self.control("GET", f"subscriptions/{number}", route="subscriptions/{originalTransactionId}")
        self.control("GET", "clock")
        self.control("GET", "settings")
        self.control("GET", f"apps/{APP}/renewalRules", route="apps/{bundleId}/renewalRules")
        self.control("GET", f"requests/{self.random.randrange(1, self.pair.count)}", route="requests/{sequence}")

    def page(self):
        pages = ["/", f"/?customer={self.choose(CUSTOMERS)}", "/console/store", "/console/catalog", "/console/customers", "/console/faults",
                 "/console/clock", "/console/requests", f"/console/product?app={APP}&product={self.choose(PRODUCTS)}",
                 f"/console/customer?environment=sandbox&name={self.choose(CUSTOMERS)}", "/console/purchase", "/console/search?q=7"]
        if number := self.choose(self.transactions):
            pages += [f"/console/transactions/{number}"] * 3
        if number := self.choose(sorted(self.subscriptions)):
            pages += [f"/console/subscriptions/{number}"] * 3
        path = self.choose(pages)
        self.pair.ask("GET", path, raw=True, route=re.sub(r"/\d{6,}.*", "/{id}", path.split("?")[0]))

    def nonsense(self):
        self.control("GET", "transactions/0", route="transactions/{transactionId}")
        self.control("PATCH", "clock", {"now": 1_000_000_000_000})
        self.device("nobody", "unfinished", {})
        self.device(self.choose(self.phones), "finish", {"transactionID": "1"})
        self.pair.ask("POST", "/sandbox/verifyReceipt", {"receipt-data": "bm9uc2Vuc2U="})

    def certain_steps(self):
        """Each call once with success, whatever came before: on a device and for a customer that no other step uses, and without
        faults. The other steps look at what this leaves."""
        phone, name = "phone9", "sue"
        self.control("DELETE", "faults")
        self.control("PUT", f"apps/{APP}", {"configurations": [CATALOG]}, route="apps/{bundleId}")
        for product in PRODUCTS:
            self.control("PATCH", f"apps/{APP}/products/{product}", {"isOnSale": True}, route="apps/{bundleId}/products/{productId}")
        self.control("PUT", f"apps/{APP}/renewalRules", {"timeRate": 0}, route="apps/{bundleId}/renewalRules")
        self.control("GET", f"apps/{APP}/renewalRules", route="apps/{bundleId}/renewalRules")
        self.control("PATCH", "settings", {"documented21003": False})
        self.control("PATCH", "clock", {"advanceMilliseconds": 1_000})
        self.control("POST", "customers", {"environment": "Sandbox", "name": name})
        self.control("PATCH", f"customers/sandbox/{name}", {"storefront": "USA"}, route="customers/{environment}/{name}")
        self.install(9, name)
        self.device(phone, "products", {"productIDs": PRODUCTS})

        lamp = self.certain_purchase(phone, "lamp")
        self.control("POST", f"transactions/{lamp}/refund", {}, route="transactions/{transactionId}/refund")
        self.control("DELETE", f"transactions/{lamp}/refund", {}, route="transactions/{transactionId}/refund")
        self.control("GET", f"transactions/{lamp}", route="transactions/{transactionId}")
        self.device(phone, "changes", {"after": 0, "waitSeconds": 0})
        for delivery in self.device(phone, "unfinished", {})[0]["deliveries"]:
            self.device(phone, "finish", {"transactionID": payload(delivery["signedTransaction"])["transactionId"]})
        self.device(phone, "restore", {})
        self.device(phone, "refreshReceipt", {})
        receipts = [answer["appReceipt"] for answer in self.proofs(lamp)]
        for environment in ("sandbox", "production"):
            self.send_receipts(receipts, environment)

        silver = self.certain_purchase(phone, "silver")
        self.subscriptions.add(silver)
        self.device(phone, "subscriptions", {})
        self.device(phone, "changeSubscription", {"originalTransactionID": silver, "setting": {"autoRenew": {"isOn": False}}})
        self.control("PATCH", f"subscriptions/{silver}", {"isAutoRenewOn": True}, route="subscriptions/{originalTransactionId}")
        self.control("GET", f"subscriptions/{silver}", route="subscriptions/{originalTransactionId}")
        self.control("GET", f"customers/sandbox/{name}/subscriptions", route="customers/{environment}/{name}/subscriptions")
        self.control("GET", f"customers/sandbox/{name}", route="customers/{environment}/{name}")

        self.certain_purchase(phone, "coins", simulatesAskToBuyInSandbox=True)
        self.control("POST", f"approvals/{phone}/certain-coins", {"decision": "approve"}, route="approvals/{installationId}/{paymentId}")
        self.certain_sale(name, "film")
        self.control("POST", "promotedPurchases", {"installationId": phone, "productId": "coins"})
        self.control("PATCH", f"installations/{phone}", {"restricted": False}, route="installations/{installationId}")

        self.certain_notifications(lamp)

        fault = self.control("POST", "faults", {"kind": "heldSheet", "count": 1, "scope": {"customer": name}})
        self.control("GET", f"faults/{fault['id']}", route="faults/{id}")
        self.control("POST", f"faults/{fault['id']}/release", {}, route="faults/{id}/release")
        self.control("DELETE", f"faults/{fault['id']}", route="faults/{id}")
        for path in ["apps", "approvals", "charges", "clock", "customers", "faults", "installations", "refunds", "requests", "settings",
                     "transactions"]:
            self.control("GET", path)
        self.control("GET", "requests/1", route="requests/{sequence}")
        self.device(phone, "signOut", {})
        self.device(phone, "signIn", {"credentials": {"account": name}})
        self.control("POST", f"installations/{phone}/signOut", {}, route="installations/{installationId}/signOut")

    def certain_notifications(self, bought):
        """Held ones: no attempt is made, except that of the one that is sent again, to an address where nothing listens."""
        addresses = {"production": None, "sandbox": "http://127.0.0.1:9/"}
        self.control("PUT", f"apps/{APP}/notificationURLs", addresses, route="apps/{bundleId}/notificationURLs")
        self.control("GET", f"apps/{APP}/notificationURLs", route="apps/{bundleId}/notificationURLs")
        self.control("PATCH", "notifications/policy", {"hold": True})
        self.control("GET", "notifications/policy")
        sent = self.control("POST", "notifications", {"bundleId": APP, "environment": "Sandbox", "type": "TEST"})
        path, route = f"notifications/{sent['uuid']}", "notifications/{uuid}"
        self.control("POST", f"{path}/resend", {}, route=f"{route}/resend")
        self.control("POST", "notifications/settle", {})
        self.control("GET", path, route=route)
        request = self.control("POST", f"transactions/{bought}/refundRequests", {"reason": "OTHER"},
                               route="transactions/{transactionId}/refundRequests")
        self.control("POST", f"transactions/{bought}/refundRequests/{request['id']}/decision", {"outcome": "declined"},
                     route="transactions/{transactionId}/refundRequests/{id}/decision")
        self.control("GET", f"transactions/{bought}/refundRequests", route="transactions/{transactionId}/refundRequests")
        key = self.control("POST", "keys", {"bundleId": APP})
        self.control("GET", "keys")
        self.control("DELETE", f"keys/{key['keyId']}", route="keys/{keyId}")
        self.control("GET", "notifications")
        addresses["sandbox"] = None
        self.control("PUT", f"apps/{APP}/notificationURLs", addresses, route="apps/{bundleId}/notificationURLs")

    def certain_purchase(self, phone, product, **options):
        """A purchase that is not refused. Returns the id of its transaction; None if it waits for an approval."""
        quotes = self.device(phone, "quote", {"payment": {
            "paymentID": f"certain-{product}", "productID": product, "quantity": 1, **options}})
        bought = self.device(phone, "confirm", {"quote": quotes[0]}, {"quote": quotes[1]})[0]
        self.note(bought)
        signed = JWS.search(json.dumps(bought))
        return payload(signed.group())["transactionId"] if signed else None

    def certain_sale(self, name, product):
        """A purchase of an operator. Returns the id of its transaction."""
        bought = self.control("POST", "purchases", {
            "bundleId": APP, "environment": "Sandbox", "customer": name, "productId": product})
        self.note(bought)
        return bought["transactionId"]

    def end(self):
        """What ends a history, because it removes what was there."""
        for name in ["phone0", "phone1"]:
            self.device(name, "unfinished", {})
        self.control("POST", "customers", {"environment": "Sandbox", "name": "gone"})
        self.control("DELETE", "customers/sandbox/gone", route="customers/{environment}/{name}")
        self.control("DELETE", "requests")
        snapshots = self.pair.ask("GET", "/control/v1/snapshot")
        self.pair.ask("POST", "/control/v1/restore", *[{"snapshot": answer["snapshot"]} for answer in snapshots])
        self.look()
        self.control("POST", "reset", {})
        self.look()


class ServerHistory(History):
    """What apps and operators ask of a purchase server, about the purchases that a `StoreHistory` makes."""

    KINDS = {"redeem": 6, "restore": 3, "spend": 3, "look": 4, "operator": 3, "correct": 2, "download": 2, "leave": 1}

    def __init__(self, pair, store, keys, seed):
        super().__init__(pair, seed)
        self.store = store
        self.keys = [{"Authorization": f"Bearer {key}"} for key in keys]
        # The ids and tokens of each customer, a pair for the two programs.
        self.customers = []
        for product, members in [("coins", {"type": "Consumable", "credits": {"unit": "gems", "amount": 100}}),
                                 ("lamp", {"type": "Non-Consumable"}), ("film", {"type": "Non-Consumable"}),
                                 ("pass", {"type": "Non-Renewing Subscription", "accessDays": 30}),
                                 *[(name, {"type": "Auto-Renewable Subscription"}) for name in ("gold", "silver", "gold.year")]]:
            self.operate("PUT", f"apps/{APP}/products/{product}", members, route="apps/{bundleId}/products/{productId}")
        content = "a long tale ".encode() * 30_000
        digest = self.operate("PUT", "content", content)[0]["sha256"]
        self.operate("PUT", f"apps/{APP}/products/film/content", {"files": [
            {"name": "tale", "sha256": digest, "mediaType": "text/plain"}]}, route="apps/{bundleId}/products/{productId}/content")
        for number in range(3):
            self.register(number)

    def operate(self, method, path, body=None, query="", route=None):
        paths = path if isinstance(path, list) else [path, path]
        return self.pair.ask(method, [f"/v1/operator/{path}{query}" for path in paths], body, headers=self.keys,
                             route=f"/v1/operator/{route or paths[0]}")

    def app(self, customer, method, path, *bodies, query="", route=None):
        return self.pair.ask(method, f"/v1/apps/{APP}/{path}{query}", *bodies, route=f"/v1/apps/{{bundleId}}/{route or path}",
                             headers=[{"Authorization": f"Bearer {token}"} for token in customer[1]])

    def register(self, number, keeps=True):
        answers = self.pair.ask("POST", f"/v1/apps/{APP}/installations", {"device": f"00000000-0000-4000-8000-00000000000{number}"},
                                route="/v1/apps/{bundleId}/installations")
        customer = [answer["customer"] for answer in answers], [answer["token"] for answer in answers]
        if keeps:
            self.customers.append(customer)
        return customer

    def proofs(self):
        number = self.store.choose(self.store.transactions)
        answers = number and self.store.proofs(number)
        return (number, answers) if answers and answers[0] else (None, None)

    def redeem(self):
        number, answers = self.proofs()
        if number:
            kind = self.random.choice(["signedTransaction", "appReceipt"])
            bodies = [{"proof": {kind: answer[kind]}, "purchases": [{"transactionId": number}]} for answer in answers]
            self.app(self.random.choice(self.customers), "POST", "redemptions", *bodies)

    def restore(self):
        number, answers = self.proofs()
        if number:
            self.app(self.random.choice(self.customers), "POST", "restores",
                     *[{"proof": {"appReceipt": answer["appReceipt"]}} for answer in answers])

    def spend(self):
        body = {"key": f"s{self.random.randrange(60)}", "amount": self.random.choice([1, 30, 5_000])}
        self.app(self.random.choice(self.customers), "POST", "credits/gems/spends", body, route="credits/{unit}/spends")

    def look(self):
        self.look_at(self.random.choice(self.customers))

    def look_at(self, customer):
        for path in ["credits", "customer", "entitlements", "deliveries", "products", "customer/export"]:
            # Pages of deliveries are in the order of random ids.
            self.app(customer, "GET", path, query="?limit=2" if path == "entitlements" else "")
        self.app(customer, "GET", "credits/gems/movements", query="?limit=5", route="credits/{unit}/movements")
        self.operate("GET", [f"customers/{name}" for name in customer[0]], route="customers/{customer}")

    def operator(self):
        customer = self.random.choice(self.customers)
        name, body = self.random.choice([
            ("grants", {"key": f"g{self.number % 7}", "reason": "a gift", "credits": {"unit": "gems", "amount": 7}}),
            ("grants", {"key": f"h{self.number % 7}", "reason": "a gift", "productId": "lamp"}),
            ("moves", {"transactionId": self.store.choose(self.store.transactions) or "1", "environment": "Sandbox", "reason": "asked"}),
            ("lifts", {"unit": "gems", "reason": "asked"})])
        self.care(customer, name, body)

    def care(self, customer, name, body):
        return self.operate("POST", [f"apps/{APP}/customers/{one}/{name}" for one in customer[0]], body,
                            route=f"apps/{{bundleId}}/customers/{{customer}}/{name}")

    def correct(self):
        customer = self.random.choice(self.customers)
        number = self.store.choose(self.store.transactions) or "1"
        self.operate("GET", "customers", query=f"?transactionId={number}")
        self.care(customer, "revocations", {"productId": self.random.choice(PRODUCTS), "source": number, "reason": "a mistake"})
        self.operate("POST", "reverify", {"bundleId": APP, "productId": self.random.choice(PRODUCTS), "limit": 3})
        keys = self.operate("POST", "keys", {"name": "olga"})
        self.operate("DELETE", [f"keys/{key['id']}" for key in keys], route="keys/{id}")
        self.operate("GET", "keys", query="?limit=2")
        self.operate("GET", "audit", query="?limit=5")

    def download(self):
        self.download_of(self.random.choice(self.customers))

    def download_of(self, customer):
        lists = self.app(customer, "GET", "deliveries")
        links = [[file.get("link") for delivery in (one or {}).get("deliveries", []) for file in delivery.get("files", [])] for one in lists]
        for pair in list(zip(*links))[:1]:
            if all(pair):
                paths = ["/" + urllib.parse.urlparse(link).path.lstrip("/") for link in pair]
                for method in ("HEAD", "GET"):
                    self.pair.ask(method, paths, route="/v1/downloads/{token}", raw=True)

    def leave(self):
        if len(self.customers) > 3:
            customer = self.customers.pop()
            path = self.random.choice(["customer", "installations/current"])
            self.app(customer, "DELETE", path)
        else:
            self.register(self.number % 10)

    def certain_steps(self):
        """Each call once with success, by two customers whom no other step uses: one has purchases, the other gets one of them."""
        self.store.control("PUT", f"apps/{APP}", {"configurations": [CATALOG]}, route="apps/{bundleId}")
        self.store.control("POST", "customers", {"environment": "Sandbox", "name": "sue"})
        bought = {product: self.store.certain_sale("sue", product) for product in ("coins", "lamp", "film")}
        buyer, other = self.register(8, keeps=False), self.register(9, keeps=False)
        for number in bought.values():
            answers = self.store.proofs(number)
            self.app(buyer, "POST", "redemptions", *[
                {"proof": {"signedTransaction": answer["signedTransaction"]}, "purchases": [{"transactionId": number}]}
                for answer in answers])
        self.app(buyer, "POST", "restores", *[{"proof": {"appReceipt": answer["appReceipt"]}} for answer in answers])
        self.app(buyer, "POST", "credits/gems/spends", {"key": "certain", "amount": 1}, route="credits/{unit}/spends")
        self.look_at(buyer)
        self.download_of(buyer)
        self.care(buyer, "grants", {"key": "certain", "reason": "a gift", "credits": {"unit": "gems", "amount": 7}})
        self.care(buyer, "lifts", {"unit": "gems", "reason": "asked"})
        self.care(other, "moves", {"transactionId": bought["lamp"], "environment": "Sandbox", "reason": "asked"})
        self.care(other, "revocations", {"productId": "lamp", "source": bought["lamp"], "reason": "a mistake"})
        self.look_at(other)
        self.correct()
        self.app(buyer, "DELETE", "customer")
        self.app(other, "DELETE", "installations/current")

    def end(self):
        self.pair.ask("GET", "/health")
        self.pair.ask("GET", "/ready")
        self.pair.ask("GET", "/v1/apps/none/products")
        self.operate("POST", "backups")
