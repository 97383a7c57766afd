import Foundation
import StoreModel
import Testing

/// Purchase servers in processes, as operators run them. A killed server is started again at the same address.
actor ServerProcesses {
  private let configuration: URL
  private var servers: [(program: Program, port: Int)] = []
  private(set) var kills = 0

  init(configuration: URL) { self.configuration = configuration }

  var ports: [Int] { servers.map(\.port) }

  func start(_ count: Int) async throws {
    for _ in 0..<count { servers.append(try await run(port: 0)) }
  }

  /// Kills a server with SIGKILL, and starts it again at the same address.
  ///
  /// - Parameter meanwhile: called while the server is not running.
  func kill(_ index: Int, _ meanwhile: @Sendable () async throws -> Void = {}) async throws {
    servers[index].program.send(SIGKILL)
    try await startKilled(index, meanwhile)
  }

  /// Starts a server again, at the same address, that was killed before or is being killed.
  ///
  /// - Parameter meanwhile: called while the server is not running.
  func startKilled(_ index: Int, _ meanwhile: @Sendable () async throws -> Void = {}) async throws {
    let (program, port) = servers[index]
    _ = try await program.finish()
    kills += 1
    try await meanwhile()
    servers[index] = try await run(port: port)
  }

  /// Ends all servers with SIGTERM, and starts them again at their addresses.
  ///
  /// - Parameter meanwhile: called while no server is running.
  func restart(_ meanwhile: @Sendable () async throws -> Void) async throws {
    let ports = ports
    try await stop()
    try await meanwhile()
    for port in ports { servers.append(try await run(port: port)) }
  }

  /// The process identifier of a server.
  func identifier(of index: Int) -> Int32 { servers[index].program.identifier }

  /// Ends all servers with SIGTERM.
  func stop() async throws {
    for (program, _) in servers {
      program.terminate()
      #expect(try await program.finish().status == 0)
    }
    servers = []
  }

  private func run(port: Int) async throws -> (Program, Int) {
    let program = try Program("server", "--config", configuration.path, "--port", String(port))
    let output = await program.output(until: "\n")
    let address = output.split(separator: "\n").first?.split(separator: ":").last
    guard output.hasPrefix("ready "), let listening = address.flatMap({ Int($0) }) else {
      throw StoreRefusal(.temporarilyUnavailable, "The server did not start: \(output) \(program.standardError)")
    }
    return (program, listening)
  }
}
