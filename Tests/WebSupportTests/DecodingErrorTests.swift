import Foundation
import StoreModel
import Testing
import WebSupport

@Suite("The explanation of a value that cannot be decoded", .timeLimit(.minutes(30)))
struct DecodingErrorTests {
  private struct Order: Decodable {
    enum Kind: String, Decodable { case novel, poem }

    var id: TransactionID?
    var kind: Kind?
    var device: UUID?
    var page: URL?
    var list: [Kind]?
  }

  @Test(
    "names the member and what is expected, and no type of Swift",
    arguments: [
      (#"{"id":"x y"}"#, "id: x y is not allowed."), (#"{"kind":"song"}"#, "kind: song is not allowed."),
      (#"{"list":["poem","song"]}"#, "list.Index 1: song is not allowed."),
      (#"{"device":"phone"}"#, "device: a UUID is expected."), (#"{"device":7}"#, "device: a text is expected."),
      (#"{"kind":{}}"#, "kind: a text is expected."), ("{", "It is not valid JSON."),
      ("[]", "an object is expected."),
    ])
  func explanation(json: String, expected: String) throws {
    let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(Order.self, from: Data(json.utf8)) }
    #expect(error?.explanation == expected)
  }
}
