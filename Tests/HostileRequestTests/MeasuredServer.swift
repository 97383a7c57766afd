import Foundation
import SharedFixtures
import Testing

/// `openstorekit` in a separate process, so that its time and memory can be measured without those of other tests.
final class MeasuredServer: Sendable {
  /// The time and memory that a request took.
  struct Cost: CustomStringConvertible {
    /// User and system time of all threads.
    var processorMilliseconds: Double
    /// The increase of the peak resident memory.
    var mebibytes: Double

    func least(_ other: Cost) -> Cost {
      Cost(
        processorMilliseconds: min(processorMilliseconds, other.processorMilliseconds),
        mebibytes: min(mebibytes, other.mebibytes))
    }

    var description: String { String(format: "%.1f ms, %.1f MiB", processorMilliseconds, mebibytes) }
  }

  private let program: Program
  let port: Int
  /// The folder of a PostgreSQL server whose processes count as well; nil if the program needs none.
  private let postgreSQL: String?

  init(_ arguments: [String], postgreSQL: String? = nil) async throws {
    self.postgreSQL = postgreSQL
    program = try Self.program(arguments)
    let line = await program.output(until: "\n")
    let number = line.split(separator: "\n").first?.split(separator: ":").last.flatMap { Int($0) }
    port = try #require(line.hasPrefix("ready ") ? number : nil, "it did not start: \(line)")
  }

  func stop() { program.send(SIGKILL) }

  var isRunning: Bool { program.isRunning }

  /// `HOSTILE_PROGRAM` names another program than the one that was built, such as an older one.
  private static func program(_ arguments: [String]) throws -> Program {
    try Program(
      arguments: arguments, executable: ProcessInfo.processInfo.environment["HOSTILE_PROGRAM"], keepsErrors: false)
  }

  /// Runs the program to its end, and returns what it writes.
  static func output(of arguments: [String]) async throws -> String {
    let (output, status) = try await program(arguments).finish()
    try #require(status == 0)
    return output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Sends a request, and measures its cost.
  func measure(_ request: HostileRequest) throws -> (cost: Cost, answer: PlainAnswer) {
    // Resets the peak memory (proc(5)).
    try Data("5".utf8).write(to: URL(filePath: "/proc/\(program.identifier)/clear_refs"))
    let (time, resident) = (try processorMilliseconds(), try mebibytes("VmRSS"))
    let answer = try PlainConnection.exchange(request.bytes, port: port)
    let cost = Cost(
      processorMilliseconds: try processorMilliseconds() - time, mebibytes: max(0, try mebibytes("VmHWM") - resident))
    return (cost, answer)
  }

  private func processorMilliseconds() throws -> Double {
    let ofDatabase = try postgreSQL.map { try PostgreSQLProcesses.milliseconds(of: $0) } ?? 0
    return try ofDatabase + Self.milliseconds(of: program.identifier)
  }

  private static func milliseconds(of process: Int32) throws -> Double {
    var clock = clockid_t()
    var time = timespec()
    try #require(clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &time) == 0)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  private func mebibytes(_ field: String) throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(program.identifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(field + ":") })
    let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    return Double(try #require(kibibytes)) / 1024
  }
}
