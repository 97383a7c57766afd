import Foundation
import StoreModel

/// Thrown when a request to the developer's server fails.
public enum PurchaseServerError: DescribedError, Hashable, Codable, Sendable {
  /// There was no complete response. The server may have processed the request. The request can be repeated without
  /// harm, because redemptions and spends are idempotent.
  case network(reason: String)
  /// The server refused the request, permanently or temporarily.
  case refused(ServerRefusal)
  /// The response does not have the format of a purchase server's responses.
  case unintelligible(reason: String)
  /// This installation's stored token cannot be read, and no request was sent. A new token would belong to a new
  /// customer, who has none of the current customer's purchases.
  case identityUnreadable(item: String, reason: String)
  /// Another customer signed in during the request, so its response is ignored.
  case customerChanged

  public var description: String {
    switch self {
    case .network(let reason): "The server was not reached. Try again when there is a network. (\(reason))"
    case .refused(let refusal): refusal.message
    case .unintelligible(let reason): "The server's answer makes no sense; check its address. (\(reason))"
    case .identityUnreadable(let item, let reason):
      """
      The purchase server's token, \(item) in the app's key store, cannot be read. Unlock the device and try again, or put the key \
      store back from a backup. Removing the item makes this installation a new customer, who has to restore purchases and has none \
      of the credits. (\(reason))
      """
    case .customerChanged: "Another customer has signed in meanwhile. Try again as that customer."
    }
  }

  /// Whether the same request may succeed later.
  public var isTemporary: Bool {
    switch self {
    case .network: true
    case .refused(let refusal): refusal.isTemporary
    case .unintelligible, .identityUnreadable, .customerChanged: false
    }
  }

  /// The number of seconds that the server asks the client to wait; nil if it does not ask.
  public var retryAfterSeconds: Int? { if case .refused(let refusal) = self { refusal.retryAfterSeconds } else { nil } }
}

extension PurchaseServerError: CustomerFacingError {
  public func customerMessage(_ names: CustomerNames) -> String {
    switch self {
    case .network: "The server cannot be reached. Try again when there is a network."
    case .refused(let refusal): refusal.customerMessage(names)
    case .unintelligible: "The server’s answer was not understood. Try again later."
    case .identityUnreadable:
      "Your purchases cannot be read while the device is locked. Unlock it, and try again."
    case .customerChanged: "Another customer has signed in meanwhile. Try again as that customer."
    }
  }
}
