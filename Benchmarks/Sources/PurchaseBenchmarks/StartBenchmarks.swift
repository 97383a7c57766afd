import Foundation

/// Measures the time from the start of the `openstorekit emulator` process until it prints its ready line.
///
/// The program must be in the same folder as the benchmarks; `make bench` builds both.
enum StartBenchmarks {
  static func run() async throws {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "openstorekit")
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      print("\nThe emulator's start was not measured: there is no \(program.path).")
      return
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "start-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let catalog = folder.appending(path: "shop.storekit")
    try Data(#"{"products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}]}"#.utf8).write(to: catalog)

    Report.title("Starting the emulator")
    let bare = try await Measurement.of("bare start of a process (/bin/true)", count: 20) {
      try start(URL(filePath: "/bin/true"), [], waitingForLine: false)
    }
    Report.line(bare)
    Report.line(
      try await Measurement.of("until the ready line, in memory", count: 20) {
        try start(program, ["emulator", "--config", catalog.path, "--port", "0"], waitingForLine: true)
      }, bare: bare)
    var run = 0
    Report.line(
      try await Measurement.of("until the ready line, new data folder", count: 20) {
        run += 1
        try start(
          program,
          ["emulator", "--config", catalog.path, "--port", "0", "--data", folder.appending(path: "\(run)").path],
          waitingForLine: true)
      }, bare: bare)
  }

  private static func start(_ program: URL, _ arguments: [String], waitingForLine: Bool) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    if waitingForLine {
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      guard line.hasPrefix("ready http://") else { throw CancellationError() }
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
