import AsyncHTTPClient
import Foundation
import NIOCore
import SignedData
import StoreModel
import WebSupport

/// The clock of an emulated store. Its date is the last date that the store returned, plus the time since then.
///
/// The store's clock can be moved and can run faster, so its date is requested again before each use (``refresh()``).
/// After a failed request, there is no further request for ten seconds. Until the emulator has answered for the first
/// time, the clock returns the date of this machine.
final class EmulatorClock: MachineClock {
  private struct Answer: Decodable, Sendable {
    let now: StoreDate
    /// Store seconds in one second of this machine.
    let rate: Double
  }

  private let url: URL
  private let machine: any MachineClock
  private let state = LockedValue(State())

  private struct State: Sendable {
    /// The last answer, and when it came, on the machine's clock.
    var latest: (answer: Answer, nanoseconds: Int64)?
    /// The request that is under way.
    var request: Task<Void, Never>?
    /// The end of the pause after a failed request, on the machine's clock; nil if the last request succeeded.
    var pauseEnd: Int64?
  }

  private static let timeoutSeconds: Int64 = 2
  /// The pause after a failed request. Without it, an emulator that hangs would delay every caller by the timeout.
  private static let pauseNanoseconds: Int64 = 10_000_000_000

  init(of emulator: URL, machine: any MachineClock) {
    url = emulator.appending(path: "control/v1/clock")
    self.machine = machine
  }

  var now: StoreDate {
    guard let (answer, nanoseconds) = state.withLock({ $0.latest }) else { return machine.now }
    let passed = Double(machine.nanoseconds - nanoseconds) / 1_000_000 * answer.rate
    return StoreDate(millisecondsSince1970: answer.now.millisecondsSince1970 + (Int64(exactly: passed.rounded()) ?? 0))
  }

  var nanoseconds: Int64 { machine.nanoseconds }

  func sleep(for duration: Duration) async throws { try await machine.sleep(for: duration) }

  /// Requests the date. If the emulator does not answer, the clock continues from the previous answer. Simultaneous callers share
  /// one request.
  func refresh() async {
    let now = machine.nanoseconds
    let task: Task<Void, Never>? = state.withLock { state in
      if let end = state.pauseEnd, now < end { return nil }
      if let request = state.request { return request }
      let task = Task { self.finish(try? await self.read()) }
      state.request = task
      return task
    }
    await task?.value
  }

  /// - Parameter answer: nil if the emulator refused, or did not answer.
  private func finish(_ answer: Answer?) {
    let now = machine.nanoseconds
    state.withLock { state in
      if let answer { state.latest = (answer, now) }
      state.pauseEnd = answer == nil ? now + Self.pauseNanoseconds : nil
      state.request = nil
    }
  }

  private func read() async throws -> Answer? {
    let response = try await HTTPClient.checked.execute(
      HTTPClientRequest(url: url.absoluteString), timeout: .seconds(Self.timeoutSeconds))
    let body = Data(buffer: try await response.body.collect(upTo: 1 << 16))
    return response.status == .ok ? try BoundedJSON.decode(Answer.self, from: body) : nil
  }
}
