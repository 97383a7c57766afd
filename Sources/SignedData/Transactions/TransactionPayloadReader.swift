import Foundation
import StoreModel

/// Decodes the payload of a signed transaction ("JWSTransactionDecodedPayload") in one pass.
///
/// A member that is `null` is treated as missing. Unknown members are checked and skipped.
struct TransactionPayloadReader {
  // The required members. The transaction is complete only when all of them were read.
  private var transactionID: TransactionID?
  private var originalTransactionID: TransactionID?
  private var bundleID: BundleID?
  private var productID: ProductID?
  private var purchaseDate: StoreDate?
  private var originalPurchaseDate: StoreDate?
  private var signedDate: StoreDate?
  private var transaction: SignedTransaction

  private init() {
    // These empty values are never returned: `finished()` replaces them, or throws if a required member is missing.
    transaction = SignedTransaction(
      transactionID: TransactionID(0), originalTransactionID: TransactionID(0), bundleID: "", productID: "",
      purchaseDate: StoreDate(millisecondsSince1970: 0), originalPurchaseDate: StoreDate(millisecondsSince1970: 0),
      signedDate: StoreDate(millisecondsSince1970: 0))
  }

  static func read(_ payload: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> SignedTransaction {
    try JSONReader.read(payload) { (reader) throws(JSONFault) in
      var fields = TransactionPayloadReader()
      try reader.members { (reader, key) throws(JSONFault) in
        if reader.isNull() { return }
        try fields.read(key, &reader)
      }
      return try fields.finished(&reader)
    }
  }

  private consuming func finished(_ reader: inout JSONReader) throws(JSONFault) -> SignedTransaction {
    transaction.transactionID = try required(transactionID, "transactionId", reader)
    transaction.originalTransactionID = try required(originalTransactionID, "originalTransactionId", reader)
    transaction.bundleID = try required(bundleID, "bundleId", reader)
    transaction.productID = try required(productID, "productId", reader)
    transaction.purchaseDate = try required(purchaseDate, "purchaseDate", reader)
    transaction.originalPurchaseDate = try required(originalPurchaseDate, "originalPurchaseDate", reader)
    transaction.signedDate = try required(signedDate, "signedDate", reader)
    return transaction
  }

  private func required<T>(_ value: T?, _ name: StaticString, _ reader: JSONReader) throws(JSONFault) -> T {
    guard let value else { throw reader.fault("\(name) is missing") }
    return value
  }

  /// Reads the value of one member. Names are first selected by length, so that each needs only a few comparisons.
  private mutating func read(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONFault) {
    switch key.count {
    case 0...9: try readShort(key, &reader)
    case 10...14: try readMiddle(key, &reader)
    default: try readLong(key, &reader)
    }
  }

  private mutating func readShort(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONFault) {
    switch key.count {
    case 4 where key == "type": transaction.rawType = try reader.string()
    case 5 where key == "price": transaction.price = Milliunits(try reader.integer())
    case 8 where key == "bundleId": bundleID = BundleID(try reader.string())
    case 8 where key == "quantity": transaction.quantity = try reader.int()
    case 8 where key == "currency": transaction.currency = try reader.string()
    case 9 where key == "productId": productID = ProductID(try reader.string())
    case 9 where key == "offerType": transaction.rawOfferType = try reader.integer()
    default: try reader.skipValue()
    }
  }

  private mutating func readMiddle(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONFault) {
    switch key.count {
    case 10 where key == "signedDate": signedDate = try reader.date()
    case 10 where key == "storefront": transaction.storefrontCountryCode = try reader.string()
    case 10 where key == "isUpgraded": transaction.isUpgraded = try reader.bool()
    case 11 where key == "environment": transaction.rawEnvironment = try reader.string()
    case 11 where key == "expiresDate": transaction.expiresDate = try reader.date()
    case 11 where key == "offerPeriod": transaction.rawOfferPeriod = try reader.string()
    case 12 where key == "purchaseDate": purchaseDate = try reader.date()
    case 12 where key == "storefrontId": transaction.storefrontID = try reader.string()
    case 13 where key == "transactionId": transactionID = try reader.transactionID()
    case 13 where key == "multiSeatInfo": transaction.multiSeatInfo = try TransactionSeats.read(&reader)
    case 14 where key == "revocationDate": transaction.revocationDate = try reader.date()
    case 14 where key == "revocationType": transaction.rawRevocationType = try reader.string()
    case 14 where key == "commitmentInfo": transaction.commitment = try Self.commitment(&reader)
    default: try reader.skipValue()
    }
  }

  private mutating func readLong(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONFault) {
    switch key.count {
    case 15 where key == "appAccountToken": transaction.appAccountToken = try reader.uuid()
    case 15 where key == "offerIdentifier": transaction.offerIdentifier = try reader.string()
    case 15 where key == "billingPlanType": transaction.rawBillingPlanType = try reader.string()
    case 16 where key == "appTransactionId": transaction.appTransactionID = try reader.string()
    case 16 where key == "revocationReason": transaction.rawRevocationReason = try reader.integer()
    case 17 where key == "transactionReason": transaction.rawReason = try reader.string()
    case 17 where key == "offerDiscountType": transaction.rawOfferDiscountType = try reader.string()
    case 18 where key == "inAppOwnershipType": transaction.rawOwnership = try reader.string()
    case 18 where key == "webOrderLineItemId": transaction.webOrderLineItemID = try reader.string()
    case 18 where key == "deviceVerification": transaction.deviceVerification = try reader.base64()
    case 20 where key == "originalPurchaseDate": originalPurchaseDate = try reader.date()
    case 20 where key == "revocationPercentage": transaction.revocationPercentage = try reader.integer()
    case 20 where key == "advancedCommerceInfo": transaction.advancedCommerceInfo = try reader.rawValue()
    case 21 where key == "originalTransactionId": originalTransactionID = try reader.transactionID()
    case 23 where key == "deviceVerificationNonce": transaction.deviceVerificationNonce = try reader.uuid()
    case 27 where key == "additionalTransactionReason":
      transaction.additionalTransactionReason = try reader.string()
    case 27 where key == "subscriptionGroupIdentifier":
      transaction.subscriptionGroupID = SubscriptionGroupID(try reader.string())
    case 29 where key == "previousOriginalTransactionId":
      transaction.previousOriginalTransactionID = try reader.transactionID()
    default: try reader.skipValue()
    }
  }

  /// Reads the commitment; returns nil if it is incomplete. The transaction is still accepted, because nothing depends
  /// on the commitment.
  private static func commitment(
    _ reader: inout JSONReader
  ) throws(JSONFault) -> TransactionRecord.Commitment? {
    var (number, total): (Int?, Int?) = (nil, nil)
    var expiresDate: StoreDate?
    var price: Milliunits?
    try reader.members { (reader, key) throws(JSONFault) in
      if key == "billingPeriodNumber" {
        number = try reader.int()
      } else if key == "totalBillingPeriods" {
        total = try reader.int()
      } else if key == "commitmentExpiresDate" {
        expiresDate = try reader.date()
      } else if key == "commitmentPrice" {
        price = Milliunits(try reader.integer())
      } else {
        try reader.skipValue()
      }
    }
    guard let number, let total, let expiresDate, let price else { return nil }
    return TransactionRecord.Commitment(
      billingPeriodNumber: number, totalBillingPeriods: total, expiresDate: expiresDate, price: price)
  }
}
