import Foundation
import PurchaseKit
import StoreModel

/// The model of the books screen. It shows the books that the developer's server lists; the customer buys, downloads, opens
/// and restores them.
///
/// Must be used on the main queue.
public final class BooksModel: RestoringScreen, @unchecked Sendable {
  private let delivery: ServerDelivery
  private let entitlements: EntitlementManager
  private let list: MasterProductList
  private let retry: any RetrySchedule
  private let reader: BookReader
  private var listing: Task<Void, Never>?
  private var opening: String?

  private var library: ContentLibrary { delivery.downloads.library }

  /// - Parameters:
  ///   - delivery: delivers the books.
  ///   - entitlements: records which books the customer owns. Must be the manager that `delivery` uses.
  ///   - list: the server's books, in the order in which the screen shows them.
  ///   - retry: decides when the list is requested again after a failure.
  public init(
    manager: InAppPurchaseManager, delivery: ServerDelivery, entitlements: EntitlementManager,
    list: MasterProductList, retry: any RetrySchedule = TimedRetry(.upToHalfAMinute),
    notifications: NotificationCenter = .default
  ) {
    self.delivery = delivery
    self.entitlements = entitlements
    self.list = list
    self.retry = retry
    reader = BookReader(library: delivery.downloads.library, entitlements: entitlements)
    super.init(productIdentifiers: [], manager: manager, notifications: notifications)
    productIdentifiers = shownProducts
  }

  deinit { listing?.cancel() }

  // MARK: The list of books

  /// Shows the stored list, and requests its products from the store. Also requests the current list from the server, and
  /// repeats that while errors are temporary.
  public override func appear() {
    productIdentifiers = shownProducts
    super.appear()
    listing = Task { [weak self, retry] in
      var failures = 0
      while !Task.isCancelled, await self?.refreshList() == false {
        failures += 1
        // An error means that the task is cancelled.
        try? await retry.wait(afterFailures: failures)
      }
    }
  }

  public override func disappear() {
    listing?.cancel()
    super.disappear()
  }

  /// Requests the current list from the server. If that fails, the screen keeps the stored list. An alert shows the error if
  /// there is no stored list, or if the error is permanent.
  ///
  /// - Returns: false if the error is temporary, so that asking again may help.
  @discardableResult
  public func refreshList() async -> Bool {
    do {
      try await list.refresh()
      await MainActor.run { showList() }
      return true
    } catch {
      let text = error.purchaseAlert(names())
      let (isWanted, mayPass) = (!Task.isCancelled, (error as? PurchaseServerError)?.isTemporary ?? false)
      await MainActor.run { if isWanted, list.current == nil || !mayPass { show(text) } }
      return !mayPass
    }
  }

  private func showList() {
    productIdentifiers = shownProducts
    manager.requestMissingProductData(Set(productIdentifiers))
    didChange()
  }

  /// The listed books, followed by owned books that are no longer listed. The list can contain products without
  /// content. Such a product is a withdrawn book if `delivery` handles it. Other products without content are not
  /// shown.
  private var shownProducts: [String] {
    let listed = (list.current?.list.products ?? []).filter { $0.content != nil || delivery.handles($0.productId) }
      .map(\.productId)
    let owned = Set(entitlements.entitlements.filter { $0.revocationDate == nil }.map(\.productIdentifier))
    return listed + owned.filter { delivery.handles($0) && !listed.contains($0) }.sorted()
  }

  // MARK: Content

  override var nameOfNewProduct: String { "New book" }

  /// Returns the reason why the customer has lost a book; nil if the customer has not.
  public func lossText(of productIdentifier: String) throws -> String? {
    try entitlements.lossText(of: productIdentifier)
  }

  public func bookButton(for productIdentifier: String) throws -> BookButton {
    BookButton(
      isOwned: try entitlements.isEntitled(to: productIdentifier), isKept: isKept(productIdentifier),
      isHere: try library.current(of: productIdentifier) != nil, isOpening: opening == productIdentifier,
      state: try delivery.downloads.state(of: productIdentifier), buy: button(for: productIdentifier))
  }

  /// The book that the customer reads; nil if no book is open.
  public private(set) var openBook: OpenBook?

  /// Whether a book is paid for, but not delivered completely.
  private func isPaid(_ product: String) throws -> Bool {
    switch try delivery.downloads.state(of: product) {
    case .downloading, .paused: true
    default: isKept(product)
    }
  }

  private func isKept(_ product: String) -> Bool {
    manager.keptTransactions.contains { $0.transaction.productIdentifier == product }
  }

  // MARK: Actions

  /// Buys a book that the customer does not own.
  ///
  /// - Throws: ``InAppPurchaseError``; `notForSale` if the book is owned or cannot be bought now.
  public override func buy(_ productIdentifier: String, quantity: Int = 1) throws {
    guard case .buy = try bookButton(for: productIdentifier) else {
      throw InAppPurchaseError.notForSale(productIdentifier)
    }
    try super.buy(productIdentifier, quantity: quantity)
  }

  /// Downloads an owned book, continues a paused download, or delivers a paid book that could not be delivered before. Nothing is charged. Returns when
  /// the book is available, or when an alert shows why not.
  public func download(_ productIdentifier: String) async {
    do {
      if isKept(productIdentifier) {
        try await delivery.downloads.endPause(productIdentifier)
        // The outcome arrives as a notification, which the screen observes.
        await manager.deliverKept()
      } else {
        try await delivery.fetch(productIdentifier)
      }
    } catch {
      let text = error.purchaseAlert(names())
      await MainActor.run { show(text) }
    }
  }

  /// Pauses a download. The downloaded parts are kept, and the button continues it, also after a launch.
  public func pause(_ productIdentifier: String) async {
    do {
      try await delivery.downloads.pause(productIdentifier)
    } catch {
      let text = error.purchaseAlert(names())
      await MainActor.run { show(text) }
    }
  }

  /// Opens a book. Returns when it is open, or when an alert shows why not. Its button shows "Opening…" meanwhile.
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
    // The customer may have opened another book meanwhile, or closed this one.
    guard opening == productIdentifier else { return }
    opening = nil
    do {
      openBook = try outcome.get()
      show(nil)
    } catch let error as any CustomerFacingError {
      let isOnItsWay = try error is BookError && isPaid(productIdentifier)
      show((isOnItsWay ? BookError.onItsWay(productIdentifier) : error).purchaseAlert(names()))
    } catch {
      didChange()
      throw error
    }
  }

  /// Returns the content of a file of the open book.
  ///
  /// - Throws: ``BookError`` if no book is open, or it is no longer owned; ``ContentError``.
  @MainActor
  public func read(_ file: String) async throws -> Data {
    guard let book = openBook else { throw BookError.notOpen }
    return try await reader.data(file, of: book.productIdentifier)
  }

  /// Closes the open book, or cancels opening one.
  public func close() {
    (openBook, opening) = (nil, nil)
    show(nil)
  }

  // MARK: Notifications

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
