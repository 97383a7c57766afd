import AppStoreEmulator
import Foundation
import Hummingbird
import StoreModel
import WebSupport

/// The route of the search in the header of every page.
struct SearchRoutes: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/search") { request, _ in
      try await console.answering(in: nil) { try await search(request) }
    }
  }

  /// Redirects to the record whose identifier is the text, if there is exactly one. Otherwise redirects to the record
  /// whose identifier begins with the text, if there is exactly one. Otherwise lists the records whose identifier begins
  /// with the text, up to ``SearchPage/largestNumber`` of each kind. An empty text redirects to the transactions.
  private func search(_ request: Request) async throws -> Response {
    let text = try ConsoleQuery(request)["q"]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !text.isEmpty else { return .seeOther(ConsoleSection.transactions.address) }
    let matches = try await console.store.matches(beginningWith: text, limit: SearchPage.largestNumber)
    let found = SearchMatch.all(matches)
    let exact = found.filter { $0.isExact(text) }
    if let only = exact.count == 1 ? exact.first : found.count == 1 ? found.first : nil {
      return .seeOther(only.address)
    }
    let names = try await ProductNames(
      of: matches.transactions.map { ($0.record.bundleID, $0.record.productID) }, in: console.store)
    return console.page("Search", in: nil, SearchPage(text: text, matches: matches, names: names).html)
  }
}
