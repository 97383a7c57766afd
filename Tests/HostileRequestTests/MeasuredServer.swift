import Foundation
import Testing

/// `openstorekit` in a process of its own, whose time and memory are read from outside: other tests do not count.
final class MeasuredServer: @unchecked Sendable {
  /// What a request cost the process.
  struct Cost: CustomStringConvertible {
    /// User and system, of all threads.
    var processorMilliseconds: Double
    /// The highest resident memory, over what was resident before.
    var mebibytes: Double

    func least(_ other: Cost) -> Cost {
      Cost(
        processorMilliseconds: min(processorMilliseconds, other.processorMilliseconds),
        mebibytes: min(mebibytes, other.mebibytes))
    }

    var description: String { String(format: "%.1f ms, %.1f MiB", processorMilliseconds, mebibytes) }
  }

  private let process = Process()
  let port: Int

  init(_ arguments: [String]) throws {
    process.executableURL = try Self.program()
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let number = line.split(separator: "\n").first?.split(separator: ":").last.flatMap { Int($0) }
    port = try #require(line.hasPrefix("ready ") ? number : nil, "it did not start: \(line)")
  }

  deinit { stop() }

  func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  var isRunning: Bool { process.isRunning }

  /// It lies beside the tests' own executable; `HOSTILE_PROGRAM` names another, such as an older one.
  static func program() throws -> URL {
    if let path = ProcessInfo.processInfo.environment["HOSTILE_PROGRAM"] { return URL(filePath: path) }
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let candidates = [CommandLine.arguments[0], own].map {
      URL(filePath: $0).deletingLastPathComponent().appending(path: "openstorekit")
    }
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
  }

  /// Runs the program to its end, and returns what it writes.
  static func output(of arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = try program()
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Sends a request, and says what it cost.
  func measure(_ request: HostileRequest) throws -> (cost: Cost, answer: PlainAnswer) {
    // Has the highest memory counted from here (proc(5)).
    try Data("5".utf8).write(to: URL(filePath: "/proc/\(process.processIdentifier)/clear_refs"))
    let (time, resident) = (try processorMilliseconds(), try mebibytes("VmRSS"))
    let answer = try PlainConnection.exchange(request.bytes, port: port)
    let cost = Cost(
      processorMilliseconds: try processorMilliseconds() - time, mebibytes: max(0, try mebibytes("VmHWM") - resident))
    return (cost, answer)
  }

  private func processorMilliseconds() throws -> Double {
    var clock = clockid_t()
    var time = timespec()
    try #require(clock_getcpuclockid(process.processIdentifier, &clock) == 0 && clock_gettime(clock, &time) == 0)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  private func mebibytes(_ field: String) throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(field + ":") })
    let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    return Double(try #require(kibibytes)) / 1024
  }
}
