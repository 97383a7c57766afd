import Foundation

/// The `openstorekit` program as a user starts it.
final class Program: @unchecked Sendable {
  private let process = Process()
  private let output = Pipe()
  private let errors: URL
  private let ended = AsyncStream.makeStream(of: Int32.self)

  convenience init(_ arguments: String...) throws { try self.init(arguments: arguments) }

  /// - Parameters:
  ///   - environment: added to this process's own.
  ///   - input: the path of a file to read from; nil for nothing.
  ///   - executable: another program, which is to start this one.
  ///   - waitsForReader: whether it is held as soon as it has written a page (4 KiB) that nobody has read.
  init(
    arguments: [String], environment: [String: String] = [:], input: String? = nil, executable: String? = nil,
    waitsForReader: Bool = false
  ) throws {
    if waitsForReader { _ = fcntl(output.fileHandleForWriting.fileDescriptor, Self.setPipeSize, 4096) }
    errors = FileManager.default.temporaryDirectory.appending(path: "openstorekit-stderr-\(UUID().uuidString)")
    try Data().write(to: errors)
    process.executableURL = try executable.map { URL(filePath: $0) } ?? Self.executable()
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = try input.map { try FileHandle(forReadingFrom: URL(filePath: $0)) } ?? .nullDevice
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    let continuation = ended.continuation
    process.terminationHandler = { continuation.yield($0.terminationStatus) }
    try process.run()
  }

  /// F_SETPIPE_SZ of fcntl(2), which Glibc's module does not have.
  private static let setPipeSize: Int32 = 1031

  /// It lies beside the tests' own executable in the build folder.
  static func executable() throws -> URL {
    let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let candidates = [URL(filePath: CommandLine.arguments[0]), URL(filePath: folder)]
      .map { $0.deletingLastPathComponent().appending(path: "openstorekit") }
    guard let program = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return program
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(at: errors)
  }

  /// What it wrote to standard output until now; waits for something, or the end.
  func nextOutput() -> String { String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) }

  /// What it wrote to standard output since, until `text` came, or the end. Holds none of the threads that tests share.
  func output(until text: String) async -> String {
    await reading {
      var output = ""
      while !output.contains(text) {
        let more = self.nextOutput()
        if more.isEmpty { break }
        output += more
      }
      return output
    }
  }

  /// All the rest it writes to standard output, and its exit status.
  func finish() async throws -> (output: String, status: Int32) {
    let rest = await reading {
      String(decoding: (try? self.output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    }
    let status = await ended.stream.first { _ in true } ?? -1
    return (rest, status)
  }

  /// What `read` gives, on a thread of its own. A test whose time is up is not held: whoever still has standard output
  /// open keeps only that thread.
  private func reading(_ read: @escaping @Sendable () -> String) async -> String {
    let (texts, text) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      text.yield(read())
      text.finish()
    }
    return await texts.first { _ in true } ?? ""
  }

  var standardError: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

  var identifier: Int32 { process.processIdentifier }

  func terminate() { process.terminate() }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }
}
