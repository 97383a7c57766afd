import AppStoreEmulator
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import AppStoreEmulatorServer

@Suite("The control token")
struct ControlTokenTests {
  static let paths = [
    "/control/v1/customers", "/control/v1/connection", "/control/openapi.json", "/control/v1/nowhere",
    "//control/v1/customers", "/control//v1/connection", "control/v1/customers", "///control/v1/charges",
    "http://localhost/control/v1/customers", "http://localhost//control/v1/customers",
  ]

  @Test(
    "without it, or with another, the control door stays shut",
    arguments: [
      nil, "Bearer wrong", "Bearer", "Bearer ", "sesame", "Basic sesame", "bearer sesame", "Bearer sesame2",
      "Bearer sesam", "Bearer  sesame", "Bearer sesame, Bearer sesame",
    ])
  func refused(authorization: String?) async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.doors { client async throws in
      let headers = authorization.map { ["Authorization": $0] } ?? [:]
      for path in Self.paths {
        let reply = try await client.get(path, headers: headers)
        #expect((reply.status, reply.code) == (401, "tokenRequired"), "\(path)")
      }
      for path in ["/control/v1/purchases", "//control/v1/purchases"] {
        #expect(try await client.post(path, "{}", headers: headers).status == 401, "\(path)")
      }
    }
  }

  @Test("with it the control door opens")
  func admitted() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.doors { client async throws in
      let headers = ["Authorization": "Bearer sesame"]
      #expect(try await client.get("/control/v1/customers", headers: headers).status == 200)
      #expect(try await client.get("/control/openapi.json", headers: headers).status == 200)
    }
  }

  @Test("devices and verifyReceipt need none")
  func otherDoors() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.doors { client async throws in
      #expect(try await client.post("/device/v1/register", "{}").status == 400)
      #expect(try await client.post("/sandbox/verifyReceipt", "{}").status == 200)
    }
  }

  @Test(
    "bound to anything but loopback, a server without a token is not made",
    arguments: ["0.0.0.0", "::", "192.168.1.5", "store.example", ""])
  func tokenRequired(host: String) throws {
    let store = try EmulatedAppStore(.inMemory())
    for token in [nil, ""] {
      #expect(throws: EmulatorServerError.controlTokenRequired(host: host)) {
        try EmulatorServer(
          store: store, configuration: .init(host: host, controlToken: token), logger: BakeryServer.logger)
      }
    }
    _ = try EmulatorServer(
      store: store, configuration: .init(host: host, controlToken: "sesame"), logger: BakeryServer.logger)
    #expect(EmulatorServerError.controlTokenRequired(host: host).description.contains("--control-token"))
  }
}
