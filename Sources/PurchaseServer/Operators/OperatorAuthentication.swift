import HTTPTypes
import Hummingbird
import PurchaseLedger
import WebSupport

/// Finds out which operator asks.
struct OperatorAuthentication: Sendable {
  let ledger: Ledger
  let tokens: RecognisedTokens

  /// - Throws: ``ErrorResponse``.
  func identity(_ request: Request, _ context: ServiceContext) async throws -> OperatorIdentity {
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

extension ReasonedOrder {
  /// Checks that the operator gave a reason.
  ///
  /// - Throws: ``ErrorResponse``.
  func checkReason() throws(ErrorResponse) {
    guard (1...1000).contains(reason.utf8.count) else {
      throw ErrorResponse(.unprocessableContent, "reasonRequired", "Say why, in 1 to 1,000 bytes: \"reason\".")
    }
  }
}
