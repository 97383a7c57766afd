import ChildProcesses
import Foundation

/// A program that runs a test's commands on files, with the library preloaded. `@` in the commands is its disk.
struct Specimen {
  let folder = FileManager.default.temporaryDirectory.appending(path: "power-cut-\(UUID().uuidString)")
  var disk: URL { folder.appending(path: "disk") }

  struct Run {
    let lines: [String]
    let end: SpawnedProcess.End
    let trace: PowerTrace
    let unsynced: URL
  }

  init() throws { try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true) }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Runs it until its power is cut: according to `powerCut`, or after the last command.
  ///
  /// - Parameter unsynced: the unsynced changes of the previous run, which was killed.
  func run(
    _ commands: String, _ powerCut: PowerCutSettings = .undisturbed, after unsynced: URL? = nil
  ) async throws -> Run {
    let trace = folder.appending(path: "\(UUID().uuidString).trace")
    var variables = powerCut.variables
    variables["POWERCUT_FOLDER"] = disk.path
    variables["POWERCUT_TRACE"] = trace.path
    variables["POWERCUT_UNSYNCED"] = unsynced?.path
    let (output, received) = AsyncStream.makeStream(of: PowerCutProcess.Output.self)
    let arguments = "\(commands) say done input".split(separator: " ").map { word in
      word.hasPrefix("@") ? disk.appending(path: String(word.dropFirst())).path : String(word)
    }
    let process = try PowerCutProcess(
      "PowerCutSpecimen", arguments, variables: variables, errors: folder.appending(path: "errors")
    ) { received.yield($0) }
    var lines: [String] = []
    for await event in output {
      switch event {
      case .line("done"): process.cutPower()
      case .line(let line): lines.append(line)
      case .ended(let end):
        return Run(lines: lines, end: end, trace: PowerTrace(trace), unsynced: trace.appendingPathExtension("unsynced"))
      }
    }
    throw CancellationError()
  }

  /// The content of a file; nil if it does not exist.
  func content(_ name: String) -> String? { try? String(contentsOf: disk.appending(path: name), encoding: .utf8) }
}
