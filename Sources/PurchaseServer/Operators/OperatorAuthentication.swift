import APIDescription
import WebSupport
import HTTPTypes
import Hummingbird
import PurchaseLedger

/// Authenticates operators by their keys.
struct OperatorAuthentication: Sendable {
  let ledger: Ledger
  let tokens: RecognisedTokens

  /// Returns the operator who sends a request.
  ///
  /// - Throws: ``ErrorResponse``; errors of the ledger.
  func identity(_ request: Request) async throws -> OperatorIdentity {
    guard let text = request.bearerToken, text.hasPrefix("operator_") else {
      throw ErrorResponse(
        .unauthorized, "tokenRequired", "Send an operator's key: Authorization: Bearer operator_….",
        headers: [.wwwAuthenticate: "Bearer"])
    }
    return try await identity(token: text)
  }

  /// Returns the holder of an operator key.
  ///
  /// - Throws: errors of the ledger.
  func identity(token text: String) async throws -> OperatorIdentity {
    let identity = try await ledger.authenticateOperator(BearerToken(text: text))
    tokens.add(text, of: "operator \(identity.name)")
    return identity
  }
}

extension Request {
  /// Decodes the body of a change by an operator, which must have a `reason`.
  func reasoned<Order: ReasonedOrder>(_ type: Order.Type) async throws -> Order {
    let order = try await decoded(
      type, knowing: .object(Order.keys.merging(["reason": .anything]) { $1 }), upTo: BodyLimit.fields)
    guard (1...1000).contains(order.reason.utf8.count) else {
      throw ErrorResponse(.unprocessableContent, "reasonRequired", "Say why, in 1 to 1,000 bytes: \"reason\".")
    }
    return order
  }
}

/// The body of a change by an operator, with its reason.
protocol ReasonedOrder: Decodable, Sendable {
  static var keys: [String: JSONKeys] { get }
  var reason: String { get }
}
