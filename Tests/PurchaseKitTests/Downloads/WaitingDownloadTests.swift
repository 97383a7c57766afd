import Foundation
import HTTPTransport
import ShopFixtures
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("Downloads that wait, and their callers", .timeLimit(.minutes(30)))
struct WaitingDownloadTests {
  private let book = LibraryFixture.book
  private let atlas = LibraryFixture.atlas
  private let text = ScriptedServer.data(5000)
  private let maps = ScriptedServer.data(3000, seed: 9)

  private func fixture(_ retry: (any RetrySchedule)? = nil, atOnce: Int = 2) throws -> LibraryFixture {
    let fixture = try LibraryFixture(retry: retry, atOnce: atOnce)
    fixture.server.publish(book, ("text", text))
    fixture.server.publish(atlas, ("maps", maps))
    try fixture.want()
    try fixture.want(atlas)
    return fixture
  }

  @Test(
    "a download that waits for the network or for a new link releases its permit, and acquires one again",
    arguments: ["/downloads/", "/deliveries"])
  func permitReleased(path: String) async throws {
    let network = ManualRetry()
    let fixture = try fixture(network, atOnce: 1)
    let (downloads, book) = (fixture.downloads, book)
    fixture.server.once("/downloads/") { _, _ in
      if path == "/deliveries" { return .init(status: 410) }
      throw HTTPFailure.noAnswer(reason: "cut")
    }
    if path == "/deliveries" { fixture.server.once(path) { _, _ in throw HTTPFailure.unreachable(reason: "down") } }
    let first = Task { try await downloads.download(book) }
    #expect(await network.nextWait() == 1)
    try await downloads.download(atlas)
    #expect(try fixture.library.data(named: "maps", in: atlas) == maps)
    #expect(try fixture.library.current(of: book) == nil)
    network.release()
    try await first.value
    #expect(try fixture.library.data(named: "text", in: book) == text)
  }

  @Test("a caller that reaches its retry limit gets the error, while the download continues for the other callers")
  func ownRetryLimit() async throws {
    let network = Outage()
    let fixture = try fixture(network)
    network.strike(fixture.server)
    try fixture.downloads.resumeWaiting()
    await #expect(throws: ContentError.network(reason: HTTPFailure.unreachable(reason: "down").description)) {
      try await fixture.downloads.download(book, attempts: 3)
    }
    guard case .downloading = try fixture.downloads.state(of: book) else {
      Issue.record("\(try fixture.downloads.state(of: book))")
      return
    }
    network.end()
    try await fixture.downloads.download(book, attempts: 3)
    #expect(try fixture.library.data(named: "text", in: book) == text)
  }

  @Test("the download continues for a caller with more retries than the first caller")
  func joined() async throws {
    let fixture = try fixture()
    let (downloads, book, threshold) = (fixture.downloads, book, Threshold())
    fixture.server.once("/downloads/") { _, _ in
      await threshold.pass()
      throw HTTPFailure.unreachable(reason: "down")
    }
    let first = Task { try await downloads.download(book, attempts: 1) }
    await threshold.arrival()
    let second = Task { try await downloads.download(book) }
    while downloads.waiters(of: book) < 2 { await Task.yield() }
    threshold.open()
    await #expect(throws: ContentError.self) { try await first.value }
    try await second.value
    #expect(fixture.ranges.count == 2)
    #expect(try fixture.library.data(named: "text", in: book) == text)
  }

  @Test("whatever error a download fails with, it waits, and the error is recorded")
  func oddFailure() async throws {
    struct Odd: Error {}
    let fixture = try fixture()
    fixture.server.once("/downloads/") { _, _ in throw Odd() }
    await #expect(throws: ContentError.self) { try await fixture.downloads.download(book) }
    guard case .waiting(.disk?) = try fixture.downloads.state(of: book) else {
      Issue.record("\(try fixture.downloads.state(of: book))")
      return
    }
    try await fixture.downloads.download(book)
    #expect(try fixture.library.data(named: "text", in: book) == text)
  }

  @Test("a download that is stopped and requested again at once continues after the stopped one")
  func stoppedAndAskedAgain() async throws {
    let fixture = try fixture()
    let (downloads, book, threshold) = (fixture.downloads, book, Threshold())
    fixture.server.once("/downloads/") { _, usual in
      await threshold.pass()
      return usual
    }
    let first = Task { try await downloads.download(book) }
    await threshold.arrival()
    downloads.stop(book)
    let second = Task { try await downloads.download(book) }
    // The second download may begin before or after the end of the first one. The result must be the same.
    for _ in 0..<100 { await Task.yield() }
    threshold.open()
    await #expect(throws: ContentError.stopped(productIdentifier: book)) { try await first.value }
    try await second.value
    #expect(try fixture.library.data(named: "text", in: book) == text)
    #expect(try downloads.state(of: book) == .current(version: 1))
  }

  @Test("all downloads are stopped when a customer signs out; nothing is written after that")
  func stoppedAll() async throws {
    let fixture = try fixture(ManualRetry(), atOnce: 1)
    let (downloads, book, threshold) = (fixture.downloads, book, Threshold())
    fixture.server.once("/downloads/") { _, usual in
      await threshold.pass()
      return usual
    }
    try downloads.resumeWaiting()
    let waiting = Task { try await downloads.download(book) }
    while downloads.waiters(of: book) < 2 { await Task.yield() }
    await threshold.arrival()
    let steps = Steps()
    let stopping = Task {
      await downloads.stopAll()
      steps.add("stopped")
    }
    for _ in 0..<100 { await Task.yield() }
    steps.add("the last one lets go")
    threshold.open()
    await stopping.value
    #expect(steps.all == ["the last one lets go", "stopped"])
    #expect(try downloads.state(of: book) == .waiting(nil))
    #expect(try downloads.state(of: atlas) == .waiting(nil))
    await #expect(throws: ContentError.stopped(productIdentifier: book)) { try await waiting.value }
    #expect(try fixture.names("files").isEmpty)
    let asked = fixture.ranges.count
    for product in [book, atlas] { try await downloads.download(product) }
    #expect(fixture.ranges.count > asked)
  }
}

/// A network that is down until the test ends the outage. Downloads retry without a delay.
final class Outage: RetrySchedule {
  private let isOver = LockedValue(false)

  func wait(afterFailures failures: Int) async { await Task.yield() }

  func end() { isOver.value = true }

  /// Makes all downloads from the server fail until the outage ends.
  func strike(_ server: ScriptedServer) {
    server.once("/downloads/") { _, usual in
      if self.isOver.value { return usual }
      self.strike(server)
      throw HTTPFailure.unreachable(reason: "down")
    }
  }
}
