import Foundation
import SignedData

@testable import OpenStoreKit

/// A compact JWS of a payload, with a header and a signature that verify nothing.
func jws(_ payload: String, header: String = #"{"alg":"ES256"}"#, signature: [UInt8] = Array(1...64)) -> String {
  [Data(header.utf8), Data(payload.utf8), Data(signature)].map { part in
    part.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }.joined(separator: ".")
}

extension Transaction {
  /// The transaction of a payload.
  static func of(_ payload: String, failure: VerificationFailure? = nil) throws -> Transaction? {
    Transaction(
      try SignedContent(jws: jws(payload), failure: failure) { try SignedTransaction(payload: $0) }, on: nil)
  }

  /// The members that every transaction has, without the braces.
  static let leastMembers = """
    "transactionId":"11","originalTransactionId":"10","bundleId":"com.example.app","productId":"p",\
    "purchaseDate":1000,"originalPurchaseDate":500,"signedDate":2000
    """
}

extension SubscriptionRenewalInfo {
  /// The renewal information of a payload.
  static func of(_ payload: String, failure: VerificationFailure? = nil) throws -> SubscriptionRenewalInfo? {
    SubscriptionRenewalInfo(
      try SignedContent(jws: jws(payload), failure: failure) { try SignedRenewalInfo(payload: $0) })
  }

  /// The members that all renewal information has, without the braces.
  static let leastMembers = #""originalTransactionId":"10","productId":"p","signedDate":2000"#
}

extension AppTransaction {
  /// The app transaction of a payload.
  static func of(_ payload: String, failure: VerificationFailure? = nil) throws -> AppTransaction {
    AppTransaction(
      content: try SignedContent(jws: jws(payload), failure: failure) { try SignedAppTransaction(payload: $0) })
  }
}
