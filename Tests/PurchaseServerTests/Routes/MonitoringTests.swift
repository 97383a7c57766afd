import CoreMetrics
import Foundation
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Monitoring the server", .timeLimit(.minutes(30)))
struct MonitoringTests {
  /// A database that the test can make unavailable.
  private final class UnavailableDatabase: LedgerDatabase {
    private let database: SQLiteLedgerDatabase
    private let away = LockedValue(false)

    init() throws { database = try SQLiteLedgerDatabase(at: nil) }

    var isUnavailable: Bool {
      get { away.value }
      set { away.value = newValue }
    }

    private func check() throws {
      if isUnavailable { throw LedgerDatabaseError.unavailable(reason: "nobody at db.internal, password=hunter2") }
    }

    func read<Value: Sendable>(
      _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
    ) async throws -> Value {
      try check()
      return try await database.read(body)
    }

    func write<Value: Sendable>(
      locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
    ) async throws -> Value {
      try check()
      return try await database.write(locking: locks, body)
    }

    func close() async throws { try await database.close() }
  }

  @Test("health is alive and returns the anchors, ready fails while the database is unavailable, and recovers")
  func databaseAway() async throws {
    let database = try UnavailableDatabase()
    let fixture = try await ServerFixture(.init(database: database))
    let anchors = try await fixture.ledger.anchors().split(separator: " ").map(String.init)
    try await fixture.withClient { client in
      #expect(try await client.get("/ready").status == 200)
      database.isUnavailable = true
      // The result of a readiness check is cached for a second.
      fixture.time.advance(seconds: 1)
      let ready = try await client.get("/ready")
      #expect((ready.status, ready.code) == (503, "temporarilyUnavailable"))
      #expect(ready.headers[.retryAfter] != nil)
      #expect(!ready.text.contains("hunter2"))
      let health = try await client.get("/health")
      #expect((health.status, health.object["anchors"] as? [String]) == (200, anchors))
      let products = try await client.get("\(ServerFixture.path)/products")
      #expect((products.status, products.code) == (503, "temporarilyUnavailable"))
      database.isUnavailable = false
      fixture.time.advance(seconds: 1)
      #expect(try await client.get("/ready").status == 200)
    }
  }

  @Test("every response has a request id: the client's own if it is short and plain, otherwise a new one")
  func requestIDs() async throws {
    try await ServerFixture().withClient { client in
      for id in ["a", "A-b_c.9", String(repeating: "x", count: 64)] {
        #expect(try await client.get("/none", headers: ["X-Request-Id": id]).headers[.requestID] == id)
      }
      for id in ["", "a b", "a\"b", "é", "<script>", String(repeating: "x", count: 65), "a,b"] {
        let given = try #require(try await client.get("/health", headers: ["X-Request-Id": id]).headers[.requestID])
        #expect(UUID(uuidString: given) != nil, "\(id)")
      }
    }
  }

  @Test("metrics are valid Prometheus text, with routes instead of paths, and no client input as labels")
  func figures() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let book = try await fixture.bookStore.buy(BookStore.book, on: fixture.bookStore.phone())
    let text = try await fixture.withClient { client in
      let link = try #require(try await client.redeem(book, token: reader.token).files().first?["link"] as? String)
      _ = try await client.get("/\(link)")
      _ = try await client.get("/none/\"}\n")
      _ = try await client.send(.init(rawValue: "BREW")!, "/health")
      let reply = try await client.get("/metrics", token: fixture.operatorKey)
      #expect(reply.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
      return reply.text
    }
    let figures = try Figures(text)
    #expect(figures[#"purchase_server_redemptions_total{outcome="given"}"#] == 1)
    #expect(figures["purchase_server_downloaded_bytes_total"] == Double(ServerFixture.audio.count))
    #expect(
      figures[#"purchase_server_requests_total{method="GET",route="/v1/downloads/{token}",status="200"}"#] == 1)
    #expect(figures[#"purchase_server_requests_total{method="GET",route="NotFound",status="404"}"#] == 1)
    #expect(figures[#"purchase_server_requests_total{method="other",route="NotFound",status="404"}"#] == 1)
    let redemption = #"method="POST",route="/v1/apps/{bundleId}/redemptions""#
    #expect(figures["purchase_server_request_seconds_count{\(redemption)}"] == 1)
    #expect(figures["purchase_server_request_seconds_bucket{le=\"+Inf\",\(redemption)}"] == 1)
    #expect(!text.contains(BookStore.app.rawValue) && !text.contains("BREW"))
  }

  @Test("a label's quotes, backslashes and line ends are escaped; a histogram's buckets are cumulative")
  func escaping() throws {
    let exporter = PrometheusExporter([.init("c_total", .counter, "What.")])
    for amount in [2, 1] {
      Counter(label: "c_total", dimensions: [("a", "x\"y\\z\nw"), ("b", "é")], factory: exporter)
        .increment(by: amount)
    }
    #expect(exporter.text == "# HELP c_total What.\n# TYPE c_total counter\nc_total{a=\"x\\\"y\\\\z\\nw\",b=\"é\"} 3\n")
    let histogram = PrometheusExporter([.init("h", .histogram, "How long.")])
    let timer = CoreMetrics.Timer(label: "h", factory: histogram)
    for milliseconds in [0, 1, 2, 300, 60_000] { timer.recordMilliseconds(milliseconds) }
    let figures = try Figures(histogram.text)
    #expect(figures[#"h_bucket{le="0.001"}"#] == 2)
    #expect(figures[#"h_bucket{le="0.5"}"#] == 4)
    #expect(figures[#"h_bucket{le="30.0"}"#] == 4)
    #expect(figures[#"h_bucket{le="+Inf"}"#] == 5)
    #expect((figures["h_count"], figures["h_sum"]) == (5, 60.303))
  }

  @Test("what is recorded for /metrics reaches another backend of swift-metrics, too")
  func otherBackend() {
    let other = PrometheusExporter([.init("purchase_server_redemptions_total", .counter, "")])
    let metrics = ServiceMetrics(recordingTo: other)
    metrics.countRedemption("given")
    for text in [other.text, metrics.text(underWay: 0)] {
      #expect(text.contains(#"purchase_server_redemptions_total{outcome="given"} 1"#))
    }
  }

  @Test("metrics are for this machine or an operator, not for callers through a proxy on this machine")
  func metricsAccess() async throws {
    let fixture = try await ServerFixture()
    try await fixture.listening { port, _ in
      for (fields, status) in [
        ("", "200"), ("X-Forwarded-For: 127.0.0.1\r\n", "401"), ("Forwarded: for=127.0.0.1\r\n", "401"),
        ("Via: 1.1 proxy\r\n", "401"), ("X-Real-IP: 192.0.2.1\r\n", "401"),
        ("Via: 1.1 proxy\r\nAuthorization: Bearer \(fixture.operatorKey)\r\n", "200"),
      ] {
        let answer = try await RawConnection(toPort: port).exchange(
          ["GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)\r\n"])
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(fields)")
      }
    }
    // Without a network connection, the address of the caller is unknown.
    #expect(try await fixture.withClient { try await $0.get("/metrics") }.status == 401)
  }

  /// The values of a metrics text, by name and labels.
  private struct Figures {
    private var values: [String: Double] = [:]

    init(_ text: String) throws {
      #expect(text.hasSuffix("\n"))
      for line in text.split(separator: "\n") where !line.hasPrefix("# HELP ") && !line.hasPrefix("# TYPE ") {
        let match = try #require(
          line.wholeMatch(of: /([a-z_]+(?:\{[a-z]+="(?:[^"\\]|\\.)*"(?:,[a-z]+="(?:[^"\\]|\\.)*")*\})?) ([0-9.e+-]+)/),
          "\(line)")
        let name = String(match.1)
        #expect(values[name] == nil, "\(name) is there twice")
        values[name] = Double(match.2)
        #expect(values[name] != nil, "\(line)")
      }
    }

    subscript(name: String) -> Double? { values[name] }
  }
}
