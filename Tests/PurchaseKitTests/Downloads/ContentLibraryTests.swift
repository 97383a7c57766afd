import Foundation
import HTTPTransport
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("The content library", .timeLimit(.minutes(30)))
struct ContentLibraryTests {
  private let book = LibraryFixture.book

  @Test(
    "a new version replaces the old one when it is complete, and not before; shared files are downloaded once"
  )
  func newVersion() async throws {
    let fixture = try LibraryFixture()
    let (cover, first, second) = (
      ScriptedServer.data(500), ScriptedServer.data(900, seed: 2), ScriptedServer.data(900, seed: 3)
    )
    fixture.server.publish(book, ("cover", cover), ("text", first))
    try fixture.want()
    try await fixture.downloads.download(book)
    fixture.server.publish(book, version: 2, ("cover", cover), ("text", second))
    fixture.server.once("/downloads/") { _, usual in
      var cut = usual
      cut.cutAfter = 300
      return cut
    }
    try fixture.want()
    await #expect(throws: ContentError.self) { try await fixture.downloads.download(book, attempts: 1) }
    #expect(try fixture.library.current(of: book)?.version == 1)
    #expect(try fixture.library.data(named: "text", in: book) == first)
    try await fixture.downloads.download(book)
    #expect(try fixture.library.current(of: book)?.version == 2)
    #expect(try fixture.library.data(named: "text", in: book) == second)
    #expect(fixture.ranges == [nil, nil, nil, "bytes=300-"])
    #expect(try fixture.names("files") == [FileDigest(of: cover), FileDigest(of: second)].map(\.description).sorted())
  }

  @Test("a version published while an older one is being downloaded is downloaded instead")
  func newVersionMeanwhile() async throws {
    let fixture = try LibraryFixture()
    let (cover, text) = (ScriptedServer.data(500), ScriptedServer.data(900, seed: 3))
    fixture.server.publish(book, ("cover", cover), ("text", ScriptedServer.data(900, seed: 2)))
    try fixture.want()
    let (server, product) = (fixture.server, book)
    server.once("/downloads/") { _, usual in
      // The server replaces the files, so the next link is of a file that it no longer has.
      server.publish(product, version: 2, ("cover", cover), ("text", text))
      return usual
    }
    try await fixture.downloads.download(book)
    #expect(try fixture.library.current(of: book)?.version == 2)
    #expect(try fixture.library.data(named: "text", in: book) == text)
    #expect(server.calls("/downloads/\(0)").count == 2)
    #expect(try fixture.names("files").count == 2)
  }

  @Test("a version requested while another is being downloaded is downloaded after it, by the same download")
  func wantedMeanwhile() async throws {
    let fixture = try LibraryFixture()
    let (first, second) = (ScriptedServer.data(900, seed: 2), ScriptedServer.data(900, seed: 3))
    fixture.server.publish(book, ("text", first))
    try fixture.want()
    fixture.server.once("/downloads/") { _, usual in
      fixture.server.publish(
        LibraryFixture.book, .init(version: 2, files: [(name: "text", data: second)], isInline: true))
      try fixture.want()
      fixture.server.publish(LibraryFixture.book, version: 2, ("text", second))
      return usual
    }
    try await fixture.downloads.download(book)
    #expect(try fixture.library.current(of: book)?.version == 2)
    #expect(try fixture.library.data(named: "text", in: book) == second)
    #expect(try fixture.names("files").count == 1)
  }

  @Test("small files that are in the answer are not requested")
  func inline() async throws {
    let fixture = try LibraryFixture()
    fixture.server.publish(
      book, .init(files: [(name: "text", data: Data("hello".utf8)), (name: "empty", data: Data())], isInline: true))
    try fixture.want()
    try await fixture.downloads.download(book)
    #expect(try fixture.library.data(named: "text", in: book) == Data("hello".utf8))
    #expect(try fixture.library.data(named: "empty", in: book) == Data())
    #expect(fixture.server.calls.isEmpty)
  }

  @Test("a file name from the server is never part of a path")
  func names() async throws {
    let fixture = try LibraryFixture()
    let name = "../../../escaped"
    fixture.server.publish(book, (name, Data("x".utf8)), ("/etc/passwd", Data("y".utf8)))
    try fixture.want()
    try await fixture.downloads.download(book)
    #expect(try fixture.library.data(named: name, in: book) == Data("x".utf8))
    for name in try fixture.names("files") { #expect(FileDigest(name) != nil) }
    let above = fixture.folder.url.deletingLastPathComponent()
    #expect(!FileManager.default.fileExists(atPath: above.appending(path: "escaped").path))
  }

  @Test("an invalid delivery is refused, and nothing is recorded")
  func malformed() throws {
    let fixture = try LibraryFixture()
    for digest in [
      String(repeating: "a", count: 63), "../" + String(repeating: "a", count: 61), String(repeating: "A", count: 64),
    ] {
      let text = """
        {"id": "1", "productId": "\(book)", "source": "1", "version": 1,
         "files": [{"name": "x", "size": 1, "sha256": "\(digest)", "mediaType": "text/plain"}]}
        """
      let delivery = try JSONDecoder().decode(ContentDelivery.self, from: Data(text.utf8))
      #expect(throws: ContentError.self) { try fixture.downloads.want(delivery) }
    }
    #expect(try fixture.downloads.state(of: book) == .none)
  }

  @Test("a file that was edited on the device is not opened; it is removed and downloaded again")
  func edited() async throws {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("text", Data("hello".utf8)))
    try fixture.want()
    try await fixture.downloads.download(book)
    let file = fixture.folder.url.appending(path: "files").appending(path: try fixture.names("files")[0])
    try Data("jello".utf8).write(to: file)
    #expect(throws: ContentError.damaged(file: "text")) { try fixture.library.verifiedFile(named: "text", in: book) }
    #expect(try fixture.names("files").isEmpty)
    #expect(try fixture.downloads.state(of: book) == .waiting(.damaged(file: "text")))
    try await fixture.downloads.download(book)
    let url = try fixture.library.verifiedFile(named: "text", in: book)
    #expect(try Data(contentsOf: url) == Data("hello".utf8))
  }

  @Test(
    "without free space nothing is requested; on a full disk the part stays, and the download resumes when there is space"
  )
  func diskFull() async throws {
    let text = ScriptedServer.data(5000)
    let small = SmallDisk(bytes: 2500)
    let fixture = try LibraryFixture(disk: small.disk(free: .max))
    fixture.server.publish(book, ("text", text))
    try fixture.want()
    await #expect {
      try await fixture.downloads.download(book)
    } throws: {
      if case ContentError.diskFull = $0 { true } else { false }
    }
    #expect(try fixture.names("files").isEmpty)
    let full = try fixture.relaunched(disk: small.disk(free: 10))
    let before = full.server.calls.count
    await #expect(throws: ContentError.diskFull(neededBytes: 2500 + 1 << 20, freeBytes: 10)) {
      try await full.downloads.download(book)
    }
    #expect(full.server.calls.count == before)
    #expect(try full.downloads.state(of: book) == .waiting(.diskFull(neededBytes: 2500 + 1 << 20, freeBytes: 10)))
    let emptied = try full.relaunched()
    try await emptied.downloads.download(book)
    #expect(emptied.ranges == [nil, "bytes=2500-"])
    #expect(try emptied.library.data(named: "text", in: book) == text)
  }

  @Test(
    "with a limit of one download, products are downloaded one after the other; a product requested twice is downloaded once"
  )
  func slots() async throws {
    let fixture = try LibraryFixture(atOnce: 1)
    let (server, downloads, book, atlas) = (fixture.server, fixture.downloads, book, LibraryFixture.atlas)
    server.publish(book, ("text", ScriptedServer.data(3000)))
    server.publish(atlas, ("maps", ScriptedServer.data(3000, seed: 9)))
    try fixture.want()
    try fixture.want(atlas)
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
    #expect(try fixture.library.data(named: "maps", in: atlas) == ScriptedServer.data(3000, seed: 9))
  }

  @Test("a stopped download keeps its part, and resumes from there")
  func stopped() async throws {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("text", ScriptedServer.data(5000)))
    try fixture.want()
    let (downloads, book) = (fixture.downloads, book)
    let observation = fixture.notifications.addObserver(
      forName: .ContentDownloadsChangedNotification, object: downloads, queue: nil
    ) { _ in
      if case .downloading(let progress)? = try? downloads.state(of: book), progress.receivedBytes == 3000 {
        downloads.stop(book)
      }
    }
    await #expect(throws: ContentError.stopped(productIdentifier: book)) { try await downloads.download(book) }
    fixture.notifications.removeObserver(observation)
    #expect(try downloads.state(of: book) == .waiting(nil))
    try await downloads.download(book)
    #expect(fixture.ranges == [nil, "bytes=3000-"])
    #expect(try fixture.library.data(named: "text", in: book) == ScriptedServer.data(5000))
  }

  @Test("when a product is removed, its files are deleted; files shared with another product stay")
  func removed() async throws {
    let fixture = try LibraryFixture()
    let shared = ScriptedServer.data(100)
    fixture.server.publish(book, ("text", shared), ("index", ScriptedServer.data(50, seed: 2)))
    fixture.server.publish(LibraryFixture.atlas, ("maps", shared))
    try fixture.want()
    try fixture.want(LibraryFixture.atlas)
    try await fixture.downloads.download(book)
    try await fixture.downloads.download(LibraryFixture.atlas)
    try fixture.library.remove(book)
    #expect(try fixture.names("files") == [FileDigest(of: shared).description])
    #expect(try fixture.library.data(named: "maps", in: LibraryFixture.atlas) == shared)
    #expect(try fixture.downloads.state(of: book) == .none)
  }

  @Test("progress is reported in order, up to 100 percent")
  func progress() async throws {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("a", ScriptedServer.data(6000)), ("b", ScriptedServer.data(4000, seed: 2)))
    try fixture.want()
    let percents = Percents()
    let downloads = fixture.downloads
    let observation = fixture.notifications.addObserver(
      forName: .ContentDownloadsChangedNotification, object: downloads, queue: nil
    ) { notification in
      let product = notification.userInfo?[ContentDownloads.productIdentifierKey] as? String ?? ""
      if case .downloading(let progress)? = try? downloads.state(of: product) { percents.add(progress.percent) }
    }
    defer { fixture.notifications.removeObserver(observation) }
    try await downloads.download(book)
    let reported = percents.all.drop { $0 == 100 }
    #expect(reported.last == 100)
    #expect(reported.dropFirst().elementsEqual(reported.dropFirst().sorted()))
    #expect(Set(reported).isSuperset(of: [10, 60, 70]))
  }
}

final class Percents: Sendable {
  private let percents = LockedValue<[Int]>([])

  var all: [Int] { percents.value }
  func add(_ percent: Int) { percents.withLock { $0.append(percent) } }
}
