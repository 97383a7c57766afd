import Foundation
import StoreModel

/// The value of ``SKDownload/timeRemaining`` if the remaining time is unknown.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKDownloadTimeRemainingUnknown: TimeInterval = -1

/// Content that Apple hosts for a product. Implements Apple's `SKDownload`.
///
/// Apple no longer hosts content, so no transaction has downloads. A download that an app makes for its tests never
/// becomes active: it fails when it is started, and can be cancelled.
open class SKDownload: NSObject {
  private let outcome = LockedValue<(state: SKDownloadState, error: any Error)?>(nil)
  private let storedTransaction = SKPaymentTransaction()

  public override init() { super.init() }

  open var state: SKDownloadState { outcome.value?.state ?? .waiting }
  /// The size in bytes.
  open var expectedContentLength: Int64 { 0 }
  /// The identifier from App Store Connect.
  open var contentIdentifier: String { "" }
  /// Always nil, because no download finishes.
  open var contentURL: URL? { nil }
  /// The version as numbers separated by dots.
  open var contentVersion: String { "" }
  /// Present if the download has failed or was cancelled.
  open var error: (any Error)? { outcome.value?.error }
  /// The progress, 0 to 1.
  open var progress: Float { 0 }
  /// The remaining time in seconds, or ``SKDownloadTimeRemainingUnknown``.
  open var timeRemaining: TimeInterval { SKDownloadTimeRemainingUnknown }
  open var transaction: SKPaymentTransaction { storedTransaction }

  /// The older name of ``state``.
  open var downloadState: SKDownloadState { state }
  /// The older name of ``expectedContentLength``.
  open var contentLength: Int64 { expectedContentLength }

  /// The location of a product's content on macOS. Always nil.
  open class func contentURL(forProductID productID: String) -> URL? { nil }

  /// Deletes a product's content on macOS. Has no effect, because there is no such content.
  open class func deleteContent(forProductID productID: String) {}

  /// Ends the download. Called on the main queue, right before the observers are called.
  func end(_ state: SKDownloadState, _ error: any Error) { outcome.value = (state, error) }

  /// The error of all downloads.
  static var withdrawn: SKError {
    SKError(
      .unknown,
      userInfo: [
        NSLocalizedDescriptionKey: "The content cannot be downloaded.",
        NSLocalizedFailureReasonErrorKey:
          "Apple no longer hosts content for In-App Purchases. Deliver it from a server of your own.",
      ])
  }
}

/// The state of a download. Frozen like Apple's, so a `switch` needs no default. Implements Apple's `SKDownloadState`.
@frozen public enum SKDownloadState: Int, Sendable {
  case waiting = 0
  case active = 1
  case paused = 2
  /// The content is at `contentURL`.
  case finished = 3
  /// `error` has the reason.
  case failed = 4
  case cancelled = 5
}

extension ObserverDelivery {
  /// Ends downloads, and notifies all observers.
  ///
  /// - Parameter passingOver: the states in which a download is not changed and not reported.
  func end(
    _ downloads: [SKDownload], as state: SKDownloadState, passingOver unaffected: Set<SKDownloadState> = []
  ) {
    // From here on, only the main queue accesses the downloads. Observers are called on the main queue.
    nonisolated(unsafe) let downloads = downloads
    onMain { queue in
      let ended = downloads.filter { !unaffected.contains($0.state) }
      guard !ended.isEmpty else { return }
      for download in ended { download.end(state, SKDownload.withdrawn) }
      for observer in queue.state.observers { observer.paymentQueue(queue, updatedDownloads: ended) }
    }
  }
}
