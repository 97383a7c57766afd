import Foundation
import Testing

@testable import PurchaseServer

@Suite("The signatures of messages", .timeLimit(.minutes(30)))
struct WebhookSignatureTests {
  /// The example of the libraries of Standard Webhooks.
  private static let key = Data(base64Encoded: "plJ3nmyCDGBKInavdOK15jsl")!
  private static let signature = "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="
  private static let body = Data(#"{"event_type":"ping","data":{"success":true}}"#.utf8)

  @Test("are those of Standard Webhooks, one for each secret")
  func vector() {
    func header(_ keys: [Data]) -> String {
      WebhookSignature.header(id: "msg_loFOjxBNrRLzqYUf", seconds: 1_731_705_121, body: Self.body, keys: keys)
    }
    #expect(header([Self.key]) == Self.signature)
    let other = header([Data(repeating: 7, count: 32)])
    #expect(other != Self.signature)
    #expect(header([Self.key, Data(repeating: 7, count: 32)]) == "\(Self.signature) \(other)")
  }
}
