import Foundation

/// A key of ``SKReceiptRefreshRequest/receiptProperties``: the receipt is to be expired. Accepted, and without effect.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKReceiptPropertyIsExpired = "SKReceiptPropertyIsExpired"

/// A key of ``SKReceiptRefreshRequest/receiptProperties``: the receipt is to be revoked. Accepted, and without effect.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKReceiptPropertyIsRevoked = "SKReceiptPropertyIsRevoked"

/// A key of ``SKReceiptRefreshRequest/receiptProperties``: the receipt is to be of a volume purchase. Accepted, and
/// without effect.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let SKReceiptPropertyIsVolumePurchase = "SKReceiptPropertyIsVolumePurchase"

/// Fetches the app receipt anew, to `Bundle.main.appStoreReceiptURL`. Implements Apple's `SKReceiptRefreshRequest`.
///
/// The customer is asked to sign in where nobody is; a customer who will not fails the request with
/// ``SKError/paymentCancelled``. (Apple does not document the error.)
open class SKReceiptRefreshRequest: SKRequest {
  private let properties: [String: Any]?
  private let device: StoreKitDevice?

  /// A request for the receipt of the current device.
  ///
  /// - Parameter receiptProperties: what the sandbox's receipt is to be like, by the `SKReceiptProperty…` keys. The
  ///   values Apple gives those keys are not documented; here each is its own name.
  public init(receiptProperties properties: [String: Any]?) {
    self.properties = properties
    device = nil
    super.init()
  }

  /// A request for the receipt of `device`; not part of Apple's interface.
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
