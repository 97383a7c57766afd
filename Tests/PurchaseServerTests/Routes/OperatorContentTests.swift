import Foundation
import HTTPTypes
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Content at the operators' doors", .timeLimit(.minutes(10)))
struct OperatorContentTests {
  private static let app = "/v1/operator/apps/com.example.reader"

  @Test("an upload whose operator key is revoked while it runs is refused at its end, and leaves nothing")
  func revokedDuringUpload() async throws {
    let room = try await ReadingRoom()
    let key = try #require(try await room.ledger.operatorKeys().first)
    let text = "0123456789"
    let answer = try await room.listening { port, _ in
      try await RawConnection(toPort: port).open { connection in
        try await connection.send(
          "PUT /v1/operator/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(room.operatorKey)\r\n"
            + "Content-Length: 10\r\n\r\n01234")
        while try !FileManager.default.contentsOfDirectory(atPath: room.folder.url.path).contains(where: {
          (try? Data(contentsOf: room.folder.url.appending(path: $0)).count) == 5
        }) {
          await Task.yield()
        }
        try await room.ledger.revokeOperatorKey(id: key.id, by: "olga")
        try await connection.send("56789")
        return try await connection.read(until: "}")
      }
    }
    #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
    #expect(try await room.content.size(of: Sample.digest(Data(text.utf8))) == nil)
  }

  @Test("a product and its files are published, sold, and on record")
  func publish() async throws {
    let room = try await ReadingRoom()
    let text = Data("A draft of a draft\n".utf8)
    room.clock.advance(seconds: 1)
    try await room.doors { client in
      let product = try await client.send(
        .put, "\(Self.app)/products/\(BookStore.draft)",
        #"{"type":"Non-Consumable","localisations":{"en":{"name":"Draft","description":"Unfinished"}}}"#,
        token: room.operatorKey)
      #expect(product.status == 200, "\(product.text)")
      room.clock.advance(seconds: 1)
      let stored = try await client.send(
        .put, "/v1/operator/content?sha256=\(Sample.digest(text))", String(decoding: text, as: UTF8.self),
        token: room.operatorKey)
      #expect(stored.status == 201)
      #expect(stored.object["sha256"] as? String == "\(Sample.digest(text))")
      #expect(stored.object["size"] as? Int == text.count)
      let files = #"{"files":[{"name":"draft.txt","sha256":"\#(Sample.digest(text))","mediaType":"text/plain"}]}"#
      let version = try await client.send(
        .put, "\(Self.app)/products/\(BookStore.draft)/content", files, token: room.operatorKey)
      #expect((version.status, version.object["version"] as? Int) == (200, 1))
      let audit = try await client.get("/v1/operator/audit?limit=2", token: room.operatorKey)
      #expect(audit.list("entries").compactMap { $0["action"] as? String } == ["publishContent", "publishProduct"])
      #expect(audit.list("entries").allSatisfy { $0["operatorName"] as? String == "olga" })
    }
    let (purchase, reader) = (
      try await room.books.buy(BookStore.draft, on: room.books.phone()), try await room.reader()
    )
    let reply = try await room.doors { try await $0.redeem(purchase, token: reader.token) }
    #expect(reply.files().first?["inline"] as? String == text.base64EncodedString())
  }

  @Test("an old file that is referred to again stays, also if a sweep has asked who needs it just before")
  func foundAgain() async throws {
    let room = try await ReadingRoom()
    let text = Data("A draft of a draft\n".utf8)
    let digest = try await room.content.publish(Sample.upload(text), limitBytes: .max, expecting: .anything).digest
    try FileManager.default.setAttributes(
      [.modificationDate: room.clock.now.adding(seconds: -900_000).date],
      ofItemAtPath: room.folder.path(digest.description))
    let files = #"{"files":[{"name":"draft.txt","sha256":"\#(digest)","mediaType":"text/plain"}]}"#
    let swept = try await room.content.sweep(gracePeriodMilliseconds: 86_400_000) {
      let kept = Set(try await room.ledger.contentDigests().compactMap { ContentDigest($0) })
      let reply = try await room.doors {
        try await $0.send(.put, "\(Self.app)/products/\(BookStore.poem)/content", files, token: room.operatorKey)
      }
      #expect(reply.status == 200, "\(reply.text)")
      return kept
    }
    #expect(swept == SweptContent())
    #expect(try await room.content.size(of: digest) == Int64(text.count))
  }

  private static let uploads: [(String, [String: String], Int, String)] = [
    ("?sha256=\(String(repeating: "a", count: 64))", [:], 422, "contentDiffers"),
    ("?sha256=x", [:], 400, "malformedRequest"),
    ("?sha265=\(String(repeating: "a", count: 64))", [:], 400, "malformedRequest"),
    ("?sha256=\(String(repeating: "A", count: 64))", [:], 400, "malformedRequest"),
  ]

  @Test("an upload that is not what it is said to be is refused, and leaves nothing", arguments: uploads)
  func refusedUploads(query: String, headers: [String: String], status: Int, code: String) async throws {
    let room = try await ReadingRoom()
    let before = try room.folder.names()
    let reply = try await room.doors {
      try await $0.send(.put, "/v1/operator/content\(query)", "text", token: room.operatorKey, headers: headers)
    }
    #expect((reply.status, reply.code) == (status, code), "\(reply.text)")
    #expect(try room.folder.names() == before)
  }

  @Test("an upload above the limit is refused with 413")
  func tooLarge() async throws {
    var wishes = ReadingRoom.Wishes()
    wishes.configuration.limits.uploadLimitBytes = 10
    let room = try await ReadingRoom(wishes)
    let digest = Sample.digest(Data("12345678901".utf8))
    let reply = try await room.doors {
      try await $0.send(.put, "/v1/operator/content?sha256=\(digest)", "12345678901", token: room.operatorKey)
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
    let room = try await ReadingRoom()
    let body = body.replacing("POEM", with: "\(Sample.digest(ReadingRoom.poemText))")
    let reply = try await room.doors {
      try await $0.send(.put, "\(Self.app)/products/\(BookStore.poem)/content", body, token: room.operatorKey)
    }
    #expect((reply.status, reply.code) == (status, code), "\(reply.text)")
    let catalog = try await room.ledger.catalog(of: BookStore.app)
    #expect(catalog.products.first { $0.product.id == BookStore.poem }?.content?.version == 1)
  }
}
