import Crypto
import Foundation
import PurchaseKit
import SampleModel
import SignedData
import StoreModel

/// The sample app's books, which the developer's server delivers.
struct SampleBooks {
  let library: ContentLibrary
  let delivery: ServerDelivery

  /// - Parameters:
  ///   - folder: the app's folder. The books are stored there, and are deleted with the app.
  ///   - transactions: with StoreKit 2, reads the proofs; nil with StoreKit 1.
  init(
    server: SampleServer, folder: URL, entitlements: EntitlementManager, receipts: ReceiptReader,
    transactions: TransactionReader?, retry: any RetrySchedule
  ) throws {
    library = try ContentLibrary(at: folder.appending(path: "books"))
    delivery = ServerDelivery(
      server: server.client,
      downloads: ContentDownloads(library: library, server: server.client, retry: retry),
      entitlements: entitlements, productIdentifiers: server.books, deferredIdentifiers: server.largeBooks,
      deliveredIdentifiers: server.list.deliveredIdentifiers,
      // No limit: the demo decides when the network returns.
      attempts: .max,
      proof: { purchase in
        guard let transactions else { return try receipts.proof() }
        return try await transactions.proof(of: purchase)
      })
  }

  /// Returns the SHA-256 of all files of the open book, one after the other in the order of their names.
  static func digest(of book: OpenBook, in model: BooksModel) async throws -> String {
    var hash = SHA256()
    for file in book.files.sorted() { hash.update(data: try await model.read(file)) }
    return Hexadecimal.lowercaseText(of: Array(hash.finalize()))
  }
}
