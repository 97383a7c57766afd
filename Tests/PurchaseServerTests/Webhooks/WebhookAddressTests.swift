import Foundation
import Testing
import WebSupport

@testable import PurchaseServer

@Suite("The addresses of receivers", .timeLimit(.minutes(30)))
struct WebhookAddressTests {
  @Test(
    "https is accepted, with the host that the connection is made for",
    arguments: [
      ("https://hooks.example/a?b=c", "hooks.example"), ("HTTPS://Hooks.Example:8443", "Hooks.Example"),
      ("https://192.0.2.1/", "192.0.2.1"), ("https://[2606:4700::1111]:443/a", "2606:4700::1111"),
    ])
  func accepted(text: String, host: String) throws {
    for allowsLoopback in [false, true] {
      let address = try WebhookAddress(text, allowsLoopback: allowsLoopback)
      #expect((address.text, address.host, address.isSecure) == (text, host, true))
    }
  }

  @Test(
    "other schemes, a user, a password, a fragment, no host, a foreign character and a long text are refused",
    arguments: [
      "", "hooks.example", "ftp://hooks.example/", "file:///etc/passwd", "https:///a", "https://", "//hooks.example/",
      "https://olga@hooks.example/", "https://olga:pass@hooks.example/", "https://hooks.example/#a",
      "https://hooks.example/a b", "https://hööks.example/", "https://hooks.example/\u{0}", "https://a_b.example/",
      "https://hooks.example:0/", "https://hooks.example:65536/", "http://hooks.example/", "http://127.0.0.1.example/",
      "http://10.0.0.1/", "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::127.0.0.1]/", "http://[::7f00:1]/",
      "https://[::1", "https://hooks.example/" + String(repeating: "a", count: 2_000),
    ])
  func refused(text: String) {
    for allowsLoopback in [false, true] {
      #expect(throws: WebhookAddress.Problem.self, "\(text)") {
        try WebhookAddress(text, allowsLoopback: allowsLoopback)
      }
    }
  }

  @Test(
    "http is accepted for this machine only, and only if it is configured",
    arguments: [
      "http://localhost:8080/", "http://LOCALHOST/", "http://127.0.0.1:1/", "http://127.9.9.9/", "http://[::1]:8/",
      "http://[::ffff:127.0.0.1]:8/", "http://[::FFFF:7F00:1]/",
    ])
  func loopback(text: String) throws {
    #expect(throws: WebhookAddress.Problem.self) { try WebhookAddress(text, allowsLoopback: false) }
    #expect(try !WebhookAddress(text, allowsLoopback: true).isSecure)
  }

  @Test(
    "addresses that are not of the public Internet",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
      "127.255.255.255",
      "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1",
      "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
      "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
      "64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1",
      "2001:db8::1", "2002:a00:1::", "2002:7f00:1::", "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1",
      "ff02::1", "4000::1", "5f00::1",
    ])
  func special(text: String) throws {
    #expect(try !#require(NetworkAddress(text)).isPublic)
  }

  @Test(
    "addresses of the public Internet",
    arguments: [
      "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
      "128.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "223.255.255.255",
      "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2001:200::1", "2003::1", "2606:4700:4700::1111", "2a00:1450::1",
      "3ffe:ffff::1",
    ])
  func ordinary(text: String) throws {
    #expect(try #require(NetworkAddress(text)).isPublic)
  }

  private func resolved(
    _ url: String, allowsLoopback: Bool = false, _ addresses: [String]
  ) async throws -> [NetworkAddress] {
    let address = try WebhookAddress(url, allowsLoopback: allowsLoopback)
    return try await ReceiverAddresses(
      of: address, allowsLoopback: allowsLoopback, resolver: ScriptedResolver(addresses)
    ).all
  }

  @Test("every address of a name is checked, not only the first; http leads to this machine only")
  func every() async throws {
    let url = "https://hooks.example/"
    #expect(
      try await resolved(url, ["1.1.1.1", "2606:4700::1"]).map(\.description) == ["1.1.1.1", "2606:4700:0:0:0:0:0:1"])
    for addresses in [["10.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["1.1.1.1", "2606:4700::1", "::1"], ["127.0.0.1"]] {
      await #expect(throws: ReceiverAddresses.Refused.self, "\(addresses)") { try await resolved(url, addresses) }
    }
    #expect(try await resolved(url, allowsLoopback: true, ["127.0.0.1", "1.1.1.1"]).count == 2)
    await #expect(throws: ReceiverAddresses.Refused.self) {
      try await resolved(url, allowsLoopback: true, ["127.0.0.1", "10.0.0.1"])
    }
    let local = "http://localhost/"
    #expect(try await resolved(local, allowsLoopback: true, ["127.0.0.1", "::1"]).count == 2)
    #expect(try await resolved(local, allowsLoopback: true, ["::ffff:127.0.0.1"]).map(\.description) == ["127.0.0.1"])
    for addresses in [["1.1.1.1"], ["127.0.0.1", "1.1.1.1"], ["192.168.0.1"], ["::ffff:192.168.0.1"]] {
      await #expect(throws: ReceiverAddresses.Refused.self, "\(addresses)") {
        try await resolved(local, allowsLoopback: true, addresses)
      }
    }
    await #expect(throws: HostResolutionError.self) { try await resolved(url, []) }
  }

  @Test("the system's resolver: addresses are themselves, in every notation, and what is no name has none")
  func system() async throws {
    let resolver = SystemHostResolver()
    #expect(try await resolver.addresses(of: "10.0.0.1").map(\.description) == ["10.0.0.1"])
    #expect(try await resolver.addresses(of: "::1").map(\.isLoopback) == [true])
    // An IPv4 address that is mapped to IPv6 is this IPv4 address.
    #expect(try await resolver.addresses(of: "::ffff:127.0.0.1").map(\.description) == ["127.0.0.1"])
    let local = try await resolver.addresses(of: "localhost")
    #expect(!local.isEmpty && local.allSatisfy(\.isLoopback))
    // Notations that look like names.
    for text in ["2130706433", "0x7f000001", "127.1"] {
      let addresses = try await resolver.addresses(of: text)
      #expect(addresses.map(\.description) == ["127.0.0.1"], "\(text)")
    }
    // No name is so long, so the system asks no name server for it.
    let long = String(repeating: "a", count: 300)
    await #expect(throws: HostResolutionError.self) { try await resolver.addresses(of: long) }
  }
}
