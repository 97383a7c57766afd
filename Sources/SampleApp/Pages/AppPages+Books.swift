import Hummingbird
import SampleModel
import WebSupport

// The routes of the books screen.
extension AppPages {
  func addBooks(to router: Router<BasicRequestContext>) {
    onBook("download", in: router) { books, product in
      // Not awaited: a download takes long, and the button shows its progress.
      Task { await books.download(product) }
    }
    onBook("stop", in: router) { books, product in books.stop(product) }
    onBook("open", in: router) { books, product in
      Task {
        do {
          try await books.open(product)
        } catch {
          books.report(error)
        }
      }
    }
    router.post("app/books/close") { _, _ in
      await MainActor.run { app.books?.close() }
      return Response.seeOther(AppScreen.books.address)
    }
    router.post("app/books/refresh") { _, _ in
      if let books = app.books { Task { await books.refreshList() } }
      return Response.seeOther(AppScreen.books.address)
    }
  }

  private func onBook(
    _ verb: String, in router: Router<BasicRequestContext>,
    _ act: @escaping @MainActor @Sendable (BooksModel, String) -> Void
  ) {
    router.post(RouterPath("app/books/\(verb)")) { request, _ in
      let product = try await request.form(ProductForm.self).product
      if let books = app.books { await act(books, product) }
      return Response.seeOther(AppScreen.books.address)
    }
  }
}
