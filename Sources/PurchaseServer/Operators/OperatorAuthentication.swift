import APIDescription
import WebSupport
import HTTPTypes
import Hummingbird
import PurchaseLedger

/// Finds out which operator asks.
struct OperatorAuthentication: Sendable {
  let ledger: Ledger
  let tokens: RecognisedTokens

  /// - Throws: ``ErrorResponse``.
  func identity(_ request: Request) async throws -> OperatorIdentity {
    guard let text = request.bearerToken, text.hasPrefix("operator_") else {
      throw ErrorResponse(
        .unauthorized, "tokenRequired", "Send an operator's key: Authorization: Bearer operator_….",
        headers: [.wwwAuthenticate: "Bearer"])
    }
    return try await identity(token: text)
  }

  /// The operator whose key it is.
  ///
  /// - Throws: what the ledger threw.
  func identity(token text: String) async throws -> OperatorIdentity {
    let identity = try await ledger.authenticateOperator(BearerToken(text: text))
    tokens.add(text, of: "operator \(identity.name)")
    return identity
  }
}

extension Request {
  /// A body that says why, as every change by an operator must.
  func reasoned<Order: ReasonedOrder>(_ type: Order.Type) async throws -> Order {
    let order = try await decoded(
      type, knowing: .object(Order.keys.merging(["reason": .anything]) { $1 }), upTo: BodyLimit.fields)
    guard (1...1000).contains(order.reason.utf8.count) else {
      throw ErrorResponse(.unprocessableContent, "reasonRequired", "Say why, in 1 to 1,000 bytes: \"reason\".")
    }
    return order
  }
}

/// What an operator wants done, and why.
protocol ReasonedOrder: Decodable, Sendable {
  static var keys: [String: JSONKeys] { get }
  var reason: String { get }
}
