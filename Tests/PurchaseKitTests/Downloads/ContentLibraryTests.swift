import Foundation
import HTTPTransport
import Testing

@testable import PurchaseKit

@Suite("The library of downloaded content", .timeLimit(.minutes(10)))
struct ContentLibraryTests {
  private let book = TestShelf.book

  @Test(
    "a new version takes the place of the old one when all of it is here, and not before; files they share are fetched once"
  )
  func newVersion() async throws {
    let shelf = try TestShelf()
    let (cover, first, second) = (
      ScriptedServer.data(500), ScriptedServer.data(900, seed: 2), ScriptedServer.data(900, seed: 3)
    )
    shelf.server.publish(book, ("cover", cover), ("text", first))
    try shelf.want()
    try await shelf.downloads.download(book)
    shelf.server.publish(book, version: 2, ("cover", cover), ("text", second))
    shelf.server.once("/downloads/") { _, usual in
      var cut = usual
      cut.cutAfter = 300
      return cut
    }
    try shelf.want()
    await #expect(throws: ContentError.self) { try await shelf.downloads.download(book, attempts: 1) }
    #expect(try shelf.library.current(of: book)?.version == 1)
    #expect(try shelf.library.data(named: "text", in: book) == first)
    try await shelf.downloads.download(book)
    #expect(try shelf.library.current(of: book)?.version == 2)
    #expect(try shelf.library.data(named: "text", in: book) == second)
    #expect(shelf.ranges == [nil, nil, nil, "bytes=300-"])
    #expect(try shelf.names("files") == [FileDigest(of: cover), FileDigest(of: second)].map(\.description).sorted())
  }

  @Test("a version that is new while an older one is being fetched is fetched in its place")
  func newVersionMeanwhile() async throws {
    let shelf = try TestShelf()
    let (cover, text) = (ScriptedServer.data(500), ScriptedServer.data(900, seed: 3))
    shelf.server.publish(book, ("cover", cover), ("text", ScriptedServer.data(900, seed: 2)))
    try shelf.want()
    let (server, product) = (shelf.server, book)
    server.once("/downloads/") { _, usual in
      // The server replaces the files, so the next link is of a file that it no longer has.
      server.publish(product, version: 2, ("cover", cover), ("text", text))
      return usual
    }
    try await shelf.downloads.download(book)
    #expect(try shelf.library.current(of: book)?.version == 2)
    #expect(try shelf.library.data(named: "text", in: book) == text)
    #expect(server.calls("/downloads/\(0)").count == 2)
    #expect(try shelf.names("files").count == 2)
  }

  @Test("a version that becomes wanted while another is being fetched is fetched after it, by the same download")
  func wantedMeanwhile() async throws {
    let shelf = try TestShelf()
    let (first, second) = (ScriptedServer.data(900, seed: 2), ScriptedServer.data(900, seed: 3))
    shelf.server.publish(book, ("text", first))
    try shelf.want()
    shelf.server.once("/downloads/") { _, usual in
      shelf.server.publish(TestShelf.book, .init(version: 2, files: [(name: "text", data: second)], isInline: true))
      try shelf.want()
      shelf.server.publish(TestShelf.book, version: 2, ("text", second))
      return usual
    }
    try await shelf.downloads.download(book)
    #expect(try shelf.library.current(of: book)?.version == 2)
    #expect(try shelf.library.data(named: "text", in: book) == second)
    #expect(try shelf.names("files").count == 1)
  }

  @Test("small files that come with the answer are not asked for")
  func inline() async throws {
    let shelf = try TestShelf()
    shelf.server.publish(
      book, .init(files: [(name: "text", data: Data("hello".utf8)), (name: "empty", data: Data())], isInline: true))
    try shelf.want()
    try await shelf.downloads.download(book)
    #expect(try shelf.library.data(named: "text", in: book) == Data("hello".utf8))
    #expect(try shelf.library.data(named: "empty", in: book) == Data())
    #expect(shelf.server.calls.isEmpty)
  }

  @Test("what the server calls a file is never part of a path")
  func names() async throws {
    let shelf = try TestShelf()
    let name = "../../../escaped"
    shelf.server.publish(book, (name, Data("x".utf8)), ("/etc/passwd", Data("y".utf8)))
    try shelf.want()
    try await shelf.downloads.download(book)
    #expect(try shelf.library.data(named: name, in: book) == Data("x".utf8))
    for name in try shelf.names("files") { #expect(FileDigest(name) != nil) }
    let above = shelf.folder.url.deletingLastPathComponent()
    #expect(!FileManager.default.fileExists(atPath: above.appending(path: "escaped").path))
  }

  @Test("a delivery that makes no sense is refused, and nothing is put on record")
  func malformed() throws {
    let shelf = try TestShelf()
    for digest in [
      String(repeating: "a", count: 63), "../" + String(repeating: "a", count: 61), String(repeating: "A", count: 64),
    ] {
      let text = """
        {"id": "1", "productId": "\(book)", "source": "1", "version": 1,
         "files": [{"name": "x", "size": 1, "sha256": "\(digest)", "mediaType": "text/plain"}]}
        """
      let delivery = try JSONDecoder().decode(ContentDelivery.self, from: Data(text.utf8))
      #expect(throws: ContentError.self) { try shelf.downloads.want(delivery) }
    }
    #expect(try shelf.downloads.state(of: book) == .none)
  }

  @Test("a file that was edited on the device is not opened; it is removed, and fetched again")
  func edited() async throws {
    let shelf = try TestShelf()
    shelf.server.publish(book, ("text", Data("hello".utf8)))
    try shelf.want()
    try await shelf.downloads.download(book)
    let file = shelf.folder.url.appending(path: "files").appending(path: try shelf.names("files")[0])
    try Data("jello".utf8).write(to: file)
    #expect(throws: ContentError.damaged(file: "text")) { try shelf.library.verifiedFile(named: "text", in: book) }
    #expect(try shelf.names("files").isEmpty)
    #expect(try shelf.downloads.state(of: book) == .waiting(.damaged(file: "text")))
    try await shelf.downloads.download(book)
    let url = try shelf.library.verifiedFile(named: "text", in: book)
    #expect(try Data(contentsOf: url) == Data("hello".utf8))
  }

  @Test("without room nothing is asked; where it runs out, what was written stays, and it goes on when there is room")
  func diskFull() async throws {
    let text = ScriptedServer.data(5000)
    let small = SmallDisk(bytes: 2500)
    let shelf = try TestShelf(disk: small.disk(free: .max))
    shelf.server.publish(book, ("text", text))
    try shelf.want()
    await #expect {
      try await shelf.downloads.download(book)
    } throws: {
      if case ContentError.diskFull = $0 { true } else { false }
    }
    #expect(try shelf.names("files").isEmpty)
    let full = try shelf.relaunched(disk: small.disk(free: 10))
    let before = full.server.calls.count
    await #expect(throws: ContentError.diskFull(neededBytes: 2500 + 1 << 20, freeBytes: 10)) {
      try await full.downloads.download(book)
    }
    #expect(full.server.calls.count == before)
    #expect(try full.downloads.state(of: book) == .waiting(.diskFull(neededBytes: 2500 + 1 << 20, freeBytes: 10)))
    let roomy = try full.relaunched()
    try await roomy.downloads.download(book)
    #expect(roomy.ranges == [nil, "bytes=2500-"])
    #expect(try roomy.library.data(named: "text", in: book) == text)
  }

  @Test("one product after the other where one at a time is all that is allowed; asked for twice, each is fetched once")
  func slots() async throws {
    let shelf = try TestShelf(atOnce: 1)
    let (server, downloads, book, atlas) = (shelf.server, shelf.downloads, book, TestShelf.atlas)
    server.publish(book, ("text", ScriptedServer.data(3000)))
    server.publish(atlas, ("maps", ScriptedServer.data(3000, seed: 9)))
    try shelf.want()
    try shelf.want(atlas)
    let gate = Gate()
    server.once("/downloads/") { _, usual in
      await gate.pass()
      return usual
    }
    let first = Task { try await downloads.download(book) }
    await gate.arrival()
    let second = Task { try await downloads.download(atlas) }
    let again = Task { try await downloads.download(book) }
    // The second download waits for a permit, and can be stopped.
    while try downloads.state(of: atlas) == .waiting(nil) { await Task.yield() }
    downloads.stop(atlas)
    await #expect(throws: ContentError.stopped(productIdentifier: atlas)) { try await second.value }
    #expect(server.calls("/downloads/").count == 1)
    gate.open()
    try await first.value
    try await again.value
    #expect(server.calls("/downloads/").count == 1)
    try await downloads.download(atlas)
    #expect(try shelf.library.data(named: "maps", in: atlas) == ScriptedServer.data(3000, seed: 9))
  }

  @Test("a download that is stopped keeps what has come, and goes on from there")
  func stopped() async throws {
    let shelf = try TestShelf()
    shelf.server.publish(book, ("text", ScriptedServer.data(5000)))
    try shelf.want()
    let (downloads, book) = (shelf.downloads, book)
    let observation = shelf.notifications.addObserver(
      forName: .ContentDownloadsChangedNotification, object: downloads, queue: nil
    ) { _ in
      if case .downloading(let progress)? = try? downloads.state(of: book), progress.receivedBytes == 3000 {
        downloads.stop(book)
      }
    }
    await #expect(throws: ContentError.stopped(productIdentifier: book)) { try await downloads.download(book) }
    shelf.notifications.removeObserver(observation)
    #expect(try downloads.state(of: book) == .waiting(nil))
    try await downloads.download(book)
    #expect(shelf.ranges == [nil, "bytes=3000-"])
    #expect(try shelf.library.data(named: "text", in: book) == ScriptedServer.data(5000))
  }

  @Test("removed to make room, a product's files go; another's that shares them keeps its own")
  func removed() async throws {
    let shelf = try TestShelf()
    let shared = ScriptedServer.data(100)
    shelf.server.publish(book, ("text", shared), ("index", ScriptedServer.data(50, seed: 2)))
    shelf.server.publish(TestShelf.atlas, ("maps", shared))
    try shelf.want()
    try shelf.want(TestShelf.atlas)
    try await shelf.downloads.download(book)
    try await shelf.downloads.download(TestShelf.atlas)
    try shelf.library.remove(book)
    #expect(try shelf.names("files") == [FileDigest(of: shared).description])
    #expect(try shelf.library.data(named: "maps", in: TestShelf.atlas) == shared)
    #expect(try shelf.downloads.state(of: book) == .none)
  }

  @Test("progress is told in order, up to all of it")
  func progress() async throws {
    let shelf = try TestShelf()
    shelf.server.publish(book, ("a", ScriptedServer.data(6000)), ("b", ScriptedServer.data(4000, seed: 2)))
    try shelf.want()
    let percents = Percents()
    let downloads = shelf.downloads
    let observation = shelf.notifications.addObserver(
      forName: .ContentDownloadsChangedNotification, object: downloads, queue: nil
    ) { notification in
      let product = notification.userInfo?[ContentDownloads.productIdentifierKey] as? String ?? ""
      if case .downloading(let progress)? = try? downloads.state(of: product) { percents.add(progress.percent) }
    }
    defer { shelf.notifications.removeObserver(observation) }
    try await downloads.download(book)
    let told = percents.all.drop { $0 == 100 }
    #expect(told.last == 100)
    #expect(told.dropFirst().elementsEqual(told.dropFirst().sorted()))
    #expect(Set(told).isSuperset(of: [10, 60, 70]))
  }
}

final class Percents: @unchecked Sendable {
  private let lock = NSLock()
  private var percents: [Int] = []

  var all: [Int] { lock.withLock { percents } }
  func add(_ percent: Int) { lock.withLock { percents.append(percent) } }
}
