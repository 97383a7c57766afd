"""The server notifications of a store."""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import socket
import time
import urllib.parse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from openstorekit.client import refusal
from openstorekit.control_api import (
    Environment,
    Notification,
    NotificationAttempt,
    NotificationCounts,
    NotificationDetails,
    NotificationState,
    NotificationSubtype,
    NotificationType,
)
from openstorekit.errors import ControlError, NotificationError
from openstorekit.receiver import NotificationReceiver

if TYPE_CHECKING:
    from openstorekit.store import AppStore


@dataclasses.dataclass(frozen=True)
class ServerNotification:
    """An App Store Server Notification (version 2) of the store."""

    uuid: str
    """The `notificationUUID`."""
    type: str
    """The `notificationType`, such as `REFUND`."""
    subtype: str | None
    environment: Environment
    transaction_id: str | None
    state: NotificationState
    """`sent`: the server has accepted it; `waiting`: an attempt is to come; `failed`: all attempts have failed."""
    attempts: list[NotificationAttempt]
    """The attempts with what the server answered, oldest first."""
    signed_payload: str | None
    """What is sent (JWS); None before the first attempt."""
    payload: dict[str, Any]
    """The decoded payload, without the signed data in it."""
    transaction_info: dict[str, Any]
    """The decoded `signedTransactionInfo`; empty if there is none."""
    renewal_info: dict[str, Any]
    """The decoded `signedRenewalInfo`; empty if there is none."""

    @property
    def body(self) -> dict[str, Any]:
        """The body of the request to the server, for a test that calls its server without a port."""
        return {"signedPayload": self.signed_payload}

    @classmethod
    def from_details(cls, details: NotificationDetails) -> ServerNotification:
        """The notification with its contents."""
        of = details.notification
        return cls(
            uuid=of.uuid, type=of.type, subtype=of.subtype, environment=of.environment, transaction_id=of.transaction_id,
            state=of.state, attempts=of.attempts, signed_payload=details.signed_payload, payload=details.payload,
            transaction_info=details.transaction_info or {}, renewal_info=details.renewal_info or {})


class Notifications:
    """The notifications that a store has made since the test began."""

    def __init__(self, store: AppStore, url: str | None, *, receives: bool) -> None:
        self._store = store
        self._url = url
        self._receiver = NotificationReceiver() if receives and url is None else None
        # The notifications that `wait_for` has returned, or raised an error for.
        self._returned: set[str] = set()
        self._reported: set[str] = set()

    # Addresses

    @property
    def url(self) -> str | None:
        """Where notifications are sent at first: the `notification_url` of the store, or its own receiver."""
        return self._url if self._receiver is None else self._receiver.url

    def send_to(self, url: str | None) -> None:
        """Sends the notifications of later events to another server, until the store is reset; None: makes no notifications."""
        self._store.control.set_notification_urls(self._store.bundle_id, production=url, sandbox=url)

    @property
    def received(self) -> list[dict[str, Any]]:
        """The bodies that the store's own receiver has received, in the order of their arrival, duplicates included."""
        return [] if self._receiver is None else self._receiver.bodies

    # What was sent

    def __iter__(self) -> Iterator[ServerNotification]:
        return iter(self.all())

    def all(
        self, type: NotificationType | None = None, subtype: NotificationSubtype | None = None, *,
        transaction_id: str | None = None,
    ) -> list[ServerNotification]:
        """All notifications, also those that are still to be sent; oldest first."""
        return [self._detailed(of) for of in self._list(type, subtype, transaction_id)]

    def settle(self, timeout: float = 30) -> NotificationCounts:
        """Waits until each attempt that is due is made. Held ones and retries of later dates do not count.

        :param timeout: The longest wait, in seconds.
        :raises NotificationError: They were not made within this time.
        """
        try:
            return self._store.control.settle_notifications(timeout_milliseconds=max(0, min(600_000, int(timeout * 1000))))
        except ControlError as error:
            if error.code != "notificationsNotSettled":
                raise
            raise NotificationError(error.message) from error

    def wait_for(
        self, type: NotificationType, subtype: NotificationSubtype | None = None, *, transaction_id: str | None = None,
        timeout: float = 5,
    ) -> ServerNotification:
        """Waits until a notification was sent, and its server has accepted it.

        Each call returns the next one: the oldest that no call has returned. What the store did before is found at once, or
        after a second if a server has not answered to another one; the time limit is for what a server's background task
        causes.

        :param subtype: Only one with this subtype; None for any.
        :param transaction_id: Only one about this transaction.
        :param timeout: The longest wait, in seconds.
        :raises NotificationError: None was sent in this time, or its server did not accept it. The text reports which were
            sent, and what the server answered.
        """
        end = time.monotonic() + timeout
        with _Changes(self._store) as changes:
            while True:
                # A server that does not answer to one notification must not hide the others.
                unsettled: NotificationError | None = None
                try:
                    self.settle(1)
                except NotificationError as error:
                    unsettled = error
                remaining = end - time.monotonic()
                matching = [of for of in self._list(type, subtype, transaction_id) if of.uuid not in self._returned]
                for notification in matching:
                    if notification.state == "sent":
                        self._returned.add(notification.uuid)
                        return self._detailed(notification)
                for notification in matching:
                    # An attempt to send a waiting one again may be under way.
                    is_decided = notification.state == "failed" or unsettled is None or remaining <= 0
                    if notification.attempts and is_decided and notification.uuid not in self._reported:
                        self._reported.add(notification.uuid)
                        raise NotificationError(_refusal(notification))
                if remaining <= 0:
                    raise NotificationError(self._missing(type, subtype, transaction_id, matching, unsettled)) from unsettled
                changes.wait(remaining)

    # How they are sent

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Holds notifications in a `with` block, and sends them at its end. A reset of the store removes what is held."""
        self._store.control.change_notification_policy(hold=True)
        try:
            yield
        finally:
            self._store.control.change_notification_policy(hold=False)

    def resend(self, notification: ServerNotification) -> None:
        """Sends a notification once more, with the same bytes. `wait_for` can return it again."""
        self._store.control.resend_notification(notification.uuid)
        self._returned.discard(notification.uuid)
        self._reported.discard(notification.uuid)

    # For the store

    def begin(self) -> None:
        """Called when the store has no notifications: after its start, and after a reset."""
        self.send_to(self.url)
        self._returned.clear()
        self._reported.clear()
        if self._receiver is not None:
            self._receiver.clear()

    def stop(self) -> None:
        """Stops the receiver."""
        if self._receiver is not None:
            self._receiver.stop()

    def _list(self, type: NotificationType | None, subtype: NotificationSubtype | None,
              transaction_id: str | None) -> list[Notification]:
        found: list[Notification] = []
        after: int | None = 0
        while after is not None:
            page = self._store.control.notifications(
                bundle_id=self._store.bundle_id, type=type, subtype=subtype, transaction_id=transaction_id, after=after,
                limit=1000)
            found += page.notifications
            after = page.next
        return found

    def _detailed(self, notification: Notification) -> ServerNotification:
        return ServerNotification.from_details(self._store.control.notification(notification.uuid))

    def _missing(self, type: str, subtype: str | None, transaction_id: str | None, matching: list[Notification],
                 unsettled: NotificationError | None) -> str:
        wanted = _named(type, subtype) + (f" about {transaction_id}" if transaction_id else "")
        if matching and self._store.control.notification_policy().hold:
            return f"{wanted} was made, and is held. Release it: notifications are sent at the end of the block `held()`."
        if matching:
            return f"{wanted} was made, and not sent" + (": a server has not answered yet." if unsettled else ".")
        others = self._list(None, None, None)
        if others:
            return f"No {wanted} was sent, or wait_for has returned it before. The store has made: " + ", ".join(
                f"{_named(of.type, of.subtype)} ({of.state})" for of in others[-20:])
        urls = self._store.control.notification_urls(self._store.bundle_id)
        if urls.sandbox is None and urls.production is None:
            return f"No {wanted} was sent: the store makes no notifications, because it has no address for them."
        return f"No {wanted} was sent, and no other notification."


class _Changes:
    """The stream of changes of a store, which its pages have.

    A stream begins with an event, so that no change is missed between a look at the store and the stream.
    """

    def __init__(self, store: AppStore) -> None:
        self._unreachable = store.control.unreachable
        self._connection = http.client.HTTPConnection(urllib.parse.urlsplit(store.url).netloc)
        self._stream: http.client.HTTPResponse | None = None

    def __enter__(self) -> _Changes:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def wait(self, timeout: float) -> None:
        """Waits for a change, or for a number of seconds.

        :raises StoppedError: The store has ended.
        :raises ControlError: The store refused the stream.
        """
        try:
            stream = self._stream or self._open(timeout)
            assert self._connection.sock is not None
            self._connection.sock.settimeout(timeout)
            while True:
                line = stream.readline()
                if line.startswith(b"event:"):
                    return
                if not line:
                    raise http.client.HTTPException("its stream of changes ended")
        except socket.timeout:
            # A stream is not readable after a time limit: the next call opens another.
            self._close()
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from error

    def _open(self, timeout: float) -> http.client.HTTPResponse:
        self._connection.timeout = timeout
        self._connection.request("GET", "/console/live")
        stream = self._connection.getresponse()
        if stream.status != 200:
            raise refusal(stream.status, stream.read())
        self._stream = stream
        return stream

    def _close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        self._connection.close()


def _named(type: str, subtype: str | None) -> str:
    return f"{type}/{subtype}" if subtype else type


def _refusal(notification: Notification) -> str:
    attempt = notification.attempts[-1]
    how = attempt.detail or f"HTTP {attempt.http_status}" if attempt.http_status else attempt.detail or attempt.result
    answer = f": {attempt.answer}" if attempt.answer else ""
    text = f"{_named(notification.type, notification.subtype)} was sent to {attempt.url}, and not accepted: {how}{answer}"
    if notification.due_date is None:
        return text
    return text + "\nThe store sends it again at a later date of its clock: advance the clock."
