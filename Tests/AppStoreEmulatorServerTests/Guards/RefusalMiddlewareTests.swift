import HummingbirdTesting
import Testing

@testable import AppStoreEmulatorServer

@Suite("What is refused for its kind is named", .timeLimit(.minutes(30)))
struct RefusalWordsTests {
  @Test(
    "the member, and what is wanted of it",
    arguments: [
      ("clock", #"{"advanceMilliseconds":1.5}"#, "advanceMilliseconds is no whole number"),
      ("clock", #"{"advanceMilliseconds":99999999999999999999}"#, "advanceMilliseconds is no whole number"),
      ("clock", #"{"now":"2026-02-30"}"#, "now: a whole number is expected."),
      ("clock", #"{"rate":"fast"}"#, "rate: a number is expected."),
      ("customers/sandbox/customer", #"{"needsApproval":"yes"}"#, "needsApproval: true or false is expected."),
      ("customers/sandbox/customer", #"{"password":5}"#, "password: a text is expected."),
      ("clock", "{", "not valid JSON"),
      ("clock", #"{"rate":1,}"#, "not valid JSON at byte 10: a name in quotes is expected."),
      ("clock", #"{"rate":01}"#, "not valid JSON at byte 9: a number begins with a needless zero."),
      ("clock", #"{"rate":+1}"#, "not valid JSON at byte 8: a value is expected."),
      ("clock", #"{"rate":1e400}"#, "out of range."),
      ("clock", #"{"rate":1,"rate":2}"#, "The JSON does not fit: the name rate occurs twice."),
    ])
  func text(path: String, json: String, text: String) async throws {
    try await BakeryServer().withClient { client async throws in
      let reply = try await client.send(.patch, "/control/v1/\(path)", json)
      #expect(reply.status == 400 && reply.message.contains(text), "\(reply.message)")
    }
  }
}
