import Foundation
import HTTPTransport
import OpenStoreKit
import PurchaseKit
import SampleModel
import StoreModel

/// The developer's server as the sample app sees it, and the server's list of products.
struct SampleServer {
  let client: PurchaseServerClient
  let list: MasterProductList

  /// - Parameters:
  ///   - address: the server's.
  ///   - folder: the app's; the list and the server's token go with it.
  init(address: URL, folder: URL, device: StoreKitDevice, transport: any HTTPSender) throws {
    client = PurchaseServerClient(
      address, bundleID: BundleID(SampleCatalog.bundleIdentifier), device: .vendorIdentifier(device.deviceID),
      identity: .anonymous(FileVaultKeyStore(directory: folder.appending(path: "token"))),
      transport: transport)
    list = try MasterProductList(at: folder.appending(path: "products.json"), server: client)
  }

  /// The books that can be given: those this version of the app knows, and those that are listed by now.
  var books: Set<String> { SampleCatalog.books.union(list.productIdentifiers { $0.content != nil }) }

  /// Those of them that are not waited for.
  var largeBooks: Set<String> {
    SampleCatalog.largeBooks.union(
      list.productIdentifiers { ($0.content?.size ?? 0) > SampleCatalog.largeBookBytes })
  }
}
