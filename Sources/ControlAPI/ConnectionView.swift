import APIDescription
import AppStoreEmulator
import Foundation
import SignedData
import StoreModel

/// The certificates, keys and addresses that a client of the store needs.
package struct ConnectionView: APIObject {
  package struct BaseURLs: APIObject {
    package let production: String
    package let sandbox: String
  }

  package let rootCertificate: Data
  package let receiptRootCertificate: Data
  package let tlsRootCertificate: Data
  package let intermediateCertificates: [Data]
  package let bundleId: BundleID
  package let appAppleId: Int64
  package let issuerId: String
  package let keyId: String
  package let privateKey: String
  package let sharedSecret: String
  package let baseURLs: BaseURLs

  package static let notes: [String: MemberNote] = [
    "rootCertificate": "The root of signed transactions (DER).",
    "receiptRootCertificate": "The root of receipts (DER).",
    "tlsRootCertificate": "The root of the TLS port's certificate (DER).",
    "privateKey": "Signs tokens for the App Store Server API (PEM, PKCS#8).",
    "sharedSecret": "The password of verifyReceipt.",
  ]

  package init(app: StoreApp, authority: IssuingAuthority, address: String) throws {
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
