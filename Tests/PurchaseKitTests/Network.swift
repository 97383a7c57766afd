import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel

/// The network between the device and the store. The test switches it off and on.
final class Network: AppStoreConnection, @unchecked Sendable {
  private let lock = NSLock()
  private let store: any AppStoreConnection
  private var up = true
  private var calls: [DeviceAPI.Verb] = []
  private var refusal: StoreRefusal?
  private var lost: Set<DeviceAPI.Verb> = []

  init(_ store: any AppStoreConnection) { self.store = store }

  var isUp: Bool {
    get { lock.withLock { up } }
    set { lock.withLock { up = newValue } }
  }

  /// The calls that reached the store, in order, without those that wait for changes.
  var sent: [DeviceAPI.Verb] { lock.withLock { calls } }

  /// Makes the store refuse confirmed payments instead of charging them.
  func refusePayments(_ refusal: StoreRefusal) { lock.withLock { self.refusal = refusal } }

  /// Loses the answer to the next call of `verb`, which the store carries out.
  func loseAnswer(to verb: DeviceAPI.Verb) { lock.withLock { _ = lost.insert(verb) } }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    guard isUp else { throw StoreConnectionFailure.unreachable(reason: "the network is down") }
    if Call.verb != .changes { lock.withLock { calls.append(Call.verb) } }
    if Call.verb == .confirm, let refusal = lock.withLock({ refusal }) { throw refusal }
    let answer = try await store.send(call, for: installation)
    if lock.withLock({ lost.remove(Call.verb) }) != nil { throw StoreConnectionFailure.noAnswer(reason: "it was lost") }
    return answer
  }
}
