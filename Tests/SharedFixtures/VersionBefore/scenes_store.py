"""What happens in the store and on its customers' phones."""

import shutil
import tempfile

from programs import *

APP = "com.xamarin.storekit.testing"
OTHER = "com.example.other"
FIVE, TEN, TWENTY = (f"{APP}.consume{number}credits" for number in (5, 10, 20))
PAGES = f"{APP}.consume50pages"
GREYSCALE, SEPIA = f"{APP}.greyscale", f"{APP}.sepia"
SMALL_PRINT, ENCYCLOPEDIA = f"{APP}.book.smallprint", f"{APP}.book.encyclopedia"
SEASON, CLUB = f"{APP}.season", f"{APP}.club.monthly"
COINS = "com.example.other.coins"


class Store:
    def __init__(self, address):
        self.address = address
        self.control = f"{address}/control/v1"

    def do(self, method, path, **body):
        return expect(method, f"{self.control}/{path}", body if method != "GET" else None)

    def customer(self, name, environment="Sandbox", **members):
        self.do("POST", "customers", environment=environment, name=name, **members)

    def fault(self, kind, calls, customer=None, **members):
        scope = {"calls": calls} | ({"customer": customer} if customer else {})
        return self.do("POST", "faults", kind=kind, scope=scope, **members)["id"]


def other_app(store):
    store.do("PUT", f"apps/{OTHER}", configurations=[{
        "identifier": "0B5E55EE", "version": {"major": 4, "minor": 0}, "settings": {}, "products": [{
            "productID": COINS, "type": "Consumable", "displayPrice": "1.49", "internalID": "5B0C7A41",
            "referenceName": "Coins", "localizations": []}]}])


def people(store):
    for name in ("reader", "second reader", "holder"):
        store.customer(name)
    store.customer("child", needsApproval=True)
    store.customer("late", paymentMethod="needsAttention")
    store.customer("poor", paymentMethod="declined")
    store.customer("parent", family="bees", password="honey")
    store.customer("sibling", family="bees")
    store.customer("tokyo", storefront="JPN")
    store.customer("berlin", storefront="DEU", environment="Production")
    store.customer("gone")


def purchases(store):
    """Purchases by devices and on customers' behalf, refunds, families, approvals, interruptions."""
    facts = {}
    parent = Device(store.address, 1, "reader")
    facts["finished consumable"] = parent.buy(FIVE, "p-1", quantity=3, username="not a UUID", finishes=True)
    facts["unfinished consumable"] = parent.buy(TEN, "p-2", username="5f1d3c52-0000-4000-8000-0000000000aa")
    facts["finished non-consumable"] = parent.buy(SEPIA, "p-3", finishes=True)
    facts["unfinished non-consumable"] = parent.buy(SMALL_PRINT, "p-4")
    facts["subscription"] = parent.buy(CLUB, "p-5", finishes=True)
    facts["non-renewing"] = parent.buy(SEASON, "p-6", finishes=True)
    refunded = parent.buy(FIVE, "p-7", finishes=True)
    store.do("POST", f"transactions/{refunded}/refund", reason=1)
    facts["refunded"] = refunded
    partly = parent.buy(TEN, "p-8", finishes=True)
    store.do("POST", f"transactions/{partly}/refund", percentage=33_333)
    facts["partly refunded"] = partly
    reversed_refund = parent.buy(GREYSCALE, "p-9", finishes=True)
    store.do("POST", f"transactions/{reversed_refund}/refund")
    http("DELETE", f"{store.control}/transactions/{reversed_refund}/refund")
    facts["refund reversed"] = reversed_refund
    unfinished = parent.buy(FIVE, "p-10")
    store.do("POST", f"transactions/{unfinished}/refund")
    facts["refunded while unfinished"] = unfinished
    # Bought again on another device: delivered once more, not charged.
    again = Device(store.address, 2, "reader")
    again.buy(SEPIA, "p-1")

    child = Device(store.address, 3, "child")
    status, answer = child.confirm(FIVE, "p-1")
    assert answer == {"deferred": True}, answer
    status, answer = child.confirm(TEN, "p-2")
    store.do("POST", f"approvals/{child.name}/p-2", decision="approve")
    status, answer = child.confirm(GREYSCALE, "p-3")
    store.do("POST", f"approvals/{child.name}/p-3", decision="decline")

    late = Device(store.address, 4, "late")
    facts["interrupted"] = late.confirm(TEN, "p-1")[1]["error"]["code"]
    poor = Device(store.address, 5, "poor")
    facts["declined"] = poor.confirm(TEN, "p-1")[1]["error"]["code"]

    store.do("POST", "purchases", bundleId=APP, environment="Sandbox", customer="parent", productId=GREYSCALE)
    tokyo = Device(store.address, 6, "tokyo")
    facts["charged in yen"] = tokyo.buy(PAGES, "p-1", quantity=3, finishes=True)
    store.do("POST", "purchases", bundleId=APP, environment="Production", customer="berlin", productId=FIVE, quantity=2)
    gone = Device(store.address, 7, "gone")
    facts["of a deleted customer"] = gone.buy(TEN, "p-1")
    http("DELETE", f"{store.control}/customers/sandbox/gone")
    store.do("PATCH", f"apps/{APP}/products/{TWENTY}", price=3_490, prices={"JPN": 500_000})
    return facts


def later_records(store):
    """What earlier versions do not have: notifications, which nobody receives, keys, and requests for refunds."""
    store.do("PUT", f"apps/{APP}/notificationURLs", production=None, sandbox="http://127.0.0.1:9/")
    store.do("POST", "keys", bundleId=APP)
    bought = [store.do("POST", "purchases", bundleId=APP, environment="Sandbox", customer="customer", productId=FIVE,
                       paymentId=f"operator {number}")["transactionId"] for number in range(2)]
    for transaction, outcome in zip(bought, ("prorated", "declined")):
        request = store.do("POST", f"transactions/{transaction}/refundRequests", reason="UNINTENDED_PURCHASE")
        store.do("POST", f"transactions/{transaction}/refundRequests/{request['id']}/decision",
                 outcome=outcome, **({"percentage": 50_000} if outcome == "prorated" else {}))
    store.do("POST", "notifications/settle", timeoutMilliseconds=60_000)
    return {"notifications": store.do("GET", "notifications?limit=1000")["notifications"]}


def newest_charge(store):
    charge = store.do("GET", "charges?limit=1")["charges"][0]
    return charge["productId"], charge["customer"]


def column(database, table, name):
    """What is in a database that its owner has open, and shares with nobody: read from a copy."""
    with tempfile.TemporaryDirectory() as folder:
        for file in database.parent.glob(f"{database.name}*"):
            shutil.copy(file, folder)
        found = rows(Path(folder) / database.name).get(table, {"columns": [name], "rows": []})
    return [row[found["columns"].index(name)] for row in found["rows"]]


def phone_with_everything(path, store, work, server):
    """The phone on which everything is under way: journal, vault, pages, books."""
    folder, device = work / "phone", uuid.UUID(int=0xA1)
    line = NarrowLine(int(server.rsplit(":", 1)[1]), 16_000)
    phone = Phone(path, store.address, folder, device, "customer", server=line.address)
    facts = {"device": str(device), "account": "customer", "server": line.address}
    phone.buy(FIVE)
    facts["granted"] = [phone.wait("succeeded")["transaction"]]
    phone.buy(TEN, 2)
    facts["granted"].append(phone.wait("succeeded")["transaction"])
    facts["balance"] = phone.ask("spend", "balance", _0=7)["_0"]
    phone.buy(GREYSCALE)
    facts["entitled"] = {GREYSCALE: phone.wait("succeeded")["transaction"]}
    phone.buy(SEPIA)
    sepia = phone.wait("succeeded")["transaction"]
    phone.order("apply", product=GREYSCALE)
    phone.wait("filters")
    phone.buy(SMALL_PRINT)
    facts["entitled"][SMALL_PRINT] = phone.wait("succeeded")["transaction"]
    facts["opened"] = phone.ask("openBook", "opened", product=SMALL_PRINT)
    phone.buy(PAGES)
    facts["pages transaction"] = phone.wait("succeeded")["transaction"]
    facts["pages"] = phone.ask("spendPages", "pages", _0=20, key=str(uuid.UUID(int=0x51)))["_0"]
    facts["backup key"] = phone.ask("exportBackup", "exported", path=str(work / "backup"))["key"]
    store.do("POST", f"transactions/{sepia}/refund")
    phone.wait("revoked")
    phone.buy(ENCYCLOPEDIA)
    facts["entitled"][ENCYCLOPEDIA] = phone.wait("succeeded")["transaction"]
    # A product this version does not know, bought here, and one that comes by a restore: both are kept.
    phone.order("addAnyway", product=TWENTY)
    phone.wait("kept", product=TWENTY)
    elsewhere = Device(store.address, 8, "customer")
    facts["kept restored product"] = CLUB
    facts["kept restored original"] = elsewhere.buy(CLUB, "p-1", finishes=True)
    phone.order("restore")
    phone.wait("kept", product=CLUB)
    phone.wait("restoreEnded")
    # The app waits for the download, and does nothing else meanwhile.
    phone.order("download", product=ENCYCLOPEDIA)
    partial = folder / "books" / "partial"
    until(lambda: any(file.stat().st_size > 8_000 for file in partial.iterdir()))
    phone.kill()
    line.close()
    # Without the server: a payment whose answer is lost, one behind it, and a spend that is never answered.
    phone = Phone(path, store.address, folder, device, "customer", server=line.address)
    store.fault("answerLost", ["confirm"], "customer")
    phone.buy(FIVE)
    phone.wait("sheet")
    until(lambda: newest_charge(store) == (FIVE, "customer"))
    phone.order("buy", product=TEN, quantity=3, confirms=True)
    until(lambda: "added" in column(folder / "payment-queue.sqlite", "queueEntry", "stage"))
    facts["open spend"] = {"key": str(uuid.UUID(int=0x52)), "amount": 10}
    phone.order("spendPages", _0=10, key=facts["open spend"]["key"])
    until(lambda: facts["open spend"]["key"] in str(column(folder / "pages.sqlite", "pending_spend", "key")).lower())
    phone.kill()
    expect("DELETE", f"{store.control}/faults")
    return facts


def phone_with_a_vault(path, store, work):
    """The same vault, as later versions write it: their commands differ, and books are in their own tests."""
    folder, device = work / "phone", uuid.UUID(int=0xA1)
    phone = Phone(path, store.address, folder, device, "customer")
    facts = {"device": str(device), "account": "customer"}
    phone.buy(FIVE)
    facts["granted"] = [phone.wait("succeeded")["transaction"]]
    phone.buy(TEN, 2)
    facts["granted"].append(phone.wait("succeeded")["transaction"])
    facts["balance"] = phone.ask("spend", "balance", _0=7, key=str(uuid.UUID(int=0x50)))["_0"]
    phone.buy(GREYSCALE)
    facts["entitled"] = {GREYSCALE: phone.wait("succeeded")["transaction"]}
    phone.buy(SEPIA)
    sepia = phone.wait("succeeded")["transaction"]
    facts["backup key"] = phone.ask("exportBackup", "exported", path=str(work / "backup"))["key"]
    store.do("POST", f"transactions/{sepia}/refund")
    phone.wait("revoked")
    phone.kill()
    return facts


def finishing_phone(path, store, work):
    """A phone that was cut off when the app had finished and the store did not know."""
    folder, device = work / "finishing", uuid.UUID(int=0xA2)
    store.customer("finisher")
    store.fault("noAnswer", ["finish"], "finisher")
    phone = Phone(path, store.address, folder, device, "finisher")
    phone.buy(TEN)
    facts = {"device": str(device), "account": "finisher", "finishing": phone.wait("succeeded")["transaction"]}
    facts["balance"] = phone.ask("showBalance", "balance")["_0"]
    installation = next(i["installationId"] for i in store.do("GET", "installations")["installations"]
                        if i["deviceId"].lower() == str(device))
    phone.kill()
    expect("DELETE", f"{store.control}/faults")
    # Begun in the App Store while the app did not run.
    store.do("POST", "promotedPurchases", installationId=installation, productId=FIVE)
    facts["promoted"] = FIVE
    return facts


def waiting_phone(path, store, work):
    """A phone whose payment waits for a parent."""
    folder, device = work / "waiting", uuid.UUID(int=0xA3)
    store.customer("youngest", needsApproval=True)
    phone = Phone(path, store.address, folder, device, "youngest")
    phone.buy(TEN, 2)
    phone.wait("deferred")
    phone.quit()
    return {"device": str(device), "account": "youngest", "product": TEN, "quantity": 2}


def frozen_phone(path, store, work):
    """A phone on which somebody removed the vault's file."""
    folder, device = work / "frozen", uuid.UUID(int=0xA4)
    store.customer("careless")
    phone = Phone(path, store.address, folder, device, "careless")
    phone.buy(FIVE)
    facts = {"device": str(device), "account": "careless", "lost": phone.wait("succeeded")["transaction"]}
    phone.ask("spend", "balance", _0=2)
    phone.quit()
    for file in folder.glob("vault.sqlite*"):
        file.unlink()
    phone = Phone(path, store.address, folder, device, "careless")
    facts["reason"] = phone.ask("showBalance", "creditsFrozen")["reason"]
    phone.buy(TEN)
    phone.wait("kept")
    phone.quit()
    return facts


def imported_phone(path, store, work):
    """A phone on which the app was deleted, installed again, and given its backup."""
    folder, keychain, device = work / "imported", work / "imported" / "keychain", uuid.UUID(int=0xA5)
    outside = work / "imported-keychain"
    store.customer("mover")
    phone = Phone(path, store.address, folder, device, "mover", keychain=outside)
    phone.buy(TEN)
    facts = {"device": str(device), "account": "mover", "granted": [phone.wait("succeeded")["transaction"]]}
    phone.ask("spend", "balance", _0=3)
    phone.buy(GREYSCALE)
    facts["entitled"] = {GREYSCALE: phone.wait("succeeded")["transaction"]}
    key = phone.ask("exportBackup", "exported", path=str(work / "moved"))["key"]
    phone.quit()
    shutil.rmtree(folder)
    phone = Phone(path, store.address, folder, device, "mover", keychain=outside)
    facts["imported"] = phone.ask("importBackup", "imported", path=str(work / "moved"), key=key)
    phone.order("restore")
    phone.wait("restoreEnded")
    facts["balance"] = phone.ask("showBalance", "balance")["_0"]
    phone.quit()
    shutil.copytree(outside, keychain)
    return facts
