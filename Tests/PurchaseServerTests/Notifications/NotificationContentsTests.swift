import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

@Suite("The contents of a notification that operators see", .timeLimit(.minutes(30)))
struct NotificationContentsTests {
  @Test("signed data is left out wherever it is, and texts with dots stay")
  func signedData() async throws {
    let authority = try await BookStore().store.authority
    func signed(_ object: [String: any Sendable]) throws -> String {
      try authority.signJWS(
        payload: Array(JSONSerialization.data(withJSONObject: object)), at: BookStore.opening)
    }
    let proof = try signed(["transactionId": "1"])
    let payload = try signed([
      "notificationType": "NEW", "data": ["bundleId": "com.example.reader", "signedTransactionInfo": proof],
      "appData": ["signedAppTransactionInfo": proof, "note": "a.b.c"], "list": [proof, "kept"], "other": proof,
      "version": "2.0",
    ])
    let contents = try NotificationContentsView(signedPayload: payload)
    let text = String(decoding: try JSONEncoder().encode(contents), as: UTF8.self)
    #expect(!text.contains(proof) && !text.contains("eyJ"), "\(text)")
    for kept in ["com.example.reader", "a.b.c", "kept", "2.0", "NEW"] { #expect(text.contains(kept), "\(kept)") }
    #expect(contents.transactionInfo != nil && contents.renewalInfo == nil)
  }
}
