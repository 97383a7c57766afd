import Foundation
import PurchaseKit

/// The books screen, without its looks: books that the developer's server delivers, bought, fetched, opened and restored.
///
/// To be used on the main queue.
public final class BooksModel: RestoringScreen, @unchecked Sendable {
  private let delivery: ServerDelivery
  private let entitlements: EntitlementManager

  private var library: ContentLibrary { delivery.downloads.library }

  /// - Parameters:
  ///   - delivery: gives the books.
  ///   - entitlements: who owns them; the same that `delivery` records in.
  ///   - productIdentifiers: the books in the order in which the screen shows them.
  public init(
    manager: InAppPurchaseManager, delivery: ServerDelivery, entitlements: EntitlementManager,
    productIdentifiers: [String] = [SampleCatalog.smallPrint, SampleCatalog.encyclopedia],
    notifications: NotificationCenter = .default
  ) {
    self.delivery = delivery
    self.entitlements = entitlements
    super.init(productIdentifiers: productIdentifiers, manager: manager, notifications: notifications)
  }

  // MARK: What the screen shows

  public func bookButton(for productIdentifier: String) throws -> BookButton {
    BookButton(
      isOwned: try entitlements.isEntitled(to: productIdentifier), isKept: isKept(productIdentifier),
      isHere: try library.current(of: productIdentifier) != nil,
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

  /// Opens a book. One that is not owned, or not all here, says so.
  public func open(_ productIdentifier: String) throws {
    do {
      guard try entitlements.isEntitled(to: productIdentifier) else { throw BookError.notOwned(productIdentifier) }
      guard let version = try library.current(of: productIdentifier) else {
        throw ContentError.notDelivered(productIdentifier: productIdentifier)
      }
      // All of it, before the first page is shown.
      for file in version.files { _ = try library.verifiedFile(named: file.name, in: productIdentifier) }
      openBook = OpenBook(
        productIdentifier: productIdentifier, version: version.version, files: version.files.map(\.name))
      show(nil)
    } catch let error as ContentError {
      show(error.description)
    } catch let error as BookError {
      show(error.description)
    }
  }

  /// What is in a file of the open book.
  ///
  /// - Throws: ``BookError`` where it is no longer owned; ``ContentError``.
  public func read(_ file: String) throws -> Data {
    guard let book = openBook, try entitlements.isEntitled(to: book.productIdentifier) else {
      throw BookError.notOwned(openBook?.productIdentifier ?? "The book")
    }
    return try library.data(named: file, in: book.productIdentifier)
  }

  /// Closes the book.
  public func close() {
    openBook = nil
    show(nil)
  }

  // MARK: What happened

  override func moreHandlers() -> Handlers {
    super.moreHandlers() + [
      (
        .EntitlementManagerEntitlementsChangedNotification, entitlements,
        { [weak self] _ in self?.changedElsewhere() }
      ),
      (.ContentDownloadsChangedNotification, delivery.downloads, { [weak self] _ in self?.changedElsewhere() }),
    ]
  }
}
