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
final class Fate: @unchecked Sendable {
  struct Killed: Error {}

  let step: DeliveryStep
  /// The copy of the killed app's folder.
  let folder = TestFolder()
  private let disk: URL
  private let lock = NSLock()
  private var dead = false

  init(_ step: DeliveryStep, disk: URL) {
    self.step = step
    self.disk = disk
  }

  var isDead: Bool { lock.withLock { dead } }

  func reached(_ step: DeliveryStep) throws {
    try lock.withLock {
      guard step == self.step, !dead else { return }
      dead = true
      try FileManager.default.copyItem(at: disk, to: folder.url)
    }
  }

  func checkAlive() throws { if isDead { throw Killed() } }
}

/// The connection to the store. It is cut when the app is killed.
struct MortalConnection: AppStoreConnection {
  let store: any AppStoreConnection
  let fate: Fate

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    guard !fate.isDead else { throw StoreConnectionFailure.unreachable(reason: "the app was killed") }
    return try await store.send(call, for: installation)
  }
}

/// The connection to the purchase server. It is cut when the app is killed.
struct MortalTransport: HTTPSender {
  let fate: Fate
  private let base = SystemTransport()

  init(_ fate: Fate) { self.fate = fate }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    let isRedemption = call.url.path.hasSuffix("/redemptions")
    if isRedemption { try fate.reached(.proofKept) }
    guard !fate.isDead else { throw HTTPFailure.unreachable(reason: "the app was killed") }
    if isRedemption, fate.step == .redeemed {
      // The server redeems the purchase, and the answer is lost.
      _ = try await base.reply(to: call)
      try fate.reached(.redeemed)
      throw HTTPFailure.noAnswer(reason: "the app was killed")
    }
    guard call.url.path.contains("/downloads/") else { return try await base.send(call, to: sink) }
    do {
      try await base.send(call, to: MortalSink(base: sink, fate: fate))
    } catch is Fate.Killed {
      throw HTTPFailure.noAnswer(reason: "the app was killed")
    }
  }
}

/// Passes on the bytes of a file until the app is killed.
private final class MortalSink: HTTPReplySink, @unchecked Sendable {
  private let base: any HTTPReplySink
  private let fate: Fate

  init(base: any HTTPReplySink, fate: Fate) {
    self.base = base
    self.fate = fate
  }

  func begin(_ head: HTTPReplyHead) throws { try base.begin(head) }

  func take(_ bytes: Data) throws {
    try base.take(bytes)
    try fate.reached(.partCame)
    try fate.checkAlive()
  }
}
