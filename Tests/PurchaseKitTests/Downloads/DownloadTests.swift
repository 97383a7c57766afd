import Foundation
import HTTPTransport
import Testing

@testable import PurchaseKit

@Suite("Downloads", .timeLimit(.minutes(10)))
struct DownloadTests {
  private let book = TestShelf.book

  @Test("a download that is cut at any byte goes on from there, and is asked for with its tag")
  func cutAtAnyByte() async throws {
    let text = ScriptedServer.data(37)
    for length in 0...text.count {
      let shelf = try TestShelf()
      shelf.server.publish(book, ("text", text))
      try shelf.want()
      shelf.server.once("/downloads/") { _, usual in
        var cut = usual
        cut.cutAfter = length
        return cut
      }
      try await shelf.downloads.download(book)
      #expect(try shelf.library.data(named: "text", in: book) == text)
      // If the connection is cut after the last byte, the file is complete.
      let again: [String?] = length == text.count ? [] : [length == 0 ? nil : "bytes=\(length)-"]
      #expect(shelf.ranges == [nil] + again, "cut after \(length)")
      #expect(try shelf.names("partial").isEmpty)
    }
  }

  @Test("G5 killed while a file comes, after any byte: at the next launch it waits, and goes on from there")
  func killedAtAnyByte() async throws {
    let text = ScriptedServer.data(23)
    for length in 0...text.count {
      let shelf = try TestShelf()
      shelf.server.publish(book, ("text", text))
      try shelf.want()
      let copies = Copies()
      shelf.server.once("/downloads/") { _, usual in
        var cut = usual
        cut.cutAfter = length
        return cut
      }
      let waiting = KillingReachability { copies.add(try? shelf.killed()) }
      let downloads = ContentDownloads(library: shelf.library, server: shelf.client, reachability: waiting)
      try await downloads.download(book)
      // If the connection is cut after the last byte, the download does not wait.
      guard length < text.count else { continue }
      let device = try TestShelf(server: shelf.server, folder: try #require(copies.all.first))
      #expect(try device.downloads.state(of: book) == .waiting(nil))
      let before = shelf.ranges.count
      try device.downloads.resumeWaiting()
      try await device.downloads.download(book)
      #expect(try device.library.data(named: "text", in: book) == text)
      #expect(shelf.ranges.dropFirst(before) == [length == 0 ? nil : "bytes=\(length)-"])
      #expect(try device.downloads.state(of: book) == .current(version: 1))
    }
  }

  @Test("a part that the disk has wrong is found by its digest: all of it is fetched once more")
  func damagedPart() async throws {
    let shelf = try TestShelf()
    let text = ScriptedServer.data(5000)
    shelf.server.publish(book, ("text", text))
    try shelf.want()
    shelf.server.once("/downloads/") { _, usual in
      var cut = usual
      cut.cutAfter = 3000
      return cut
    }
    await #expect(throws: ContentError.self) { try await shelf.downloads.download(book, attempts: 1) }
    let part = shelf.folder.url.appending(path: "partial").appending(
      path: try #require(try shelf.names("partial").first))
    var bytes = try Data(contentsOf: part)
    bytes[1234] ^= 1
    try bytes.write(to: part)
    let again = try shelf.relaunched()
    try await again.downloads.download(book)
    #expect(again.ranges == [nil, "bytes=3000-", nil])
    #expect(try again.library.data(named: "text", in: book) == text)
  }

  @Test("F3 what is not what the server says the file is: fetched once more, then an error, and nothing can be opened")
  func wrongDigest() async throws {
    let shelf = try TestShelf()
    let text = ScriptedServer.data(5000)
    shelf.server.publish(book, ("text", text))
    try shelf.want()
    let other: ScriptedServer.Change = { _, usual in
      var wrong = usual
      wrong.body = ScriptedServer.data(5000, seed: 2)
      return wrong
    }
    shelf.server.once("/downloads/", other)
    shelf.server.once("/downloads/", other)
    await #expect(throws: ContentError.wrongDigest(file: "text")) { try await shelf.downloads.download(book) }
    #expect(shelf.ranges == [nil, nil])
    #expect(try shelf.names("files").isEmpty)
    #expect(throws: ContentError.notDelivered(productIdentifier: book)) {
      try shelf.library.data(named: "text", in: book)
    }
    #expect(try shelf.downloads.state(of: book) == .waiting(.wrongDigest(file: "text")))
    shelf.server.once("/downloads/", other)
    try await shelf.downloads.download(book)
    #expect(try shelf.library.data(named: "text", in: book) == text)
  }

  @Test("an answer that is whole and too short, or too long, is wrong; none of it is opened", arguments: [4999, 5001])
  func otherLength(length: Int) async throws {
    let shelf = try TestShelf()
    let text = ScriptedServer.data(5000)
    shelf.server.publish(book, ("text", text))
    try shelf.want()
    shelf.server.once("/downloads/") { _, usual in
      var wrong = usual
      wrong.fields["Content-Length"] = nil
      wrong.body = (text + text).prefix(length)
      return wrong
    }
    try await shelf.downloads.download(book)
    #expect(shelf.ranges == [nil, nil])
    #expect(try shelf.library.data(named: "text", in: book) == text)
  }

  /// Returns a library with 3,000 of 5,000 bytes of a file, right after a launch.
  private func halfway(_ text: Data = ScriptedServer.data(5000)) async throws -> TestShelf {
    let shelf = try TestShelf()
    shelf.server.publish(book, ("text", text))
    try shelf.want()
    shelf.server.once("/downloads/") { _, usual in
      var cut = usual
      cut.cutAfter = 3000
      return cut
    }
    await #expect(throws: ContentError.self) { try await shelf.downloads.download(book, attempts: 1) }
    return try shelf.relaunched()
  }

  @Test("a file that changed in the middle comes whole")
  func changedTag() async throws {
    let shelf = try await halfway()
    shelf.server.once("/downloads/") { _, usual in
      #expect(usual.status == 206)
      return .init(
        fields: ["ETag": "\"other\"", "Content-Length": "5000"], body: ScriptedServer.data(5000), cutAfter: 1000)
    }
    try await shelf.downloads.download(book)
    // The second part had another tag, which the server does not know.
    #expect(shelf.ranges == [nil, "bytes=3000-", "bytes=1000-"])
    #expect(shelf.server.calls("/downloads/").last?.fields["If-Range"] == "\"other\"")
    #expect(try shelf.library.data(named: "text", in: book) == ScriptedServer.data(5000))
  }

  @Test(
    "a part that does not fit, or 416: all of it is asked for once; the second time is an error",
    arguments: [
      (416, "bytes */5000", true), (206, "bytes 2999-4999/5000", true), (206, "bytes 3000-4999/4999", true),
      (206, "bytes 3000-4999/5000", false), (206, "", true),
    ])
  func otherPart(status: Int, range: String, hasTag: Bool) async throws {
    let shelf = try await halfway()
    let tag = "\"\(FileDigest(of: ScriptedServer.data(5000)))\""
    let misfit: ScriptedServer.Change = { _, usual in
      .init(status: status, fields: ["Content-Range": range, "ETag": hasTag ? tag : "\"other\""], body: usual.body)
    }
    shelf.server.once("/downloads/", misfit)
    try await shelf.downloads.download(book)
    #expect(shelf.ranges == [nil, "bytes=3000-", nil])
    #expect(try shelf.library.data(named: "text", in: book) == ScriptedServer.data(5000))
    let other = try await halfway()
    other.server.once("/downloads/", misfit)
    other.server.once("/downloads/") { _, _ in .init(status: 416) }
    await #expect {
      try await other.downloads.download(book)
    } throws: {
      if case ContentError.unexpectedAnswer = $0 { true } else { false }
    }
  }

  @Test("a link that has expired in the middle is renewed, and the download goes on from there", arguments: [410, 404])
  func expiredLink(status: Int) async throws {
    let shelf = try TestShelf()
    shelf.server.publish(book, ("text", ScriptedServer.data(5000)))
    try shelf.want()
    shelf.server.once("/downloads/") { _, usual in
      var cut = usual
      cut.cutAfter = 3000
      return cut
    }
    shelf.server.once("/downloads/") { _, _ in .init(status: status) }
    try await shelf.downloads.download(book)
    #expect(shelf.ranges == [nil, "bytes=3000-", "bytes=3000-"])
    let links = shelf.server.calls("/downloads/").map(\.url)
    #expect(links[1] == links[0] && links[2] != links[1])
    #expect(shelf.server.calls("/deliveries").count == 1)
    // The link authorizes the request, so the app sends no token to its address.
    #expect(shelf.server.calls("/downloads/").allSatisfy { $0.fields["Authorization"] == nil })
  }

  @Test("a new link that is refused is an error, not a loop")
  func newLinkRefused() async throws {
    let shelf = try await halfway()
    for _ in 0..<2 { shelf.server.once("/downloads/") { _, _ in .init(status: 410) } }
    await #expect {
      try await shelf.downloads.download(book)
    } throws: {
      if case ContentError.unexpectedAnswer = $0 { true } else { false }
    }
    // After the launch the app has no link. The only link that it requests is the new one.
    #expect(shelf.server.calls("/deliveries").count == 1)
    #expect(try shelf.names("partial").count == 1)
  }

  @Test("a delivery that has ended: the part is removed, and the product marked")
  func ended() async throws {
    let shelf = try await halfway()
    shelf.server.once("/downloads/") { _, _ in
      .init(status: 403, body: Data(#"{"error": {"code": "deliveryEnded", "message": "It was refunded."}}"#.utf8))
    }
    let error = ContentError.deliveryEnded(productIdentifier: book, reason: "It was refunded.")
    await #expect(throws: error) { try await shelf.downloads.download(book) }
    #expect(try shelf.names("partial").isEmpty)
    #expect(try shelf.downloads.state(of: book) == .ended(reason: "It was refunded."))
    let again = try shelf.relaunched()
    #expect(try again.downloads.state(of: book) == .ended(reason: "It was refunded."))
  }

  @Test("a delivery that the server does not list any more has ended")
  func notListed() async throws {
    let shelf = try await halfway()
    shelf.server.publish(book, nil)
    await #expect {
      try await shelf.downloads.download(book)
    } throws: {
      if case ContentError.deliveryEnded = $0 { true } else { false }
    }
    #expect(try shelf.names("partial").isEmpty)
  }

  @Test("what somebody in between answers costs nothing of what is here")
  func portal() async throws {
    let shelf = try await halfway()
    shelf.server.once("/downloads/") { _, _ in
      .init(fields: ["Content-Length": "20"], body: Data("<html>Sign in</html>".utf8))
    }
    await #expect {
      try await shelf.downloads.download(book)
    } throws: {
      if case ContentError.unexpectedAnswer = $0 { true } else { false }
    }
    try await shelf.downloads.download(book)
    #expect(shelf.ranges.last == "bytes=3000-")
  }

  @Test("a server that is busy is asked again when it says, one that is away when the network is worth a try")
  func busy() async throws {
    let shelf = try await halfway()
    shelf.server.once("/downloads/") { _, _ in .init(status: 503, fields: ["Retry-After": "7"]) }
    shelf.server.once("/downloads/") { _, _ in throw HTTPFailure.unreachable(reason: "down") }
    shelf.server.once("/downloads/") { _, _ in .init(status: 500) }
    try await shelf.downloads.download(book)
    #expect(shelf.clock.sleeps == [.seconds(7)])
    #expect(shelf.reachability.all == [2, 3])
    let impatient = try await halfway()
    impatient.server.once("/downloads/") { _, _ in .init(status: 503, fields: ["Retry-After": "300"]) }
    await #expect(throws: ContentError.self) { try await impatient.downloads.download(book, attempts: 3) }
    #expect(impatient.clock.sleeps.isEmpty)
  }
}

/// Copies of the folders of devices whose app was killed.
final class Copies: @unchecked Sendable {
  private let lock = NSLock()
  private var folders: [TestFolder] = []

  var all: [TestFolder] { lock.withLock { folders } }
  func add(_ folder: TestFolder?) { lock.withLock { if let folder { folders.append(folder) } } }
}

/// Runs `work` whenever a download waits for the network.
struct KillingReachability: Reachability {
  let work: @Sendable () -> Void
  func waitUntilWorthAsking(afterFailures failures: Int) async { work() }
}
