import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AppStoreEmulatorServer

@Suite("Requests that web pages send", .timeLimit(.minutes(30)))
struct OriginTests {
  /// Paths of the device API and the control API, also in spellings that the router treats as equal.
  static let guarded: [(HTTPRequest.Method, String)] = [
    (.get, "/control/v1/customers"), (.get, "/control/v1/connection"), (.get, "/control/openapi.json"),
    (.post, "/control/v1/purchases"), (.post, "/device/v1/register"), (.post, "/device/v1/confirm"),
    (.get, "//control/v1/customers"), (.get, "/control//v1/customers"), (.get, "control/v1/customers"),
    (.post, "//device/v1/register"), (.post, "///control///v1/purchases"),
    (.get, "http://localhost/control/v1/customers"),
    (.get, "http://localhost//control/v1/customers"),
  ]

  @Test(
    "a foreign origin is refused, also for reading",
    arguments: [
      "https://evil.example", "null", "http://localhost:1", "http://localhost.evil.example", "", "http://",
      "http://localhost, http://evil.example", "file://", "chrome-extension://abc",
    ])
  func foreignOrigin(origin: String) async throws {
    guard !origin.isEmpty else { return }
    try await BakeryServer().withClient { client async throws in
      for (method, path) in Self.guarded {
        let reply = try await client.send(method, path, method == .post ? "{}" : nil, headers: ["Origin": origin])
        #expect((reply.status, reply.code) == (403, "foreignOrigin"), "\(method) \(path)")
      }
    }
  }

  @Test(
    "what a browser marks as another site's is refused, also for reading", arguments: ["cross-site", "same-site", "x"])
  func fetchSite(site: String) async throws {
    try await BakeryServer().withClient { client async throws in
      for (method, path) in Self.guarded {
        let headers = ["Sec-Fetch-Site": site]
        let reply = try await client.send(method, path, method == .post ? "{}" : nil, headers: headers)
        #expect((reply.status, reply.code) == (403, "foreignOrigin"), "\(method) \(path)")
      }
    }
  }

  @Test("the emulator's own pages, and programs, are let in")
  func ownPages() async throws {
    try await BakeryServer().withClient { client async throws in
      for headers in [
        [:], ["Origin": "http://localhost"], ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
        ["Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"],
      ] {
        #expect(try await client.get("/control/v1/customers", headers: headers).status == 200, "\(headers)")
      }
    }
  }

  @Test(
    "only JSON is taken: what a form can send is refused, whatever is in it",
    arguments: [
      "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "application/jsonx",
      "text/json", "text/plain; application/json", "application/json, text/plain",
    ])
  func contentType(type: String) async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for (method, path) in Self.guarded where method == .post {
        let reply = try await client.send(method, path, "{}", headers: ["Content-Type": type])
        #expect((reply.status, reply.code) == (415, "notJSON"), "\(path)")
      }
      let patch = try await client.send(
        .patch, "/control/v1/customers/sandbox/customer", "{}", headers: ["Content-Type": type])
      #expect(patch.status == 415)
    }
  }

  @Test("JSON may name its encoding, in any letter case")
  func contentTypeSpelling() async throws {
    try await BakeryServer().withClient { client async throws in
      for type in ["application/json; charset=utf-8", "Application/JSON", " application/json ;charset=UTF-8"] {
        let reply = try await client.post("/device/v1/register", "{}", headers: ["Content-Type": type])
        #expect(reply.status == 400, "\(type)")
      }
    }
  }

  @Test("DELETE without a body needs no Content-Type; with one it is JSON as everywhere")
  func deletion() async throws {
    try await BakeryServer().withClient { client async throws in
      #expect(try await client.send(.delete, "/control/v1/faults").status < 300)
      let form = try await client.send(
        .delete, "/control/v1/faults", "a=b",
        headers: ["Content-Type": "application/x-www-form-urlencoded", "Content-Length": "3"])
      #expect((form.status, form.code) == (415, "notJSON"))
    }
  }
}
