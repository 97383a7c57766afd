import Foundation

/// How a device reaches a store: over HTTP, or an emulator in the same process.
///
/// Each method throws ``StoreRefusal`` when the store says no, and ``StoreConnectionFailure`` when the store
/// did not answer. Every method may be called again with the same arguments: none charges, delivers or
/// finishes anything twice.
public protocol AppStoreConnection: Sendable {
  /// Makes the installation known. To be called before anything else, and again after `unknownInstallation`.
  func register(_ registration: InstallationRegistration) async throws -> StoreGreeting

  /// Signs a customer in on the installation, in place of whoever was before.
  func signIn(_ credentials: SignInCredentials, on installation: InstallationID) async throws -> SignedInAccount

  /// Lists products in the language and currency of the installation's storefront.
  func products(_ identifiers: [ProductID], for installation: InstallationID) async throws -> ProductList

  /// Says what a payment would cost the account that is signed in. Changes nothing.
  func quote(_ payment: PaymentRequest, for installation: InstallationID) async throws -> PaymentQuote

  /// Charges what the customer confirmed, or answers with what this payment id was charged before.
  func confirm(_ quote: PaymentQuote, for installation: InstallationID) async throws -> ConfirmationResult

  /// The transactions this installation has not finished, oldest first.
  func unfinished(for installation: InstallationID) async throws -> DeliveryBatch

  /// Marks a transaction finished. Finishing again, or one this store never made, is refused or ignored, never an
  /// effect on another.
  func finish(_ transaction: TransactionID, for installation: InstallationID) async throws
}

/// The store did not answer.
public enum StoreConnectionFailure: Error, CustomStringConvertible {
  /// Nothing was sent: there was no connection to send it over.
  case unreachable(reason: String)
  /// The request may have arrived, but no answer came.
  case noAnswer(reason: String)
  /// Something answered that does not speak this protocol.
  case unintelligible(reason: String)

  public var description: String {
    switch self {
    case .unreachable(let reason): "Cannot reach the store: \(reason)"
    case .noAnswer(let reason): "The store did not answer: \(reason)"
    case .unintelligible(let reason): "What answered is not a store this app understands: \(reason)"
    }
  }
}
