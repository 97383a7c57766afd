import Foundation
import OpenStoreKit
import StoreModel

extension SKPayment {
  static func of(_ product: String, quantity: Int = 1, username: String? = nil) -> SKPayment {
    let payment = SKMutablePayment()
    payment.productIdentifier = product
    payment.quantity = quantity
    payment.applicationUsername = username
    return payment
  }
}

/// A folder that goes when the test's hold on it goes.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "openstorekit-tests-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// Events to wait for, one by one.
final class EventCounter: Sendable {
  private let events = AsyncStream.makeStream(of: Void.self)

  func happened() { events.continuation.yield() }
  func next() async { _ = await events.stream.first { _ in true } }
}

/// Tells when a finish has been carried out.
struct NotifyingConnection: AppStoreConnection {
  private let base: any AppStoreConnection
  private let finished: EventCounter

  init(_ base: any AppStoreConnection, afterFinish finished: EventCounter) {
    self.base = base
    self.finished = finished
  }

  func finish(_ transaction: TransactionID, for installation: InstallationID) async throws {
    try await base.finish(transaction, for: installation)
    finished.happened()
  }

  func register(_ registration: InstallationRegistration) async throws -> StoreGreeting {
    try await base.register(registration)
  }

  func signIn(
    _ credentials: SignInCredentials, on installation: InstallationID
  ) async throws -> SignedInAccount {
    try await base.signIn(credentials, on: installation)
  }

  func products(_ identifiers: [ProductID], for installation: InstallationID) async throws -> ProductList {
    try await base.products(identifiers, for: installation)
  }

  func quote(_ payment: PaymentRequest, for installation: InstallationID) async throws -> PaymentQuote {
    try await base.quote(payment, for: installation)
  }

  func confirm(_ quote: PaymentQuote, for installation: InstallationID) async throws -> ConfirmationResult {
    try await base.confirm(quote, for: installation)
  }

  func unfinished(for installation: InstallationID) async throws -> DeliveryBatch {
    try await base.unfinished(for: installation)
  }
}
