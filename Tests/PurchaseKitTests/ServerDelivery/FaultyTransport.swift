import Foundation
import HTTPTransport

/// The system's transport. It can cut downloads.
final class FaultyTransport: HTTPSender, @unchecked Sendable {
  private let base = SystemTransport()
  private let lock = NSLock()
  private var cuts: [Int] = []
  private var afterCut: @Sendable () -> Void = {}
  private var ranges: [String?] = []
  private var answered: [Int] = []

  /// The `Range` field of each request for a file.
  var downloads: [String?] { lock.withLock { ranges } }
  var statuses: [Int] { lock.withLock { answered } }

  func cutDownloads(after cuts: [Int], then work: @escaping @Sendable () -> Void) {
    lock.withLock {
      self.cuts = cuts
      afterCut = work
    }
  }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    guard call.url.path.contains("/downloads/") else { return try await base.send(call, to: sink) }
    let cut = lock.withLock {
      ranges.append(call.fields["Range"])
      return cuts.isEmpty ? nil : cuts.removeFirst()
    }
    let limited = LimitedSink(sink, limit: cut) { status in self.lock.withLock { self.answered.append(status) } }
    do {
      try await base.send(call, to: limited)
    } catch is LimitedSink.Cut {
      lock.withLock { afterCut }()
      throw HTTPFailure.noAnswer(reason: "the line was cut")
    }
  }

  private final class LimitedSink: HTTPReplySink, @unchecked Sendable {
    struct Cut: Error {}
    private let base: any HTTPReplySink
    private let limit: Int?
    private let answered: (Int) -> Void
    private var count = 0

    init(_ base: any HTTPReplySink, limit: Int?, answered: @escaping (Int) -> Void) {
      self.base = base
      self.limit = limit
      self.answered = answered
    }

    func begin(_ head: HTTPReplyHead) throws {
      answered(head.status)
      try base.begin(head)
    }

    func take(_ bytes: Data) throws {
      try base.take(bytes)
      count += bytes.count
      if let limit, count >= limit { throw Cut() }
    }
  }
}
