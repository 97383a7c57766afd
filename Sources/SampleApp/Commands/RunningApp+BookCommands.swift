import Foundation
import PurchaseKit
import SampleModel

// Commands for books and photo filters.
extension RunningApp {
  /// Carries out a command, and reports the titles of the books' buttons.
  @MainActor
  func performOnBooks(_ command: AppCommand) async throws {
    guard let books else { return send(.notOpened(reason: AppCommandError.noServer.description)) }
    switch command {
    case .refreshBooks: await books.refreshList()
    case .download(let product): await books.download(product)
    case .pauseDownload(let product): await books.pause(product)
    case .openBook(let product): await open(product, in: books)
    case .closeBook: books.close()
    case .readBook(let product):
      await open(product, in: books)
      guard let book = books.openBook, book.productIdentifier == product else {
        return send(.notOpened(reason: books.alert ?? ""))
      }
      return send(
        .opened(product: product, version: book.version, digest: try await SampleBooks.digest(of: book, in: books)))
    default: break
    }
    let titles = try books.productIdentifiers.map { ($0, try books.bookButton(for: $0).title) }
    send(.books(Dictionary(uniqueKeysWithValues: titles), alert: books.alert))
  }

  @MainActor
  private func open(_ product: String, in books: BooksModel) async {
    do {
      try await books.open(product)
    } catch {
      books.report(error)
    }
  }

  /// Carries out a command, and reports the titles of the filters' buttons and the applied filter.
  @MainActor
  func performOnFilters(_ command: AppCommand) throws {
    switch command {
    case .apply(let product): try filters.apply(product)
    case .clearFilter: filters.clearFilter()
    default: break
    }
    let titles = try filters.productIdentifiers.map { ($0, try filters.filterButton(for: $0).title) }
    send(
      .filters(
        Dictionary(uniqueKeysWithValues: titles), colorMatrix: try filters.appliedFilter?.colorMatrix,
        alert: filters.alert))
  }
}
