import Foundation

/// The `openstorekit` program as a user starts it.
final class Program: @unchecked Sendable {
  private let process = Process()
  private let output = Pipe()
  private let errors: URL
  private let ended = AsyncStream.makeStream(of: Int32.self)

  convenience init(_ arguments: String...) throws { try self.init(arguments: arguments) }

  init(arguments: [String]) throws {
    // The tests' own executable lies beside it in the build folder.
    let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let candidates = [URL(filePath: CommandLine.arguments[0]), URL(filePath: folder)]
      .map { $0.deletingLastPathComponent().appending(path: "openstorekit") }
    guard let program = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw CocoaError(.fileNoSuchFile)
    }
    errors = FileManager.default.temporaryDirectory.appending(path: "openstorekit-stderr-\(UUID().uuidString)")
    try Data().write(to: errors)
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    let continuation = ended.continuation
    process.terminationHandler = { continuation.yield($0.terminationStatus) }
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(at: errors)
  }

  /// What it wrote to standard output until now; waits for something, or the end.
  func nextOutput() -> String { String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) }

  /// All the rest it writes to standard output, and its exit status.
  func finish() async throws -> (output: String, status: Int32) {
    let rest = try output.fileHandleForReading.readToEnd() ?? Data()
    let status = await ended.stream.first { _ in true } ?? -1
    return (String(decoding: rest, as: UTF8.self), status)
  }

  var standardError: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

  func terminate() { process.terminate() }
}
