import Foundation
import StoreModel

extension EmulatedAppStore: AppStoreConnection {
  /// Answers a device's call. Whatever a device asks comes through here.
  public func send<Call: StoreCall>(
    _ call: Call, for installation: InstallationID
  ) async throws -> Call.Answer {
    try await send(call, for: installation, caller: nil)
  }

  /// Answers a device's call, and waits with it no longer than `caller` does.
  public func send<Call: StoreCall>(
    _ call: Call, for installation: InstallationID, caller: (any StoreCaller)?
  ) async throws -> Call.Answer {
    let facts = try await facts(of: call, from: installation)
    return try await pass(facts, from: caller, outcome: { _ in .answered }) { passage in
      var desk = DeviceDesk(store: self, caller: caller)
      defer {
        if let trouble = desk.trouble, !trouble.hasTakenEffect { passage.wasNeedless() }
      }
      switch passage.conduct {
      case .refuse(let refusal) where facts.kind == .device(.confirm) && refusal.endsPayment:
        desk.trouble = ConfirmationTrouble(refusal)
      case .refuse(let refusal): throw refusal
      case .unavailable:
        throw StoreRefusal(.temporarilyUnavailable, "The store is out of order. Try again later.")
      case .asUsual, .nothing, .status, .serverError: break
      }
      return try await call.answer(at: desk, from: installation)
    }
  }
}

/// The store as its devices see it.
private struct DeviceDesk: AppStoreDesk {
  let store: EmulatedAppStore
  let caller: (any StoreCaller)?
  var trouble: ConfirmationTrouble?

  func register(_ registration: InstallationRegistration) async throws -> StoreGreeting {
    try await store.register(registration)
  }

  func signIn(_ credentials: SignInCredentials, from installation: InstallationID) async throws -> SignedInAccount {
    try await store.signIn(credentials, from: installation)
  }

  func signOut(from installation: InstallationID) async throws {
    try await store.signOut(from: installation)
  }

  func products(_ identifiers: [ProductID], from installation: InstallationID) async throws -> ProductList {
    try await store.products(identifiers, from: installation)
  }

  func quote(_ payment: PaymentRequest, from installation: InstallationID) async throws -> PaymentQuote {
    try await store.quote(payment, from: installation)
  }

  func confirm(_ quote: PaymentQuote, from installation: InstallationID) async throws -> ConfirmationResult {
    try await store.confirm(quote, from: installation, trouble: trouble)
  }

  func unfinished(from installation: InstallationID) async throws -> DeliveryBatch {
    try await store.unfinished(from: installation)
  }

  func finish(_ transaction: TransactionID, from installation: InstallationID) async throws {
    try await store.finish(transaction, from: installation)
  }

  func restore(
    after cursor: RestoreCursor?, applicationUsername: String?, from installation: InstallationID
  ) async throws -> RestoredPage {
    try await store.restore(after: cursor, applicationUsername: applicationUsername, from: installation)
  }

  func refreshReceipt(from installation: InstallationID) async throws -> Data {
    try await store.refreshReceipt(from: installation)
  }

  func changes(
    after cursor: ChangeCursor, waitSeconds: Double, from installation: InstallationID
  ) async throws -> DeviceChanges {
    try await store.changes(after: cursor, waitSeconds: waitSeconds, from: installation, caller: caller)
  }
}
