import ChildProcesses
import Foundation
import StoreModel

/// A program that a test starts, by default `openstorekit`. It is killed when this object is released.
///
/// Tests start programs in no other way. The exceptions are `PowerCutProcess` of the power-cut tests, and the databases of
/// `PrivatePostgreSQL`.
package final class Program: @unchecked Sendable {
  /// What a program returned and wrote.
  package struct Outcome: Sendable {
    package let status: Int32
    package let standardOutput: String
    package let standardError: String

    /// Both streams; standard output comes first.
    package var output: String { standardOutput + standardError }
  }

  private let process: SpawnedProcess
  private let output: FileHandle
  private let errors: URL
  /// The number of threads that read standard output.
  private let readers = LockedValue(0)

  /// Runs a program to its end, without input. Its output cannot fill a pipe. Waiting for it blocks no thread of the shared pool.
  ///
  /// - Parameters:
  ///   - program: its path, or its name in `PATH`.
  ///   - folder: the working folder; nil for that of this process.
  @discardableResult
  package static func run(_ program: String, _ arguments: [String], in folder: URL? = nil) async throws -> Outcome {
    let program = try Program(arguments: arguments, executable: program, in: folder)
    let (output, status) = try await program.finish()
    return Outcome(status: status, standardOutput: output, standardError: program.standardError)
  }

  package convenience init(_ arguments: String...) throws { try self.init(arguments: arguments) }

  /// - Parameters:
  ///   - environment: variables that are added to this process's environment.
  ///   - input: the path of a file that is standard input; nil for no input.
  ///   - executable: the path of another program, or its name in the `PATH` of this process; nil for `openstorekit`.
  ///   - folder: the working folder; nil for that of this process.
  ///   - waitsForReader: whether the program blocks once it has written a page (4 KiB) that the test has not read.
  ///   - keepsErrors: whether standard error is kept; otherwise it is discarded.
  package init(
    arguments: [String], environment: [String: String] = [:], input: String? = nil, executable: String? = nil,
    in folder: URL? = nil, waitsForReader: Bool = false, keepsErrors: Bool = true
  ) throws {
    let pipe = try ProcessPipe()
    if waitsForReader { _ = fcntl(pipe.writing.fileDescriptor, Self.setPipeSize, 4096) }
    errors = FileManager.default.temporaryDirectory.appending(path: "openstorekit-stderr-\(UUID().uuidString)")
    try Data().write(to: errors)
    var inheritance = SpawnedProcess.Inheritance(adding: environment)
    inheritance.folder = folder?.path
    if let input { inheritance.input = .handle(try FileHandle(forReadingFrom: URL(filePath: input))) }
    inheritance.output = .handle(pipe.writing)
    inheritance.errors = keepsErrors ? .handle(try FileHandle(forWritingTo: errors)) : .null
    process = try SpawnedProcess(try executable ?? Self.executable().path, arguments, inheritance)
    output = pipe.reading
  }

  /// F_SETPIPE_SZ of fcntl(2), which Glibc's module does not have.
  private static let setPipeSize: Int32 = 1031

  /// `openstorekit`, which lies beside the tests' own executable in the build folder.
  package static func executable() throws -> URL {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let candidates = [CommandLine.arguments[0], tests].map {
      URL(filePath: $0).deletingLastPathComponent().appending(path: "openstorekit")
    }
    guard let program = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw CocoaError(.fileNoSuchFile)
    }
    return program
  }

  deinit {
    send(SIGKILL)
    try? FileManager.default.removeItem(at: errors)
    if readers.value == 0 { try? output.close() }
  }

  /// Returns what the program has written to standard output since the last call. Waits for output or the end of the program.
  package func nextOutput() -> String { String(decoding: output.availableData, as: UTF8.self) }

  /// Returns what the program writes to standard output from now until `text` has come or the program ends.
  package func output(until text: String) async -> String {
    await reading { handle in
      var output = ""
      while !output.contains(text), case let more = handle.availableData, !more.isEmpty {
        output += String(decoding: more, as: UTF8.self)
      }
      return output
    }
  }

  /// Returns the rest of standard output, and the exit status.
  package func finish() async throws -> (output: String, status: Int32) {
    let rest = await reading { String(decoding: (try? $0.readToEnd()) ?? Data(), as: UTF8.self) }
    // A stream, because a test that exceeds its time limit is cancelled.
    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
    process.whenEnded { end.yield($0.number) }
    return (rest, await ends.first { _ in true } ?? -1)
  }

  /// Calls `read` on its own thread, because reading blocks. A test that exceeds its time limit does not wait for that thread.
  /// The thread does not hold this object, so the program is killed when the test ends.
  private func reading(_ read: @escaping @Sendable (FileHandle) -> String) async -> String {
    let (texts, text) = AsyncStream.makeStream(of: String.self)
    let handle = output
    readers.withLock { $0 += 1 }
    Thread.detachNewThread { [readers] in
      let read = read(handle)
      readers.withLock { $0 -= 1 }
      text.yield(read)
      text.finish()
    }
    return await texts.first { _ in true } ?? ""
  }

  package var standardError: String { String(decoding: (try? Data(contentsOf: errors)) ?? Data(), as: UTF8.self) }

  package var identifier: Int32 { process.identifier }

  package var isRunning: Bool { process.isRunning }

  package func terminate() { send(SIGTERM) }

  package func send(_ signal: Int32) { process.send(signal) }
}
