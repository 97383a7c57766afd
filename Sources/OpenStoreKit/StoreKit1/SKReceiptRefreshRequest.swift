import Foundation

/// A key of ``SKReceiptRefreshRequest/receiptProperties``: requests an expired receipt. Accepted, but has no effect.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKReceiptPropertyIsExpired = "SKReceiptPropertyIsExpired"

/// A key of ``SKReceiptRefreshRequest/receiptProperties``: requests a revoked receipt. Accepted, but has no effect.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKReceiptPropertyIsRevoked = "SKReceiptPropertyIsRevoked"

/// A key of ``SKReceiptRefreshRequest/receiptProperties``: requests a receipt of a volume purchase. Accepted, but has
/// no effect.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKReceiptPropertyIsVolumePurchase = "SKReceiptPropertyIsVolumePurchase"

/// Loads the current app receipt to `Bundle.main.appStoreReceiptURL`. Implements Apple's `SKReceiptRefreshRequest`.
///
/// If no customer is signed in, the customer is asked to sign in. If the customer cancels, the request fails with
/// ``SKError/paymentCancelled``. (Apple does not document the error.)
open class SKReceiptRefreshRequest: SKRequest {
  private let properties: [String: Any]?
  private let device: StoreKitDevice?

  /// A request for the receipt of the current device.
  ///
  /// - Parameter receiptProperties: the properties of a sandbox receipt, with the `SKReceiptProperty…` keys. Apple does
  ///   not document the values of these keys; here each key's value is its name.
  public init(receiptProperties properties: [String: Any]?) {
    self.properties = properties
    device = nil
    super.init()
  }

  /// A request for the receipt of `device`. Not part of Apple's API.
  public init(receiptProperties properties: [String: Any]? = nil, device: StoreKitDevice) {
    self.properties = properties
    self.device = device
    super.init()
  }

  public override init() {
    properties = nil
    device = nil
    super.init()
  }

  open var receiptProperties: [String: Any]? { properties }

  override func makeTask(run: Int) -> Task<Void, Never> {
    let device = device
    nonisolated(unsafe) let request = self
    return Task {
      var failure: (any Error)?
      do {
        try await (device ?? StoreKitDevice.resolved()).refreshReceipt()
      } catch {
        failure = StoreErrors.appError(for: error)
      }
      request.conclude(run: run) { [failure] in request.report(failure) }
    }
  }

  private func report(_ failure: (any Error)?) {
    if let failure {
      delegate?.request(self, didFailWithError: failure)
    } else {
      delegate?.requestDidFinish(self)
    }
  }
}

/// Ends the app, because its licence has expired or its receipt is invalid.
///
/// The process ends with status 173, by which Apple's systems recognise an app with an invalid receipt. Implements
/// Apple's `SKTerminateForInvalidReceipt`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func SKTerminateForInvalidReceipt() {
  // The app ends even if the message cannot be written.
  try? FileHandle.standardError.write(
    contentsOf: Data("StoreKit: the app ended itself, because its receipt is not valid.\n".utf8))
  exit(173)
}
