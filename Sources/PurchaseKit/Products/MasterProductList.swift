import DurableSQLite
import Foundation
import StoreModel

/// The developer's master list of products. The last response of the server is stored, and available at once, also
/// without a network.
///
/// ```swift
/// let list = try MasterProductList(at: file, server: server)
/// // The app decides which products to request from the store.
/// manager.requestMissingProductData(list.productIdentifiers { $0.content != nil })
/// // When there is a network:
/// try await list.refresh()
/// ```
///
/// The stored copy needs no protection. A damaged copy is ignored. If the copy was edited to list other products,
/// neither the store nor the server sells them.
public final class MasterProductList: Sendable {
  private struct Copy: Codable, Sendable {
    /// The server, app and languages of the request. A copy with another source is ignored.
    let source: String
    let entityTag: String?
    let date: Date
    let list: ServerProductList
  }

  private let file: URL
  private let server: PurchaseServerClient
  private let languages: String?
  private let clock: any MachineClock
  private let copy: LockedValue<Copy?>

  /// Reads the stored copy.
  ///
  /// - Parameters:
  ///   - file: the file of the copy.
  ///   - server: the server to request the list from.
  ///   - languages: the value of `Accept-Language`, such as `de, en;q=0.5`; nil for the server's default.
  ///   - clock: provides the date of the copy.
  /// - Throws: `DurableSQLiteError` if the file cannot be read. A file with invalid content is ignored.
  public init(
    at file: URL, server: PurchaseServerClient, languages: String? = nil,
    clock: any MachineClock = SystemClock()
  ) throws {
    self.file = file
    self.server = server
    self.languages = languages
    self.clock = clock
    let data = try DurableFile.read(file)
    let source = Self.source(server, languages)
    let stored = data.flatMap { try? JSONDecoder().decode(Copy.self, from: $0) }
    copy = LockedValue(stored.flatMap { $0.source == source ? $0 : nil })
  }

  private var source: String { Self.source(server, languages) }

  private static func source(_ server: PurchaseServerClient, _ languages: String?) -> String {
    "\(server.address.absoluteString) \(server.bundleID) \(languages ?? "")"
  }

  /// The list, and when the server last confirmed it; nil before the first response.
  public var current: (list: ServerProductList, date: Date)? { copy.value.map { ($0.list, $0.date) } }

  /// Returns the identifiers of the products that `isWanted` accepts.
  public func productIdentifiers(where isWanted: (ServerProduct) -> Bool = { _ in true }) -> Set<String> {
    Set((current?.list.products ?? []).filter(isWanted).map(\.productId))
  }

  /// The identifiers of the products with content on the server; nil before the first response. See ``ServerDelivery``.
  public var deliveredIdentifiers: Set<String>? {
    current.map { Set($0.list.products.filter { $0.content != nil }.map(\.productId)) }
  }

  /// The products of each name of an entitlement. The list's file is not protected: its user could give any product any name.
  public var entitlementNames: [String: Set<String>] {
    var names: [String: Set<String>] = [:]
    for product in current?.list.products ?? [] {
      for name in product.entitlements { names[name, default: []].insert(product.productId) }
    }
    return names
  }

  /// Requests the current list from the server, and stores it.
  ///
  /// - Returns: whether the list has changed.
  /// - Throws: ``PurchaseServerError``, or `DurableSQLiteError` if the list cannot be stored; it is unchanged then.
  @discardableResult
  public func refresh() async throws -> Bool {
    let known = copy.value
    let answer = try await server.products(unless: known?.entityTag, languages: languages)
    let new =
      switch answer {
      case .list(let list, let entityTag): Copy(source: source, entityTag: entityTag, date: clock.now.date, list: list)
      case .notModified:
        // The server responds with `notModified` only if the request has an entity tag. So `known` is not nil here.
        known.map { Copy(source: source, entityTag: $0.entityTag, date: clock.now.date, list: $0.list) }
      }
    guard let new else { return false }
    return try await DiskThread.run { try self.keep(new) }
  }

  /// - Returns: whether the list has changed.
  private func keep(_ new: Copy) throws -> Bool {
    try copy.withLock { copy in
      try DurableFile.replace(file, with: JSONEncoder().encode(new))
      defer { copy = new }
      return copy?.list != new.list
    }
  }
}
