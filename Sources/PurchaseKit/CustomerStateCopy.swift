import DurableSQLite
import Foundation
import StoreModel

extension Notification.Name {
  /// Posted by ``CustomerStateCopy`` after each answer of the server, on any thread: the date of the copy, and perhaps balances
  /// and entitlements, have changed.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let CustomerStateCopyRefreshedNotification = Notification.Name("CustomerStateCopyRefreshedNotification")
}

/// The app's copy of what the customer has on the developer's server: entitlements, balances, and content to download.
///
/// ```swift
/// let state = try CustomerStateCopy(at: file, server: server, entitlements: entitlements, credits: [coins])
/// try await state.refresh()   // at launch, when the app returns to the foreground, and after its own purchases
/// let club = SubscriptionState(of: plans, in: state.current?.state.entitlements ?? [])
/// ```
///
/// The copy has the version that the server gave it, so an unchanged state is not sent again. It is for display: it is not
/// protected against changes by the device's user. Products are opened by ``EntitlementManager``, and credits are spent on the
/// server.
public final class CustomerStateCopy: Sendable {
  private struct Copy: Codable, Sendable {
    /// The server and app of the request. A copy with another source is ignored.
    let source: String
    /// When the server last answered.
    let date: Date
    /// The state, with its versions.
    let pages: [ServerStatePage]
  }

  private struct Known: Sendable {
    let state: ServerCustomerState
    let copy: Copy
  }

  private let file: URL
  private let server: PurchaseServerClient
  private let entitlements: EntitlementManager?
  private let credits: [LedgerCreditStore]
  private let notifications: NotificationCenter
  private let clock: any MachineClock
  private let known: LockedValue<Known?>
  /// One request at a time: each sends the version that the one before has stored.
  private let turns = Semaphore(1)

  /// Reads the stored copy.
  ///
  /// - Parameters:
  ///   - file: the file of the copy.
  ///   - server: the server to ask.
  ///   - entitlements: ends the products whose purchase the server has refunded or revoked, as
  ///     ``EntitlementManager/revoke(productIdentifiers:)`` does; nil for none.
  ///   - credits: the stores that get their balances from each answer.
  ///   - notifications: posts the notifications.
  ///   - clock: provides the date of the copy, and decides whether access has expired since.
  /// - Throws: `DurableSQLiteError` if the file cannot be read. A file with invalid content is ignored.
  public init(
    at file: URL, server: PurchaseServerClient, entitlements: EntitlementManager? = nil,
    credits: [LedgerCreditStore] = [], notifications: NotificationCenter = .default,
    clock: any MachineClock = SystemClock()
  ) throws {
    self.file = file
    self.server = server
    self.entitlements = entitlements
    self.credits = credits
    self.notifications = notifications
    self.clock = clock
    let stored = try DurableFile.read(file).flatMap { try? JSONDecoder().decode(Copy.self, from: $0) }
    let source = Self.source(server)
    known = LockedValue(
      stored.flatMap { copy in
        copy.source == source ? (try? ServerCustomerState(copy.pages)).map { Known(state: $0, copy: copy) } : nil
      })
  }

  private static func source(_ server: PurchaseServerClient) -> String {
    "\(server.address.absoluteString) \(server.bundleID)"
  }

  /// The current customer's state, and when the server last confirmed it. Access that has expired since is not active.
  ///
  /// Nil before the first answer for this customer, and if the customer is not known (``PurchaseServerClient/customer``).
  public var current: (state: ServerCustomerState, date: Date)? {
    guard let known = known.value, known.state.customer == server.customer else { return nil }
    return (known.state.at(clock.now.date), known.copy.date)
  }

  /// Whether the current customer has access to what an entitlement's name stands for, such as `club`. False if ``current`` is nil.
  ///
  /// It is for display, as the whole copy. ``EntitlementManager/isEntitled(toNamed:)`` opens products.
  public func isEntitled(toNamed name: String) -> Bool { current?.state.isEntitled(toNamed: name) ?? false }

  /// Asks the server for changes, stores the answer, and applies it to the entitlements and credits of the initializer.
  ///
  /// An answer is applied even if it has not changed, because the app may have been killed after it had stored it.
  ///
  /// - Returns: whether the state has changed.
  /// - Throws: ``PurchaseServerError``; `DurableSQLiteError` if the answer cannot be stored; it is unchanged then. Errors of the
  ///   vault and of the credit stores; the next call applies the answer again then.
  @discardableResult
  public func refresh() async throws -> Bool {
    let permit = Permit(turns)
    defer { permit.release() }
    try await permit.acquire()
    let sent = credits.map { ($0, $0.records.answersKept) }
    let answer = try await server.state(unless: known.value?.copy.pages ?? [])
    let copy = Copy(source: Self.source(server), date: clock.now.date, pages: answer.pages)
    let new = Known(state: answer.state, copy: copy)
    let hasChanged = try await DiskThread.run { try self.keep(new) }
    // A store that cannot be refreshed keeps neither a refund from ending a product nor the other stores from their balances.
    var failure: (any Error)?
    do {
      try await entitlements?.revoke(accordingTo: answer.state.entitlements)
    } catch {
      failure = error
    }
    for (store, answersKept) in sent {
      do {
        try await store.refresh(with: answer.credits, sentAfter: answersKept)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    notifications.post(name: .CustomerStateCopyRefreshedNotification, object: self)
    return hasChanged
  }

  /// Stores the state, its version and its date in one commit.
  ///
  /// - Returns: whether the state has changed.
  private func keep(_ new: Known) throws -> Bool {
    // Without the lock: `current` does not wait for the disk. `turns` lets one answer at a time be stored.
    try DurableFile.replace(file, with: JSONEncoder().encode(new.copy))
    return known.withLock { known in
      defer { known = new }
      return known?.state != new.state
    }
  }
}
