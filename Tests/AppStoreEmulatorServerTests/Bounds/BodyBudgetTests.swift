import HTTPTypes
import Hummingbird
import NIOCore
import SharedFixtures
import Synchronization
import Testing

@testable import WebSupport

@Suite("The bytes of bodies that a server holds at a time", .timeLimit(.minutes(30)))
struct BodyBudgetTests {
  /// Returns a request, and the stream through which the test sends its body.
  private static func request(announcing length: Int? = nil) -> (Request, AsyncStream<ByteBuffer>.Continuation) {
    let (body, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    var head = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")
    if let length { head.headerFields[.contentLength] = String(length) }
    return (Request(head: head, body: RequestBody(asyncSequence: body)), continuation)
  }

  private static func bytes(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: 0x20, count: count) }

  private static func collect(_ request: Request, within budget: BodyBudget) async throws -> Int {
    let reservation = BodyReservation(budget)
    defer { reservation.release() }
    return try await BodyReservation.$current.withValue(reservation) {
      try await request.collectedBody(upTo: 1 << 20).readableBytes
    }
  }

  private static func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
  }

  @Test("what was announced holds nothing until it comes; what came is held until it is answered")
  func announced() async throws {
    let budget = BodyBudget(limitBytes: 100_000)
    let (request, body) = Self.request(announcing: 60_000)
    async let first = Self.collect(request, within: budget)
    body.yield(Self.bytes(50_000))
    await Self.until { budget.heldBytes == 50_000 }
    let (other, _) = Self.request(announcing: 60_000)
    let refusal = await #expect(throws: ErrorResponse.self) { try await Self.collect(other, within: budget) }
    #expect(refusal?.status == .serviceUnavailable)
    #expect(refusal?.response.headers[.retryAfter] == "2")
    let (fitting, fittingBody) = Self.request(announcing: 50_000)
    fittingBody.yield(Self.bytes(50_000))
    fittingBody.finish()
    #expect(try await Self.collect(fitting, within: budget) == 50_000)
    #expect(budget.heldBytes == 50_000)
    body.yield(Self.bytes(10_000))
    body.finish()
    #expect(try await first == 60_000)
    #expect(budget.heldBytes == 0)
  }

  @Test("a body that does not announce its length is counted as it comes")
  func unannounced() async throws {
    let budget = BodyBudget(limitBytes: 100_000)
    let (request, body) = Self.request()
    let first = Task { try await Self.collect(request, within: budget) }
    for sent in [30_000, 60_000, 90_000] {
      body.yield(Self.bytes(30_000))
      await Self.until { budget.heldBytes == sent }
    }
    body.yield(Self.bytes(30_000))
    await #expect(throws: ErrorResponse.self) { try await first.value }
    #expect(budget.heldBytes == 0)
  }

  @Test("one sender holds a part of the budget: the others' bodies are admitted")
  func share() {
    let budget = BodyBudget(limitBytes: 64 << 20)
    let largest = BodyLimit.receipt
    #expect(budget.hold(largest, of: largest, by: "a"))
    #expect(!budget.hold(largest, of: largest, by: "a"))
    #expect(!budget.hasCapacity(for: largest, of: "a"))
    for sender in ["b", "c", "d"] { #expect(budget.hold(largest, of: largest, by: sender)) }
    #expect(budget.hold(4096, of: 4096, by: "a"))
    budget.release(largest, by: "a")
    budget.release(4096, by: "a")
    #expect(budget.hold(largest, of: largest, by: "a"))
  }

  @Test("a body that trickles is refused with 408 when its time is over, and holds nothing any more")
  func trickle() async throws {
    let now = Mutex<Int64>(0)
    let budget = BodyBudget(limitBytes: 100_000, clock: ScriptedClock(nanoseconds: { now.withLock { $0 } }))
    let (request, body) = Self.request()
    let collected = Task { try await Self.collect(request, within: budget) }
    body.yield(Self.bytes(1_000))
    await Self.until { budget.heldBytes == 1_000 }
    now.withLock { $0 = (BodyReservation.longestSeconds + 1) * 1_000_000_000 }
    body.yield(Self.bytes(1))
    let refusal = await #expect(throws: ErrorResponse.self) { try await collected.value }
    #expect(refusal?.status == .requestTimeout)
    #expect(budget.heldBytes == 0)
  }

  @Test("small bodies are admitted when large ones have used the budget up")
  func small() async throws {
    let budget = BodyBudget(limitBytes: 20_000)
    let (large, largeBody) = Self.request(announcing: 20_000)
    largeBody.yield(Self.bytes(20_000))
    let holding = Task { try await Self.collect(large, within: budget) }
    await Self.until { budget.heldBytes == 20_000 }
    let (request, body) = Self.request(announcing: BodyBudget.smallBodyBytes)
    body.yield(Self.bytes(BodyBudget.smallBodyBytes))
    body.finish()
    #expect(try await Self.collect(request, within: budget) == BodyBudget.smallBodyBytes)
    holding.cancel()
    _ = await holding.result
    #expect(budget.heldBytes == 0)
  }

  @Test("a body that is announced to be too large is refused before it comes, one that becomes too large when it does")
  func tooLarge() async throws {
    let budget = BodyBudget(limitBytes: 1 << 30)
    let (announced, _) = Self.request(announcing: (1 << 20) + 1)
    let first = await #expect(throws: ErrorResponse.self) { try await Self.collect(announced, within: budget) }
    #expect(first?.status == .contentTooLarge)
    let (request, body) = Self.request()
    body.yield(Self.bytes(1 << 20))
    body.yield(Self.bytes(1))
    let second = await #expect(throws: ErrorResponse.self) { try await Self.collect(request, within: budget) }
    #expect(second?.status == .contentTooLarge)
    #expect(budget.heldBytes == 0)
  }
}
