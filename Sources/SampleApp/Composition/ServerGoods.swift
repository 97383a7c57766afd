import Foundation
import PurchaseKit
import SampleModel

/// The products that the sample app sells through the developer's server: books, and pages to print.
struct ServerGoods {
  let server: SampleServer
  let books: SampleBooks
  let printing: SamplePrinting

  /// - Parameter folder: the app's folder.
  init(
    server: SampleServer, folder: URL, entitlements: EntitlementManager, receipts: ReceiptReader,
    reachability: any Reachability
  ) throws {
    self.server = server
    books = try SampleBooks(
      server: server, folder: folder, entitlements: entitlements, receipts: receipts, reachability: reachability)
    printing = try SamplePrinting(server: server, folder: folder, receipts: receipts, reachability: reachability)
  }

  var deliveries: [any ProductDelivery] { [books.delivery, printing.credits] }

  func close() throws {
    try books.library.close()
    try printing.store.close()
  }
}

/// The sample app's pages to print: credits whose balance the developer's server stores.
struct SamplePrinting {
  let store: LedgerCreditStore
  let credits: CreditManager

  /// - Parameter folder: the app's folder. Pending spends are stored there, and are deleted with the app.
  init(server: SampleServer, folder: URL, receipts: ReceiptReader, reachability: any Reachability) throws {
    store = try LedgerCreditStore(
      at: folder.appending(path: "pages.sqlite"), server: server.client, unit: SampleCatalog.pagesUnit,
      reachability: reachability
    ) { try receipts.proof() }
    credits = CreditManager(store: store, creditsForProduct: SampleCatalog.pagesForProduct)
  }
}
