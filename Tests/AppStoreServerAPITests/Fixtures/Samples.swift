import AppStoreServerAPI
import Crypto
import Foundation
// For all files of this target.
@_exported import SharedFixtures
import SignedData
import StoreModel

/// An app, its key, and data that a store signs for it.
enum Samples {
  static let bundleID: BundleID = "com.example.monkeys"
  /// 2026-12-01T00:00:00Z.
  static let date = StoreDate(millisecondsSince1970: 1_796_083_200_000)
  static let privateKey = P256.Signing.PrivateKey()
  static let key = ServerAPIKey(
    keyID: "2X9R4HXF34", issuerID: "57246542-96fe-1a63-e053-0824d011072a", privateKey: privateKey)
  static let authority = IssuingAuthority.shared

  static func transaction(
    _ id: UInt64 = 7, in environment: StoreEnvironment = .sandbox, of bundleID: BundleID = bundleID
  ) throws -> String {
    let record = TransactionRecord(
      environment: environment, bundleID: bundleID, transactionID: TransactionID(id),
      originalTransactionID: TransactionID(id), productID: "credits.5", type: .consumable, purchaseDate: date,
      originalPurchaseDate: date, quantity: 1, price: Milliunits(990), currency: "USD", storefrontCountryCode: "USA",
      storefrontID: "143441", reason: .purchase, appTransactionID: "704000000000000001")
    return try authority.signTransaction(SignedTransaction(record: record, signedDate: date))
  }

  static func renewalInfo(in environment: StoreEnvironment = .sandbox) throws -> String {
    var info = SignedRenewalInfo(originalTransactionID: TransactionID(7), productID: "club", signedDate: date)
    info.rawEnvironment = environment.rawValue
    info.rawAutoRenewStatus = 1
    return try authority.signJWS(payload: info.payloadBytes(), at: date)
  }

  static func notification(_ payload: NotificationPayload) throws -> String {
    try authority.signJWS(payload: try payload.payloadBytes(), at: payload.signedDate)
  }

  static func renewal(in environment: StoreEnvironment = .sandbox) throws -> NotificationPayload {
    NotificationPayload(
      notificationType: OpenEnum(.didRenew), notificationUUID: "3f0c7b1e-5d0a-4c55-9a51-0d6f1f2c9b10",
      signedDate: date,
      content: .data(
        NotificationData(
          environment: OpenEnum(environment), appAppleId: environment == .production ? 41 : nil, bundleId: bundleID,
          signedTransactionInfo: try transaction(in: environment),
          signedRenewalInfo: try renewalInfo(in: environment), status: OpenEnum(.active))))
  }
}
