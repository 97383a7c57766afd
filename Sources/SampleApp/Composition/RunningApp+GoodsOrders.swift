import Foundation
import PurchaseKit
import SampleModel

// Commands for books and photo filters.
extension RunningApp {
  @MainActor
  func carryOutOnBooks(_ order: SampleAppOrder) async throws {
    guard let books else { return say(.notOpened(reason: "This app has no purchase server.")) }
    switch order {
    case .refreshBooks: await books.refreshList()
    case .download(let product): await books.download(product)
    case .openBook(let product):
      try await books.open(product)
      guard let book = books.openBook, book.productIdentifier == product else {
        return say(.notOpened(reason: books.alert ?? ""))
      }
      return say(
        .opened(product: product, version: book.version, digest: try await SampleBooks.digest(of: book, in: books)))
    default: break
    }
    let titles = try books.productIdentifiers.map { ($0, try books.bookButton(for: $0).title) }
    say(.books(Dictionary(uniqueKeysWithValues: titles), alert: books.alert))
  }

  @MainActor
  func carryOutOnFilters(_ order: SampleAppOrder) throws {
    switch order {
    case .apply(let product): try filters.apply(product)
    case .clearFilter: filters.clearFilter()
    default: break
    }
    let titles = try filters.productIdentifiers.map { ($0, try filters.filterButton(for: $0).title) }
    say(
      .filters(
        Dictionary(uniqueKeysWithValues: titles), colorMatrix: try filters.appliedFilter?.colorMatrix,
        alert: filters.alert))
  }
}
