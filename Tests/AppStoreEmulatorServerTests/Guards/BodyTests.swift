import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing
import WebSupport

@testable import AppStoreEmulatorServer

@Suite("Bodies and refusals", .timeLimit(.minutes(30)))
struct BodyTests {
  @Test("a body that is larger than its endpoint takes is 413 at the device and control APIs, and one below is read")
  func tooLarge() async throws {
    try await BakeryServer().withClient { client async throws in
      for (path, limit) in [
        ("/device/v1/register", BodyLimit.form), ("/device/v1/products", BodyLimit.list),
        ("/control/v1/customers", BodyLimit.form), ("/control/v1/purchases", BodyLimit.form),
      ] {
        let large = String(repeating: " ", count: limit + 1)
        #expect(try await client.post(path, large).status == 413, "\(path)")
        #expect(try await client.post(path, String(large.dropLast())).status == 400, "\(path)")
      }
    }
  }

  @Test("every refusal of the control API is JSON with a code and a message, as its description says")
  func refusalsAreDescribed() async throws {
    try await BakeryServer().withClient { client async throws in
      let refusals = [
        try await client.get("/control/v1/nowhere"), try await client.send(.delete, "/control/v1/customers", "{}"),
        try await client.get("/control/v1/customers/sandbox/nobody"),
        try await client.get("/control/v1/customers/moon/customer"),
        try await client.post("/control/v1/customers", "{"),
        try await client.post("/control/v1/customers", String(repeating: " ", count: (1 << 20) + 1)),
        try await client.get("/control/v1/charges?limit=0"),
        try await client.get("/control/v1/customers", headers: ["Origin": "null"]),
      ]
      for reply in refusals {
        #expect((400..<500).contains(reply.status))
        #expect(reply.code?.isEmpty == false, "HTTP \(reply.status)")
        #expect(!reply.message.isEmpty, "HTTP \(reply.status)")
      }
    }
  }

  @Test("answers are not kept by anybody on the way")
  func notCached() async throws {
    try await BakeryServer().withClient { client async throws in
      #expect(try await client.get("/control/v1/customers").headers[.cacheControl] == "no-store")
      #expect(try await client.post("/device/v1/register", "{}").headers[.cacheControl] == "no-store")
    }
  }
}
