import HTTPTypes
import SharedFixtures
import Testing
import WebSupport

@testable import AppStoreEmulatorServer

@Suite("Bounds of what the emulator's APIs read", .timeLimit(.minutes(30)))
struct RequestBoundsTests {
  private static let marks = String(repeating: "\u{301}\u{316}", count: 16)
  private static let encodedMarks = String(repeating: "%CC%81%CC%96", count: 16)

  @Test(
    "G1 a body announced to be larger than its endpoint takes is refused with 413 before any of it comes",
    arguments: [
      ("/sandbox/verifyReceipt", 13 << 20), ("/device/v1/products", 2 << 20), ("/device/v1/unfinished", 1 << 17),
      ("/control/v1/customers", 1 << 17), ("/control/v1/restore", 300 << 20), ("/control/v1/reset", 1 << 15),
    ])
  func announced(path: String, length: Int) async throws {
    let answer = try await BakeryServer().listening { port in
      try await RawConnection(toPort: port).exchange(
        [
          "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
        ], until: "}")
    }
    #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer.prefix(200))")
  }

  @Test("numbers that are not whole are named, but not one for each of thousands")
  func numbers() async throws {
    let name = String(repeating: "n", count: 80)
    let list = "[\(Array(repeating: "0.5", count: 2_000).joined(separator: ","))]"
    let body = String(repeating: "{\"\(name)\":", count: 40) + list + String(repeating: "}", count: 40)
    let reply = try await BakeryServer().withClient { try await $0.post("/device/v1/products", body) }
    #expect(reply.status == 400)
    #expect(reply.text.utf8.count < 20_000)
    let deep = String(repeating: "[", count: 65) + "0.5" + String(repeating: "]", count: 65)
    let refused = try await BakeryServer().withClient { try await $0.post("/device/v1/products", deep) }
    #expect(refused.status == 400)
    #expect(refused.text.contains("nested more than 64 deep"), "\(refused.text)")
  }

  @Test("text that takes longer to compare than to read is refused wherever it stands in a body")
  func bodies() async throws {
    try await BakeryServer().withClient { client async throws in
      for (path, body) in [
        ("/control/v1/customers", "{\"\(Self.marks)\":1}"),
        ("/control/v1/customers", "{\"environment\":\"sandbox\",\"name\":\"\(Self.marks)\"}"),
        ("/control/v1/faults", "{\"kind\":\"\(Self.marks)\"}"),
        ("/device/v1/signOut", "{\"installationID\":\"\(Self.marks)\",\"call\":{}}"),
      ] {
        let reply = try await client.post(path, body)
        #expect(reply.status == 400)
        #expect(reply.text.contains("combining marks"), "\(path): \(reply.text)")
      }
      let receipt = try await client.post("/sandbox/verifyReceipt", "{\"\(Self.marks)\":1}")
      #expect(receipt.object["status"] as? Int == 21000)
    }
  }

  @Test("text that takes longer to compare than to read is refused in an address and in header fields")
  func heads() async throws {
    try await BakeryServer().withClient { client async throws in
      for path in [
        "/control/v1/customers/sandbox/\(Self.encodedMarks)", "/control/v1/transactions?search=\(Self.encodedMarks)",
        "/console/customers?\(Self.encodedMarks)=1", "/\(Self.marks)", "/control/v1/\u{E9}",
      ] {
        #expect(try await client.get(path).status == 400, "\(path)")
      }
      for name in ["Authorization", "Cookie", "Accept-Language", "X-Anything"] {
        #expect(try await client.get("/control/v1/clock", headers: [name: Self.marks]).status == 400, "\(name)")
      }
      #expect(try await client.get("/control/v1/clock", headers: ["X-Anything": "café"]).status == 200)
    }
  }

  @Test("a bundle id with U+212A (KELVIN SIGN) is not the one with K")
  func equivalence() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.serve("org.example.K", catalog: [try BakeryServer.catalog()])
    try await bakery.withClient { client async throws in
      #expect(try await client.get("/control/v1/connection?bundleId=org.example.K").status == 200)
      #expect(try await client.get("/control/v1/connection?bundleId=org.example.%E2%84%AA").status == 404)
    }
  }
}
