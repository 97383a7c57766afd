import Foundation
import SharedFixtures
import Testing

/// Every endpoint of both servers is measured with stored rows of one customer, and with twice as many. A new endpoint is
/// measured by itself.
///
/// `STORED_ROWS` is the larger number (`make prove`: 100,000). With `STORED_ROWS_PRINT`, a table of the longest times
/// is printed for each server.
@Suite("Stored rows", .serialized, .timeLimit(.minutes(StoredRowsSettings.largest > 20_000 ? 240 : 30)))
struct StoredRowsTests {
  private let half = StoredRowsSettings.largest / 2
  private let all = StoredRowsSettings.largest

  @Test(
    "The purchase server's endpoints take at most 2.5 times the time with twice as many rows of a customer",
    arguments: StoredRowsServer.Engine.allCases)
  func purchases(_ engine: StoredRowsServer.Engine) async throws {
    let folder = try ScratchFolder()
    let server = try await StoredRowsServer(engine, folder)
    defer { server.stop() }
    #expect(server.endpoints.count > 20)
    var check = RowCostCheck()
    try await server.add(1..<half + 1)
    for endpoint in server.endpoints {
      try check.note("\(endpoint)", attempts: server.attempts(endpoint)) { try server.milliseconds(of: endpoint) }
    }
    try await server.add(half + 1..<all + 1)
    for endpoint in server.endpoints {
      try check.compare("\(endpoint)", attempts: server.attempts(endpoint)) { try server.milliseconds(of: endpoint) }
    }
    if StoredRowsSettings.prints { print(check.table("The purchase server, \(engine)", rows: all)) }
  }

  @Test("The emulator's endpoints take at most 2.5 times the time with twice as many rows of a customer")
  func emulator() async throws {
    var check = RowCostCheck()
    for rows in [half, all] {
      let folder = try ScratchFolder()
      let emulator = try await StoredRowsEmulator(rows: rows, folder)
      defer { emulator.stop() }
      #expect(emulator.endpoints.count > 60)
      for endpoint in emulator.endpoints {
        let attempts = emulator.attempts(endpoint)
        if rows == half {
          try check.note("\(endpoint)", attempts: attempts) { try emulator.milliseconds(of: endpoint) }
        } else {
          try check.compare("\(endpoint)", attempts: attempts) { try emulator.milliseconds(of: endpoint) }
        }
      }
    }
    if StoredRowsSettings.prints { print(check.table("The emulator", rows: all)) }
  }
}
