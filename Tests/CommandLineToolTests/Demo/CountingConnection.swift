import Foundation
import StoreModel

/// Counts the calls to a store, and can refuse some of them.
final class CountingConnection: AppStoreConnection {
  private struct State: Sendable {
    var calls: [DeviceAPI.Verb] = []
    var refused: DeviceAPI.Verb?
  }

  private let state = LockedValue(State())
  private let store: any AppStoreConnection
  private let received = AsyncStream.makeStream(of: DeviceAPI.Verb.self)

  init(_ store: any AppStoreConnection) { self.store = store }

  /// Calls with this verb fail as if the store was unreachable.
  var refuses: DeviceAPI.Verb? {
    get { state.withLock { $0.refused } }
    set { state.withLock { $0.refused = newValue } }
  }

  func count(_ verb: DeviceAPI.Verb) -> Int { state.withLock { state in state.calls.filter { $0 == verb }.count } }

  /// Returns after the next call with this verb.
  func wait(for verb: DeviceAPI.Verb) async { _ = await received.stream.first { $0 == verb } }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    let isRefused = state.withLock { state in
      state.calls.append(Call.verb)
      return state.refused == Call.verb
    }
    received.continuation.yield(Call.verb)
    if isRefused { throw StoreConnectionFailure.unreachable(reason: "the test refuses it") }
    return try await store.send(call, for: installation)
  }
}
