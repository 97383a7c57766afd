import Foundation
import HTTPTransport
import StoreModel

/// The system's transport. It can cut downloads.
final class FaultyTransport: HTTPSender {
  private let base = SystemTransport()
  private struct State: Sendable {
    var cuts: [Int] = []
    var afterCut: @Sendable () -> Void = {}
    var ranges: [String?] = []
    var answered: [Int] = []
  }

  private let state = LockedValue(State())

  /// The `Range` field of each request for a file.
  var downloads: [String?] { state.withLock { $0.ranges } }
  var statuses: [Int] { state.withLock { $0.answered } }

  func cutDownloads(after cuts: [Int], then work: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.cuts = cuts
      state.afterCut = work
    }
  }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    guard call.url.path.contains("/downloads/") else { return try await base.send(call, to: sink) }
    let cut = state.withLock { state in
      state.ranges.append(call.fields["Range"])
      return state.cuts.isEmpty ? nil : state.cuts.removeFirst()
    }
    let limited = LimitedSink(sink, limit: cut) { status in self.state.withLock { $0.answered.append(status) } }
    do {
      try await base.send(call, to: limited)
    } catch is LimitedSink.Cut {
      state.withLock { $0.afterCut }()
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
