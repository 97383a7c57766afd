import Foundation
import HTTPTransport
import OpenStoreKit
import StoreModel

@testable import PurchaseKit

/// The steps of a server delivery: Documentation/purchase-kit.md, "What becomes of a server-delivered purchase".
enum DeliveryStep: String, CaseIterable, Sendable {
  case proofMade, proofKept, redeemed, partCame, filesHere, entitlementRecorded, finished
}

/// Simulates that the app is killed right after one step of a delivery. It copies the app's folder at that moment.
/// Afterwards no call of the app reaches the store or the server.
final class AppKill: Sendable {
  struct Killed: Error {}

  let step: DeliveryStep
  /// The copy of the killed app's folder.
  let folder = TestFolder()
  private let disk: URL
  private let dead = LockedValue(false)

  init(_ step: DeliveryStep, disk: URL) {
    self.step = step
    self.disk = disk
  }

  var isDead: Bool { dead.value }

  func reached(_ step: DeliveryStep) throws {
    try dead.withLock { dead in
      guard step == self.step, !dead else { return }
      dead = true
      try FileManager.default.copyItem(at: disk, to: folder.url)
    }
  }

  func checkAlive() throws { if isDead { throw Killed() } }
}

/// The connection to the store. It is cut when the app is killed.
struct KilledConnection: AppStoreConnection {
  let store: any AppStoreConnection
  let kill: AppKill

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    guard !kill.isDead else { throw StoreConnectionFailure.unreachable(reason: "the app was killed") }
    return try await store.send(call, for: installation)
  }
}

/// The connection to the purchase server. It is cut when the app is killed.
struct KilledTransport: HTTPSender {
  let kill: AppKill
  private let base = SystemTransport()

  init(_ kill: AppKill) { self.kill = kill }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    let isRedemption = call.url.path.hasSuffix("/redemptions")
    if isRedemption { try kill.reached(.proofKept) }
    guard !kill.isDead else { throw HTTPFailure.unreachable(reason: "the app was killed") }
    if isRedemption, kill.step == .redeemed {
      // The server redeems the purchase, and the answer is lost.
      _ = try await base.reply(to: call)
      try kill.reached(.redeemed)
      throw HTTPFailure.noAnswer(reason: "the app was killed")
    }
    guard call.url.path.contains("/downloads/") else { return try await base.send(call, to: sink) }
    do {
      try await base.send(call, to: KilledSink(base: sink, kill: kill))
    } catch is AppKill.Killed {
      throw HTTPFailure.noAnswer(reason: "the app was killed")
    }
  }
}

/// Passes on the bytes of a file until the app is killed.
private final class KilledSink: HTTPReplySink {
  private let base: any HTTPReplySink
  private let kill: AppKill

  init(base: any HTTPReplySink, kill: AppKill) {
    self.base = base
    self.kill = kill
  }

  func begin(_ head: HTTPReplyHead) throws { try base.begin(head) }

  func take(_ bytes: Data) throws {
    try base.take(bytes)
    try kill.reached(.partCame)
    try kill.checkAlive()
  }
}
