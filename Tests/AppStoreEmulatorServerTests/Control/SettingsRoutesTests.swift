import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The settings through the control API", .timeLimit(.minutes(30)))
struct SettingsRoutesTests {
  private static let path = "/control/v1/settings"

  @Test("A4 the locale is chosen, shown and removed; members that are not given stay")
  func change() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let initial = try await client.get(Self.path)
      #expect(initial.status == 200 && initial.object["locale"] == nil)
      #expect(initial.object["documented21003"] as? Bool == false && initial.object["lenientBase64"] as? Bool == false)
      #expect(try await client.send(.patch, Self.path, #"{"locale":"de-DE"}"#).object["locale"] as? String == "de_DE")
      let second = try await client.send(.patch, Self.path, #"{"documented21003":true,"lenientBase64":true}"#)
      #expect(second.object["locale"] as? String == "de_DE" && second.object["documented21003"] as? Bool == true)
      #expect(try await client.send(.patch, Self.path, #"{"locale":null}"#).object["locale"] == nil)
      #expect(try await client.get(Self.path).object["lenientBase64"] as? Bool == true)
    }
    #expect(try await bakery.store.settings() == StoreSettings(documented21003: true, lenientBase64: true))
  }

  @Test("what is no locale or no flag is refused, and nothing is changed")
  func refusals() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for (body, status, code) in [
        (#"{"locale":"Klingon"}"#, 422, "invalidLocale"),
        (#"{"locale":"","lenientBase64":true}"#, 422, "invalidLocale"),
        (#"{"locale":5}"#, 400, "malformedRequest"), (#"{"documented21003":"yes"}"#, 400, "malformedRequest"),
        (#"{"documented21003":null,"local":"de"}"#, 400, "malformedRequest"),
      ] {
        let reply = try await client.send(.patch, Self.path, body)
        #expect((reply.status, reply.code) == (status, code), "\(body): \(reply.message)")
      }
    }
    #expect(try await bakery.store.settings() == StoreSettings())
  }
}
