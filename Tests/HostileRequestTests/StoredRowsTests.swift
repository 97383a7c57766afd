import Foundation
import SharedFixtures
import StoreModel
import Testing

/// The number of rows of the larger measurement.
private enum StoredRowsSettings {
  static let largest = ProcessInfo.processInfo.environment["STORED_ROWS"].flatMap { Int($0) } ?? 6_000
}

/// Every endpoint of both servers is measured with stored rows, and with twice as many. A new endpoint is measured by itself.
///
/// `STORED_ROWS` is the larger number (`make prove`: 100,000). With `STORED_ROWS_PRINT`, the times are printed.
@Suite("Stored rows", .serialized, .timeLimit(.minutes(StoredRowsSettings.largest > 20_000 ? 240 : 30)))
struct StoredRowsTests {
  @Test(
    "C6 the purchase server's endpoints take at most 2.5 times the time with twice as many rows of a customer",
    arguments: StoredRowsServer.Engine.allCases)
  func purchases(_ engine: StoredRowsServer.Engine) async throws {
    let folder = try ScratchFolder()
    let emulator = try await HostileServer.runningEmulator(folder)
    defer { emulator.stop() }
    let server = try await StoredRowsServer(engine, folder, trusting: emulator)
    defer { server.stop() }
    let (half, all) = (StoredRowsSettings.largest / 2, StoredRowsSettings.largest)
    // The endpoints that remove something are last.
    let endpoints = server.endpoints.sorted { $0.route.method != .delete && $1.route.method == .delete }
    #expect(endpoints.count > 20)
    var check = RowCostCheck()
    try await server.add(1..<half + 1)
    for endpoint in endpoints {
      try check.note(endpoint, at: server.measured) { try server.request(to: endpoint) }
    }
    try await server.add(half + 1..<all + 1)
    for endpoint in endpoints {
      try check.compare(endpoint, at: server.measured) { try server.request(to: endpoint) }
    }
  }
}
