import Foundation
import PurchaseKit
import SampleModel
import StoreModel

/// The products that the sample app sells through the developer's server: books, pages to print, and monkey credits if the
/// server stores them.
struct ServerGoods {
  let server: SampleServer
  let books: SampleBooks
  let printing: SamplePrinting
  let durables: DurableRedemption
  /// The monkey credits on the server; nil if they are in the vault.
  let monkeyCredits: LedgerCreditStore?
  /// What the customer has on the server, with the balances of both stores.
  let state: CustomerStateCopy

  /// - Parameters:
  ///   - folder: the app's folder. Pending spends are stored there, and are deleted with the app.
  ///   - transactions: with StoreKit 2, reads the proofs of restored products; nil with StoreKit 1.
  ///   - hasCredits: whether the server stores the monkey credits.
  init(
    server: SampleServer, folder: URL, entitlements: EntitlementManager, receipts: ReceiptReader,
    transactions: TransactionReader?, retry: any RetrySchedule, hasCredits: Bool
  ) throws {
    func store(_ file: String, unit: String) throws -> LedgerCreditStore {
      try LedgerCreditStore(
        at: folder.appending(path: file), server: server.client, unit: unit, retry: retry
      ) { try receipts.proof() }
    }
    self.server = server
    books = try SampleBooks(
      server: server, folder: folder, entitlements: entitlements, receipts: receipts, transactions: transactions,
      retry: retry)
    printing = SamplePrinting(store: try store("pages.sqlite", unit: SampleCatalog.pagesUnit))
    durables = DurableRedemption {
      let products = SampleCatalog.filters.union(SampleCatalog.clubPlans)
      let owned = entitlements.entitlements.filter {
        products.contains($0.productIdentifier) && $0.revocationDate == nil
      }
      return Set(owned.map(\.originalTransactionIdentifier))
    } request: { pending in
      guard let transactions else {
        _ = try await server.client.restore(try receipts.proof())
        return
      }
      for owned in entitlements.entitlements where pending.contains(owned.originalTransactionIdentifier) {
        let purchase = PaidPurchase(
          transactionIdentifier: owned.originalTransactionIdentifier, productIdentifier: owned.productIdentifier,
          quantity: 1, date: owned.purchaseDate, isRestored: true)
        _ = try await server.client.restore(try await transactions.proof(of: purchase))
      }
    }
    monkeyCredits = hasCredits ? try store("credits.sqlite", unit: SampleCatalog.serverCreditsUnit) : nil
    state = try CustomerStateCopy(
      at: folder.appending(path: "state.json"), server: server.client, entitlements: entitlements,
      credits: [printing.store] + (monkeyCredits.map { [$0] } ?? []))
  }

  var deliveries: [any ProductDelivery] { [books.delivery, printing.credits] }

  var creditStores: [LedgerCreditStore] { [printing.store] + (monkeyCredits.map { [$0] } ?? []) }

  func close() throws {
    try books.library.close()
    for store in creditStores { try store.close() }
  }
}

/// The sample app's pages to print: credits whose balance the developer's server stores.
struct SamplePrinting {
  let store: LedgerCreditStore
  let credits: CreditManager

  init(store: LedgerCreditStore) {
    self.store = store
    credits = CreditManager(store: store, creditsForProduct: SampleCatalog.pagesForProduct)
  }
}
