import Foundation
import HTTPTransport
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("Downloads", .timeLimit(.minutes(30)))
struct DownloadTests {
  private let book = LibraryFixture.book

  @Test("a download that is cut at any byte resumes from there, with the entity tag in the request")
  func cutAtAnyByte() async throws {
    let text = ScriptedServer.data(37)
    for length in 0...text.count {
      let fixture = try LibraryFixture()
      fixture.server.publish(book, ("text", text))
      try fixture.want()
      fixture.server.once("/downloads/") { _, usual in
        var cut = usual
        cut.cutAfter = length
        return cut
      }
      try await fixture.downloads.download(book)
      #expect(try fixture.library.data(named: "text", in: book) == text)
      // If the connection is cut after the last byte, the file is complete.
      let again: [String?] = length == text.count ? [] : [length == 0 ? nil : "bytes=\(length)-"]
      #expect(fixture.ranges == [nil] + again, "cut after \(length)")
      #expect(try fixture.names("partial").isEmpty)
    }
  }

  @Test("G5 killed during a download, after any byte: at the next launch it waits, and resumes from there")
  func killedAtAnyByte() async throws {
    let text = ScriptedServer.data(23)
    for length in 0...text.count {
      let fixture = try LibraryFixture()
      fixture.server.publish(book, ("text", text))
      try fixture.want()
      let copies = Copies()
      fixture.server.once("/downloads/") { _, usual in
        var cut = usual
        cut.cutAfter = length
        return cut
      }
      let waiting = KillingRetry { copies.add(try? fixture.killed()) }
      let downloads = ContentDownloads(library: fixture.library, server: fixture.client, retry: waiting)
      try await downloads.download(book)
      // If the connection is cut after the last byte, the download does not wait.
      guard length < text.count else { continue }
      let device = try LibraryFixture(server: fixture.server, folder: try #require(copies.all.first))
      #expect(try device.downloads.state(of: book) == .waiting(nil))
      let before = fixture.ranges.count
      try device.downloads.resumeWaiting()
      try await device.downloads.download(book)
      #expect(try device.library.data(named: "text", in: book) == text)
      #expect(fixture.ranges.dropFirst(before) == [length == 0 ? nil : "bytes=\(length)-"])
      #expect(try device.downloads.state(of: book) == .current(version: 1))
    }
  }

  @Test("a part that is damaged on disk is detected by its digest: the whole file is downloaded once more")
  func damagedPart() async throws {
    let fixture = try LibraryFixture()
    let text = ScriptedServer.data(5000)
    fixture.server.publish(book, ("text", text))
    try fixture.want()
    fixture.server.once("/downloads/") { _, usual in
      var cut = usual
      cut.cutAfter = 3000
      return cut
    }
    await #expect(throws: ContentError.self) { try await fixture.downloads.download(book, attempts: 1) }
    let part = fixture.folder.url.appending(path: "partial").appending(
      path: try #require(try fixture.names("partial").first))
    var bytes = try Data(contentsOf: part)
    bytes[1234] ^= 1
    try bytes.write(to: part)
    let again = try fixture.relaunched()
    try await again.downloads.download(book)
    #expect(again.ranges == [nil, "bytes=3000-", nil])
    #expect(try again.library.data(named: "text", in: book) == text)
  }

  @Test("F3 content that differs from the server's digest is downloaded once more, then refused; it cannot be opened")
  func wrongDigest() async throws {
    let fixture = try LibraryFixture()
    let text = ScriptedServer.data(5000)
    fixture.server.publish(book, ("text", text))
    try fixture.want()
    let other: ScriptedServer.Change = { _, usual in
      var wrong = usual
      wrong.body = ScriptedServer.data(5000, seed: 2)
      return wrong
    }
    fixture.server.once("/downloads/", other)
    fixture.server.once("/downloads/", other)
    await #expect(throws: ContentError.wrongDigest(file: "text")) { try await fixture.downloads.download(book) }
    #expect(fixture.ranges == [nil, nil])
    #expect(try fixture.names("files").isEmpty)
    #expect(throws: ContentError.notDelivered(productIdentifier: book)) {
      try fixture.library.data(named: "text", in: book)
    }
    #expect(try fixture.downloads.state(of: book) == .waiting(.wrongDigest(file: "text")))
    fixture.server.once("/downloads/", other)
    try await fixture.downloads.download(book)
    #expect(try fixture.library.data(named: "text", in: book) == text)
  }

  @Test("a complete answer that is too short or too long is refused; nothing of it is opened", arguments: [4999, 5001])
  func otherLength(length: Int) async throws {
    let fixture = try LibraryFixture()
    let text = ScriptedServer.data(5000)
    fixture.server.publish(book, ("text", text))
    try fixture.want()
    fixture.server.once("/downloads/") { _, usual in
      var wrong = usual
      wrong.fields["Content-Length"] = nil
      wrong.body = (text + text).prefix(length)
      return wrong
    }
    try await fixture.downloads.download(book)
    #expect(fixture.ranges == [nil, nil])
    #expect(try fixture.library.data(named: "text", in: book) == text)
  }

  /// Returns a library with 3,000 of 5,000 bytes of a file, right after a launch.
  private func halfway(_ text: Data = ScriptedServer.data(5000)) async throws -> LibraryFixture {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("text", text))
    try fixture.want()
    fixture.server.once("/downloads/") { _, usual in
      var cut = usual
      cut.cutAfter = 3000
      return cut
    }
    await #expect(throws: ContentError.self) { try await fixture.downloads.download(book, attempts: 1) }
    return try fixture.relaunched()
  }

  @Test("a file that changes during the download is downloaded as a whole")
  func changedTag() async throws {
    let fixture = try await halfway()
    fixture.server.once("/downloads/") { _, usual in
      #expect(usual.status == 206)
      return .init(
        fields: ["ETag": "\"other\"", "Content-Length": "5000"], body: ScriptedServer.data(5000), cutAfter: 1000)
    }
    try await fixture.downloads.download(book)
    // The second part had another tag, which the server does not know.
    #expect(fixture.ranges == [nil, "bytes=3000-", "bytes=1000-"])
    #expect(fixture.server.calls("/downloads/").last?.fields["If-Range"] == "\"other\"")
    #expect(try fixture.library.data(named: "text", in: book) == ScriptedServer.data(5000))
  }

  @Test(
    "a part that does not match, or 416: the whole file is requested once; the second time is an error",
    arguments: [
      (416, "bytes */5000", true), (206, "bytes 2999-4999/5000", true), (206, "bytes 3000-4999/4999", true),
      (206, "bytes 3000-4999/5000", false), (206, "", true),
    ])
  func otherPart(status: Int, range: String, hasTag: Bool) async throws {
    let fixture = try await halfway()
    let tag = "\"\(FileDigest(of: ScriptedServer.data(5000)))\""
    let misfit: ScriptedServer.Change = { _, usual in
      .init(status: status, fields: ["Content-Range": range, "ETag": hasTag ? tag : "\"other\""], body: usual.body)
    }
    fixture.server.once("/downloads/", misfit)
    try await fixture.downloads.download(book)
    #expect(fixture.ranges == [nil, "bytes=3000-", nil])
    #expect(try fixture.library.data(named: "text", in: book) == ScriptedServer.data(5000))
    let other = try await halfway()
    other.server.once("/downloads/", misfit)
    other.server.once("/downloads/") { _, _ in .init(status: 416) }
    await #expect {
      try await other.downloads.download(book)
    } throws: {
      if case ContentError.unexpectedAnswer = $0 { true } else { false }
    }
  }

  @Test("a link that expires during the download is renewed, and the download resumes", arguments: [410, 404])
  func expiredLink(status: Int) async throws {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("text", ScriptedServer.data(5000)))
    try fixture.want()
    fixture.server.once("/downloads/") { _, usual in
      var cut = usual
      cut.cutAfter = 3000
      return cut
    }
    fixture.server.once("/downloads/") { _, _ in .init(status: status) }
    try await fixture.downloads.download(book)
    #expect(fixture.ranges == [nil, "bytes=3000-", "bytes=3000-"])
    let links = fixture.server.calls("/downloads/").map(\.url)
    #expect(links[1] == links[0] && links[2] != links[1])
    #expect(fixture.server.calls("/deliveries").count == 1)
    // The link authorizes the request, so the app sends no token to its address.
    #expect(fixture.server.calls("/downloads/").allSatisfy { $0.fields["Authorization"] == nil })
  }

  @Test("a new link that is refused is an error, not a loop")
  func newLinkRefused() async throws {
    let fixture = try await halfway()
    for _ in 0..<2 { fixture.server.once("/downloads/") { _, _ in .init(status: 410) } }
    await #expect {
      try await fixture.downloads.download(book)
    } throws: {
      if case ContentError.unexpectedAnswer = $0 { true } else { false }
    }
    // After the launch the app has no link. The only link that it requests is the new one.
    #expect(fixture.server.calls("/deliveries").count == 1)
    #expect(try fixture.names("partial").count == 1)
  }

  @Test("a delivery that has ended: the part is removed, and the product marked")
  func ended() async throws {
    let fixture = try await halfway()
    fixture.server.once("/downloads/") { _, _ in
      .init(status: 403, body: Data(#"{"error": {"code": "deliveryEnded", "message": "It was refunded."}}"#.utf8))
    }
    let error = ContentError.deliveryEnded(productIdentifier: book, reason: "It was refunded.")
    await #expect(throws: error) { try await fixture.downloads.download(book) }
    #expect(try fixture.names("partial").isEmpty)
    #expect(try fixture.downloads.state(of: book) == .ended(reason: "It was refunded."))
    let again = try fixture.relaunched()
    #expect(try again.downloads.state(of: book) == .ended(reason: "It was refunded."))
  }

  @Test("a delivery that the server no longer lists has ended")
  func notListed() async throws {
    let fixture = try await halfway()
    fixture.server.publish(book, nil)
    await #expect {
      try await fixture.downloads.download(book)
    } throws: {
      if case ContentError.deliveryEnded = $0 { true } else { false }
    }
    #expect(try fixture.names("partial").isEmpty)
  }

  @Test("an answer of a proxy or gateway loses nothing that was downloaded")
  func portal() async throws {
    let fixture = try await halfway()
    fixture.server.once("/downloads/") { _, _ in
      .init(fields: ["Content-Length": "20"], body: Data("<html>Sign in</html>".utf8))
    }
    await #expect {
      try await fixture.downloads.download(book)
    } throws: {
      if case ContentError.unexpectedAnswer = $0 { true } else { false }
    }
    try await fixture.downloads.download(book)
    #expect(fixture.ranges.last == "bytes=3000-")
  }

  @Test("a busy server is asked again after its Retry-After, an unreachable one when the network may be back")
  func busy() async throws {
    let fixture = try await halfway()
    fixture.server.once("/downloads/") { _, _ in .init(status: 503, fields: ["Retry-After": "7"]) }
    fixture.server.once("/downloads/") { _, _ in throw HTTPFailure.unreachable(reason: "down") }
    fixture.server.once("/downloads/") { _, _ in .init(status: 500) }
    try await fixture.downloads.download(book)
    #expect(fixture.clock.sleeps == [.seconds(7)])
    #expect(fixture.eager.all == [2, 3])
    let impatient = try await halfway()
    impatient.server.once("/downloads/") { _, _ in .init(status: 503, fields: ["Retry-After": "300"]) }
    await #expect(throws: ContentError.self) { try await impatient.downloads.download(book, attempts: 3) }
    #expect(impatient.clock.sleeps.isEmpty)
  }

  @Test("a server that asks for a pause of a day is asked again after five minutes")
  func longPause() async throws {
    let fixture = try await halfway()
    fixture.server.once("/downloads/") { _, _ in .init(status: 503, fields: ["Retry-After": "86400"]) }
    try await fixture.downloads.download(book)
    #expect(fixture.clock.sleeps == [.seconds(300)])
  }
}

/// Copies of the folders of devices whose app was killed.
final class Copies: Sendable {
  private let folders = LockedValue<[TestFolder]>([])

  var all: [TestFolder] { folders.value }
  func add(_ folder: TestFolder?) { folders.withLock { folders in if let folder { folders.append(folder) } } }
}

/// Runs `work` whenever a download waits for the network.
struct KillingRetry: RetrySchedule {
  let work: @Sendable () -> Void
  func wait(afterFailures failures: Int) async { work() }
}
