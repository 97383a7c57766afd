import DurableSQLite
import Foundation
import StoreModel

/// The developer's master list of products (A3), as the server last gave it: there at once, also without a network.
///
/// ```swift
/// let list = try MasterProductList(at: file, server: server)
/// manager.requestMissingProductData(list.productIdentifiers { $0.content != nil })   // the app decides what to ask the store about
/// try await list.refresh()                                                           // when there is a network
/// ```
///
/// A copy that was edited, or cut short, is as good as none or names products that nobody sells: what counts are the store's
/// answer and the server's.
public final class MasterProductList: Sendable {
  private struct Copy: Codable, Sendable {
    /// Whose list it is, and in which languages it was asked for: another's is no copy.
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

  /// Reads the copy that is on the disk.
  ///
  /// - Parameters:
  ///   - file: where it is kept.
  ///   - server: gives it.
  ///   - languages: of `Accept-Language`, such as `de, en;q=0.5`; nil for what the server prefers.
  ///   - clock: dates the copy.
  /// - Throws: where the file cannot be read. One that makes no sense is passed over.
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

  /// The list, and when the server last said that it is the one; nil before the first answer.
  public var current: (list: ServerProductList, date: Date)? { copy.value.map { ($0.list, $0.date) } }

  /// The ids of some of its products: those the store is to be asked about, or that somebody gives.
  public func productIdentifiers(where isWanted: (ServerProduct) -> Bool = { _ in true }) -> Set<String> {
    Set((current?.list.products ?? []).filter(isWanted).map(\.productId))
  }

  /// The ids of the products whose files the server has; nil before the first answer. See ``ServerDelivery``.
  public var deliveredIdentifiers: Set<String>? {
    current.map { Set($0.list.products.filter { $0.content != nil }.map(\.productId)) }
  }

  /// Asks the server for the list of now.
  ///
  /// - Returns: whether it is another one than before.
  /// - Throws: ``PurchaseServerError``; the list stays as it was.
  @discardableResult
  public func refresh() async throws -> Bool {
    let known = copy.value
    let answer = try await server.products(unless: known?.entityTag, languages: languages)
    let new =
      switch answer {
      case .list(let list, let entityTag): Copy(source: source, entityTag: entityTag, date: clock.now.date, list: list)
      case .notModified:
        // Asked with no tag, nobody answers so.
        known.map { Copy(source: source, entityTag: $0.entityTag, date: clock.now.date, list: $0.list) }
      }
    guard let new else { return false }
    return try await DiskThread.run { try self.keep(new) }
  }

  /// - Returns: whether it is another list than before.
  private func keep(_ new: Copy) throws -> Bool {
    try copy.withLock { copy in
      try DurableFile.replace(file, with: JSONEncoder().encode(new))
      defer { copy = new }
      return copy?.list != new.list
    }
  }
}
