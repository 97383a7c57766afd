import Foundation
import SignedData

extension SampleApp {
  /// How the process was started.
  struct Options {
    /// Where to wait for ever.
    var hold: HoldPoint?
    /// Which version of the app this is.
    var version = 1
    /// Whether the phone has no network at first.
    var isOffline = false
    /// Whether to tell whenever a button reads something else.
    var tellsScreen = false
    /// How long to wait before a store that did not answer is asked again; nil for longer and longer.
    var retryMilliseconds: Int?
    /// How long an answer of the store is waited for.
    var answerSeconds = 60.0
    /// What stays on the phone when the app is removed; nil for a folder of the app's.
    var keychain: URL?
    /// The phone, for an app that is new on it.
    var deviceID: UUID?
    /// The root that receipts must lead back to, as an app for Apple's store has Apple's built in; nil for that of the store the
    /// phone is bound to, which is known from the first contact on.
    var receiptRoot: SHA256Fingerprint?
    /// The purchase server's address; nil for an app without one.
    var server: URL?
  }
}
