import Foundation
import GRDB
import HTTPTransport
import Testing

@testable import PurchaseKit

@Suite("A library whose records or files were damaged", .timeLimit(.minutes(10)))
struct DamagedLibraryTests {
  private let book = TestShelf.book
  private let atlas = TestShelf.atlas
  private let text = ScriptedServer.data(5000)
  private let maps = ScriptedServer.data(3000, seed: 9)

  /// Returns a library with the book and the atlas.
  private func shelf() async throws -> TestShelf {
    let shelf = try TestShelf()
    shelf.server.publish(book, ("text", text))
    shelf.server.publish(atlas, ("maps", maps))
    for product in [book, atlas] {
      try shelf.want(product)
      try await shelf.downloads.download(product)
    }
    return shelf
  }

  private func edit(_ shelf: TestShelf, _ sql: String) throws {
    let queue = try DatabaseQueue(path: shelf.folder.url.appending(path: "content.sqlite").path)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test(
    "a row that cannot be read costs its product's record, and nothing else; its files are found again, not fetched")
  func badRow() async throws {
    let shelf = try await shelf()
    try shelf.library.close()
    try edit(shelf, "UPDATE product SET current = '{' WHERE id = '\(book)'")
    let again = try TestShelf(server: shelf.server, folder: shelf.folder)
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
    "records that are damaged throughout are set aside; files are found again as soon as they are wanted, not fetched")
  func setAside() async throws {
    let shelf = try await shelf()
    try shelf.library.close()
    try Data("nothing of a database".utf8).write(to: shelf.folder.url.appending(path: "content.sqlite"))
    var again = try TestShelf(server: shelf.server, folder: shelf.folder)
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

  @Test("of records that are set aside what can be read is taken over: books can be opened without a network")
  func salvaged() async throws {
    let shelf = try await shelf()
    try shelf.library.close()
    try edit(shelf, "INSERT INTO grdb_migrations VALUES ('of a later version')")
    try edit(shelf, "UPDATE product SET current = '{' WHERE id = '\(atlas)'")
    var again = try TestShelf(server: shelf.server, folder: shelf.folder)
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

  @Test("files that were found without a record and are of no product go when all that is owned is known")
  func forgotten() async throws {
    let shelf = try await shelf()
    try shelf.library.close()
    try Data("nothing of a database".utf8).write(to: shelf.folder.url.appending(path: "content.sqlite"))
    let again = try TestShelf(server: shelf.server, folder: shelf.folder)
    try again.want()
    try await again.downloads.download(book)
    try again.library.forgetFoundFiles()
    #expect(try again.names("files") == [FileDigest(of: text).description])
  }

  @Test("files that are gone while the app runs are fetched once more, and once only")
  func filesRemoved() async throws {
    let shelf = try TestShelf()
    shelf.server.publish(book, ("text", text))
    try shelf.want()
    let folder = shelf.folder.url.appending(path: "files")
    shelf.server.once("/downloads/") { _, usual in
      try FileManager.default.removeItem(at: folder)
      return usual
    }
    // Ends the download if it requests the file again, which would otherwise repeat without end.
    shelf.server.once("/downloads/") { _, _ in .init(status: 400) }
    try await shelf.downloads.download(book)
    #expect(shelf.ranges == [nil])
    #expect(try shelf.library.data(named: "text", in: book) == text)
  }

  @Test("files that are gone at launch are wanted again")
  func filesGoneAtLaunch() async throws {
    let shelf = try await shelf()
    try shelf.library.close()
    try FileManager.default.removeItem(at: shelf.folder.url.appending(path: "files"))
    let again = try TestShelf(server: shelf.server, folder: shelf.folder)
    #expect(try again.downloads.state(of: book) == .waiting(.damaged(file: "text")))
    try again.downloads.resumeWaiting()
    for product in [book, atlas] { try await again.downloads.download(product) }
    #expect(try again.library.data(named: "text", in: book) == text)
    #expect(try again.library.data(named: "maps", in: atlas) == maps)
  }

  @Test("a file that cannot be read is not taken for damaged: nothing is thrown away")
  func unreadable() async throws {
    let shelf = try await shelf()
    let file = shelf.folder.url.appending(path: "files").appending(path: FileDigest(of: text).description)
    // A folder in place of the file causes a read error, also for root.
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    let library = shelf.library
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
    #expect(try shelf.downloads.state(of: book) == .current(version: 1))
  }
}
