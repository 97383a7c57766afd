import HTTPTypes
import Hummingbird
import PurchaseLedger
import WebSupport

/// Authenticates operators by their keys.
struct OperatorAuthentication: Sendable {
  let ledger: Ledger
  let tokens: RecognisedTokens

  /// Returns the operator who sends a request.
  ///
  /// - Throws: ``ErrorResponse``; errors of the ledger.
  func identity(_ request: Request, _ context: ServiceContext) async throws -> OperatorIdentity {
    guard let text = try request.checkedBearerToken(), text.hasPrefix("operator_") else {
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

extension ReasonedRequest {
  /// Checks that the operator gave a reason.
  ///
  /// - Throws: ``ErrorResponse``.
  func checkReason() throws(ErrorResponse) {
    guard (1...1000).contains(reason.utf8.count) else {
      throw ErrorResponse(.unprocessableContent, "reasonRequired", "Give a reason of 1 to 1,000 bytes: \"reason\".")
    }
  }
}
