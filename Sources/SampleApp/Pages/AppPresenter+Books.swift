import Foundation
import PurchaseKit
import SampleModel

// The books screen, with the list of books or the open book.
extension AppPresenter {
  /// Returns the view of the books screen.
  ///
  /// - Parameters:
  ///   - file: the index of the file in the open book; from 0.
  ///   - page: the page of the file; from 1.
  func books(file: Int, page: Int) async throws -> BooksView {
    guard let model = app.books else { return .noServer }
    if let book = model.openBook, let reader = try await reader(book, in: model, file: file, page: page) {
      return .reading(reader)
    }
    let lines = try model.productIdentifiers.map { try line($0, of: model) }
    return .list(lines: lines, canRestore: model.canRestore)
  }

  private func line(_ product: String, of model: BooksModel) throws -> ShopItem {
    let button = try model.bookButton(for: product)
    let act: ShopItem.Act
    var percent: Int?
    var price: String?
    var note: String?
    switch button {
    case .buy(let buy):
      act = .buy(offersQuantity: false)
      price = Self.priceBeside(buy, of: product, in: model)
      note = try model.lossText(of: product)
    case .open, .opening: act = .open
    case .downloading(let progress): (act, percent) = (.download, progress.percent)
    case .paused(let progress): (act, note) = (.download, "Paused at \(progress.percent) %")
    case .download, .retry, .unavailable: act = .download
    }
    return ShopItem(
      product: product, title: model.title(of: product), text: model.text(of: product), price: price, note: note,
      button: button.title, isEnabled: button.isEnabled, act: act, percent: percent)
  }

  /// Returns the view of the open book; nil if it is no longer owned or cannot be read. The list is then shown, with an
  /// alert if reading failed.
  private func reader(_ book: OpenBook, in model: BooksModel, file: Int, page: Int) async throws -> ReaderView? {
    guard try app.entitlements.isEntitled(to: book.productIdentifier), !book.files.isEmpty else {
      model.close()
      return nil
    }
    let place = book.files.indices.contains(file) ? file : 0
    let content: Data
    do {
      content = try await self.content(of: book.files[place], in: book, model)
    } catch {
      model.close()
      model.report(error)
      return nil
    }
    return ReaderView(
      title: model.title(of: book.productIdentifier), version: book.version, files: book.files, file: place,
      page: BookPage(page, of: content))
  }

  /// Returns the content of a file. The content is cached, so that the file is not verified again for each page.
  private func content(of file: String, in book: OpenBook, _ model: BooksModel) async throws -> Data {
    if let readFile, readFile.book == book, readFile.name == file { return readFile.content }
    let content = try await model.read(file)
    readFile = (book, file, content)
    return content
  }
}
