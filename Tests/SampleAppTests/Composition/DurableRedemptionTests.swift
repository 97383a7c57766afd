import StoreModel
import Testing

@testable import SampleApp

@Suite("Filters and plans at the purchase server", .timeLimit(.minutes(30)))
struct DurableRedemptionTests {
  private struct Failure: Error {}

  /// A server that counts the requests, and fails while it is down.
  private struct Server: Sendable {
    var requests = 0
    /// The transactions of the last request.
    var redeemed: Set<String> = []
    var isDown = false

    mutating func handle(_ pending: Set<String>) throws {
      requests += 1
      redeemed = pending
      if isDown { throw Failure() }
    }
  }

  @Test("F2 each purchase is redeemed once in a launch; without a new one, the server is not asked")
  func once() async throws {
    let (owned, server) = (LockedValue<Set<String>>([]), LockedValue(Server()))
    let redemption = DurableRedemption {
      owned.value
    } request: { pending in
      try server.withLock { try $0.handle(pending) }
    }
    #expect(try await !redemption.redeem())
    #expect(server.value.requests == 0)
    owned.value = ["1"]
    #expect(try await redemption.redeem())
    #expect(try await !redemption.redeem())
    #expect(server.value.requests == 1)
    owned.value = ["1", "2"]
    #expect(try await redemption.redeem())
    #expect(server.value.requests == 2 && server.value.redeemed == ["2"])
    owned.value = ["2"]
    #expect(try await !redemption.redeem())
  }

  @Test("F2 a failed redemption is repeated by the next call")
  func failing() async throws {
    let server = LockedValue(Server(isDown: true))
    let redemption = DurableRedemption {
      ["1"]
    } request: { pending in
      try server.withLock { try $0.handle(pending) }
    }
    await #expect(throws: Failure.self) { try await redemption.redeem() }
    server.withLock { $0.isDown = false }
    #expect(try await redemption.redeem())
    #expect(server.value.requests == 2)
  }

  @Test("F2 calls at the same time send one request; a purchase that comes meanwhile is redeemed after it")
  func atOnce() async throws {
    let (requests, request) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
    let owned = LockedValue<Set<String>>(["1"])
    let redemption = DurableRedemption {
      owned.value
    } request: { _ in
      await withCheckedContinuation { _ = request.yield($0) }
    }
    var waiting = requests.makeAsyncIterator()
    async let first = redemption.redeem()
    let reply = await waiting.next()
    async let second = redemption.redeem()
    owned.value = ["1", "2"]
    reply?.resume()
    await waiting.next()?.resume()
    #expect(try await [first, second] == [true, true])
    #expect(try await !redemption.redeem())
  }
}
