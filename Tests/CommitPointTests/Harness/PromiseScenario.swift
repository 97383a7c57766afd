import Foundation

/// A program that writes into a file and then reports success. The file must be durable after the report. It tests the harness.
struct PromiseScenario: Scenario {
  /// The commands of Tests/PowerCutSpecimen; `@` is the disk. `say promised` reports success.
  let commands: String

  var name: String { "a promise" }

  func prepare(in folder: URL) async throws {}

  func makeRun(in environment: RunEnvironment) -> PromiseRun { PromiseRun(environment, commands: commands) }
}

final class PromiseRun: ScenarioRun {
  private let environment: RunEnvironment
  private let commands: String
  private var hasStarted = false
  private var hasPromised = false

  init(_ environment: RunEnvironment, commands: String) {
    self.environment = environment
    self.commands = commands
  }

  let roles = [ProcessRole.app]

  func start(_ role: ProcessRole) async throws {
    let script = hasStarted ? "say done input" : "\(commands) say done input"
    hasStarted = true
    let disk = environment.disk(of: role)
    try environment.launch(
      role, "PowerCutSpecimen",
      script.split(separator: " ").map { $0.hasPrefix("@") ? disk.appending(path: $0.dropFirst()).path : String($0) })
  }

  func perform() async throws {
    try await recover()
    try await environment.quit(.app)
  }

  func recover() async throws {
    while true {
      switch try await environment.nextLine().1 {
      case "promised": hasPromised = true
      case "done": return
      default: break
      }
    }
  }

  func check() throws -> [String] {
    let content = try? String(contentsOf: environment.disk(of: .app).appending(path: "file"), encoding: .utf8)
    return hasPromised && content != "paid"
      ? ["the program reported success, but the file has: \(content ?? "nothing")"] : []
  }
}
