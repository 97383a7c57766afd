import Foundation
import GRDB
import HTTPTransport
import Testing

@testable import PurchaseKit

@Suite("A content library with damaged records or files", .timeLimit(.minutes(30)))
struct DamagedLibraryTests {
  private let book = LibraryFixture.book
  private let atlas = LibraryFixture.atlas
  private let text = ScriptedServer.data(5000)
  private let maps = ScriptedServer.data(3000, seed: 9)

  /// Returns a library with the book and the atlas.
  private func fixture() async throws -> LibraryFixture {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("text", text))
    fixture.server.publish(atlas, ("maps", maps))
    for product in [book, atlas] {
      try fixture.want(product)
      try await fixture.downloads.download(product)
    }
    return fixture
  }

  private func edit(_ fixture: LibraryFixture, _ sql: String) throws {
    let queue = try DatabaseQueue(path: fixture.folder.url.appending(path: "content.sqlite").path)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test(
    "an unreadable row loses only its product's record; its files are found again, not downloaded")
  func badRow() async throws {
    let fixture = try await fixture()
    try fixture.library.close()
    try edit(fixture, "UPDATE product SET current = '{' WHERE id = '\(book)'")
    let again = try LibraryFixture(server: fixture.server, folder: fixture.folder)
    #expect(try again.library.data(named: "maps", in: atlas) == maps)
    #expect(throws: ContentError.notDelivered(productIdentifier: book)) {
      try again.library.data(named: "text", in: book)
    }
    #expect(try again.downloads.state(of: book) == .waiting(.recordsDamaged(productIdentifier: book)))
    let asked = again.ranges.count
    try again.want()
    try await again.downloads.download(book)
    #expect(try again.library.data(named: "text", in: book) == text)
    #expect(again.ranges.count == asked)
  }

  @Test(
    "completely damaged records are set aside; files are found again when they are requested, not downloaded")
  func setAside() async throws {
    let fixture = try await fixture()
    try fixture.library.close()
    try Data("nothing of a database".utf8).write(to: fixture.folder.url.appending(path: "content.sqlite"))
    var again = try LibraryFixture(server: fixture.server, folder: fixture.folder)
    #expect(try again.downloads.state(of: book) == .none)
    // The same is true at the next launch.
    again = try again.relaunched()
    let asked = again.ranges.count
    try again.want()
    try await again.downloads.download(book)
    #expect(try again.library.data(named: "text", in: book) == text)
    #expect(again.ranges.count == asked)
    #expect(try again.names("files").count == 2)
  }

  @Test("readable rows of records that were set aside are copied: content can be opened without a network")
  func salvaged() async throws {
    let fixture = try await fixture()
    try fixture.library.close()
    try edit(fixture, "INSERT INTO grdb_migrations VALUES ('of a later version')")
    try edit(fixture, "UPDATE product SET current = '{' WHERE id = '\(atlas)'")
    var again = try LibraryFixture(server: fixture.server, folder: fixture.folder)
    for _ in 0..<2 {
      #expect(try again.library.data(named: "text", in: book) == text)
      #expect(try again.downloads.state(of: book) == .current(version: 1))
      #expect(try again.names("files").count == 2)
      again = try again.relaunched()
    }
    let asked = again.ranges.count
    try again.want(atlas)
    try await again.downloads.download(atlas)
    #expect(try again.library.data(named: "maps", in: atlas) == maps)
    #expect(again.ranges.count == asked)
  }

  @Test("files that were found without a record and belong to no product are deleted when everything owned is known")
  func forgotten() async throws {
    let fixture = try await fixture()
    try fixture.library.close()
    try Data("nothing of a database".utf8).write(to: fixture.folder.url.appending(path: "content.sqlite"))
    let again = try LibraryFixture(server: fixture.server, folder: fixture.folder)
    try again.want()
    try await again.downloads.download(book)
    try again.library.forgetFoundFiles()
    #expect(try again.names("files") == [FileDigest(of: text).description])
  }

  @Test("files that disappear while the app runs are downloaded once more, and only once")
  func filesRemoved() async throws {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("text", text))
    try fixture.want()
    let folder = fixture.folder.url.appending(path: "files")
    fixture.server.once("/downloads/") { _, usual in
      try FileManager.default.removeItem(at: folder)
      return usual
    }
    // Ends the download if it requests the file again, which would otherwise repeat without end.
    fixture.server.once("/downloads/") { _, _ in .init(status: 400) }
    try await fixture.downloads.download(book)
    #expect(fixture.ranges == [nil])
    #expect(try fixture.library.data(named: "text", in: book) == text)
  }

  @Test("files that are missing at launch are requested again")
  func filesGoneAtLaunch() async throws {
    let fixture = try await fixture()
    try fixture.library.close()
    try FileManager.default.removeItem(at: fixture.folder.url.appending(path: "files"))
    let again = try LibraryFixture(server: fixture.server, folder: fixture.folder)
    #expect(try again.downloads.state(of: book) == .waiting(.damaged(file: "text")))
    try again.downloads.resumeWaiting()
    for product in [book, atlas] { try await again.downloads.download(product) }
    #expect(try again.library.data(named: "text", in: book) == text)
    #expect(try again.library.data(named: "maps", in: atlas) == maps)
  }

  @Test("an unreadable file is not treated as damaged: nothing is deleted")
  func unreadable() async throws {
    let fixture = try await fixture()
    let file = fixture.folder.url.appending(path: "files").appending(path: FileDigest(of: text).description)
    // A folder in place of the file causes a read error, also for root.
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    let library = fixture.library
    let openings: [(String, String) throws -> Void] = [
      { _ = try library.verifiedFile(named: $0, in: $1) }, { _ = try library.data(named: $0, in: $1) },
    ]
    for open in openings {
      #expect {
        try open("text", book)
      } throws: {
        if case ContentError.disk = $0 { true } else { false }
      }
    }
    #expect(try fixture.downloads.state(of: book) == .current(version: 1))
  }
}
