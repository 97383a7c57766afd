"""The values with which a backend is configured to use a store, and Apple's own library with them."""

from __future__ import annotations

import base64
import dataclasses
import os
import pathlib
from typing import TYPE_CHECKING, Literal, TypeVar

from openstorekit.control_api import Connection
from openstorekit.errors import OpenStoreKitError

if TYPE_CHECKING:
    from appstoreserverlibrary.api_client import AppStoreServerAPIClient, AsyncAppStoreServerAPIClient
    from appstoreserverlibrary.models.Environment import Environment
    from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

    Client = TypeVar("Client", AppStoreServerAPIClient, AsyncAppStoreServerAPIClient)

EnvironmentName = Literal["sandbox", "production"]


@dataclasses.dataclass(frozen=True)
class BackendSettings:
    """What a backend needs of a store, instead of Apple's certificates, keys and addresses."""

    environment: EnvironmentName
    bundle_id: str
    app_apple_id: int
    """The app's number, which Apple's libraries need in production."""
    base_url: str
    """The base address of the App Store Server API, to which clients append `/inApps/…`."""
    issuer_id: str
    key_id: str
    private_key: str
    """The key for tokens of the App Store Server API (PEM, PKCS#8)."""
    verify_receipt_url: str
    """The address of `verifyReceipt`."""
    shared_secret: str
    """The `password` for `verifyReceipt`."""
    root_certificate: bytes
    """The root of signed transactions and notifications (DER), instead of Apple's root."""
    receipt_root_certificate: bytes
    """The root of app receipts (DER)."""
    receipt_intermediate_certificate: bytes
    """The intermediate certificate that receipts of iOS 6 lack (DER)."""

    @classmethod
    def from_connection(cls, connection: Connection, environment: EnvironmentName) -> BackendSettings:
        """Reads the connection document of the control API."""
        base_url: str = getattr(connection.base_urls, environment)
        return cls(
            environment=environment, bundle_id=connection.bundle_id, app_apple_id=connection.app_apple_id, base_url=base_url,
            issuer_id=connection.issuer_id, key_id=connection.key_id, private_key=connection.private_key,
            verify_receipt_url=base_url + "/verifyReceipt", shared_secret=connection.shared_secret,
            root_certificate=base64.b64decode(connection.root_certificate),
            receipt_root_certificate=base64.b64decode(connection.receipt_root_certificate),
            receipt_intermediate_certificate=base64.b64decode(connection.intermediate_certificates[-1]))

    # Apple's library

    def verifier(self, *, online_checks: bool = True) -> SignedDataVerifier:
        """A verifier of Apple's library."""
        environment = self._apple_environment()
        from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

        return SignedDataVerifier(
            [self.root_certificate], online_checks, environment, self.bundle_id, self.app_apple_id)

    def api_client(self) -> AppStoreServerAPIClient:
        """A client of Apple's library, with the store's address in place of Apple's."""
        environment = self._apple_environment()
        from appstoreserverlibrary.api_client import AppStoreServerAPIClient

        client = AppStoreServerAPIClient(
            self.private_key.encode(), self.key_id, self.issuer_id, self.bundle_id, environment)
        return self._pointed(client)

    def async_api_client(self) -> AsyncAppStoreServerAPIClient:
        """The asynchronous client of Apple's library, which needs `httpx`."""
        environment = self._apple_environment()
        from appstoreserverlibrary.api_client import AsyncAppStoreServerAPIClient

        client = AsyncAppStoreServerAPIClient(
            self.private_key.encode(), self.key_id, self.issuer_id, self.bundle_id, environment)
        return self._pointed(client)

    def _pointed(self, client: Client) -> Client:
        # The library has Apple's addresses as constants, and no option.
        if not hasattr(client, "_base_url"):
            raise OpenStoreKitError(
                "This version of app-store-server-library keeps its address elsewhere; version 3.1.2 is known to work.")
        client._base_url = self.base_url
        return client

    def _apple_environment(self) -> Environment:
        try:
            from appstoreserverlibrary.models.Environment import Environment
        except ImportError as error:
            raise OpenStoreKitError(
                "Apple's library is not installed: pip install app-store-server-library") from error
        return Environment.PRODUCTION if self.environment == "production" else Environment.SANDBOX

    # Another process

    def environ(self, folder: str | os.PathLike[str]) -> dict[str, str]:
        """Environment variables for a backend in another process: those that `openstorekit exec` sets for backends.

        :param folder: A folder in which files for the key and the certificates are made.
        """
        files = {
            "PRIVATE_KEY": ("key.p8", self.private_key.encode()),
            "ROOT_CERTIFICATE": ("root.cer", self.root_certificate),
            "RECEIPT_ROOT_CERTIFICATE": ("receipt-root.cer", self.receipt_root_certificate),
            "RECEIPT_INTERMEDIATE_CERTIFICATE": ("receipt-intermediate.cer", self.receipt_intermediate_certificate)}
        variables = {
            "BUNDLE_ID": self.bundle_id, "APP_APPLE_ID": str(self.app_apple_id), "ISSUER_ID": self.issuer_id,
            "KEY_ID": self.key_id, "SHARED_SECRET": self.shared_secret, "ENVIRONMENT": self.environment,
            f"{self.environment.upper()}_URL": self.base_url}
        for name, (file, content) in files.items():
            path = pathlib.Path(folder) / file
            path.touch(mode=0o600)
            path.write_bytes(content)
            variables[name] = str(path)
        return {f"OPENSTOREKIT_{name}": value for name, value in variables.items()}
