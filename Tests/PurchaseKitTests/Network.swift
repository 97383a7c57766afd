import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel

/// The network between the device and the store. The test switches it off and on.
final class Network: AppStoreConnection {
  private struct State: Sendable {
    var up = true
    var calls: [DeviceAPI.Verb] = []
    var refusal: StoreRefusal?
    var lost: Set<DeviceAPI.Verb> = []
  }

  private let state = LockedValue(State())
  private let store: any AppStoreConnection

  init(_ store: any AppStoreConnection) { self.store = store }

  var isUp: Bool {
    get { state.withLock { $0.up } }
    set { state.withLock { $0.up = newValue } }
  }

  /// The calls that reached the store, in order, without those that wait for changes.
  var sent: [DeviceAPI.Verb] { state.withLock { $0.calls } }

  /// Makes the store refuse confirmed payments instead of charging them.
  func refusePayments(_ refusal: StoreRefusal) { state.withLock { $0.refusal = refusal } }

  /// Loses the answer to the next call of `verb`, which the store carries out.
  func loseAnswer(to verb: DeviceAPI.Verb) { state.withLock { _ = $0.lost.insert(verb) } }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    guard isUp else { throw StoreConnectionFailure.unreachable(reason: "the network is down") }
    if Call.verb != .changes { state.withLock { $0.calls.append(Call.verb) } }
    if Call.verb == .confirm, let refusal = state.withLock({ $0.refusal }) { throw refusal }
    let answer = try await store.send(call, for: installation)
    if state.withLock({ $0.lost.remove(Call.verb) }) != nil {
      throw StoreConnectionFailure.noAnswer(reason: "it was lost")
    }
    return answer
  }
}
