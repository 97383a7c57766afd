import Crypto
import Foundation
import PurchaseKit
import SampleModel
import SignedData

/// The sample app's books: what the developer's server delivers.
struct SampleBooks {
  let library: ContentLibrary
  let delivery: ServerDelivery

  /// - Parameter folder: the app's; the books go with it.
  init(
    server: SampleServer, folder: URL, entitlements: EntitlementManager, receipts: ReceiptReader,
    reachability: any Reachability
  ) throws {
    library = try ContentLibrary(at: folder.appending(path: "books"))
    delivery = ServerDelivery(
      server: server.client,
      downloads: ContentDownloads(library: library, server: server.client, reachability: reachability),
      entitlements: entitlements, productIdentifiers: server.books, deferredIdentifiers: server.largeBooks,
      deliveredIdentifiers: server.list.deliveredIdentifiers,
      // Patient: the demo decides when the network is back.
      attempts: .max, proof: { _ in try receipts.proof() })
  }

  /// What is read on the screen of a book: the digest of all of it.
  static func digest(of book: OpenBook, in model: BooksModel) async throws -> String {
    var hash = SHA256()
    for file in book.files.sorted() { hash.update(data: try await model.read(file)) }
    return Hexadecimal.lowercaseText(of: Array(hash.finalize()))
  }
}
