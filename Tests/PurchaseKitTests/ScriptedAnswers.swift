import Foundation
import OpenStoreKit
import StoreModel

/// A store that gives a different answer to each product request.
final class ScriptedAnswers: Sendable {
  private let answers: LockedValue<[ScriptedRequest.Answer]>

  init(_ answers: [ScriptedRequest.Answer]) { self.answers = LockedValue(answers) }

  @Sendable func request(_ identifiers: Set<String>) -> SKProductsRequest {
    let answer = answers.withLock { $0.removeFirst() }
    return ScriptedRequest(identifiers, answer) { $0.answer() }
  }
}

/// A store that answers each product request when the test says so.
final class HeldAnswers: Sendable {
  private let requests = AsyncStream.makeStream(of: ScriptedRequest.self)

  @Sendable func request(_ identifiers: Set<String>) -> SKProductsRequest {
    ScriptedRequest(identifiers, .known) { [requests] in requests.continuation.yield($0) }
  }

  func next() async -> ScriptedRequest? { await requests.stream.first { _ in true } }
}

final class ScriptedRequest: SKProductsRequest, @unchecked Sendable {
  enum Answer { case known, invalid }

  private let response: SKProductsResponse
  private let started: (ScriptedRequest) -> Void

  init(_ identifiers: Set<String>, _ answer: Answer, started: @escaping (ScriptedRequest) -> Void) {
    response = Response(Array(identifiers), answer)
    self.started = started
    super.init()
  }

  override func start() { started(self) }

  func answer() { delegate?.productsRequest(self, didReceive: response) }

  private final class Response: SKProductsResponse, @unchecked Sendable {
    private let identifiers: [String]
    private let answer: Answer

    init(_ identifiers: [String], _ answer: Answer) {
      (self.identifiers, self.answer) = (identifiers, answer)
      super.init()
    }

    override var products: [SKProduct] { answer == .known ? identifiers.map(Product.init) : [] }
    override var invalidProductIdentifiers: [String] { answer == .known ? [] : identifiers }
  }

  private final class Product: SKProduct, @unchecked Sendable {
    private let identifier: String

    init(_ identifier: String) {
      self.identifier = identifier
      super.init()
    }

    override var productIdentifier: String { identifier }
  }
}
