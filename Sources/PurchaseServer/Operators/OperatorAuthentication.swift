import APIDescription
import HTTPTypes
import Hummingbird
import PurchaseLedger
import WebSupport

/// Authenticates operators by their keys, or by the sessions of their browsers, and checks their roles.
struct OperatorAuthentication: Sendable {
  let ledger: Ledger
  let tokens: RecognisedTokens

  /// Returns the operator who sends a request.
  ///
  /// - Parameter role: the role that the request needs.
  /// - Throws: ``ErrorResponse``: 401 without a valid key, 403 if the key has not the role; errors of the ledger.
  func identity(_ request: Request, with role: OperatorRole) async throws -> OperatorIdentity {
    guard let text = try request.checkedBearerToken(), BearerToken(text: text).isOperators else {
      throw ErrorResponse(
        .unauthorized, "tokenRequired", "Send an operator's key: Authorization: Bearer operator_….",
        headers: [.wwwAuthenticate: "Bearer"])
    }
    let identity = try await identity(token: text)
    guard identity.role >= role else { throw LedgerError.roleRequired(role).errorResponse }
    return identity
  }

  /// Returns the holder of an operator's key or session.
  ///
  /// - Throws: errors of the ledger.
  func identity(token text: String) async throws -> OperatorIdentity {
    let identity = try await ledger.authenticateOperator(BearerToken(text: text))
    tokens.add(text, of: "operator \(identity.name)")
    return identity
  }
}

extension RouterMethods<ServiceContext> {
  /// Adds an endpoint for operators. The key and its role are checked before the request's body is read.
  func serve<Path, Query, Body, Answer>(
    _ endpoint: OperatorEndpoint<Path, Query, Body, Answer>, bodyLimit: Int = BodyLimit.fields,
    for operators: OperatorAuthentication,
    answer: @escaping @Sendable (ServiceRequest<Path, Query, Body>, OperatorIdentity) async throws -> Answer
  ) {
    serve(
      endpoint.endpoint, bodyLimit: bodyLimit,
      for: { request, _ in try await operators.identity(request, with: endpoint.role) }, answer: answer)
  }

  /// Adds an endpoint as ``serve(_:bodyLimit:for:answer:)`` does, whose handler creates the whole response.
  func serve<Path, Query, Body, Answer>(
    raw endpoint: OperatorEndpoint<Path, Query, Body, Answer>, for operators: OperatorAuthentication,
    respond: @escaping @Sendable (ServiceRequest<Path, Query, Body>, OperatorIdentity) async throws -> Response
  ) {
    serve(
      raw: endpoint.endpoint, for: { request, _ in try await operators.identity(request, with: endpoint.role) },
      respond: respond)
  }
}

extension ReasonedRequest {
  /// Checks that the operator gave a reason.
  ///
  /// - Throws: ``ErrorResponse``.
  func checkReason() throws(ErrorResponse) { try OperatorReason.check(reason) }
}

/// The reasons of operators, which the audit log keeps.
enum OperatorReason {
  /// The maximum length, in bytes.
  static let largest = 1_000

  /// - Parameter reason: nil if the endpoint does not need one, and the operator gave none.
  /// - Throws: ``ErrorResponse``.
  static func check(_ reason: String?) throws(ErrorResponse) {
    guard let reason, !(1...largest).contains(reason.utf8.count) else { return }
    throw ErrorResponse(
      .unprocessableContent, "reasonRequired", "Give a reason of 1 to 1,000 bytes: \"reason\".", member: "reason")
  }
}
