import Foundation
import StoreModel
import Testing

/// Purchase servers as their operators run them, which may be killed and are started again where they were.
actor ServerProcesses {
  private let configuration: URL
  private var servers: [(program: Program, port: Int)] = []
  private(set) var kills = 0

  init(configuration: URL) { self.configuration = configuration }

  var ports: [Int] { servers.map(\.port) }

  func start(_ count: Int) async throws {
    for _ in 0..<count { servers.append(try await run(port: 0)) }
  }

  /// Ends one as a power cut would, and starts it again at the same address.
  func kill(_ place: Int) async throws {
    let (program, port) = servers[place]
    program.send(SIGKILL)
    _ = try await program.finish()
    kills += 1
    servers[place] = try await run(port: port)
  }

  /// Ends all as an operator would.
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
