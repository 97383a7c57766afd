import Foundation
import PurchaseLedger
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Stopping the server", .timeLimit(.minutes(10)))
struct StoppingTests {
  private static func head(_ method: String, _ path: String, _ token: String, _ body: String) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test("a redemption that was accepted is finished and answered; then nobody is let in any more")
  func redemption() async throws {
    let room = try await ReadingRoom(.init(method: .verifyReceipt(StoreDoor.policy)))
    let (purchase, reader, gate) = (
      try await room.books.buy(on: room.books.phone()), try await room.reader(), Gate()
    )
    room.door.wait(for: gate)
    let request = Self.head(
      "POST", "\(ReadingRoom.path)/redemptions", reader.token, try order(purchase.proof, [purchase.id]))
    let stopped = try await room.listening { port, stop in
      let answer = try await RawConnection(toPort: port).open { connection in
        try await connection.send(request)
        await gate.somebodyWaits()
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
    #expect(try await room.ledger.creditBalances(of: customer, app: BookStore.app).credits.first?.balance == 5)
  }

  @Test(
    "a server that is told to stop says so at /ready first, and goes on serving until the load balancer has noticed")
  func draining() async throws {
    var wishes = ReadingRoom.Wishes()
    wishes.configuration.limits.drainSeconds = 10
    let room = try await ReadingRoom(wishes)
    try await room.listening { port, stop in
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
      #expect(try await status("\(ReadingRoom.path)/products") == "200")
      room.time.endPauses()
    }
  }

  @Test("a client that hangs up: what it asked for is done all the same, and found when it asks again")
  func hangUp() async throws {
    let room = try await ReadingRoom(.init(method: .verifyReceipt(StoreDoor.policy)))
    let (purchase, reader, gate) = (
      try await room.books.buy(on: room.books.phone()), try await room.reader(), Gate()
    )
    room.door.wait(for: gate)
    let request = Self.head(
      "POST", "\(ReadingRoom.path)/redemptions", reader.token, try order(purchase.proof, [purchase.id]))
    try await room.listening { port, _ in
      try await RawConnection(toPort: port).open { connection in
        try await connection.send(request)
        await gate.somebodyWaits()
      }
      await gate.open()
    }
    let customer = try #require(CustomerID(reader.customer))
    #expect(try await room.ledger.creditBalances(of: customer, app: BookStore.app).credits.first?.balance == 5)
  }
}
