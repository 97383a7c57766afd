import Foundation
import HTTPTypes
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Content for operators", .timeLimit(.minutes(30)))
struct OperatorContentTests {
  private static let app = "/v1/operator/apps/com.example.reader"

  @Test("an upload whose operator key is revoked while it runs is refused at its end, and leaves nothing")
  func revokedDuringUpload() async throws {
    let fixture = try await ServerFixture()
    let key = try #require(try await fixture.ledger.operatorKeys().first)
    _ = try await fixture.ledger.createOperatorKey(name: "otto", role: .admin, by: .commandLine)
    let text = "0123456789"
    let answer = try await fixture.listening { port, _ in
      try await RawConnection(toPort: port).open { connection in
        try await connection.send(
          "PUT /v1/operator/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(fixture.operatorKey)\r\n"
            + "Content-Length: 10\r\n\r\n01234")
        while try !FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path).contains(where: {
          (try? Data(contentsOf: fixture.folder.url.appending(path: $0)).count) == 5
        }) {
          await Task.yield()
        }
        try await fixture.ledger.revokeOperatorKey(id: key.id, by: "olga")
        try await connection.send("56789")
        return try await connection.read(until: "}")
      }
    }
    #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
    #expect(try await fixture.content.size(of: Sample.digest(Data(text.utf8))) == nil)
  }

  @Test("a product and its files are published, sold, and audited")
  func publish() async throws {
    let fixture = try await ServerFixture()
    let text = Data("A draft of a draft\n".utf8)
    fixture.clock.advance(seconds: 1)
    try await fixture.withClient { client in
      let product = try await client.send(
        .put, "\(Self.app)/products/\(BookStore.draft)",
        #"{"type":"Non-Consumable","localisations":{"en":{"name":"Draft","description":"Unfinished"}}}"#,
        token: fixture.operatorKey)
      #expect(product.status == 200, "\(product.text)")
      fixture.clock.advance(seconds: 1)
      let stored = try await client.send(
        .put, "/v1/operator/content?sha256=\(Sample.digest(text))", String(decoding: text, as: UTF8.self),
        token: fixture.operatorKey)
      #expect(stored.status == 201)
      #expect(stored.object["sha256"] as? String == "\(Sample.digest(text))")
      #expect(stored.object["size"] as? Int == text.count)
      let files = #"{"files":[{"name":"draft.txt","sha256":"\#(Sample.digest(text))","mediaType":"text/plain"}]}"#
      let version = try await client.send(
        .put, "\(Self.app)/products/\(BookStore.draft)/content", files, token: fixture.operatorKey)
      #expect((version.status, version.object["version"] as? Int) == (200, 1))
      let audit = try await client.get("/v1/operator/audit?limit=2", token: fixture.operatorKey)
      #expect(audit.list("entries").compactMap { $0["action"] as? String } == ["publishContent", "publishProduct"])
      #expect(audit.list("entries").allSatisfy { $0["operatorName"] as? String == "olga" })
    }
    let (purchase, reader) = (
      try await fixture.bookStore.buy(BookStore.draft, on: fixture.bookStore.phone()), try await fixture.reader()
    )
    let reply = try await fixture.withClient { try await $0.redeem(purchase, token: reader.token) }
    #expect(reply.files().first?["inline"] as? String == text.base64EncodedString())
  }

  @Test("an old file that is referenced again stays, also if a sweep has read the references just before")
  func foundAgain() async throws {
    let fixture = try await ServerFixture()
    let text = Data("A draft of a draft\n".utf8)
    let digest = try await fixture.content.publish(Sample.upload(text), limitBytes: .max, expecting: .anything).digest
    try FileManager.default.setAttributes(
      [.modificationDate: fixture.clock.now.adding(seconds: -900_000).date],
      ofItemAtPath: fixture.folder.path(digest.description))
    let files = #"{"files":[{"name":"draft.txt","sha256":"\#(digest)","mediaType":"text/plain"}]}"#
    let swept = try await fixture.content.sweep(gracePeriodMilliseconds: 86_400_000) {
      let kept = Set(try await fixture.ledger.contentDigests().compactMap { ContentDigest($0) })
      let reply = try await fixture.withClient {
        try await $0.send(.put, "\(Self.app)/products/\(BookStore.poem)/content", files, token: fixture.operatorKey)
      }
      #expect(reply.status == 200, "\(reply.text)")
      return kept
    }
    #expect(swept == SweptContent())
    #expect(try await fixture.content.size(of: digest) == Int64(text.count))
  }

  private static let uploads: [(String, [String: String], Int, String)] = [
    ("?sha256=\(String(repeating: "a", count: 64))", [:], 422, "contentDiffers"),
    ("?sha256=x", [:], 400, "malformedRequest"),
    ("?sha265=\(String(repeating: "a", count: 64))", [:], 400, "malformedRequest"),
    ("?sha256=\(String(repeating: "A", count: 64))", [:], 400, "malformedRequest"),
  ]

  @Test("an upload that differs from its announcement is refused, and leaves nothing", arguments: uploads)
  func refusedUploads(query: String, headers: [String: String], status: Int, code: String) async throws {
    let fixture = try await ServerFixture()
    let before = try fixture.folder.names()
    let reply = try await fixture.withClient {
      try await $0.send(.put, "/v1/operator/content\(query)", "text", token: fixture.operatorKey, headers: headers)
    }
    #expect((reply.status, reply.code) == (status, code), "\(reply.text)")
    #expect(try fixture.folder.names() == before)
  }

  @Test("an upload above the limit is refused with 413")
  func tooLarge() async throws {
    var options = ServerFixture.Options()
    options.configuration.limits.uploadLimitBytes = 10
    let fixture = try await ServerFixture(options)
    let digest = Sample.digest(Data("12345678901".utf8))
    let reply = try await fixture.withClient {
      try await $0.send(.put, "/v1/operator/content?sha256=\(digest)", "12345678901", token: fixture.operatorKey)
    }
    #expect((reply.status, reply.code) == (413, "tooLarge"))
  }

  private static let contents: [(String, Int, String)] = [
    (#"{"files":[]}"#, 422, "invalid"),
    (#"{"files":[{"name":"a","sha256":"x","mediaType":"text/plain"}]}"#, 422, "unknownContent"),
    (
      #"{"files":[{"name":"a","sha256":"\#(String(repeating: "0", count: 64))","mediaType":"text/plain"}]}"#, 422,
      "unknownContent"
    ),
    (#"{"files":[{"name":"../a","sha256":"POEM","mediaType":"text/plain"}]}"#, 422, "invalid"),
    (#"{"files":[{"name":"a\r\nSet-Cookie: b=c","sha256":"POEM","mediaType":"text/plain"}]}"#, 422, "invalid"),
    (#"{"files":[{"name":"a","sha256":"POEM","mediaType":"text/plain\r\nSet-Cookie: b=c"}]}"#, 422, "invalid"),
    (#"{"files":[{"name":"a","sha256":"POEM","mediatype":"text/plain"}]}"#, 400, "malformedRequest"),
    (
      #"{"files":[{"name":"a","sha256":"POEM","mediaType":"a/b"},{"name":"a","sha256":"POEM","mediaType":"a/b"}]}"#,
      422, "invalid"
    ),
  ]

  @Test("files that cannot be published are refused, and the version stays", arguments: contents)
  func refusedContents(body: String, status: Int, code: String) async throws {
    let fixture = try await ServerFixture()
    let body = body.replacing("POEM", with: "\(Sample.digest(ServerFixture.poemText))")
    let reply = try await fixture.withClient {
      try await $0.send(.put, "\(Self.app)/products/\(BookStore.poem)/content", body, token: fixture.operatorKey)
    }
    #expect((reply.status, reply.code) == (status, code), "\(reply.text)")
    let catalog = try await fixture.ledger.catalog(of: BookStore.app)
    #expect(catalog.products.first { $0.product.id == BookStore.poem }?.content?.version == 1)
  }
}
