import Foundation
import HTTPTransport
import PurchaseKit
import StoreModel

/// The person who is signed in to the operator's identity system. The test can switch to another person.
final class SignedInPerson: Sendable {
  private struct State: Sendable {
    var person: UUID
    var tokens = 0
  }

  private let state: LockedValue<State>

  init(_ person: UUID) { state = LockedValue(State(person: person)) }

  func switches(to person: UUID) { state.withLock { $0.person = person } }

  /// A new token each time, as identity systems issue them.
  var token: String {
    state.withLock { state in
      state.tokens += 1
      let claims = #"{"iss": "https://id.example.com", "sub": "\#(state.person.uuidString)", "jti": \#(state.tokens)}"#
      return "e30.\(Self.base64URL(claims)).c2lnbmF0dXJl"
    }
  }

  /// Makes the server answer the next request for the customer with the person who is signed in.
  func isAnswering(_ server: ScriptedServer) {
    let customer = state.withLock { $0.person }
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
