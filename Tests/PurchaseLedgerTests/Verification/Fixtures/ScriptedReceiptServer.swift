import Foundation
import StoreModel

@testable import PurchaseLedger

/// A store with scripted answers at its two endpoints.
final class ScriptedReceiptServer: ReceiptServer, @unchecked Sendable {
  static let production = URL(string: "http://production.test/verifyReceipt")!
  static let sandbox = URL(string: "http://sandbox.test/verifyReceipt")!

  enum Line: Sendable {
    case reply(ReceiptServerReply)
    case failure(ReceiptServerFailure)
    /// The reply comes after this number of milliseconds, unless the caller's timeout is shorter.
    indirect case slow(milliseconds: Int64, Line)

    static func json(_ text: String) -> Line { .reply(ReceiptServerReply(httpStatus: 200, body: Data(text.utf8))) }
    static func status(_ status: Int) -> Line { .json("{\"status\":\(status)}") }
    static func http(_ status: Int, retryAfter: String? = nil, date: String? = nil) -> Line {
      .reply(ReceiptServerReply(httpStatus: status, body: Data(), retryAfter: retryAfter, date: date))
    }
  }

  struct Request: Hashable {
    let door: StoreEnvironment
    let body: Data
    let timeoutMilliseconds: Int64
  }

  private let lock = NSLock()
  private let time: StepTime
  private var lines: [StoreEnvironment: [Line]]
  private var asked: [Request] = []
  private var gate: Gate?

  /// - Parameter lines: the answers of each endpoint, in order. The last one is repeated.
  init(_ lines: [StoreEnvironment: [Line]], time: StepTime = StepTime()) {
    self.lines = lines
    self.time = time
  }

  var requests: [Request] { lock.withLock { asked } }
  var doors: [StoreEnvironment] { requests.map(\.door) }

  func say(_ lines: [Line], at door: StoreEnvironment = .production) {
    lock.withLock { self.lines[door] = lines }
  }

  /// Holds answers back until the gate is open.
  func wait(for gate: Gate) { lock.withLock { self.gate = gate } }

  func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply {
    let door: StoreEnvironment = url == Self.production ? .production : .sandbox
    let (line, gate) = lock.withLock {
      asked.append(Request(door: door, body: body, timeoutMilliseconds: timeoutMilliseconds))
      let rest = lines[door] ?? []
      if rest.count > 1 { lines[door] = Array(rest.dropFirst()) }
      return (rest.first, self.gate)
    }
    await gate?.pass()
    return try say(line ?? .failure(.noConnection(detail: "nobody is at this door")), timeoutMilliseconds)
  }

  private func say(_ line: Line, _ patience: Int64) throws(ReceiptServerFailure) -> ReceiptServerReply {
    switch line {
    case .reply(let reply): return reply
    case .failure(let failure): throw failure
    case .slow(let milliseconds, let line):
      time.advance(milliseconds: min(milliseconds, patience))
      guard milliseconds <= patience else { throw .timeout }
      return try say(line, patience - milliseconds)
    }
  }
}
