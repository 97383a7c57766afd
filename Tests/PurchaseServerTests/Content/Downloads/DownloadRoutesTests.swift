import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Requests with a download link", .timeLimit(.minutes(30)))
struct DownloadRoutesTests {
  private struct Reply: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: Data

    var code: String? {
      ((try? JSONDecoder().decode([String: [String: String]].self, from: body)) ?? [:])["error"]?["code"]
    }
  }

  private static func send(
    _ method: HTTPRequest.Method = .get, _ path: String, _ fields: HTTPFields = [:], to client: any TestClientProtocol
  ) async throws -> Reply {
    let response = try await client.executeRequest(uri: path, method: method, headers: fields, body: nil)
    return Reply(status: response.status.code, headers: response.headers, body: Data(buffer: response.body))
  }

  @Test("G3 a link returns the file with its name and type; HEAD returns the same without a body")
  func whole() async throws {
    let fixture = try await DownloadFixture()
    let data = Sample.bytes(300_000)
    let offer = try await fixture.offer(data, name: "Bücher.epub")
    try await fixture.withClient { client in
      let (get, head) = (
        try await Self.send(.get, offer.path, to: client), try await Self.send(.head, offer.path, to: client)
      )
      #expect(get.status == 200 && get.body == data)
      #expect(head.status == 200 && head.body.isEmpty)
      for name in [
        HTTPField.Name.contentLength, .contentType, .eTag, .acceptRanges, .contentDisposition, .cacheControl,
        .xContentTypeOptions, .reprDigest,
      ] { #expect(get.headers[name] != nil && get.headers[name] == head.headers[name], "\(name)") }
      #expect(get.headers[.contentLength] == "300000")
    }
  }

  @Test("G5 a range, an unsatisfiable range, an unchanged file, and a changed one")
  func conditions() async throws {
    let fixture = try await DownloadFixture()
    let data = Sample.bytes(300_000)
    let offer = try await fixture.offer(data)
    try await fixture.withClient { client in
      let part = try await Self.send(.get, offer.path, [.range: "bytes=299990-", .ifRange: offer.tag], to: client)
      #expect(part.status == 206 && part.body == data[299_990...])
      #expect(part.headers[.contentRange] == "bytes 299990-299999/300000")
      let none = try await Self.send(.get, offer.path, [.range: "bytes=300000-"], to: client)
      #expect(none.status == 416 && none.body.isEmpty && none.headers[.contentRange] == "bytes */300000")
      let same = try await Self.send(.get, offer.path, [.ifNoneMatch: offer.tag], to: client)
      #expect(same.status == 304 && same.body.isEmpty && same.headers[.contentLength] == nil)
      let other = try await Self.send(.get, offer.path, [.ifMatch: "\"other\""], to: client)
      #expect(other.status == 412 && other.body.isEmpty)
    }
  }

  @Test("G6 no content without an active delivery and a valid link, and the reason is clear")
  func refusals() async throws {
    let fixture = try await DownloadFixture()
    let offer = try await fixture.offer(Sample.bytes(1000))
    let (ended, unknown, other) = (UUID(), UUID(), UUID())
    fixture.statuses[ended] = .ended(reason: "the purchase was refunded")
    fixture.statuses[other] = .allowed(Sample.file())
    try await fixture.withClient { client in
      for method in [HTTPRequest.Method.get, .head] {
        for (path, status, code) in [
          (offer.path + "A", 404, "noSuchLink"), ("/v1/downloads/..%2F..%2Fetc%2Fpasswd", 404, "noSuchLink"),
          ("/v1/downloads/%00", 404, "noSuchLink"), (fixture.path(unknown, offer.file), 404, "noSuchLink"),
          // The delivery is active, but does not include this file.
          (fixture.path(other, offer.file), 404, "noSuchLink"), (fixture.path(ended, offer.file), 403, "deliveryEnded"),
        ] {
          let reply = try await Self.send(method, path, to: client)
          #expect(reply.status == status, "\(path)")
          if method == .get { #expect(reply.code == code, "\(path)") }
          #expect(reply.headers[.cacheControl] == "no-store")
        }
      }
      let refunded = try await Self.send(.get, fixture.path(ended, offer.file), to: client)
      #expect(String(decoding: refunded.body, as: UTF8.self).contains("the purchase was refunded"))
      fixture.clock.advance(seconds: 900)
      let late = try await Self.send(.get, offer.path, to: client)
      #expect(late.status == 410 && late.code == "linkExpired")
    }
  }

  @Test("Missing content, or content of another size than in the ledger, is not sent")
  func missing() async throws {
    let fixture = try await DownloadFixture()
    let offer = try await fixture.offer(Sample.bytes(1000))
    let (gone, larger) = (fixture.offer(Sample.file()), fixture.offer(Sample.file(offer.file.digest, size: 1001)))
    try await fixture.withClient { client in
      for path in [gone.path, larger.path] {
        let reply = try await Self.send(.get, path, to: client)
        #expect(reply.status == 503 && reply.code == "contentMissing")
      }
    }
  }

  @Test("An empty file is sent as an empty body")
  func empty() async throws {
    let fixture = try await DownloadFixture()
    let offer = try await fixture.offer(Data())
    try await fixture.withClient { client in
      for method in [HTTPRequest.Method.get, .head] {
        let reply = try await Self.send(method, offer.path, to: client)
        #expect(reply.status == 200 && reply.body.isEmpty && reply.headers[.contentLength] == "0")
      }
    }
  }
}
