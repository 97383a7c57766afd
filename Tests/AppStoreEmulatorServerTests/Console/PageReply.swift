import Foundation
import HummingbirdTesting
import Testing

@testable import AppStoreEmulatorServer

extension TestClientProtocol {
  /// A page, read and checked as HTML.
  func page(
    _ uri: String, status: Int = 200, headers: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> HTMLCheck {
    let reply = try await get(uri, headers: headers)
    #expect(reply.status == status, "\(uri)", sourceLocation: sourceLocation)
    return try HTMLCheck(String(decoding: reply.body, as: UTF8.self))
  }
}

extension HTMLCheck {
  /// The forms that send something to the control door, by their ids.
  var calls: [String: [String: String]] {
    elements.filter { $0.name == "form" && $0.attributes["data-call"] != nil }
      .reduce(into: [:]) { $0[$1.attributes["id"] ?? ""] = $1.attributes }
  }
}
