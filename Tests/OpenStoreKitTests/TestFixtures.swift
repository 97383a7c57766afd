import Foundation
import StoreModel

@testable import OpenStoreKit

extension SKPayment {
  static func of(_ product: String, quantity: Int = 1, username: String? = nil) -> SKPayment {
    let payment = SKMutablePayment()
    payment.productIdentifier = product
    payment.quantity = quantity
    payment.applicationUsername = username
    return payment
  }
}

/// A temporary folder. It is removed when this object is released.
final class TemporaryFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(path: "openstorekit-tests-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// Counts events. The test waits for them one by one.
final class EventCounter: Sendable {
  private let events = AsyncStream.makeStream(of: Void.self)

  func happened() { events.continuation.yield() }
  func next() async { _ = await events.stream.first { _ in true } }
}

extension PaymentJournal {
  static func inMemory() throws -> PaymentJournal {
    try PaymentJournal(
      at: nil, bundleID: TestStore.bundleID, environment: .sandbox, deviceID: nil, makeUUID: UUID.init)
  }
}

extension PaymentJournal.Arrival {
  static func of(payment: PaymentID, product: ProductID, transaction: UInt64) -> PaymentJournal.Arrival {
    PaymentJournal.Arrival(
      payment: payment,
      transaction: PurchasedTransaction(
        transactionID: TransactionID(transaction), productID: product, quantity: 1,
        purchaseDate: StoreDate(millisecondsSince1970: 0), signedTransaction: "x.y.z"),
      appAccountToken: nil, applicationUsername: nil)
  }
}
