import Foundation
import SignedData

extension RunningApp {
  /// How the process was started.
  package struct Options {
    /// Where to wait for ever.
    package var hold: HoldPoint?
    /// Which version of the app this is.
    package var version = 1
    /// Whether the phone has no network at first.
    package var isOffline = false
    /// Whether to tell whenever a button reads something else.
    package var tellsScreen = false
    /// How long to wait before a store that did not answer is asked again; nil for longer and longer.
    package var retryMilliseconds: Int?
    /// How long an answer of the store is waited for.
    package var answerSeconds = 60.0
    /// What stays on the phone when the app is removed; nil for a folder of the app's.
    package var keychain: URL?
    /// The phone, for an app that is new on it.
    package var deviceID: UUID?
    /// The root that receipts must lead back to, as an app for Apple's store has Apple's built in; nil for that of the store the
    /// phone is bound to, which is known from the first contact on.
    package var receiptRoot: SHA256Fingerprint?
    /// The purchase server's address; nil for an app without one.
    package var server: URL?
    /// Whether purchases are restricted on the phone at first.
    package var isRestricted = false
    /// Whether a person uses it: sheets wait for their answers, and each step of a purchase is told.
    package var hasPages = false

    package init() {}
  }
}
