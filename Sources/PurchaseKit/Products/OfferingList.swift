import DurableSQLite
import Foundation
import StoreModel

/// The developer's offerings. The last response of the server is stored, and available at once, also without a network.
///
/// ```swift
/// let offerings = try OfferingList(at: file, server: server)
/// // Without an answer, or without a current offering, the app shows what is built into it.
/// let shown = offerings.currentOffering?.products ?? builtInProducts
/// manager.requestMissingProductData(Set(shown))
/// // When there is a network:
/// try await offerings.refresh()
/// ```
///
/// The stored copy needs no protection. A damaged copy is ignored. If the copy was edited to contain other products, the store sells
/// only those of the app.
public final class OfferingList: Sendable {
  private struct Copy: Codable, Sendable {
    /// The server and app of the request. A copy with another source is ignored.
    let source: String
    let entityTag: String?
    let date: Date
    let offerings: ServerOfferings
  }

  private let file: URL
  private let server: PurchaseServerClient
  private let clock: any MachineClock
  private let copy: LockedValue<Copy?>

  /// Reads the stored copy.
  ///
  /// - Parameters:
  ///   - file: the file of the copy.
  ///   - server: the server to request the offerings from.
  ///   - clock: provides the date of the copy.
  /// - Throws: `DurableSQLiteError` if the file cannot be read. A file with invalid content is ignored.
  public init(at file: URL, server: PurchaseServerClient, clock: any MachineClock = SystemClock()) throws {
    self.file = file
    self.server = server
    self.clock = clock
    let stored = try DurableFile.read(file).flatMap { try? JSONDecoder().decode(Copy.self, from: $0) }
    let source = Self.source(server)
    copy = LockedValue(stored.flatMap { $0.source == source ? $0 : nil })
  }

  private static func source(_ server: PurchaseServerClient) -> String {
    "\(server.address.absoluteString) \(server.bundleID)"
  }

  /// The offerings, and when the server last confirmed them; nil before the first response.
  public var current: (offerings: ServerOfferings, date: Date)? { copy.value.map { ($0.offerings, $0.date) } }

  /// The offering to show if the app asks for no particular one; nil if there is none, or before the first response.
  public var currentOffering: ServerOffering? { current?.offerings.currentOffering }

  /// Requests the current offerings from the server, and stores them.
  ///
  /// - Returns: whether the offerings have changed.
  /// - Throws: ``PurchaseServerError``, or `DurableSQLiteError` if the offerings cannot be stored; they are unchanged then.
  @discardableResult
  public func refresh() async throws -> Bool {
    let known = copy.value
    let (source, date) = (Self.source(server), clock.now.date)
    let new: Copy?
    switch try await server.offerings(unless: known?.entityTag) {
    case .offerings(let offerings, let entityTag):
      new = Copy(source: source, entityTag: entityTag, date: date, offerings: offerings)
    case .notModified:
      // The server responds with `notModified` only if the request has an entity tag. So `known` is not nil here.
      new = known.map { Copy(source: source, entityTag: $0.entityTag, date: date, offerings: $0.offerings) }
    }
    guard let new else { return false }
    return try await DiskThread.run { try self.keep(new) }
  }

  /// - Returns: whether the offerings have changed.
  private func keep(_ new: Copy) throws -> Bool {
    try copy.withLock { copy in
      try DurableFile.replace(file, with: JSONEncoder().encode(new))
      defer { copy = new }
      return copy?.offerings != new.offerings
    }
  }
}
