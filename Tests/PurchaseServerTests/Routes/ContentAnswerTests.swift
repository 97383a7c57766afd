import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Content in responses", .timeLimit(.minutes(30)))
struct ContentAnswerTests {
  @Test("G3 a small file is inline, a file above the limit is a link, each with its digest")
  func inlineAndLink() async throws {
    let fixture = try await ServerFixture()
    let (phone, reader) = (try await fixture.bookStore.phone(), try await fixture.reader())
    let purchase = try await fixture.bookStore.buy(BookStore.book, on: phone)
    try await fixture.withClient { client in
      let reply = try await client.redeem(purchase, token: reader.token)
      #expect(reply.status == 200)
      #expect(reply.object["customer"] as? String == reader.customer)
      let files = reply.files()
      #expect(files.compactMap { $0["name"] as? String } == ["book.m4a", "book.txt"])
      let (audio, text) = (files[0], files[1])
      #expect(text["inline"] as? String == ServerFixture.bookText.base64EncodedString())
      #expect(text["link"] == nil)
      #expect(text["sha256"] as? String == "\(Sample.digest(ServerFixture.bookText))")
      #expect(audio["inline"] == nil)
      #expect(audio["size"] as? Int == ServerFixture.audio.count)
      #expect(audio["linkExpires"] as? Int64 == fixture.clock.now.adding(seconds: 900).millisecondsSince1970)
      let link = try #require(audio["link"] as? String)
      let download = try await client.get("/\(link)")
      #expect((download.status, download.body) == (200, ServerFixture.audio))
      let part = try await client.get("/\(link)", headers: ["Range": "bytes=99990-"])
      #expect((part.status, part.body) == (206, ServerFixture.audio.suffix(10)))
    }
  }

  @Test("G3 a file of exactly the limit is inline, one byte more is a link; an empty one is inline")
  func limit() async throws {
    let fixture = try await ServerFixture()
    try await fixture.publish(
      [("a", Sample.bytes(1_000)), ("b", Sample.bytes(1_001)), ("c", Data())], of: BookStore.poem)
    let (purchase, reader) = (
      try await fixture.bookStore.buy(BookStore.poem, on: fixture.bookStore.phone()), try await fixture.reader()
    )
    let files = try await fixture.withClient { try await $0.redeem(purchase, token: reader.token) }.files()
    #expect(files.map { $0["inline"] != nil } == [true, false, true])
    #expect(files.map { $0["link"] != nil } == [false, true, false])
    #expect(files[2]["inline"] as? String == "")
  }

  @Test("G3 a small file whose bytes were changed on the disk is not put into a response, and the log says which one")
  func changedOnDisk() async throws {
    let fixture = try await ServerFixture()
    let digest = "\(Sample.digest(ServerFixture.poemText))"
    try Data(ServerFixture.poemText.reversed()).write(to: fixture.folder.url.appending(path: digest))
    let (purchase, reader) = (
      try await fixture.bookStore.buy(BookStore.poem, on: fixture.bookStore.phone()), try await fixture.reader()
    )
    let files = try await fixture.withClient { try await $0.redeem(purchase, token: reader.token) }.files()
    #expect(files.map { $0["inline"] == nil && $0["link"] != nil } == [true])
    #expect(fixture.log.lines.contains { $0.contains("damaged") && $0.contains(digest) })
  }

  @Test("G3 all inline files of a response together are limited: further ones are links")
  func answerLimit() async throws {
    var options = ServerFixture.Options()
    options.configuration.inlineLimitBytes = 4 << 20
    let fixture = try await ServerFixture(options)
    try await fixture.publish(
      (1...3).map { ("part \($0)", Sample.bytes(2_000_000, seed: UInt64($0))) }, of: BookStore.poem)
    let (phone, reader) = (try await fixture.bookStore.phone(), try await fixture.reader())
    _ = try await fixture.bookStore.buy(BookStore.book, as: "payment 1", on: phone)
    let purchase = try await fixture.bookStore.buy(BookStore.poem, as: "payment 2", on: phone)
    let body = try json(["proof": purchase.proof])
    let reply = try await fixture.withClient {
      try await $0.post("\(ServerFixture.path)/restores", body, token: reader.token)
    }
    let inline = (0..<2).flatMap { reply.files($0) }.filter { $0["inline"] != nil }.compactMap { $0["size"] as? Int }
    #expect(inline.reduce(0, +) <= 4 << 20)
    #expect(inline.filter { $0 == 2_000_000 }.count == 2)
    #expect(reply.body.count < 6_500_000)
  }

  @Test("G3 a file that is missing in the store is returned as a link; the link answers with a retryable error")
  func missing() async throws {
    let fixture = try await ServerFixture()
    let digest = Sample.digest(ServerFixture.poemText)
    try FileManager.default.removeItem(at: fixture.folder.url.appending(path: "\(digest)"))
    let (purchase, reader) = (
      try await fixture.bookStore.buy(BookStore.poem, on: fixture.bookStore.phone()), try await fixture.reader()
    )
    try await fixture.withClient { client in
      let reply = try await client.redeem(purchase, token: reader.token)
      #expect(reply.status == 200)
      let link = try #require(reply.files().first?["link"] as? String)
      let download = try await client.get("/\(link)")
      #expect((download.status, download.code) == (503, "contentMissing"))
      #expect(download.headers[.retryAfter] != nil)
    }
    #expect(fixture.log.lines.contains { $0.hasPrefix("error") && $0.contains("\(digest)") })
  }

  @Test("G4 G5 the stored proof sent again gives the same answer, nothing more, and a new link")
  func again() async throws {
    let fixture = try await ServerFixture()
    let phone = try await fixture.bookStore.phone()
    let reader = try await fixture.reader(on: phone)
    let coins = try await fixture.bookStore.buy(on: phone)
    let book = try await fixture.bookStore.buy(BookStore.book, as: "payment 2", on: phone)
    try await fixture.withClient { client in
      #expect(try await client.redeem(coins, token: reader.token).status == 200)
      let first = try await client.redeem(book, token: reader.token)
      fixture.clock.advance(seconds: 1_000)
      let link = try #require(first.files().first?["link"] as? String)
      let expired = try await client.get("/\(link)")
      #expect((expired.status, expired.code) == (410, "linkExpired"))
      let second = try await client.redeem(book, token: reader.token)
      #expect(second.withoutLinks == first.withoutLinks)
      let renewed = try #require(second.files().first?["link"] as? String)
      #expect(renewed != link)
      #expect(try await client.get("/\(renewed)").status == 200)
      _ = try await client.redeem(coins, token: reader.token)
    }
    let credits = try await fixture.withClient {
      try await $0.get("\(ServerFixture.path)/credits", token: reader.token)
    }
    #expect(credits.list("credits").first?["balance"] as? Int == 5)
    #expect(credits.list("credits").first?["movements"] as? Int == 1)
  }

  @Test("G4 deliveries list the downloadable files, as links only, and renew them")
  func deliveries() async throws {
    let fixture = try await ServerFixture()
    let (phone, reader) = (try await fixture.bookStore.phone(), try await fixture.reader())
    let purchase = try await fixture.bookStore.buy(BookStore.book, on: phone)
    try await fixture.withClient { client in
      _ = try await client.redeem(purchase, token: reader.token)
      let first = try await client.get("\(ServerFixture.path)/deliveries", token: reader.token)
      let delivery = try #require(first.list("deliveries").first)
      #expect(delivery["productId"] as? String == BookStore.book.rawValue)
      let files = delivery["files"] as? [[String: Any]] ?? []
      #expect(files.count == 2)
      #expect(files.allSatisfy { $0["inline"] == nil && $0["link"] != nil })
      fixture.clock.advance(seconds: 1)
      let second = try await client.get("\(ServerFixture.path)/deliveries", token: reader.token)
      #expect(second.list("deliveries").first?["id"] as? String == delivery["id"] as? String)
      #expect(second.text != first.text)
    }
  }

  @Test("a refund ends the delivery and its links")
  func refund() async throws {
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(TestReceiptServer.policy)))
    let (phone, reader) = (try await fixture.bookStore.phone(), try await fixture.reader())
    let purchase = try await fixture.bookStore.buy(BookStore.book, on: phone)
    try await fixture.withClient { client in
      let link = try #require(try await client.redeem(purchase, token: reader.token).files().first?["link"] as? String)
      fixture.clock.advance(seconds: 60)
      _ = try await fixture.bookStore.store.refund(purchase.id)
      fixture.clock.advance(seconds: 60)
      #expect(try await client.redeem(purchase, token: reader.token).code == "refunded")
      let ended = try await client.get("/\(link)")
      #expect((ended.status, ended.code) == (403, "deliveryEnded"))
      let deliveries = try await client.get("\(ServerFixture.path)/deliveries", token: reader.token)
      #expect(deliveries.list("deliveries").isEmpty)
    }
  }

  @Test("G5 a restore grants all durable purchases, and no consumable; repeated, it answers the same")
  func restore() async throws {
    let fixture = try await ServerFixture()
    let phone = try await fixture.bookStore.phone()
    let reader = try await fixture.reader(on: phone)
    _ = try await fixture.bookStore.buy(on: phone)
    _ = try await fixture.bookStore.buy(BookStore.book, as: "payment 2", on: phone)
    let last = try await fixture.bookStore.buy(BookStore.magazine, as: "payment 3", on: phone)
    let body = try json(["proof": last.proof])
    try await fixture.withClient { client in
      let reply = try await client.post("\(ServerFixture.path)/restores", body, token: reader.token)
      #expect(reply.status == 200)
      #expect(
        Set(reply.list("purchases").compactMap { $0["productId"] as? String })
          == [BookStore.book.rawValue, BookStore.magazine.rawValue])
      #expect(reply.given.allSatisfy { ($0["entitlement"] as? [String: Any])?["isActive"] as? Bool == true })
      let again = try await client.post("\(ServerFixture.path)/restores", body, token: reader.token)
      #expect(again.withoutLinks == reply.withoutLinks)
      let credits = try await client.get("\(ServerFixture.path)/credits", token: reader.token)
      #expect(credits.list("credits").isEmpty)
    }
  }
}

extension Reply {
  /// The body without its links and their dates, which are new each time.
  var withoutLinks: String {
    text.replacing(/"link(Expires)?":("[^"]*"|[0-9]+)/, with: "")
  }
}
