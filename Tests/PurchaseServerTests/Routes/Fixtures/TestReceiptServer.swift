import AppStoreEmulator
import Foundation
import PurchaseLedger
import StoreModel

@testable import AppStoreEmulator

/// The emulator's `verifyReceipt` in this process, or a scripted answer.
final class TestReceiptServer: ReceiptServer {
  static let production = URL(string: "http://production.test/verifyReceipt")!
  static let sandbox = URL(string: "http://sandbox.test/verifyReceipt")!

  static var policy: VerifyReceiptPolicy { VerifyReceiptPolicy(productionURL: production, sandboxURL: sandbox) }

  enum Behavior: Sendable {
    /// Answers as the emulator does.
    case normal
    case status(Int)
    case unreachable
  }

  private let store: EmulatedAppStore
  private struct State: Sendable {
    var current = Behavior.normal
    var gate: Gate?
    var requests = 0
  }

  private let state = LockedValue(State())

  init(_ store: EmulatedAppStore) { self.store = store }

  var behavior: Behavior {
    get { state.withLock { $0.current } }
    set { state.withLock { $0.current = newValue } }
  }

  /// Holds answers back until the gate is open.
  func wait(for gate: Gate?) { state.withLock { $0.gate = gate } }

  /// The number of requests so far.
  var requestCount: Int { state.withLock { $0.requests } }

  func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply {
    let (behavior, gate) = state.withLock { state in
      state.requests += 1
      return (state.current, state.gate)
    }
    await gate?.pass()
    switch behavior {
    case .unreachable: throw .noConnection(detail: "the store is unreachable")
    case .status(let status): return ReceiptServerReply(httpStatus: 200, body: Data("{\"status\":\(status)}".utf8))
    case .normal: break
    }
    do {
      let endpoint: StoreEnvironment = url == Self.production ? .production : .sandbox
      return ReceiptServerReply(httpStatus: 200, body: try await store.verifyReceipt(body, at: endpoint).body)
    } catch {
      throw .noConnection(detail: "\(error)")
    }
  }
}
