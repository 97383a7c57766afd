import AppStoreEmulator
import Foundation
import SignedData
import StoreModel

/// All that a client of this store needs, in the names that `/control/openapi.json` describes.
struct ConnectionView: Encodable, Sendable {
  struct BaseURLs: Encodable, Sendable {
    let production: String
    let sandbox: String
  }

  /// Base64 of the DER root of signed transactions.
  let rootCertificate: Data
  let receiptRootCertificate: Data
  let tlsRootCertificate: Data
  let intermediateCertificates: [Data]
  let bundleId: BundleID
  let appAppleId: Int64
  let issuerId: String
  let keyId: String
  /// PEM, PKCS#8.
  let privateKey: String
  let sharedSecret: String
  let baseURLs: BaseURLs

  init(app: StoreApp, authority: IssuingAuthority, address: String) throws {
    rootCertificate = Data(try authority.jwsRootCertificate)
    receiptRootCertificate = Data(try authority.receiptRootCertificate)
    tlsRootCertificate = Data(try authority.tlsRootCertificate)
    intermediateCertificates = [
      Data(try authority.jwsIntermediateCertificate), Data(try authority.receiptIntermediateCertificate),
    ]
    bundleId = app.bundleID
    appAppleId = app.appAppleID
    issuerId = app.issuerID
    keyId = try authority.apiKeyID()
    privateKey = try authority.apiKey()
    sharedSecret = app.sharedSecret
    baseURLs = BaseURLs(production: "\(address)/production", sandbox: "\(address)/sandbox")
  }
}
