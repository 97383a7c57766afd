import Foundation

/// A program that does to files what a test says, with the library preloaded. `@` in its orders is its disk.
struct Specimen {
  let folder = FileManager.default.temporaryDirectory.appending(path: "power-cut-\(UUID().uuidString)")
  var disk: URL { folder.appending(path: "disk") }

  struct Run {
    let lines: [String]
    let end: PartyProcess.End
    let trace: PowerTrace
    let legacy: URL
  }

  init() throws { try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true) }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Runs it until its power is cut: as ordered, or when it has done everything.
  ///
  /// - Parameter legacy: of the run before, which was killed.
  func run(
    _ orders: String, _ order: PowerCutOrder = .undisturbed, after legacy: URL? = nil
  ) async throws -> Run {
    let trace = folder.appending(path: "\(UUID().uuidString).trace")
    var variables = order.variables
    variables["POWERCUT_FOLDER"] = disk.path
    variables["POWERCUT_TRACE"] = trace.path
    variables["POWERCUT_INHERITS"] = legacy?.path
    let (output, received) = AsyncStream.makeStream(of: PartyProcess.Output.self)
    let words = "\(orders) say done input".split(separator: " ").map { word in
      word.hasPrefix("@") ? disk.appending(path: String(word.dropFirst())).path : String(word)
    }
    let process = try PartyProcess(
      "PowerCutSpecimen", words, variables: variables, errors: folder.appending(path: "errors")
    ) { received.yield($0) }
    var lines: [String] = []
    for await event in output {
      switch event {
      case .line("done"): process.cutPower()
      case .line(let line): lines.append(line)
      case .ended(let end):
        return Run(lines: lines, end: end, trace: PowerTrace(trace), legacy: trace.appendingPathExtension("left"))
      }
    }
    throw CancellationError()
  }

  /// What is in a file; nil if there is none.
  func content(_ name: String) -> String? { try? String(contentsOf: disk.appending(path: name), encoding: .utf8) }
}
