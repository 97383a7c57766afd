import Foundation
import HTTPTransport
import PurchaseKit
import SignedData

extension RunningApp {
  /// The options with which the process was started.
  package struct Options {
    /// The point at which the app stops forever; nil if it does not stop.
    package var hold: HoldPoint?
    /// The StoreKit that the app uses.
    package var storeKit = StoreInterface.storeKit1
    /// Whether the app also delivers purchases by the other StoreKit, as an app does while it moves from one to the other.
    package var usesBothStoreKits = false
    /// The version of the app.
    package var version = 1
    /// Whether the titles of buttons are reported when they may have changed.
    package var reportsScreen = false
    /// The time between requests to a store that does not respond; nil for increasing times.
    package var retryMilliseconds: Int?
    /// The timeout for a response of the store.
    package var answerSeconds = 60.0
    /// The folder of keys that stay on the phone when the app is deleted; nil for a folder inside the app's folder.
    package var keychain: URL?
    /// The phone's identifier; nil for that of the app's folder. The folder of another phone is refused, before its vault
    /// is opened.
    package var deviceID: UUID?
    /// The fingerprint of the root certificate of receipts. An app for Apple's store contains the fingerprint of
    /// Apple's root. Nil to accept the root of the store that the phone is bound to, which is known after the first
    /// request.
    package var receiptRoot: SHA256Fingerprint?
    /// The purchase server's address; nil for an app without a server.
    package var server: URL?
    /// The place of the monkey credits; nil for the usual one. The value must be the same at every start of an
    /// installation. Without a server, the vault stores them.
    package var credits: CreditsPlace?
    /// Whether a person uses the app. Sheets then wait for answers, and each step of a purchase is reported.
    package var hasPages = false
    /// Returns the transport to the store and to the purchase server, with this timeout in seconds for the connection and
    /// for each pause in a response.
    package var transport: @Sendable (_ timeoutSeconds: Double) -> any HTTPSender = {
      SystemTransport(timeoutSeconds: $0)
    }

    package init() {}
  }
}
