import Foundation
import Testing

/// The processor time of a PostgreSQL server.
enum PostgreSQLProcesses {
  /// The time of the server's first process and of the processes that it has started, such as one for each connection.
  ///
  /// - Parameter folder: the folder of the server's socket. The server's data is below it.
  static func milliseconds(of folder: String) throws -> Double {
    let first = try first(in: folder)
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init)
    return processes.reduce(0) { sum, process in
      // A process may end meanwhile.
      guard let statistics = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let name = statistics.lastIndex(of: ")")
      else { return sum }
      // The fields after the name, from the third on: state, parent … (proc(5)).
      let fields = statistics[name...].split(separator: " ").dropFirst().map(String.init)
      guard fields.count > 14, process == first || fields[1] == "\(first)" else { return sum }
      let ticks = (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)
      // If the process is the first one, the time of ended connections is added.
      let ended = process == first ? (Double(fields[13]) ?? 0) + (Double(fields[14]) ?? 0) : 0
      return sum + (ticks + ended) * 1000 / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  private static func first(in folder: String) throws -> Int32 {
    let files = try #require(FileManager.default.enumerator(atPath: folder))
    for case let path as String in files where path.hasSuffix("postmaster.pid") {
      let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
      return try #require(text.split(separator: "\n").first.flatMap { Int32($0) })
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
