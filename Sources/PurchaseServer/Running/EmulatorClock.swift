import AsyncHTTPClient
import Foundation
import NIOCore
import SignedData
import StoreModel

/// The clock of an emulated store: the date that it returned last, and the time since then.
///
/// The store's clock can be moved and can run faster, so its date is requested again before each use
/// (``refresh()``). Until the first answer, and from an emulator that refuses, it is the date of this machine.
final class EmulatorClock: MachineClock {
  private struct Answer: Decodable, Sendable {
    let now: StoreDate
    /// Store seconds in one second of this machine.
    let rate: Double
  }

  private let url: URL
  private let machine: any MachineClock
  private let latest = LockedValue<(answer: Answer, nanoseconds: Int64)?>(nil)
  private let request = LockedValue<Task<Void, Never>?>(nil)

  private static let timeoutSeconds: Int64 = 2
  /// The time without requests after one that failed. An emulator that hangs would delay every caller by the timeout.
  private static let pauseNanoseconds: Int64 = 10_000_000_000
  /// The end of the pause, on the machine's clock.
  private let pauseEnd = LockedValue<Int64?>(nil)

  init(of emulator: URL, machine: any MachineClock) {
    url = emulator.appending(path: "control/v1/clock")
    self.machine = machine
  }

  var now: StoreDate {
    guard let (answer, nanoseconds) = latest.value else { return machine.now }
    let passed = Double(machine.nanoseconds - nanoseconds) / 1_000_000 * answer.rate
    return StoreDate(millisecondsSince1970: answer.now.millisecondsSince1970 + (Int64(exactly: passed.rounded()) ?? 0))
  }

  var nanoseconds: Int64 { machine.nanoseconds }

  func sleep(for duration: Duration) async throws { try await machine.sleep(for: duration) }

  /// Requests the date. If the emulator does not answer, the clock continues from the previous answer. Simultaneous callers share
  /// one request.
  func refresh() async {
    if let end = pauseEnd.value, machine.nanoseconds < end { return }
    let task = request.withLock { request in
      if let request { return request }
      let task = Task {
        let answer = try? await self.read()
        let now = self.machine.nanoseconds
        if let answer { self.latest.value = (answer, now) }
        self.pauseEnd.value = answer == nil ? now + Self.pauseNanoseconds : nil
        self.request.value = nil
      }
      request = task
      return task
    }
    await task.value
  }

  private func read() async throws -> Answer? {
    let response = try await HTTPClient.shared.execute(
      HTTPClientRequest(url: url.absoluteString), timeout: .seconds(Self.timeoutSeconds))
    let body = Data(buffer: try await response.body.collect(upTo: 1 << 16))
    return response.status == .ok ? try BoundedJSON.decode(Answer.self, from: body) : nil
  }
}
