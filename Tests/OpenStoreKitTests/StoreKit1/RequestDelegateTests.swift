import Foundation
import Testing

@testable import OpenStoreKit

@Suite("A request's delegate", .timeLimit(.minutes(30)))
struct RequestDelegateTests {
  @Test("A4 one that was set through SKRequest and does not care for products hears how a product request ended")
  func plainDelegate() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    let delegate = PlainDelegate()
    let request = SKProductsRequest(productIdentifiers: [TestStore.five], device: device)
    (request as SKRequest).delegate = delegate
    let narrow: (any SKProductsRequestDelegate)? = request.delegate
    #expect(narrow == nil)
    request.start()
    #expect(await delegate.next() == "finished")
    connection.script(.products, .unreachable)
    request.start()
    #expect(await delegate.next() == NSURLErrorDomain)
  }
}

private final class PlainDelegate: NSObject, SKRequestDelegate, Sendable {
  private let reported = AsyncStream.makeStream(of: String.self)

  func next() async -> String? { await reported.stream.first { _ in true } }
  func requestDidFinish(_ request: SKRequest) { reported.continuation.yield("finished") }
  func request(_ request: SKRequest, didFailWithError error: any Error) {
    reported.continuation.yield((error as NSError).domain)
  }
}
