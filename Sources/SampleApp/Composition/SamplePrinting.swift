import Foundation
import PurchaseKit
import SampleModel

/// The sample app's pages to print: credits whose books the developer's server keeps.
struct SamplePrinting {
  let store: LedgerCreditStore
  let credits: CreditManager

  /// - Parameter folder: the app's; spends that are not settled go with it.
  init(server: SampleServer, folder: URL, receipts: ReceiptReader, reachability: any Reachability) throws {
    store = try LedgerCreditStore(
      at: folder.appending(path: "pages.sqlite"), server: server.client, unit: SampleCatalog.pagesUnit,
      reachability: reachability
    ) { try receipts.proof() }
    credits = CreditManager(store: store, creditsForProduct: SampleCatalog.pagesForProduct)
  }
}
