import Foundation
import StoreModel

/// Counts the calls to a store, and can refuse some of them.
final class CountingConnection: AppStoreConnection, @unchecked Sendable {
  private let lock = NSLock()
  private let store: any AppStoreConnection
  private var calls: [DeviceAPI.Verb] = []
  private var refused: DeviceAPI.Verb?
  private let received = AsyncStream.makeStream(of: DeviceAPI.Verb.self)

  init(_ store: any AppStoreConnection) { self.store = store }

  /// Calls with this verb fail as if the store was unreachable.
  var refuses: DeviceAPI.Verb? {
    get { lock.withLock { refused } }
    set { lock.withLock { refused = newValue } }
  }

  func count(_ verb: DeviceAPI.Verb) -> Int { lock.withLock { calls.filter { $0 == verb }.count } }

  /// Returns after the next call with this verb.
  func wait(for verb: DeviceAPI.Verb) async { _ = await received.stream.first { $0 == verb } }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    let isRefused = lock.withLock {
      calls.append(Call.verb)
      return refused == Call.verb
    }
    received.continuation.yield(Call.verb)
    if isRefused { throw StoreConnectionFailure.unreachable(reason: "the test refuses it") }
    return try await store.send(call, for: installation)
  }
}
