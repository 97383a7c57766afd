import APIDescription
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
  /// The forms of the page itself that make a call of the control API.
  var calls: [String: [(name: String, value: String)]] { forms(to: "/console/call") }
}

extension HTMLCheck {
  /// The forms in the page's header, by the ids of their buttons without `-send`.
  var headerCalls: [String: [(name: String, value: String)]] {
    var calls: [String: [(name: String, value: String)]] = [:]
    var fields: [(name: String, value: String)]?
    for element in elements {
      let attributes = element.attributes
      switch element.name {
      case "form": fields = attributes["class"] == "button-call" ? [] : nil
      case "input": fields?.append((attributes["name"] ?? "", attributes["value"] ?? ""))
      case "button":
        if let fields, let id = attributes["id"], id.hasSuffix("-send") { calls[String(id.dropLast(5))] = fields }
        fields = nil
      default: continue
      }
    }
    return calls
  }
}

extension TestClientProtocol {
  /// Sends a form of a page of the console, as a browser does.
  func submit(
    _ fields: [(name: String, value: String)], to path: String = "/console/call", page: String = "/",
    headers: [String: String] = ["Origin": "http://localhost"]
  ) async throws -> Reply {
    let text = fields.map { "\(AddressText.segment($0.name))=\(AddressText.segment($0.value))" }.joined(separator: "&")
    let own = [
      "Content-Type": "application/x-www-form-urlencoded", "Referer": "http://localhost\(page)",
    ]
    return try await send(.post, path, text, headers: own.merging(headers) { $1 })
  }
}
