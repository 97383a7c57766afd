import Crypto
import Foundation
import OpenStoreKit
import PurchaseKit
import SampleModel
import SignedData
import StoreModel

/// The sample app's books: what the developer's server delivers, and the screen of it.
struct SampleBooks {
  let library: ContentLibrary
  let delivery: ServerDelivery
  let server: PurchaseServerClient

  /// - Parameters:
  ///   - address: the purchase server's.
  ///   - folder: the app's; the books and the server's token go with it.
  init(
    address: URL, folder: URL, device: StoreKitDevice, entitlements: EntitlementManager, receipts: ReceiptReader,
    reachability: any Reachability
  ) throws {
    server = PurchaseServerClient(
      address, bundleID: BundleID(SampleCatalog.bundleIdentifier), device: .vendorIdentifier(device.deviceID),
      identity: .anonymous(FileVaultKeyStore(directory: folder.appending(path: "token"))))
    library = try ContentLibrary(at: folder.appending(path: "books"))
    delivery = ServerDelivery(
      server: server,
      downloads: ContentDownloads(library: library, server: server, reachability: reachability),
      entitlements: entitlements, productIdentifiers: SampleCatalog.books,
      // Patient: the demo decides when the network is back.
      deferredIdentifiers: SampleCatalog.largeBooks, attempts: .max, proof: { _ in try receipts.proof() })
  }

  /// What is read on the screen of a book: the digest of all of it.
  static func digest(of book: OpenBook, in model: BooksModel) throws -> String {
    var hash = SHA256()
    for file in book.files.sorted() { hash.update(data: try model.read(file)) }
    return Hexadecimal.lowercaseText(of: Array(hash.finalize()))
  }
}
