import Foundation
import PurchaseKit

/// The books screen, without its looks: the books that the developer's server lists, bought, fetched, opened and restored.
///
/// To be used on the main queue.
public final class BooksModel: RestoringScreen, @unchecked Sendable {
  private let delivery: ServerDelivery
  private let entitlements: EntitlementManager
  private let list: MasterProductList
  private let reachability: any Reachability
  private let reader: BookReader
  private var listing: Task<Void, Never>?
  private var opening: String?

  private var library: ContentLibrary { delivery.downloads.library }

  /// - Parameters:
  ///   - delivery: gives the books.
  ///   - entitlements: who owns them; the same that `delivery` records in.
  ///   - list: says which books there are, and in which order they are shown.
  ///   - reachability: when a server that did not give the list is asked again.
  public init(
    manager: InAppPurchaseManager, delivery: ServerDelivery, entitlements: EntitlementManager,
    list: MasterProductList, reachability: any Reachability = ExponentialBackoff(),
    notifications: NotificationCenter = .default
  ) {
    self.delivery = delivery
    self.entitlements = entitlements
    self.list = list
    self.reachability = reachability
    reader = BookReader(library: delivery.downloads.library, entitlements: entitlements)
    super.init(productIdentifiers: [], manager: manager, notifications: notifications)
    productIdentifiers = shownProducts
  }

  deinit { listing?.cancel() }

  // MARK: Which books there are

  /// Shows what is known of the list, asks the store about just that, and the server for the list of now.
  public override func appear() {
    productIdentifiers = shownProducts
    super.appear()
    listing = Task { [weak self, reachability] in
      var failures = 0
      while !Task.isCancelled, await self?.refreshList() == false {
        failures += 1
        await reachability.waitUntilWorthAsking(afterFailures: failures)
      }
    }
  }

  public override func disappear() {
    listing?.cancel()
    super.disappear()
  }

  /// Asks the server which books there are now. Where it does not say, what was known is shown still, and a message says why: where
  /// nothing was known, and where no waiting helps.
  ///
  /// - Returns: whether asking again is of no use: it has said it, or will not.
  @discardableResult
  public func refreshList() async -> Bool {
    do {
      try await list.refresh()
      await MainActor.run { showList() }
      return true
    } catch {
      let words = error.purchaseAlert
      let (isWanted, mayPass) = (!Task.isCancelled, (error as? PurchaseServerError)?.isTemporary ?? false)
      await MainActor.run { if isWanted, list.current == nil || !mayPass { show(words) } }
      return !mayPass
    }
  }

  private func showList() {
    productIdentifiers = shownProducts
    manager.requestMissingProductData(Set(productIdentifiers))
    didChange()
  }

  /// What is listed, and behind it what is listed no more and owned. A book that the app knows and that is listed without content
  /// was withdrawn: its button says so.
  private var shownProducts: [String] {
    let listed = (list.current?.list.products ?? []).filter { $0.content != nil || delivery.handles($0.productId) }
      .map(\.productId)
    let owned = Set(entitlements.entitlements.filter { $0.revocationDate == nil }.map(\.productIdentifier))
    return listed + owned.filter { delivery.handles($0) && !listed.contains($0) }.sorted()
  }

  // MARK: What the screen shows

  public func bookButton(for productIdentifier: String) throws -> BookButton {
    BookButton(
      isOwned: try entitlements.isEntitled(to: productIdentifier), isKept: isKept(productIdentifier),
      isHere: try library.current(of: productIdentifier) != nil, isOpening: opening == productIdentifier,
      state: try delivery.downloads.state(of: productIdentifier), buy: button(for: productIdentifier))
  }

  /// The book that is being read; nil for none.
  public private(set) var openBook: OpenBook?

  private func isKept(_ product: String) -> Bool {
    manager.keptTransactions.contains { $0.transaction.payment.productIdentifier == product }
  }

  // MARK: What the customer does

  /// Buys a book that is not owned yet.
  public override func buy(_ productIdentifier: String, quantity: Int = 1) throws {
    guard case .buy = try bookButton(for: productIdentifier) else {
      throw InAppPurchaseError.notForSale(productIdentifier)
    }
    try super.buy(productIdentifier, quantity: quantity)
  }

  /// Fetches a book that is owned, or gives one that was paid for and could not be given. Nothing is paid. Returns when it is
  /// here, or when a message says why it is not.
  public func download(_ productIdentifier: String) async {
    do {
      if isKept(productIdentifier) {
        // Their outcome is told by notification, which the screen listens to.
        await manager.deliverKept()
      } else {
        try await delivery.fetch(productIdentifier)
      }
    } catch {
      let words = error.purchaseAlert
      await MainActor.run { show(words) }
    }
  }

  /// Stops a download; what has come stays.
  public func stop(_ productIdentifier: String) { delivery.downloads.stop(productIdentifier) }

  /// Opens a book. Returns when it is open, or when a message says why it is not; until then its button reads Opening….
  @MainActor
  public func open(_ productIdentifier: String) async throws {
    opening = productIdentifier
    show(nil)
    let outcome: Result<OpenBook, any Error>
    do {
      outcome = .success(try await reader.open(productIdentifier))
    } catch {
      outcome = .failure(error)
    }
    // Meanwhile the customer may have asked for another one, or for none.
    guard opening == productIdentifier else { return }
    opening = nil
    do {
      openBook = try outcome.get()
      show(nil)
    } catch let error as ContentError {
      show(error.description)
    } catch let error as BookError {
      show(error.description)
    } catch {
      didChange()
      throw error
    }
  }

  /// What is in a file of the open book.
  ///
  /// - Throws: ``BookError`` where none is open, or it is no longer owned; ``ContentError``.
  @MainActor
  public func read(_ file: String) async throws -> Data {
    guard let book = openBook else { throw BookError.notOpen }
    return try await reader.data(file, of: book.productIdentifier)
  }

  /// Closes the book, also one that is being opened.
  public func close() {
    (openBook, opening) = (nil, nil)
    show(nil)
  }

  // MARK: What happened

  override func moreHandlers() -> Handlers {
    super.moreHandlers() + [
      (
        .EntitlementManagerEntitlementsChangedNotification, entitlements,
        { [weak self] _ in DispatchQueue.main.async { self?.showList() } }
      ),
      (.ContentDownloadsChangedNotification, delivery.downloads, { [weak self] _ in self?.changedElsewhere() }),
    ]
  }
}
