import Hummingbird
import WebSupport

// The forms of the books screen.
extension AppPages {
  func addBooks(to router: Router<BasicRequestContext>) {
    onCommand("app/books/download", of: ProductForm.self, in: router) { .download(product: $0.product) }
    onCommand("app/books/pause", of: ProductForm.self, in: router) { .pauseDownload(product: $0.product) }
    onCommand("app/books/open", of: ProductForm.self, in: router) { .openBook(product: $0.product) }
    onCommand("app/books/close", .closeBook, showing: .books, in: router)
    onCommand("app/books/refresh", .refreshBooks, showing: .books, in: router)
  }
}
