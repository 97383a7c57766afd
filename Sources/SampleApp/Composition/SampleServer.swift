import Foundation
import HTTPTransport
import OpenStoreKit
import PurchaseKit
import SampleModel
import StoreModel

/// The sample app's client for the developer's server, and the server's list of products and offerings.
struct SampleServer {
  let client: PurchaseServerClient
  let list: MasterProductList
  let offerings: OfferingList

  /// - Parameters:
  ///   - address: the server's address.
  ///   - folder: the app's folder. The list and the offerings are stored there, and are deleted with the app.
  ///   - keychain: the folder of the server's token. It stays when the app is deleted, so that the installation after
  ///     that is the same customer, and has the customer's credits.
  init(address: URL, folder: URL, keychain: URL, device: StoreKitDevice, transport: any HTTPSender) throws {
    // Installations of an earlier version have their token in the app's folder.
    let earlier = folder.appending(path: "token")
    let tokens = FileManager.default.fileExists(atPath: earlier.path) ? earlier : keychain
    client = PurchaseServerClient(
      address, bundleID: BundleID(SampleCatalog.bundleIdentifier), device: .vendorIdentifier(device.deviceID),
      identity: .anonymous(FileVaultKeyStore(directory: tokens)),
      transport: transport)
    list = try MasterProductList(at: folder.appending(path: "products.json"), server: client)
    offerings = try OfferingList(at: folder.appending(path: "offerings.json"), server: client)
  }

  /// The books that can be delivered: those built into this version of the app, and those on the current list.
  var books: Set<String> { SampleCatalog.books.union(list.productIdentifiers { $0.content != nil }) }

  /// The books that are downloaded after the purchase is finished.
  var largeBooks: Set<String> {
    SampleCatalog.largeBooks.union(
      list.productIdentifiers { ($0.content?.size ?? 0) > SampleCatalog.largeBookBytes })
  }
}
