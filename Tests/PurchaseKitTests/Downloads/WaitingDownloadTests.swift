import Foundation
import HTTPTransport
import Testing

@testable import PurchaseKit

@Suite("Downloads that wait, and those who wait for them", .timeLimit(.minutes(10)))
struct WaitingDownloadTests {
  private let book = TestShelf.book
  private let atlas = TestShelf.atlas
  private let text = ScriptedServer.data(5000)
  private let maps = ScriptedServer.data(3000, seed: 9)

  private func shelf(_ reachability: (any Reachability)? = nil, atOnce: Int = 2) throws -> TestShelf {
    let shelf = try TestShelf(reachability: reachability, atOnce: atOnce)
    shelf.server.publish(book, ("text", text))
    shelf.server.publish(atlas, ("maps", maps))
    try shelf.want()
    try shelf.want(atlas)
    return shelf
  }

  @Test(
    "a download that waits for the network, or for a new link, lets another take its place, and takes one again",
    arguments: ["/downloads/", "/deliveries"])
  func placeGivenBack(path: String) async throws {
    let network = ManualReachability()
    let shelf = try shelf(network, atOnce: 1)
    let (downloads, book) = (shelf.downloads, book)
    shelf.server.once("/downloads/") { _, _ in
      if path == "/deliveries" { return .init(status: 410) }
      throw HTTPFailure.noAnswer(reason: "cut")
    }
    if path == "/deliveries" { shelf.server.once(path) { _, _ in throw HTTPFailure.unreachable(reason: "down") } }
    let first = Task { try await downloads.download(book) }
    #expect(await network.nextWait() == 1)
    try await downloads.download(atlas)
    #expect(try shelf.library.data(named: "maps", in: atlas) == maps)
    #expect(try shelf.library.current(of: book) == nil)
    network.release()
    try await first.value
    #expect(try shelf.library.data(named: "text", in: book) == text)
  }

  @Test("who has enough of waiting is told so, while the download goes on for who has not")
  func ownPatience() async throws {
    let network = Outage()
    let shelf = try shelf(network)
    network.strike(shelf.server)
    try shelf.downloads.resumeWaiting()
    await #expect(throws: ContentError.network(reason: HTTPFailure.unreachable(reason: "down").description)) {
      try await shelf.downloads.download(book, attempts: 3)
    }
    guard case .downloading = try shelf.downloads.state(of: book) else {
      Issue.record("\(try shelf.downloads.state(of: book))")
      return
    }
    network.end()
    try await shelf.downloads.download(book, attempts: 3)
    #expect(try shelf.library.data(named: "text", in: book) == text)
  }

  @Test("the download goes on for one who has more patience than whoever asked for it first")
  func joined() async throws {
    let shelf = try shelf()
    let (downloads, book, threshold) = (shelf.downloads, book, Threshold())
    shelf.server.once("/downloads/") { _, _ in
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
    #expect(shelf.ranges.count == 2)
    #expect(try shelf.library.data(named: "text", in: book) == text)
  }

  @Test("whatever a download fails with, it waits, and that is on record")
  func oddFailure() async throws {
    struct Odd: Error {}
    let shelf = try shelf()
    shelf.server.once("/downloads/") { _, _ in throw Odd() }
    await #expect(throws: ContentError.self) { try await shelf.downloads.download(book) }
    guard case .waiting(.disk?) = try shelf.downloads.state(of: book) else {
      Issue.record("\(try shelf.downloads.state(of: book))")
      return
    }
    try await shelf.downloads.download(book)
    #expect(try shelf.library.data(named: "text", in: book) == text)
  }

  @Test("stopped and asked for again at once, a download goes on after the one that was stopped")
  func stoppedAndAskedAgain() async throws {
    let shelf = try shelf()
    let (downloads, book, threshold) = (shelf.downloads, book, Threshold())
    shelf.server.once("/downloads/") { _, usual in
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
    #expect(try shelf.library.data(named: "text", in: book) == text)
    #expect(try downloads.state(of: book) == .current(version: 1))
  }

  @Test("all downloads are stopped for whoever signs out; when that is done nothing is written any more")
  func stoppedAll() async throws {
    let shelf = try shelf(ManualReachability(), atOnce: 1)
    let (downloads, book, threshold) = (shelf.downloads, book, Threshold())
    shelf.server.once("/downloads/") { _, usual in
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
    #expect(try shelf.names("files").isEmpty)
    let asked = shelf.ranges.count
    for product in [book, atlas] { try await downloads.download(product) }
    #expect(shelf.ranges.count > asked)
  }
}

/// A network that is down until the test ends the outage. Downloads retry without a delay.
final class Outage: Reachability, @unchecked Sendable {
  private let lock = NSLock()
  private var isOver = false

  func waitUntilWorthAsking(afterFailures failures: Int) async { await Task.yield() }

  func end() { lock.withLock { isOver = true } }

  /// Makes all downloads from the server fail until the outage ends.
  func strike(_ server: ScriptedServer) {
    server.once("/downloads/") { _, usual in
      if self.lock.withLock({ self.isOver }) { return usual }
      self.strike(server)
      throw HTTPFailure.unreachable(reason: "down")
    }
  }
}
