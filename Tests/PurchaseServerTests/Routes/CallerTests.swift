import HTTPTypes
import Testing
import WebSupport

@testable import PurchaseServer

@Suite("Rates of callers", .timeLimit(.minutes(30)))
struct CallerTests {
  @Test("buckets refill as time passes, never above the burst")
  func bucket() {
    let time = ManualMonotonicClock()
    let rates = RateLimiter(.init(perSecond: 2, burst: 3), clock: time)
    #expect((0..<4).map { _ in rates.admit("a") } == [nil, nil, nil, 1])
    time.advance(seconds: 0.5)
    #expect(rates.admit("a") == nil)
    #expect(rates.admit("a") == 1)
    time.advance(seconds: 1_000_000)
    #expect((0..<4).map { _ in rates.admit("a") } == [nil, nil, nil, 1])
    #expect(rates.admit("b") == nil)
  }

  @Test("a higher cost waits longer, and is never impossible")
  func cost() {
    let time = ManualMonotonicClock()
    let rates = RateLimiter(.init(perSecond: 0.5, burst: 4), clock: time)
    #expect(rates.admit("a", cost: 100) == nil)
    #expect(rates.admit("a", cost: 3) == 6)
    time.advance(seconds: 6)
    #expect(rates.admit("a", cost: 3) == nil)
  }

  @Test("idle callers are forgotten; with too many busy ones, those who must wait are kept")
  func forgetting() {
    let time = ManualMonotonicClock()
    let rates = RateLimiter(.init(perSecond: 1, burst: 2), mostCallers: 10, clock: time)
    for number in 0..<10 { #expect(rates.admit("caller \(number)") == nil) }
    #expect(rates.callerCount == 10)
    time.advance(seconds: 2)
    #expect(rates.admit("new") == nil)
    #expect(rates.callerCount == 1)
    for _ in 0..<2 { _ = rates.admit("waits") }
    for number in 0..<30 { #expect(rates.admit("other \(number)") == nil) }
    #expect(rates.admit("waits") != nil)
    #expect(rates.callerCount <= 10)
    for number in 0..<30 { for _ in 0..<3 { _ = rates.admit("busy \(number)") } }
    #expect(rates.callerCount <= 10)
  }

  @Test(
    "addresses and ranges are parsed, and nothing else",
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.1", "10.0.0.1", true),
      ("10.0.0.1", "10.0.0.2", false), ("0.0.0.0/0", "192.0.2.1", true), ("0.0.0.0/0", "2001:db8::1", false),
      ("::/0", "192.0.2.1", true), ("2001:db8::/33", "2001:db8:7fff::1", true),
      ("2001:db8::/33", "2001:db8:8000::1", false), ("127.0.0.1", "::ffff:127.0.0.1", true),
      ("192.168.1.128/25", "192.168.1.127", false), ("192.168.1.128/25", "192.168.1.200", true),
    ])
  func ranges(range: String, address: String, isIn: Bool) throws {
    #expect(try #require(NetworkRange(range)).contains(#require(NetworkAddress(address))) == isIn)
  }

  @Test(
    "an invalid range is refused",
    arguments: [
      "", "x", "10.0.0.0/33", "10.0.0.0/", "/8", "::1/129", "10.0.0.0/-1", "10.0.0", "localhost", "1.2.3.4\0",
    ])
  func noRange(text: String) { #expect(NetworkRange(text) == nil) }

  private static let forwarded: [(String?, [String], String)] = [
    // The connected address is not a trusted proxy, so it is the caller.
    ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
    ("10.0.0.1", [], "10.0.0.1"),
    ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
    // The client wrote the first entry itself, so it is ignored.
    ("10.0.0.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
    ("10.0.0.1", ["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
    ("10.0.0.1", ["198.51.100.7, 10.0.0.2"], "198.51.100.7"),
    ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
    ("10.0.0.1", ["198.51.100.7:4711"], "198.51.100.7"),
    ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8:0:0:0:0:0:1"),
    ("10.0.0.1", ["2001:db8::1"], "2001:db8:0:0:0:0:0:1"),
    ("10.0.0.1", ["198.51.100.7, unknown"], "10.0.0.1"),
    ("10.0.0.1", ["unknown, 198.51.100.7"], "198.51.100.7"),
    ("10.0.0.1", [""], "10.0.0.1"), ("10.0.0.1", [",,,"], "10.0.0.1"), ("10.0.0.1", ["198.51.100.7,"], "10.0.0.1"),
    ("::ffff:10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
  ]

  @Test("X-Forwarded-For is used from trusted proxies only, from its end", arguments: forwarded)
  func forwarding(peer: String?, fields: [String], address: String) throws {
    var headers = HTTPFields()
    for field in fields { headers.append(HTTPField(name: .forwardedFor, value: field)) }
    let caller = CallerAddress(peer: peer, headers, trusted: [try #require(NetworkRange("10.0.0.0/8"))])
    #expect(caller.address?.description == address)
  }

  @Test("a caller is local only if no header says that the request was forwarded")
  func loopback() throws {
    let none = HTTPFields()
    #expect(CallerAddress(peer: "127.0.0.1", none, trusted: []).isLoopback)
    #expect(CallerAddress(peer: "::1", none, trusted: []).isLoopback)
    #expect(CallerAddress(peer: "::ffff:127.0.0.9", none, trusted: []).isLoopback)
    for peer in [nil, "10.0.0.1", "::2", "128.0.0.1"] {
      #expect(!CallerAddress(peer: peer, none, trusted: []).isLoopback)
    }
    for name in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"] {
      let headers: HTTPFields = [try #require(HTTPField.Name(name)): "127.0.0.1"]
      #expect(!CallerAddress(peer: "127.0.0.1", headers, trusted: []).isLoopback, "\(name)")
    }
    let trusted = [try #require(NetworkRange("127.0.0.1"))]
    #expect(!CallerAddress(peer: "127.0.0.1", [.forwardedFor: "198.51.100.7"], trusted: trusted).isLoopback)
  }

  @Test("an IPv6 network of 64 bits is one caller; an IPv4 address is one caller")
  func holders() throws {
    func key(_ peer: String) -> String { CallerAddress(peer: peer, HTTPFields(), trusted: []).key }
    #expect(key("2001:db8::1") == key("2001:db8::ffff:2"))
    #expect(key("2001:db8::1") != key("2001:db8:0:1::1"))
    #expect(key("192.0.2.1") != key("192.0.2.2"))
    #expect(key("192.0.2.1") == key("::ffff:192.0.2.1"))
  }

  @Test("recently used tokens are recognised, up to a limit")
  func tokens() {
    let tokens = RecognisedTokens(most: 2)
    for token in ["a", "b", "c"] { tokens.add(token, of: "holder of \(token)") }
    #expect(
      ["a", "b", "c", "d"].map(tokens.caller) == ["holder of a", "holder of b", "holder of c", nil])
    for token in ["d", "e"] { tokens.add(token, of: "holder of \(token)") }
    #expect(
      ["a", "b", "c", "d", "e"].map { tokens.caller(of: $0) != nil } == [false, false, true, true, true])
  }

  @Test("a forwarded address is parsed as a whole: a valid prefix is not enough")
  func forwardedSpellings() throws {
    let proxy = try #require(NetworkRange("10.0.0.0/8"))
    for (text, key) in [
      ("[::1].evil.example", "10.0.0.1"), ("[2001:db8::5]x", "10.0.0.1"), ("192.0.2.1:evil", "10.0.0.1"),
      ("192.0.2.1:80", "192.0.2.1"), ("[2001:db8::5]:443", "2001:db8::5"), ("[2001:db8::5]", "2001:db8::5"),
    ] {
      let caller = CallerAddress(peer: "10.0.0.1", [.forwardedFor: text], trusted: [proxy])
      #expect(caller.key == CallerAddress(peer: key, HTTPFields(), trusted: []).key, "\(text)")
    }
  }
}
