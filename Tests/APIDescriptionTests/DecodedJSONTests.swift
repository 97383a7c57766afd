import APIDescription
import Foundation
import Testing

@Suite("JSON objects whose members are not described", .timeLimit(.minutes(30)))
struct DecodedJSONTests {
  @Test(
    "a number that is out of the range of a double is named as such, at any depth",
    arguments: [#"{"a":1e400}"#, #"{"a":[1,{"b":[-1e400]}]}"#])
  func range(json: String) {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DecodedJSON.self, from: Data(json.utf8))
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription == "the number is out of range.")
  }

  @Test("values of every kind keep their value, and names are sorted")
  func values() throws {
    let json = #"{"z":[1,-2.5,9223372036854775807,true,null,"é",{},[]],"a":{"b":""}}"#
    let decoded = try JSONDecoder().decode(DecodedJSON.self, from: Data(json.utf8))
    #expect(decoded.text == #"{"a":{"b":""},"z":[1,-2.5,9223372036854775807,true,null,"é",{},[]]}"#)
  }
}
