/// Suspends its callers until the test opens it. Each opening releases one caller.
final class Gate: Sendable {
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  private let openings = AsyncStream.makeStream(of: Void.self)

  func pass() async {
    arrivals.continuation.yield()
    _ = await openings.stream.first { _ in true }
  }

  func arrival() async { _ = await arrivals.stream.first { _ in true } }
  func open() { openings.continuation.yield() }
}
