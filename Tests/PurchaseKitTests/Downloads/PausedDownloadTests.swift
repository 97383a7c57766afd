import Foundation
import GRDB
import Testing

@testable import PurchaseKit

@Suite("Downloads that the customer pauses", .timeLimit(.minutes(30)))
struct PausedDownloadTests {
  private let book = LibraryFixture.book
  private let text = ScriptedServer.data(5000)

  /// Begins a download, and pauses it when 3,000 of 5,000 bytes have arrived.
  private func paused() async throws -> LibraryFixture {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("text", text))
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
    try await downloads.pause(book)
    return fixture
  }

  @Test("G4 a paused download is a state with a percentage, raises no alert, and continues from there")
  func state() async throws {
    let fixture = try await paused()
    let progress = DownloadProgress(receivedBytes: 3000, totalBytes: 5000)
    #expect(try fixture.downloads.state(of: book) == .paused(progress))
    #expect(progress.percent == 60)
    #expect((ContentError.stopped(productIdentifier: book) as any Error).purchaseAlert() == nil)
    try await fixture.downloads.download(book)
    #expect(fixture.ranges == [nil, "bytes=3000-"])
    #expect(try fixture.downloads.state(of: book) == .current(version: 1))
  }

  @Test("G4 a pause survives a launch, and waiting downloads that resume leave it alone")
  func relaunched() async throws {
    let fixture = try await paused().relaunched()
    let state = ContentState.paused(DownloadProgress(receivedBytes: 3000, totalBytes: 5000))
    #expect(try fixture.downloads.state(of: book) == state)
    try fixture.downloads.resumeWaiting()
    #expect(try fixture.downloads.state(of: book) == state)
    try await fixture.downloads.endPause(book)
    #expect(try fixture.downloads.state(of: book) == .waiting(nil))
    try await fixture.downloads.download(book)
    #expect(try fixture.library.data(named: "text", in: book) == text)
  }

  @Test("G4 the pause of a running download ends it; a product without a wanted version cannot be paused")
  func running() async throws {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("text", text))
    try await fixture.downloads.pause(book)
    #expect(try fixture.downloads.state(of: book) == .none)
    try fixture.want()
    let (downloads, book, threshold) = (fixture.downloads, book, Threshold())
    fixture.server.once("/downloads/") { _, usual in
      await threshold.pass()
      return usual
    }
    let download = Task { try await downloads.download(book) }
    await threshold.arrival()
    try await downloads.pause(book)
    threshold.open()
    await #expect(throws: ContentError.stopped(productIdentifier: book)) { try await download.value }
    #expect(try downloads.state(of: book) == .paused(DownloadProgress(receivedBytes: 0, totalBytes: 5000)))
  }

  @Test("G4 a pause ends with its download: a version that is there again ends it, and a later version is not paused")
  func laterVersion() async throws {
    let fixture = try LibraryFixture()
    let downloads = fixture.downloads
    fixture.server.publish(book, ("text", text))
    try fixture.want()
    try await downloads.download(book)
    fixture.server.publish(book, version: 2, ("text", ScriptedServer.data(6000)))
    try fixture.want()
    try await downloads.pause(book)
    fixture.server.publish(book, ("text", text))
    try fixture.want()
    #expect(try downloads.state(of: book) == .current(version: 1))
    #expect(try !fixture.library.records.product(book).isPaused)
    fixture.server.publish(book, version: 3, ("text", ScriptedServer.data(7000)))
    try fixture.want()
    #expect(try downloads.state(of: book) == .waiting(nil))
  }

  @Test("G4 a pause without a download, in the records of an earlier version of the app, pauses nothing")
  func stalePause() async throws {
    let fixture = try LibraryFixture()
    fixture.server.publish(book, ("text", text))
    try fixture.want()
    try await fixture.downloads.download(book)
    try fixture.library.records.write { [book] in
      try $0.execute(sql: "UPDATE product SET is_paused = 1 WHERE id = ?", arguments: [book])
    }
    fixture.server.publish(book, version: 2, ("text", ScriptedServer.data(6000)))
    try fixture.want()
    #expect(try fixture.downloads.state(of: book) == .waiting(nil))
  }

  @Test("records of the second version are migrated: no download is paused")
  func secondVersion() throws {
    let folder = TestFolder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let server = ScriptedServer()
    server.publish(book, ("text", text))
    let wanted = try #require(try ContentRecords.text(ContentVersion(server.delivery(book))))
    let queue = try DatabaseQueue(path: folder.url.appending(path: "content.sqlite").path)
    try ContentRecords.migrator.migrate(queue, upTo: "2")
    try queue.write {
      try $0.execute(sql: "INSERT INTO product (id, wanted) VALUES (?, ?)", arguments: [book, wanted])
    }
    try queue.close()
    let fixture = try LibraryFixture(server: server, folder: folder)
    #expect(try fixture.downloads.state(of: book) == .waiting(nil))
  }
}
