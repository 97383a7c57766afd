import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// Authenticates customers by their tokens.
struct CustomerAuthentication: Sendable {
  let ledger: Ledger
  /// Nil if all customers are anonymous.
  let identity: CustomerIdentity?
  let tokens: RecognisedTokens

  /// Returns the customer who sends a request for the app in its path.
  ///
  /// - Throws: ``ErrorResponse``; errors of the ledger, such as `LedgerError.unknownApp`.
  func claimant(_ request: Request, _ context: ServiceContext) async throws -> Claimant {
    let app = try context.app
    try ledger.check(app)
    let claimant = try await anyClaimant(request)
    guard claimant.app == nil || claimant.app == app else {
      throw Self.refusal("tokenRefused", "This token is of another app. Register an installation of this one.")
    }
    return claimant
  }

  private func anyClaimant(_ request: Request) async throws -> Claimant {
    guard let text = try request.checkedBearerToken() else {
      throw Self.refusal("tokenRequired", "Send the token of the customer: Authorization: Bearer TOKEN.")
    }
    return try await claimant(token: text)
  }

  /// Returns the holder of a token.
  ///
  /// - Throws: ``ErrorResponse``; errors of the ledger.
  func claimant(token text: String) async throws -> Claimant {
    if BearerToken(text: text).isOperators {
      throw Self.refusal("tokenRefused", "This is an operator's key; customers' things are not its own.")
    }
    if text.hasPrefix("customer_") || identity == nil {
      do {
        let claimant = try await ledger.authenticate(BearerToken(text: text))
        tokens.add(text, of: "customer \(claimant.customer)")
        return claimant
      } catch LedgerError.tokenRefused {
        throw Self.refusal("tokenRefused", LedgerError.tokenRefused.description)
      }
    }
    do {
      let claimant = try await ledger.identify(subject: identity?.subject(of: text) ?? "")
      tokens.add(text, of: "customer \(claimant.customer)")
      return claimant
    } catch let error as CustomerIdentityError {
      throw Self.refusal("tokenRefused", error.description)
    }
  }

  /// Runs `action` for a customer. If the customer was joined to another one meanwhile, runs it for the other customer.
  func acting<Path, Query, Body, Value>(
    as claimant: Claimant, _ request: ServiceRequest<Path, Query, Body>, _ action: (Claimant) async throws -> Value
  ) async throws -> Value {
    do {
      return try await action(claimant)
    } catch LedgerError.unknownCustomer {
      do {
        return try await action(self.claimant(request.request, request.context))
      } catch let error as LedgerError {
        guard case .unknownCustomer = error else { throw error }
        throw Self.refusal("signInAgain", error.description)
      }
    }
  }

  private static func refusal(_ code: String, _ message: String) -> ErrorResponse {
    ErrorResponse(.unauthorized, code, message, headers: [.wwwAuthenticate: "Bearer"])
  }
}

extension ServiceContext {
  /// The app in the request's path.
  var app: BundleID {
    get throws { BundleID(try pathParameter("bundleId")) }
  }
}
