import Foundation
import HTTPTypes
import SharedFixtures
import StoreModel
import Testing
import WebSupport

/// Every endpoint of both servers, as their routers have them, is sent hostile requests of growing size. The server is the
/// program itself; its processor time and its memory must grow no faster than the request.
///
/// `HOSTILE_SEED` and `HOSTILE_SECONDS` (`make prove`) make random requests of other seeds, for as long.
@Suite("Hostile requests", .timeLimit(.minutes(30)))
struct HostileRequestTests {
  @Test("the emulator's endpoints take time and memory proportional to the size of the request")
  func emulator() async throws {
    let folder = try ScratchFolder()
    let server = try await HostileServer.emulator(folder)
    defer { server.measured.stop() }
    #expect(server.endpoints.count > 50)
    try await Attack(server: server, seed: 1).everything()
  }

  @Test("the purchase server's endpoints take time and memory proportional to the size of the request")
  func purchases() async throws {
    let folder = try ScratchFolder()
    let emulator = try await HostileServer.runningEmulator(folder)
    defer { emulator.stop() }
    let server = try await HostileServer.purchases(folder, trusting: emulator)
    defer { server.measured.stop() }
    #expect(server.endpoints.count > 25)
    try await Attack(server: server, seed: 1).everything()
  }
}

/// The duration and the seed of random requests.
private enum HostileRequestSettings {
  private static let environment = ProcessInfo.processInfo.environment
  static let seconds = environment["HOSTILE_SECONDS"].flatMap { Int($0) } ?? 10
  static let seed = environment["HOSTILE_SEED"].flatMap { UInt64($0) } ?? 1
}

/// For hours in `make prove`, for seconds in `make test`.
@Suite("Hostile requests at random", .serialized, .timeLimit(.minutes(max(10, HostileRequestSettings.seconds / 20))))
struct HostileRequestsAtRandom {
  @Test("the emulator takes time and memory proportional to the size of random requests")
  func emulator() async throws {
    let folder = try ScratchFolder()
    let server = try await HostileServer.emulator(folder)
    defer { server.measured.stop() }
    try await Attack(server: server, seed: HostileRequestSettings.seed).atRandom(
      seconds: HostileRequestSettings.seconds)
  }

  @Test("the purchase server takes time and memory proportional to the size of random requests")
  func purchases() async throws {
    let folder = try ScratchFolder()
    let emulator = try await HostileServer.runningEmulator(folder)
    defer { emulator.stop() }
    let server = try await HostileServer.purchases(folder, trusting: emulator)
    defer { server.measured.stop() }
    try await Attack(server: server, seed: HostileRequestSettings.seed).atRandom(
      seconds: HostileRequestSettings.seconds)
  }
}
