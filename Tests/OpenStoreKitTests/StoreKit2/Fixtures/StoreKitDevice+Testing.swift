import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

/// StoreKit 2 on a device that is not the current one, so that tests run at the same time.
extension StoreKitDevice {
  func product(_ id: String) async throws -> Product {
    try #require(try await Product.products(for: [id], on: self).first)
  }

  /// Purchases a product.
  ///
  /// - Returns: the verified transaction.
  @discardableResult
  func purchase(
    _ id: String, _ options: Set<Product.PurchaseOption> = [], finishes: Bool = true
  ) async throws -> Transaction {
    let result = try await product(id).purchase(options: options)
    guard case .success(let verification) = result else {
      throw UnexpectedResult(description: "the purchase of \(id) ended with \(result)")
    }
    let transaction = try verification.payloadValue
    if finishes { await transaction.finish() }
    return transaction
  }

  func all(of product: String? = nil) async throws -> [Transaction] { try await list(.all(product)) }
  func entitlements(of product: String? = nil) async throws -> [Transaction] { try await list(.entitlements(product)) }
  func unfinished() async throws -> [Transaction] { try await list(.unfinished) }

  /// A list refreshes for a second at most, which a busy machine may need. So the tests refresh before.
  private func list(_ source: Transaction.Transactions.Source) async throws -> [Transaction] {
    _ = await refresh()
    var transactions: [Transaction] = []
    for await result in Transaction.Transactions(source, on: self) { transactions.append(try result.payloadValue) }
    return transactions
  }

  /// An iterator of `Transaction.updates`.
  func transactionUpdates() -> Transaction.Transactions.AsyncIterator {
    Transaction.Transactions(.updates, on: self).makeAsyncIterator()
  }

  /// An iterator of `Status.updates`.
  func statusUpdates() -> SubscriptionStatus.Statuses.AsyncIterator {
    SubscriptionStatus.Statuses(on: self).makeAsyncIterator()
  }

  func status() async throws -> SubscriptionStatus? {
    _ = await refresh()
    return try await Product.SubscriptionInfo.status(for: TestStore.group, on: self).first
  }

  func renewalInfo() async throws -> SubscriptionRenewalInfo {
    try #require(try await status()).renewalInfo.payloadValue
  }
}

extension Transaction.Transactions.AsyncIterator {
  /// The next element, which must be verified.
  mutating func nextTransaction() async throws -> Transaction {
    let element = await next()
    return try #require(element).payloadValue
  }
}

extension VerificationResult<Transaction> {
  /// The id of a verified transaction; nil for an unverified one.
  ///
  /// The store signs a transaction again for each answer, with a later date, so tests compare the ids of two answers.
  var verifiedID: UInt64? {
    if case .verified(let transaction) = self { transaction.id } else { nil }
  }
}

struct UnexpectedResult: Error, CustomStringConvertible {
  let description: String
}

/// Returns the results of an operation in a task that is cancelled.
func inCancelledTask<Value: Sendable>(
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await Task {
    withUnsafeCurrentTask { $0?.cancel() }
    return try await operation()
  }.value
}
