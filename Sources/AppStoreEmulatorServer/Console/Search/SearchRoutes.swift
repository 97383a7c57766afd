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
      try await console.answering(in: nil, for: request) { try await search(request) }
    }
  }

  /// Redirects to the record whose identifier is the text, if there is exactly one. Otherwise redirects to the record
  /// whose identifier begins with the text, if there is exactly one. Otherwise lists the records whose identifier begins
  /// with the text, up to ``SearchPage/largestNumber`` of each kind. An empty text redirects to the transactions.
  private func search(_ request: Request) async throws -> Response {
    let text = try AddressQuery(request)["q"]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !text.isEmpty else { return .seeOther(ConsoleSection.transactions.address) }
    let matches = try await console.store.matches(beginningWith: text, limit: SearchPage.largestNumber)
    if let address = SearchMatch.only(text, in: SearchMatch.all(matches)) { return .seeOther(address) }
    let names = try await ProductNames(
      of: matches.transactions.map { ($0.record.bundleID, $0.record.productID) }, in: console.store)
    return console.page("Search", in: nil, for: request, SearchPage(text: text, matches: matches, names: names).html)
  }
}

/// A record that a search found: its identifiers, and the address of its page.
private struct SearchMatch {
  let identifiers: [String]
  let address: String

  /// Returns the address of the only record with the text as an identifier, ignoring case; otherwise that of the only
  /// record. Nil if there are several or none.
  static func only(_ text: String, in matches: [SearchMatch]) -> String? {
    let exact = matches.filter { $0.identifiers.contains { $0.lowercased() == text.lowercased() } }
    return (exact.count == 1 ? exact.first : matches.count == 1 ? matches.first : nil)?.address
  }

  static func all(_ matches: StoreMatches) -> [SearchMatch] {
    matches.transactions.map {
      SearchMatch(
        identifiers: [$0.record.transactionID.rawValue] + [$0.record.webOrderLineItemID].compactMap(\.self),
        address: ConsoleAddress.transaction($0.record.transactionID))
    }
      + matches.customers.map {
        SearchMatch(identifiers: [$0.name.rawValue], address: ConsoleAddress.customer($0.name, $0.environment))
      }
      + matches.products.map {
        SearchMatch(
          identifiers: [$0.definition.productID.rawValue],
          address: ConsoleAddress.product($0.definition.productID, of: $0.bundleID))
      }
      + matches.installations.map {
        SearchMatch(identifiers: [$0.installationID.rawValue], address: ConsoleAddress.installation($0))
      }
  }
}
