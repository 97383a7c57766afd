import AppStoreEmulator
import Foundation
import OpenStoreKit
import ShopFixtures
import StoreModel

/// The real store beside the model of it. Whatever decides something passes through here one at a time, so that both see
/// the same order.
actor ModelledStore {
  static let bundleID: BundleID = "com.example.credits"
  static let five: ProductID = "com.example.credits.five"
  static let ten: ProductID = "com.example.credits.ten"
  static let creditsForProduct: [ProductID: Int] = [five: 5, ten: 10]
  static let accounts: [AccountName] = ["ada", "bob"]

  nonisolated let store: EmulatedAppStore
  private(set) var model = ModelStore(unitPrices: [five: 990, ten: 1990])
  private(set) var disagreements: [String] = []
  /// How often the customer of a name was deleted, and how often when a quote was made, by its authentication code.
  private var deletions: [AccountName: Int] = [:]
  private var deletionsAtQuote: [Data: Int] = [:]
  private var isBusy = false
  private var turns: [CheckedContinuation<Void, Never>] = []

  init(seed: UInt64) async throws {
    store = try await .selling(Self.products(model.unitPrices), in: Self.bundleID, seed: seed)
    for account in Self.accounts { try await store.addCustomer(Customer(environment: .sandbox, name: account)) }
  }

  private static func products(_ unitPrices: [ProductID: Int64]) -> [ProductDefinition] {
    unitPrices.sorted { $0.key < $1.key }.map { .consumable($0.rawValue, $1) }
  }

  /// Actors let others in while they wait; a decision must not.
  private func inTurn<Value: Sendable>(_ work: () async throws -> Value) async rethrows -> Value {
    if isBusy { await withCheckedContinuation { turns.append($0) } }
    isBusy = true
    defer {
      if turns.isEmpty { isBusy = false } else { turns.removeFirst().resume() }
    }
    return try await work()
  }

  func quote(_ call: QuoteCall, for installation: InstallationID) async throws -> PaymentQuote {
    try await inTurn {
      let quote = try await store.send(call, for: installation)
      note(quote)
      return quote
    }
  }

  private func note(_ quote: PaymentQuote) {
    deletionsAtQuote[quote.authenticationCode] = deletions[quote.account, default: 0]
  }

  func confirm(_ call: ConfirmCall, for installation: InstallationID) async throws -> ConfirmationResult {
    try await inTurn {
      let quote = call.quote
      let expected = model.confirm(
        ModelStore.Sale(
          key: ModelStore.PaymentKey(installation: installation, payment: quote.payment.paymentID),
          account: quote.account, product: quote.payment.productID, quantity: quote.payment.quantity,
          amount: quote.total.amount.rawValue),
        isGone: deletionsAtQuote[quote.authenticationCode] != deletions[quote.account, default: 0])
      do {
        let result = try await store.send(call, for: installation)
        if case .stale(let current) = result { note(current) }
        let given: ModelStore.Answer =
          switch result {
          case .purchased: .charged
          case .stale: .stale
          case .deferred: .waiting
          }
        compare(given, expected, quote)
        return result
      } catch let refusal as StoreRefusal {
        compare(refusal.code == .accountGone ? .gone : .refused, expected, quote)
        throw refusal
      }
    }
  }

  private func compare(_ given: ModelStore.Answer, _ expected: ModelStore.Answer, _ quote: PaymentQuote) {
    if given != expected {
      disagreements.append("\(quote.payment): the store answered \(given), the model says \(expected)")
    }
  }

  // MARK: What operators do

  func setPrice(_ price: Int64, of product: ProductID) async throws {
    try await inTurn {
      model.unitPrices[product] = price
      try await store.serve(Self.bundleID, catalog: [StoreKitConfiguration(products: Self.products(model.unitPrices))])
    }
  }

  /// Deletes a customer whom no books name, and adds another of that name.
  ///
  /// - Returns: whether there was one to delete.
  func replaceCustomer(_ account: AccountName) async throws -> Bool {
    try await inTurn {
      do {
        try await store.removeCustomer(account, .sandbox)
      } catch AppStoreEmulatorError.customerHasPurchases {
        return false
      }
      deletions[account, default: 0] += 1
      model.declined.remove(account)
      model.supervised.remove(account)
      try await store.addCustomer(Customer(environment: .sandbox, name: account))
      return true
    }
  }

  func setDeclined(_ isDeclined: Bool, for account: AccountName) async throws {
    try await inTurn {
      if isDeclined { model.declined.insert(account) } else { model.declined.remove(account) }
      try await store.changeCustomer(account, .sandbox) { $0.paymentMethod = isDeclined ? .declined : .valid }
    }
  }

  func setSupervised(_ isSupervised: Bool, for account: AccountName) async throws {
    try await inTurn {
      if isSupervised { model.supervised.insert(account) } else { model.supervised.remove(account) }
      try await store.changeCustomer(account, .sandbox) { $0.needsApproval = isSupervised }
    }
  }

  /// Decides one payment that waits.
  ///
  /// - Returns: whether there was one.
  func decideOne(isApproved: Bool) async throws -> Bool {
    try await inTurn {
      guard let pending = try await store.pendingApprovals().first else { return false }
      let key = ModelStore.PaymentKey(installation: pending.installationID, payment: pending.payment.paymentID)
      model.decide(key, isApproved: isApproved)
      try await store.decideApproval(
        of: pending.payment.paymentID, on: pending.installationID, isApproved: isApproved)
      return true
    }
  }
}
