import AppStoreEmulator
import Foundation
import PurchaseLedger
import StoreModel

@testable import AppStoreEmulator

/// The emulator's `verifyReceipt` in this process, or a scripted answer.
final class StoreDoor: ReceiptServer, @unchecked Sendable {
  static let production = URL(string: "http://production.test/verifyReceipt")!
  static let sandbox = URL(string: "http://sandbox.test/verifyReceipt")!

  static var policy: VerifyReceiptPolicy { VerifyReceiptPolicy(productionURL: production, sandboxURL: sandbox) }

  enum Mood: Sendable {
    /// Answers as the emulator does.
    case well
    case status(Int)
    case away
  }

  private let store: EmulatedAppStore
  private let lock = NSLock()
  private var mood = Mood.well
  private var gate: Gate?
  private var questions = 0

  init(_ store: EmulatedAppStore) { self.store = store }

  func feel(_ mood: Mood) { lock.withLock { self.mood = mood } }

  /// Holds answers back until the gate is open.
  func wait(for gate: Gate?) { lock.withLock { self.gate = gate } }

  /// The number of requests so far.
  var questionCount: Int { lock.withLock { questions } }

  func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply {
    let (mood, gate) = lock.withLock {
      questions += 1
      return (self.mood, self.gate)
    }
    await gate?.pass()
    switch mood {
    case .away: throw .noConnection(detail: "nobody is there")
    case .status(let status): return ReceiptServerReply(httpStatus: 200, body: Data("{\"status\":\(status)}".utf8))
    case .well: break
    }
    do {
      let door: StoreEnvironment = url == Self.production ? .production : .sandbox
      return ReceiptServerReply(httpStatus: 200, body: try await store.verifyReceipt(body, at: door).body())
    } catch {
      throw .noConnection(detail: "\(error)")
    }
  }
}
