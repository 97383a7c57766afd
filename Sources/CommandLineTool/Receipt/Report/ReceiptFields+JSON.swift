import Foundation
import SignedData
import StoreModel

extension AppReceipt {
  /// All attributes of the receipt. An attribute without a known name is written with its number, version and bytes.
  var json: JSONValue {
    .members([
      "environment": environment.map { .string($0.rawValue) },
      "receiptType": .string(receiptType),
      "bundleId": .string(bundleID.rawValue),
      "applicationVersion": .string(applicationVersion),
      "originalApplicationVersion": originalApplicationVersion.map(JSONValue.string),
      "creationDate": .date(creationDate),
      "requestDate": requestDate.map(JSONValue.date),
      "originalPurchaseDate": originalPurchaseDate.map(JSONValue.date),
      "expirationDate": expirationDate.map(JSONValue.date),
      "appItemId": appItemID.map { .integer($0) },
      "developerId": developerID.map { .integer($0) },
      "downloadId": downloadID.map { .integer($0) },
      "versionExternalIdentifier": versionExternalIdentifier.map { .integer($0) },
      "toolVersion": toolVersion.map { .integer($0) },
      "ageRating": ageRating.map(JSONValue.string),
      "opaqueValue": .base64(opaqueValue),
      "sha1Hash": .base64(sha1Hash),
      "inAppPurchases": .array(inAppPurchases.map { ListedPurchase($0).json }),
      "unknownAttributes": .array(unknownAttributes.map(\.json)),
    ])
  }
}

extension AppReceipt.Attribute {
  fileprivate var json: JSONValue {
    .object(["type": .integer(type), "version": .integer(version), "value": .base64(value)])
  }
}

extension UnverifiedLegacyReceipt {
  /// The purchase, in the same form as in an app receipt, and all signed entries unchanged.
  var json: JSONValue {
    .members([
      "environment": .string(receipt.environment.rawValue),
      "claimedEnvironment": claimedEnvironment.map(JSONValue.string),
      "bundleId": .string(receipt.bundleID.rawValue),
      "applicationVersion": receipt["bvrs"].map(JSONValue.string),
      "vendorIdentifier": receipt["unique-vendor-identifier"].map(JSONValue.string),
      "inAppPurchases": .array([ListedPurchase(receipt).json]),
      "fields": .object(Dictionary(receipt.fields.map { ($0.key, .string($0.value)) }) { first, _ in first }),
      "signatureVersion": .integer(signatureVersion),
    ])
  }
}

extension ListedPurchase {
  fileprivate var json: JSONValue {
    .members([
      "productId": .string(productID.rawValue),
      "productType": details?.productType.map { .string($0.rawValue) },
      "quantity": .integer(quantity),
      "transactionId": .string(transactionID.rawValue),
      "originalTransactionId": .string(originalTransactionID.rawValue),
      "purchaseDate": .date(purchaseDate),
      "originalPurchaseDate": .date(originalPurchaseDate),
      "expiresDate": expiresDate.map(JSONValue.date),
      "cancellationDate": cancellationDate.map(JSONValue.date),
      "itemId": details?.itemID.map { .integer($0) },
      "webOrderLineItemId": details?.webOrderLineItemID.map { .integer($0) },
      "isTrialPeriod": details?.isTrialPeriod.map(JSONValue.bool),
      "isInIntroductoryOfferPeriod": details?.isInIntroductoryOfferPeriod.map(JSONValue.bool),
      "promotionalOfferId": details?.promotionalOfferID.map(JSONValue.string),
    ])
  }
}

extension JSONValue {
  fileprivate static func date(_ date: StoreDate) -> JSONValue { .string(date.rfc3339) }
  fileprivate static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }
}
