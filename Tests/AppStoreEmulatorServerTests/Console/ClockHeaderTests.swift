import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The clock in the console's header", .timeLimit(.minutes(30)))
struct ClockHeaderTests {
  @Test("every page has buttons that move the clock", arguments: ConsoleSection.allCases)
  func everyPage(section: ConsoleSection) async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for (button, milliseconds) in [
        ("clock-hour", 3_600_000), ("clock-day", 86_400_000), ("clock-month", 2_592_000_000),
      ] as [(String, Int64)] {
        let before = bakery.store.clock.now
        let form = try #require(try await client.page(section.address).headerCalls[button])
        let reply = try await client.submit(form, page: section.address)
        #expect((reply.status, reply.headers[.location]) == (303, section.address))
        #expect(bakery.store.clock.now == before.adding(milliseconds: milliseconds))
      }
    }
  }

  @Test("the clock can be paused and run, and travels to the next event, if there is one")
  func travel() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let form = try #require(try await client.page("/").headerCalls["clock-event"])
      let refused = try await client.submit(form)
      #expect(refused.status == 409 && refused.text.contains("Nothing is due"))
      try await bakery.subscribe()
      let subscription = try #require(
        try await bakery.store.subscriptions(of: "customer", in: .sandbox).first)
      #expect(try await client.submit(form).status == 303)
      #expect(bakery.store.clock.now == subscription.nextEventDate)
      let pause = try #require(try await client.page("/").headerCalls["clock-pause"])
      #expect(try await client.submit(pause).status == 303)
      #expect(bakery.store.clock.rate == 0)
      let page = try await client.page("/")
      #expect(page.headerCalls["clock-pause"] == nil)
      #expect(try await client.submit(try #require(page.headerCalls["clock-run"])).status == 303)
      #expect(bakery.store.clock.rate == 1)
    }
  }

  @Test("at the control API, the next event goes with no other move")
  func conflict() async throws {
    try await BakeryServer().withClient { client async throws in
      for body in [
        #"{"toNextEvent":true,"advanceMilliseconds":1}"#, #"{"toNextEvent":true,"now":1782907200000}"#,
      ] {
        let reply = try await client.send(.patch, "/control/v1/clock", body)
        #expect((reply.status, reply.code) == (400, "malformedRequest"))
      }
      let reply = try await client.send(.patch, "/control/v1/clock", #"{"toNextEvent":true}"#)
      #expect((reply.status, reply.code) == (409, "nothingDue"))
      #expect(try await client.send(.patch, "/control/v1/clock", #"{"toNextEvent":false}"#).status == 200)
    }
  }
}
