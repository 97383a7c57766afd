import Foundation
import HTTPTypes
import SharedFixtures
import Testing
import WebSupport

@testable import AppStoreEmulatorServer

@Suite("The host a request is for", .timeLimit(.minutes(30)))
struct HostTests {
  @Test("G2 Apple's receipt hosts reach exactly their own endpoint")
  func receiptHosts() async throws {
    let bakery = try await BakeryServer()
    let request = try json(["receipt-data": try await bakery.receipt().base64EncodedString()])
    try await bakery.listening { port async throws in
      for (host, status) in [
        ("buy.itunes.apple.com", 21007), ("sandbox.itunes.apple.com", 0), ("BUY.iTunes.apple.com:443", 21007),
      ] {
        let reply = try await send(.post, "/verifyReceipt", request, host: host, toPort: port)
        #expect((reply.status, reply.object["status"] as? Int) == (200, status), "\(host)")
      }
      let get = try await send(.get, "/verifyReceipt", host: "buy.itunes.apple.com", toPort: port)
      #expect((get.status, get.object["status"] as? Int) == (200, 21000))
      let query = try await send(
        .post, "/verifyReceipt?source=test", request, host: "sandbox.itunes.apple.com", toPort: port)
      #expect(query.object["status"] as? Int == 0)
    }
  }

  @Test(
    "Apple's hosts reach no other API",
    arguments: [
      "/control/v1/customers", "//control/v1/customers", "/control/openapi.json", "/device/v1/unfinished",
      "/sandbox/verifyReceipt", "/production/verifyReceipt", "//verifyReceipt", "/verifyReceipt/", "/VerifyReceipt",
      "/", "/inApps/../control/v1/customers", "/inApps//../../control/v1/customers",
      "/inApps/v1/../../../control/v1/apps",
    ])
  func noOtherEndpoint(path: String) async throws {
    try await BakeryServer().listening { port async throws in
      for host in AppleHosts.names {
        #expect(try await send(.get, path, host: host, toPort: port).status == 404, "\(host)\(path)")
        #expect(try await send(.post, path, "{}", host: host, toPort: port).status == 404, "\(host)\(path)")
      }
    }
  }

  @Test(
    "bound to loopback, other host names are refused at every endpoint",
    arguments: [
      "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "127.0.0",
      "127.0.0.1.", "127.0.0.1.5", "128.0.0.1", "127.0.0.256", "apple.com", "xbuy.itunes.apple.com", "[::2]:80", "",
      "[::1].evil.example", "[::1]evil.example:80", "localhost:80.evil.example", "localhost:evil", "127.0.0.1:99999",
      "buy.itunes.apple.com:evil", "evil@localhost", "localhost@evil.example", "[::1", "[localhost]", "[127.0.0.1]",
    ])
  func foreignHosts(host: String) async throws {
    let bakery = try await BakeryServer()
    try await bakery.listening { port async throws in
      for path in ["/control/v1/customers", "/control/openapi.json", "/", "/nowhere"] {
        let reply = try await send(.get, path, host: host, toPort: port)
        #expect((reply.status, reply.code) == (421, "foreignHost"), "\(path)")
      }
      for path in ["/device/v1/register", "/sandbox/verifyReceipt", "/control/v1/purchases"] {
        #expect(try await send(.post, path, "{}", host: host, toPort: port).status == 421, "\(path)")
      }
    }
  }

  @Test(
    "this machine's own names are let in, with any port",
    arguments: ["localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:9", "127.1.2.3:65535", "[::1]", "[::1]:8080"])
  func loopback(host: String) async throws {
    try await BakeryServer().listening { port async throws in
      #expect(try await send(.get, "/control/v1/customers", host: host, toPort: port).status == 200)
    }
  }

  @Test("an origin is the same only if all of its host and port are")
  func origins() async throws {
    let bakery = try await BakeryServer()
    try await bakery.listening { port async throws in
      for (origin, status) in [
        ("http://localhost:8080", 200), ("https://LOCALHOST:8080", 200), ("http://localhost", 403),
        ("http://localhost:8080.evil.example", 403), ("http://localhost:8080@evil.example", 403),
        ("http://evil.example", 403), ("null", 403), ("http://localhost:8080/", 403), ("ftp://localhost:8080", 403),
      ] {
        let reply = try await send(
          .get, "/control/v1/customers", host: "localhost:8080", headers: ["Origin": origin], toPort: port)
        #expect(reply.status == status, "\(origin)")
      }
    }
  }

  @Test("a request that names no host is refused")
  func noHost() async throws {
    try await BakeryServer().listening { port async throws in
      let reply = try await send(.get, "/control/v1/customers", host: nil, toPort: port)
      #expect([400, 421].contains(reply.status))
    }
  }

  @Test("a request with several hosts is refused: a proxy may have decided by the other one")
  func severalHosts() async throws {
    try await BakeryServer().listening { port async throws in
      for (target, hosts, status) in [
        ("/control/v1/apps", ["localhost"], 200), ("/control/v1/apps", ["localhost", "evil.example"], 400),
        ("/control/v1/apps", ["localhost", "localhost"], 400), ("http://localhost/control/v1/apps", ["localhost"], 200),
        ("http://evil.example/control/v1/apps", ["localhost"], 400),
        ("http://localhost/control/v1/apps", ["localhost:80"], 400),
      ] {
        let fields = hosts.map { "Host: \($0)\r\n" }.joined()
        let reply = try await RawConnection(toPort: port).exchange([
          "GET \(target) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n"
        ])
        #expect(reply.hasPrefix("HTTP/1.1 \(status) "), "\(target) \(hosts)")
      }
    }
  }

  @Test("bound elsewhere, any host name is let in, for the token guards the control API")
  func boundElsewhere() async throws {
    let bakery = try await BakeryServer(.init(host: "0.0.0.0", port: 0, controlToken: "sesame"))
    try await bakery.listening { port async throws in
      let headers = ["Authorization": "Bearer sesame"]
      let reply = try await send(.get, "/control/v1/apps", host: "store.example:80", headers: headers, toPort: port)
      #expect(reply.status == 200)
      #expect(try await send(.get, "/control/v1/apps", host: "store.example", toPort: port).status == 401)
    }
  }

  @Test(
    "what counts as loopback when the server is configured",
    arguments: [
      ("127.0.0.1", true), ("localhost", true), ("LocalHost", true), ("::1", true), ("[::1]", true),
      ("127.9.9.9", true),
      ("0.0.0.0", false), ("::", false), ("", false), ("192.168.0.1", false), ("localhost.example", false),
      ("127.0.0.1.example", false), ("127.0.0.1.5", false), ("127.0.0.-1", false),
    ])
  func configuredHosts(host: String, isLoopback: Bool) {
    #expect(LoopbackHosts.contains(host) == isLoopback)
  }
}
