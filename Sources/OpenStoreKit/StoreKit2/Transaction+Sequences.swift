import Foundation
import SignedData
import StoreModel

extension Transaction {
  /// The customer's purchases, newest first: unfinished and refunded consumables, and everything of other kinds. With
  /// `SKIncludeConsumableInAppPurchaseHistory` in the app's Info.plist, finished consumables, too.
  public static var all: Transactions { Transactions(.all(nil), on: nil) }

  /// As ``all``, of one product.
  public static func all(for productID: String) -> Transactions { Transactions(.all(productID), on: nil) }

  /// The purchases that entitle the customer now, newest first: Documentation/storekit2.md, "Entitlements".
  public static var currentEntitlements: Transactions { Transactions(.entitlements(nil), on: nil) }

  /// As ``currentEntitlements``, of one product.
  public static func currentEntitlements(for productID: String) -> Transactions {
    Transactions(.entitlements(productID), on: nil)
  }

  /// The older form of ``currentEntitlements(for:)``: the newest of them.
  public static func currentEntitlement(for productID: String) async -> VerificationResult<Transaction>? {
    await currentEntitlement(for: productID, on: nil)
  }

  static func currentEntitlement(
    for productID: String, on device: StoreKitDevice?
  ) async -> VerificationResult<Transaction>? {
    var entitlements = Transactions(.entitlements(productID), on: device).makeAsyncIterator()
    return await entitlements.next()
  }

  /// The customer's newest purchase of a product, also one that was revoked. Finished consumables are left out, as in
  /// ``all``.
  public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
    await latest(for: productID, on: nil)
  }

  static func latest(for productID: String, on device: StoreKitDevice?) async -> VerificationResult<Transaction>? {
    guard let device = device ?? .currentOrReport(), await device.isRefreshed() else { return nil }
    return device.reading { journal in
      let id = try journal.latest(
        of: ProductID(productID), withConsumables: device.includesConsumableHistory)
      return try id.flatMap { try journal.transactions([$0]).first }.flatMap { device.result(of: $0) }
    } ?? nil
  }

  /// The purchases that the app has not finished, newest first.
  public static var unfinished: Transactions { Transactions(.unfinished, on: nil) }

  /// Purchases that arrive outside of `purchase(options:)`: renewals, refunds, approvals, purchases on other devices and in
  /// the App Store; and once per launch, the unfinished ones. It never ends.
  ///
  /// An iterator is registered when it is made, so nothing is missed before the first `next()`. Each iterator receives all
  /// elements.
  public static var updates: Transactions { Transactions(.updates, on: nil) }

  /// A list of transactions, or an endless sequence of them. Implements Apple's `Transaction.Transactions`.
  ///
  /// A list is of the moment of the first `next()`, which first asks the store for changes.
  public struct Transactions: AsyncSequence, Sendable {
    public typealias Element = VerificationResult<Transaction>

    enum Source: Sendable {
      /// - Parameter 0: the product; nil for all.
      case all(String?)
      case entitlements(String?)
      case unfinished
      case updates
    }

    private let source: Source
    private let device: StoreKitDevice?

    init(_ source: Source, on device: StoreKitDevice?) {
      self.source = source
      self.device = device
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      private enum Kind {
        case list(ListedTransactions)
        case updates(UpdatedTransactions)
      }
      private var kind: Kind

      init(_ source: Source, on device: StoreKitDevice?) {
        if case .updates = source {
          kind = .updates(UpdatedTransactions(on: device))
        } else {
          // The device in whose test the iterator was made.
          kind = .list(ListedTransactions(source, on: device ?? DeviceScope.isolated?.device.value))
        }
      }

      public mutating func next() async -> VerificationResult<Transaction>? {
        switch kind {
        case .list(var list):
          let transaction = await list.next()
          kind = .list(list)
          return transaction
        case .updates(var updates):
          let transaction = await updates.next()
          kind = .updates(updates)
          return transaction
        }
      }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source, on: device) }
  }

  /// The iterator of a sequence that ends. It reads the ids at once, and the transactions one page at a time.
  struct ListedTransactions {
    private static let pageSize = 100

    private let source: Transactions.Source
    private let device: StoreKitDevice?
    /// The ids that were not read yet; nil before the first ``next()``.
    private var ids: ArraySlice<TransactionID>?
    private var page: ArraySlice<VerificationResult<Transaction>> = []

    init(_ source: Transactions.Source, on device: StoreKitDevice?) {
      self.source = source
      self.device = device
    }

    mutating func next() async -> VerificationResult<Transaction>? {
      guard let device = device ?? .currentOrReport(), !Task.isCancelled else { return nil }
      if ids == nil { ids = await Self.ids(source, on: device)[...] }
      while page.isEmpty, let rest = ids, !rest.isEmpty {
        let read = device.reading { try $0.transactions(rest.prefix(Self.pageSize)) } ?? []
        page = read.compactMap(device.result)[...]
        ids = rest.dropFirst(Self.pageSize)
      }
      return page.popFirst()
    }

    private static func ids(_ source: Transactions.Source, on device: StoreKitDevice) async -> [TransactionID] {
      let result = await device.engine.refresh()
      // An app that ends its task expects nothing more, as with Apple's sequences.
      guard !Task.isCancelled else { return [] }
      return device.reading { journal in
        switch source {
        case .all(let product):
          return try journal.history(
            of: product.map { ProductID($0) }, withConsumables: device.includesConsumableHistory)
        case .entitlements(let product):
          // Offline, a subscription ends at its own date; online, the store says when.
          let date: StoreDate? =
            if case .stale = result { try journal.storeDate(now: device.engine.clock.now) } else { nil }
          return device.habits.listed(try journal.entitlements(of: product.map { ProductID($0) }, at: date))
        case .unfinished: return try journal.unfinished()
        case .updates: return []
        }
      } ?? []
    }
  }

  /// The iterator of ``Transaction/updates``.
  struct UpdatedTransactions {
    /// The maximum number of received announcements before they are cleared.
    private static let clearingSize = 100

    private let registration: DeviceRegistration<TransactionUpdate>
    /// The announcements that the app has received. They are cleared at a later ``next()``, so that an app which is killed
    /// while it handles an element receives it again.
    private var received: [(TransactionID, announcement: Int64)] = []
    /// A transaction that arrives twice: see ``StoreHabit/unfinishedTwice``.
    private var again: VerificationResult<Transaction>?

    init(on device: StoreKitDevice?) {
      registration = DeviceRegistration(on: device, withoutDevice: \.transactions) { $0.registerTransactionUpdates() }
    }

    mutating func next() async -> VerificationResult<Transaction>? {
      while true {
        // The app may not have handled the last element of a task that was cancelled, so it stays announced.
        guard !Task.isCancelled else { return nil }
        if let repeated = again {
          again = nil
          return repeated
        }
        clearReceived()
        guard let update = await registration.buffer.next() else { return nil }
        guard let device = registration.device, let result = device.result(of: update) else { continue }
        if case .stored(let id) = update {
          if let announcement = result.announcement { received.append((id, announcement: announcement)) }
          if device.habits.repeats(id) { again = result.transaction }
        }
        return result.transaction
      }
    }

    private mutating func clearReceived() {
      registration.buffer.lastIsHandled()
      guard !received.isEmpty, registration.buffer.isEmpty || received.count >= Self.clearingSize,
        let device = registration.device
      else { return }
      // What another iterator still has to handle is left to that one.
      let handled = received.filter { !registration.buffer.isHeldByOthers(.stored($0.0)) }
      // If it fails, the app receives the elements once more at the next launch.
      if device.reading({ try $0.clear(handled) }) != nil { received = [] }
    }
  }
}
