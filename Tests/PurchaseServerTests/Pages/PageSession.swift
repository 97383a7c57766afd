import APIDescription
import Foundation
import HTTPTypes
import HummingbirdTesting
import SharedFixtures
import Testing

/// A browser that is signed in to the operator's pages.
struct PageSession: Sendable {
  static let origin = ["Origin": "http://localhost", "Content-Type": "application/x-www-form-urlencoded"]

  let client: any TestClientProtocol
  /// The header with the cookie.
  let headers: [String: String]

  init(_ client: any TestClientProtocol, key: String) async throws {
    let reply = try await client.send(
      .post, "/operator/sign-in", Self.form([("token", key)]), headers: Self.origin)
    let cookie = try #require(reply.headers[.setCookie]?.split(separator: ";").first.map(String.init))
    (self.client, headers) = (client, ["Cookie": cookie])
  }

  static func form(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(AddressText.segment($0.name))=\(AddressText.segment($0.value))" }.joined(separator: "&")
  }

  func get(_ address: String) async throws -> Reply { try await client.send(.get, address, headers: headers) }

  /// Returns a page. It must be well-formed, and without inline code.
  func page(_ address: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> HTMLCheck {
    let reply = try await get(address)
    #expect(reply.status == 200, "\(address): \(reply.text)", sourceLocation: sourceLocation)
    return try HTMLCheck(reply.text)
  }

  /// Sends a form of a page, with these values instead of its own.
  func send(
    _ fields: [(name: String, value: String)], _ values: [String: String] = [:], to path: String = "/operator/call",
    from page: String = "/operator/"
  ) async throws -> Reply {
    let known = Set(fields.map(\.name))
    for name in values.keys { #expect(known.contains(name), "the form has no field \(name)") }
    return try await client.send(
      .post, path, Self.form(fields.map { ($0.name, values[$0.name] ?? $0.value) }),
      headers: headers.merging(Self.origin.merging(["Referer": "http://localhost\(page)"]) { $1 }) { $1 })
  }

  /// Sends the form of a page that has this id.
  func send(_ form: String, on address: String, _ values: [String: String] = [:]) async throws -> Reply {
    let fields = try #require(try await page(address).forms(to: "/operator/call")[form], "\(form) on \(address)")
    return try await send(fields, values, from: address)
  }
}
