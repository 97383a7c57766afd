import Foundation
import HTTPTransport
import PurchaseKit

/// The person who is signed in to the operator's identity system. The test can switch to another person.
final class SignedInPerson: @unchecked Sendable {
  private let lock = NSLock()
  private var person: UUID
  private var tokens = 0

  init(_ person: UUID) { self.person = person }

  func switches(to person: UUID) { lock.withLock { self.person = person } }

  /// A new token each time, as identity systems issue them.
  var token: String {
    lock.withLock {
      tokens += 1
      let claims = #"{"iss": "https://id.example.com", "sub": "\#(person.uuidString)", "jti": \#(tokens)}"#
      return "e30.\(Self.base64URL(claims)).c2lnbmF0dXJl"
    }
  }

  /// Makes the server answer the next request for the customer with the person who is signed in.
  func isAnswering(_ server: ScriptedServer) {
    let customer = lock.withLock { person }
    server.once("/customer") { _, _ in .init(body: Data(#"{"customer": "\#(customer.uuidString)"}"#.utf8)) }
  }

  func client(_ server: ScriptedServer) -> PurchaseServerClient {
    PurchaseServerClient(
      ScriptedServer.address, bundleID: ScriptedServer.bundleID, device: nil,
      identity: .identified { self.token }, transport: server)
  }

  private static func base64URL(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}
