import Foundation
import StoreModel

/// The ``SKDownload/timeRemaining`` of a download of which nobody knows how long it will take.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKDownloadTimeRemainingUnknown: TimeInterval = -1

/// Content that Apple hosts for a product. Implements Apple's `SKDownload`.
///
/// Apple has withdrawn hosted content, so no transaction has downloads, and one that is made for an app's own tests
/// never becomes active: started it fails, cancelled it is cancelled.
open class SKDownload: NSObject {
  private let outcome = LockedValue<(state: SKDownloadState, error: any Error)?>(nil)
  private let storedTransaction = SKPaymentTransaction()

  public override init() { super.init() }

  open var state: SKDownloadState { outcome.value?.state ?? .waiting }
  /// In bytes.
  open var expectedContentLength: Int64 { 0 }
  /// Set in App Store Connect.
  open var contentIdentifier: String { "" }
  /// Nil until the download is finished.
  open var contentURL: URL? { nil }
  /// Numbers with dots between them.
  open var contentVersion: String { "" }
  /// Set once the download has failed or was cancelled.
  open var error: (any Error)? { outcome.value?.error }
  /// 0 to 1.
  open var progress: Float { 0 }
  /// In seconds, or ``SKDownloadTimeRemainingUnknown``.
  open var timeRemaining: TimeInterval { SKDownloadTimeRemainingUnknown }
  open var transaction: SKPaymentTransaction { storedTransaction }

  /// The older name of ``state``.
  open var downloadState: SKDownloadState { state }
  /// The older name of ``expectedContentLength``.
  open var contentLength: Int64 { expectedContentLength }

  /// Where macOS keeps the content of a product: nowhere.
  open class func contentURL(forProductID productID: String) -> URL? { nil }

  /// Deletes the content of a product on macOS. There is none.
  open class func deleteContent(forProductID productID: String) {}

  /// Ends the download. Only on the queue that observers are called on, right before they are called.
  func end(_ state: SKDownloadState, _ error: any Error) { outcome.value = (state, error) }

  /// Why no download succeeds.
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
