import Foundation
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Stopping the server", .timeLimit(.minutes(30)))
struct StoppingTests {
  private static func head(_ method: String, _ path: String, _ token: String, _ body: String) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test("an accepted redemption is finished and answered; then no request is accepted")
  func redemption() async throws {
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(TestReceiptServer.policy)))
    let (purchase, reader, gate) = (
      try await fixture.bookStore.buy(on: fixture.bookStore.phone()), try await fixture.reader(), Gate()
    )
    fixture.receiptServer.wait(for: gate)
    let request = Self.head(
      "POST", "\(ServerFixture.path)/redemptions", reader.token, try redemptionBody(purchase.proof, [purchase.id]))
    let stopped = try await fixture.listening { port, stop in
      let answer = try await RawConnection(toPort: port).open { connection in
        try await connection.send(request)
        await gate.untilCallerWaits()
        await stop()
        await gate.open()
        return try await connection.read(until: nil)
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
      #expect(answer.contains("\"credits\":{\"amount\":5,\"unit\":\"coins\"}"))
      return port
    }
    await #expect(throws: (any Error).self) {
      _ = try await RawConnection(toPort: stopped).exchange(["GET /health HTTP/1.1\r\nHost: x\r\n\r\n"])
    }
    let customer = try #require(CustomerID(reader.customer))
    #expect(try await fixture.ledger.creditBalances(of: customer, app: BookStore.app).credits.first?.balance == 5)
  }

  @Test(
    "a server that is asked to stop fails /ready first, and serves until the load balancer has noticed")
  func draining() async throws {
    var options = ServerFixture.Options()
    options.configuration.limits.drainSeconds = 10
    let fixture = try await ServerFixture(options)
    try await fixture.listening { port, stop in
      func status(_ path: String) async throws -> String {
        let answer = try await RawConnection(toPort: port).exchange(
          ["GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"])
        return String(answer.dropFirst(9).prefix(3)) + (answer.contains("\"stopping\"") ? " stopping" : "")
      }
      #expect(try await status("/ready") == "200")
      await stop()
      // Another task stops the server, so the test polls until /ready changes.
      while try await status("/ready") == "200" {}
      #expect(try await status("/ready") == "503 stopping")
      #expect(try await status("/health") == "200")
      #expect(try await status("\(ServerFixture.path)/products") == "200")
      fixture.time.endPauses()
    }
  }

  @Test("a redemption whose client disconnects, and asks again, is performed once")
  func hangUp() async throws {
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(TestReceiptServer.policy)))
    let (purchase, reader, gate) = (
      try await fixture.bookStore.buy(on: fixture.bookStore.phone()), try await fixture.reader(), Gate()
    )
    fixture.receiptServer.wait(for: gate)
    let request = Self.head(
      "POST", "\(ServerFixture.path)/redemptions", reader.token, try redemptionBody(purchase.proof, [purchase.id]))
    try await fixture.listening { port, _ in
      try await RawConnection(toPort: port).open { connection in
        try await connection.send(request)
        await gate.untilCallerWaits()
      }
      await gate.open()
      let again = try await RawConnection(toPort: port).exchange([request], until: #""unit":"coins""#)
      #expect(again.hasPrefix("HTTP/1.1 200 ") && again.contains(#""amount":5"#), "\(again)")
      let customer = try #require(CustomerID(reader.customer))
      #expect(try await fixture.ledger.creditBalances(of: customer, app: BookStore.app).credits.first?.balance == 5)
    }
  }
}
