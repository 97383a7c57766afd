import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The clock through the control API", .timeLimit(.minutes(30)))
struct ClockRoutesTests {
  @Test("is read, put forward and stopped")
  func change() async throws {
    let bakery = try await BakeryServer()
    let opening = Int(BakeryServer.opening.millisecondsSince1970)
    try await bakery.withClient { client async throws in
      func shown(_ reply: Reply) -> [Double] {
        [reply.object["now"] as? Double ?? -1, reply.object["rate"] as? Double ?? -1]
      }
      let clock = "/control/v1/clock"
      #expect(try await shown(client.get(clock)) == [Double(opening), 1])
      #expect(
        try await shown(client.send(.patch, clock, #"{"advanceMilliseconds":1500}"#)) == [Double(opening + 1500), 1])
      #expect(
        try await shown(client.send(.patch, clock, #"{"now":\#(opening + 9000),"rate":0}"#))
          == [Double(opening + 9000), 0])
      #expect(try await shown(client.send(.patch, clock, "{}")) == [Double(opening + 9000), 0])
      #expect(try await shown(client.get(clock)) == [Double(opening + 9000), 0])
    }
    bakery.clock.advance(seconds: 100)
    #expect(bakery.store.clock.now == BakeryServer.opening.adding(seconds: 9))
  }

  @Test("what it cannot show is refused with words that say why, and it stays as it is")
  func refusals() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for (body, status, code, word) in [
        (#"{"now":1000}"#, 409, "clockNeverGoesBack", "cannot go back"),
        (#"{"advanceMilliseconds":-1}"#, 409, "clockNeverGoesBack", "cannot go back"),
        (#"{"advanceMilliseconds":9223372036854775807}"#, 422, "dateOutsideCertificates", "2063"),
        (#"{"rate":-1}"#, 422, "clockRateOutOfRange", "0"),
        (#"{"rate":1000001}"#, 422, "clockRateOutOfRange", "1000000"),
        (#"{"now":9000000000000,"advanceMilliseconds":1}"#, 400, "malformedRequest", "only one"),
        (#"{"now":"tomorrow"}"#, 400, "malformedRequest", "now"),
        (#"{"advanceMilliseconds":1.5}"#, 400, "malformedRequest", ""),
      ] {
        let reply = try await client.send(.patch, "/control/v1/clock", body)
        #expect((reply.status, reply.code) == (status, code), "\(body): \(reply.message)")
        #expect(word.isEmpty || reply.message.contains(word), "\(body): \(reply.message)")
      }
    }
    #expect(try await bakery.store.clockReading() == ClockReading(now: BakeryServer.opening, rate: 1))
  }
}
