import Foundation
import HTTPTransport
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

/// The server's refusal of a request or a purchase. Documentation/purchase-server.md lists the codes of refused purchases.
public struct ServerRefusal: CustomerFacingError, Hashable, Codable, Sendable {
  /// The HTTP status; 422 for the refusal of a single purchase.
  public let status: Int
  /// A code for programs, such as `refunded`.
  public let code: String
  /// A text for people.
  public let message: String
  /// The number of seconds that the server asks the client to wait; nil if it does not ask.
  public let retryAfterSeconds: Int?

  public init(status: Int, code: String, message: String, retryAfterSeconds: Int? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfterSeconds = retryAfterSeconds
  }

  public var description: String { message }

  /// The text for the customer. Some messages of the server name product identifiers, which the customer does not know.
  public func customerMessage(_ names: CustomerNames) -> String {
    switch code {
    case "unknownProduct": "The shop’s server does not have this product yet. Try again later."
    case "otherProduct", "otherType", "otherPurchase":
      "The shop’s server and the App Store disagree about this product. Contact us."
    default: message
    }
  }

  /// Whether the receipt was made in the second in which the installation registered, so that the server cannot tell
  /// which was first.
  var isAboutSecondOfRegistration: Bool { code == "proofNotNewer" }

  /// Whether the same request may succeed later.
  public var isTemporary: Bool { status == 408 || status == 429 || status >= 500 }
}

extension ServerRefusal {
  private struct Message: Decodable {
    struct Details: Decodable {
      let code: String
      let message: String
    }

    let error: Details
  }

  /// Reads a refusal. If the body is not the server's but a proxy's, only the status and `Retry-After` are known.
  init(_ head: HTTPReplyHead, _ body: Data) {
    let details = try? BoundedJSON.decode(Message.self, from: body, within: .file).error
    self.init(
      status: head.status, code: details?.code ?? "http\(head.status)",
      message: details?.message ?? "The server answered with HTTP status \(head.status).",
      // Limited to one day, because larger values are probably mistakes.
      retryAfterSeconds: head["Retry-After"].flatMap(Int.init).map { min(max($0, 0), 86_400) })
  }
}

extension RetryBudget {
  /// Sends a request to the server, and sends it again after temporary errors.
  mutating func request<Value>(_ send: () async throws -> Value) async throws -> Value {
    while true {
      do {
        let value = try await send()
        succeeded()
        return value
      } catch let error as PurchaseServerError where error.isTemporary {
        try await wait(after: error, retryAfterSeconds: error.retryAfterSeconds)
      }
    }
  }
}
