import AppStoreServerAPI
import AsyncHTTPClient
import Foundation
import NIOCore
import PurchaseLedger
import SignedData
import StoreModel
import WebSupport

/// The connection settings of an emulator: its root certificates, URLs, keys and shared secrets.
struct EmulatorTrust: Sendable {
  private struct Connection: Decodable {
    struct BaseURLs: Decodable {
      let production: URL
      let sandbox: URL
    }

    let rootCertificate: Data
    let receiptRootCertificate: Data
    let intermediateCertificates: [Data]
    let sharedSecret: String
    let appAppleId: Int64
    let issuerId: String
    let keyId: String
    let privateKey: String
    let baseURLs: BaseURLs
  }

  let anchors: TrustAnchors
  /// How each app's receipts are verified.
  let receipts: [BundleID: VerifyReceiptPolicy]
  /// How each app's purchases are asked about.
  let serverAPIs: [BundleID: ServerAPIPolicy]

  /// Requests the settings of each app from an emulator.
  ///
  /// - Throws: ``ServerStartError/emulator(_:reason:)``.
  init(of emulator: URL, for apps: [BundleID]) async throws(ServerStartError) {
    var anchors: TrustAnchors?
    var receipts: [BundleID: VerifyReceiptPolicy] = [:]
    var serverAPIs: [BundleID: ServerAPIPolicy] = [:]
    for app in apps {
      do {
        var components = URLComponents(
          url: emulator.appending(path: "control/v1/connection"), resolvingAgainstBaseURL: false)
        components?.queryItems = [URLQueryItem(name: "bundleId", value: app.rawValue)]
        let request = HTTPClientRequest(url: components?.url?.absoluteString ?? "")
        let response = try await HTTPClient.checked.execute(request, timeout: .seconds(10))
        let body = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        guard response.status == .ok else {
          throw ServerStartError.emulator(emulator, reason: String(decoding: body.prefix(500), as: UTF8.self))
        }
        let connection = try BoundedJSON.decode(Connection.self, from: body)
        let found = TrustAnchors(
          certificates: [Array(connection.rootCertificate), Array(connection.receiptRootCertificate)],
          legacyIntermediates: connection.intermediateCertificates.map(Array.init))
        anchors = anchors.map { $0 + found } ?? found
        let urls = connection.baseURLs
        receipts[app] = VerifyReceiptPolicy(
          productionURL: urls.production.appending(path: "verifyReceipt"),
          sandboxURL: urls.sandbox.appending(path: "verifyReceipt"),
          sharedSecret: SharedSecret(connection.sharedSecret))
        serverAPIs[app] = ServerAPIPolicy(
          key: try ServerAPIKey(keyID: connection.keyId, issuerID: connection.issuerId, pem: connection.privateKey),
          productionURL: urls.production, sandboxURL: urls.sandbox, appAppleID: connection.appAppleId)
      } catch let error as ServerStartError {
        throw error
      } catch {
        throw .emulator(emulator, reason: "\(error)")
      }
    }
    self.anchors = anchors ?? TrustAnchors()
    self.receipts = receipts
    self.serverAPIs = serverAPIs
  }
}
