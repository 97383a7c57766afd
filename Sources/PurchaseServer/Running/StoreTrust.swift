import AppStoreServerAPI
import Foundation
import PurchaseLedger
import SignedData
import StoreModel

/// The store of a configuration: the certificates that are trusted, and how each app's proofs are verified.
struct StoreTrust: Sendable {
  /// How long Apple's answer about a proof is cached, in seconds. An app that restores its purchases sends the same receipt
  /// for each of them.
  private static let reuseSeconds = 5

  let anchors: TrustAnchors
  let policies: [VerificationPolicy]
  /// The settings of each app that has a key of the App Store Server API.
  let serverAPIs: [BundleID: ServerAPIPolicy]
  /// The timeout of a request of the App Store Server API, in seconds.
  let answerTimeoutSeconds: Int

  /// - Throws: ``ServerStartError``.
  init(_ configuration: ServerConfiguration) async throws(ServerStartError) {
    let asking: (ServerConfiguration.App) -> VerifyReceiptPolicy
    var serverAPIs: [BundleID: ServerAPIPolicy] = [:]
    switch configuration.trust {
    case .apple(let files):
      var certificates: [[UInt8]] = []
      for file in files {
        do {
          certificates.append(Array(try Data(contentsOf: file)))
        } catch {
          throw ServerStartError.cannotRead(file, reason: "\(error.localizedDescription)")
        }
      }
      anchors = .apple + TrustAnchors(legacyIntermediates: certificates)
      asking = { app in
        var policy = VerifyReceiptPolicy(sharedSecret: app.sharedSecret)
        policy.reuseSeconds = Self.reuseSeconds
        return policy
      }
      for app in configuration.apps {
        serverAPIs[app.bundleID] = app.serverAPI.map { ServerAPIPolicy(key: $0.key, appAppleID: $0.appAppleID) }
        serverAPIs[app.bundleID]?.reuseSeconds = Self.reuseSeconds
      }
    case .emulator(let url):
      let emulator = try await EmulatorTrust(of: url, for: configuration.apps.map(\.bundleID))
      anchors = emulator.anchors
      asking = { app in
        var policy = emulator.receipts[app.bundleID] ?? VerifyReceiptPolicy()
        policy.sharedSecret = app.sharedSecret ?? policy.sharedSecret
        policy.secondsAhead = VerifyReceiptPolicy.longestSecondsAhead
        return policy
      }
      for app in configuration.apps {
        serverAPIs[app.bundleID] = emulator.serverAPIs[app.bundleID]
        serverAPIs[app.bundleID]?.secondsAhead = VerifyReceiptPolicy.longestSecondsAhead
        guard let own = app.serverAPI else { continue }
        serverAPIs[app.bundleID]?.key = own.key
        if let number = own.appAppleID { serverAPIs[app.bundleID]?.appAppleID = number }
      }
    }
    let limits = configuration.service.limits
    answerTimeoutSeconds = limits.answerTimeoutSeconds
    for app in serverAPIs.keys {
      serverAPIs[app]?.answerTimeoutSeconds = answerTimeoutSeconds
      serverAPIs[app]?.totalTimeoutSeconds = limits.verificationSeconds
    }
    self.serverAPIs = serverAPIs
    policies = configuration.apps.map { app in
      let serverAPI = serverAPIs[app.bundleID]
      let method: VerificationPolicy.Method =
        switch app.verification {
        case .offline: .offline
        case .verifyReceipt: .verifyReceipt(asking(app))
        case .both: .both(asking(app))
        // A configuration without a key is refused, and an emulator has one.
        case .serverAPI: serverAPI.map(VerificationPolicy.Method.serverAPI) ?? .offline
        }
      var policy = VerificationPolicy(
        bundleID: app.bundleID, environments: app.environments, method: method, proofKinds: app.proofKinds,
        certificateStatus: app.certificateStatus)
      policy.appAppleID = serverAPI?.appAppleID
      return policy
    }
  }

  /// The client of each app that has a key of the App Store Server API. If the app's proofs are verified by it, the client is the
  /// verifier's.
  func clients(
    of verifier: ProofVerifier, _ server: HTTPReceiptServer, clock: any MachineClock
  ) -> [BundleID: AppStoreServerAPIClient] {
    var clients: [BundleID: AppStoreServerAPIClient] = [:]
    for policy in policies {
      clients[policy.bundleID] =
        verifier.serverAPIClient(of: policy.bundleID)
        ?? serverAPIs[policy.bundleID]?.client(
          for: policy.bundleID, accepting: policy.environments, anchors: anchors,
          transport: server.transport(timeoutSeconds: answerTimeoutSeconds), clock: clock)
    }
    return clients
  }
}
