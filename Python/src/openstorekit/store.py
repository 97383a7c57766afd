"""An App Store that runs for the tests of a backend."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import pathlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union, cast

from openstorekit import program
from openstorekit.control_api import (
    ControlAPI,
    Environment,
    FaultKind,
    FaultReport,
    Subscription,
    Transaction,
    TransactionProofs,
)
from openstorekit.errors import NotificationError, OpenStoreKitError, StartError, StoppedError
from openstorekit.notifications import Notifications
from openstorekit.process import StoreProcess
from openstorekit.settings import BackendSettings, EnvironmentName

if TYPE_CHECKING:
    from appstoreserverlibrary.api_client import AppStoreServerAPIClient, AsyncAppStoreServerAPIClient
    from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

Path = Union[str, "os.PathLike[str]"]
OfferType = Literal["introductory", "promotional", "offerCode", "winBack"]


class AppStore:
    """An App Store on a free port of this machine, in memory.

    ```python
    with AppStore("Shop.storekit", bundle_id="com.example.shop") as store:
        coins = store.buy("coins")
    ```

    It runs until the end of the `with` block, or `stop`. It also ends when this process ends, even if that is killed.
    """

    def __init__(
        self, config: Path | Sequence[Path], *, bundle_id: str = "com.example.app", notification_url: str | None = None,
        notifications: bool = True, seed: int | None = None, time_rate: float = 1, start_timeout: float = 60,
    ) -> None:
        """Does not start it yet.

        :param config: A StoreKit configuration file (`.storekit`) with the products, or several.
        :param bundle_id: The app that the products belong to.
        :param notification_url: Where your server receives notifications; None: in a small receiver of the store.
        :param notifications: False: the store makes no notifications without a `notification_url`.
        :param seed: With a seed, each run has the same identifiers.
        :param time_rate: Seconds of the store's clock in one second; 0: the clock moves only by `advance`.
        :param start_timeout: The longest time until the store is ready, in seconds.
        """
        files = [config] if isinstance(config, (str, os.PathLike)) else list(config)
        self.config = [os.path.abspath(file) for file in files]
        """The StoreKit configuration files."""
        self.bundle_id = bundle_id
        """The app that the products belong to."""
        self._notification_url = notification_url
        self._has_receiver = notifications
        self._seed = seed
        self._time_rate = time_rate
        self._start_timeout = start_timeout
        self._process: StoreProcess | None = None
        self._control: ControlAPI | None = None
        self._notifications: Notifications | None = None
        self._settings: dict[str, BackendSettings] = {}

    # Its life

    def start(self) -> AppStore:
        """Starts it, and returns it when it accepts connections.

        :raises StartError: It did not start. The text is what the program printed to standard error.
        """
        if self._process is not None:
            raise OpenStoreKitError("This store runs already.")
        if not self.config:
            raise StartError("A store needs a StoreKit configuration file (.storekit) with the products that it sells.")
        arguments = ["emulator", "--port", "0", "--bundle-id", self.bundle_id, "--time-rate", f"{self._time_rate!r}"]
        for file in self.config:
            arguments += ["--config", file]
        if self._seed is not None:
            arguments += ["--seed", str(self._seed)]
        environment = {"LOG_LEVEL": "warning", **os.environ}
        self._process = StoreProcess(
            program.path(), arguments, environment=environment, timeout=self._start_timeout)
        try:
            self._control = _Control(self._process)
            self._notifications = Notifications(self, self._notification_url, receives=self._has_receiver)
            self._notifications.begin()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Ends it, and returns when its process has ended. A store that does not run stays as it is."""
        process, notifications = self._process, self._notifications
        self._process = self._control = self._notifications = None
        self._settings.clear()
        if process is not None:
            process.stop()
        if notifications is not None:
            notifications.stop()

    def __enter__(self) -> AppStore:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def reset(self) -> None:
        """Makes it as it was after its start: removes purchases, notifications, faults and requests, and undoes changes of
        products, settings, addresses and the clock. Customers are those of a new store, keys stay.

        It is started again instead, at another address, if it has a seed, if it serves other apps by now, or if a server
        has not answered to a notification.

        :raises StoppedError: Its program has ended.
        """
        control = self.control
        served = [app.bundle_id for app in control.apps().apps]
        # An attempt that is being made reaches its server before the reset, and none after it.
        control.change_notification_policy(hold=True)
        try:
            self.notifications.settle(2)
        except NotificationError:
            served = []
        if self._seed is not None or served != [self.bundle_id]:
            self.stop()
            self.start()
            return
        control.reset()
        control.serve_app(self.bundle_id, configurations=[_content(file) for file in self.config])
        if control.clock().rate != self._time_rate:
            control.change_clock(rate=self._time_rate)
        for key in control.keys().keys:
            if key.issuer_id is not None:
                control.remove_key(key.key_id)
        self._settings.clear()
        self.notifications.begin()

    # Its address, and its parts

    @property
    def is_running(self) -> bool:
        """Whether its program runs."""
        return self._process is not None and self._process.is_running

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._running().pid

    @property
    def url(self) -> str:
        """Its address, and that of its console in a browser, such as `http://127.0.0.1:40905`."""
        return self._running().url

    @property
    def control(self) -> ControlAPI:
        """All operations of the control API."""
        self._running()
        return cast(ControlAPI, self._control)

    @property
    def notifications(self) -> Notifications:
        """Its server notifications."""
        self._running()
        return cast(Notifications, self._notifications)

    def _running(self) -> StoreProcess:
        if self._process is None:
            raise StoppedError("This store is not running. Use it in a `with` block, or call start().")
        return self._process

    # What customers do

    def buy(
        self, product_id: str, *, customer: str = "customer", quantity: int = 1, app_account_token: str | None = None,
        offer_type: OfferType | None = None, offer_id: str | None = None, environment: EnvironmentName = "sandbox",
    ) -> Transaction:
        """Buys for a customer, who is charged at once.

        :param customer: Their name. A new store has the customer `customer`; `control.add_customer` adds others.
        :param quantity: 1 to 10.
        :param app_account_token: The UUID by which your server knows the customer.
        :param offer_type: The offer with which a subscription is bought, together with its `offer_id`.
        :raises ControlError: The store refused it, for example because the product is not sold.
        """
        return self.control.purchase(
            bundle_id=self.bundle_id, customer=customer, environment=_capital(environment), product_id=product_id,
            quantity=quantity, application_username=app_account_token, offer_type=offer_type, offer_id=offer_id,
            payment_id=str(uuid.uuid4()))

    def refund(
        self, transaction: Transaction | str, *, percent: float = 100, reason: Literal["other", "app-issue"] = "other",
    ) -> Transaction:
        """Refunds a transaction, and revokes its product.

        :param percent: The share of the price, more than 0 and at most 100.
        :param reason: The revocation reason: an issue with the app, or another one.
        """
        return self.control.refund(
            _id(transaction), percentage=round(percent * 1000), reason=1 if reason == "app-issue" else 0)

    def reverse_refund(self, transaction: Transaction | str) -> Transaction:
        """Reverses a refund: the customer is charged again, and owns the product again."""
        return self.control.reverse_refund(_id(transaction))

    # What the store knows

    def transaction(self, transaction: Transaction | str) -> Transaction:
        """A transaction as it is now."""
        return self.control.transaction(_id(transaction)).transaction

    def transactions(self, *, customer: str | None = None, product_id: str | None = None) -> list[Transaction]:
        """All transactions, or those of a customer or product; oldest first."""
        found: list[Transaction] = []
        before: int | None = None
        while True:
            page = self.control.transactions(customer=customer, product_id=product_id, before=before)
            found += page.transactions
            before = page.next
            if before is None:
                return found[::-1]

    def subscription(self, transaction: Transaction | str) -> Subscription:
        """The subscription that a transaction belongs to, as it is now."""
        if isinstance(transaction, str):
            transaction = self.transaction(transaction)
        return self.control.subscription(transaction.original_transaction_id).subscription

    def proofs(self, transaction: Transaction | str) -> TransactionProofs:
        """What an app sends to its own server: the signed transaction, the app receipt and the receipt of iOS 6, signed now."""
        return self.control.proofs(_id(transaction))

    # Its clock

    @property
    def now(self) -> datetime.datetime:
        """The date of its clock (UTC)."""
        return _date(self.control.clock().now)

    def advance(
        self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0,
    ) -> datetime.datetime:
        """Moves its clock forward. Renewals, expirations and notifications that are due by then happen, in their order.

        :returns: The new date (UTC).
        """
        span = datetime.timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        return _date(self.control.change_clock(advance_milliseconds=span // datetime.timedelta(milliseconds=1)).now)

    def advance_to_next_event(self) -> datetime.datetime:
        """Moves its clock to the next date at which something is due, such as a renewal.

        :returns: The new date (UTC).
        :raises ControlError: Nothing is due.
        """
        return _date(self.control.change_clock(to_next_event=True).now)

    # Failures

    @contextlib.contextmanager
    def fault(self, kind: FaultKind, **members: Any) -> Iterator[FaultReport]:
        """Lets requests fail in a `with` block, such as `fault("ocspDown")` or `fault("receiptStatus", status=21199)`.

        :param members: The parameters of `control.set_fault`.
        """
        report = self.control.set_fault(kind=kind, **members)
        try:
            yield report
        finally:
            # A fault with a count or a duration may have ended by itself, and a reset removes all.
            if any(fault.id == report.id for fault in self.control.faults().faults):
                self.control.remove_fault(report.id)

    # Backends

    def settings(self, environment: EnvironmentName = "sandbox") -> BackendSettings:
        """What a backend needs of it: addresses, keys and certificates."""
        if environment not in self._settings:
            connection = self.control.connection(bundle_id=self.bundle_id)
            self._settings[environment] = BackendSettings.from_connection(connection, environment)
        return self._settings[environment]

    def verifier(self, environment: EnvironmentName = "sandbox", *, online_checks: bool = True) -> SignedDataVerifier:
        """A verifier of Apple's `app-store-server-library`, which must be installed.

        :param online_checks: Whether it asks the store whether its certificates are revoked (OCSP), as in production.
        """
        return self.settings(environment).verifier(online_checks=online_checks)

    def api_client(self, environment: EnvironmentName = "sandbox") -> AppStoreServerAPIClient:
        """A client of Apple's `app-store-server-library`, which must be installed."""
        return self.settings(environment).api_client()

    def async_api_client(self, environment: EnvironmentName = "sandbox") -> AsyncAppStoreServerAPIClient:
        """The asynchronous client of Apple's `app-store-server-library[async]`, which must be installed."""
        return self.settings(environment).async_api_client()


class _Control(ControlAPI):
    """The control API of a process. If the process has ended, errors report how."""

    def __init__(self, process: StoreProcess) -> None:
        super().__init__(process.url)
        self._process = process

    def unreachable(self, error: Exception) -> OpenStoreKitError:
        return self._process.ended() or super().unreachable(error)


def _id(transaction: Transaction | str) -> str:
    return transaction if isinstance(transaction, str) else transaction.transaction_id


def _capital(environment: EnvironmentName) -> Environment:
    return "Production" if environment == "production" else "Sandbox"


def _date(milliseconds: int) -> datetime.datetime:
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return epoch + datetime.timedelta(milliseconds=milliseconds)


def _content(file: str) -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(pathlib.Path(file).read_bytes())
    return content
