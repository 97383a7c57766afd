import Foundation
import HummingbirdTesting
import Testing

@testable import AppStoreEmulatorServer

extension TestClientProtocol {
  /// Requests a page and parses it as HTML. Its text must have no `<`, which would be markup that was escaped by mistake.
  func page(
    _ uri: String, status: Int = 200, hasMarkupInNames: Bool = false, headers: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> HTMLCheck {
    let reply = try await get(uri, headers: headers)
    #expect(reply.status == status, "\(uri)", sourceLocation: sourceLocation)
    let page = try HTMLCheck(String(decoding: reply.body, as: UTF8.self))
    #expect(hasMarkupInNames || !page.text.contains("<"), "\(uri)", sourceLocation: sourceLocation)
    return page
  }
}

extension HTMLCheck {
  /// The forms that call the control API, by their ids.
  var calls: [String: [String: String]] {
    elements.filter { $0.name == "form" && $0.attributes["data-call"] != nil }
      .reduce(into: [:]) { $0[$1.attributes["id"] ?? ""] = $1.attributes }
  }
}
