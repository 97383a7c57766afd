import Foundation

/// A process as Linux shows it (proc(5)).
struct RunningProcess: Hashable, CustomStringConvertible {
  let identifier: Int32
  /// The program and its arguments.
  let arguments: [String]

  /// Returns the children of a process. A child that was killed, and that its parent has not waited for, is among them,
  /// without arguments.
  static func children(of parent: Int32) throws -> [RunningProcess] {
    try all { text("/proc/\($0)/status")?.contains("\nPPid:\t\(parent)\n") == true }
  }

  /// Returns the running processes that were started with an environment variable, given as "NAME=value".
  static func all(with variable: String) throws -> [RunningProcess] {
    try all { text("/proc/\($0)/environ")?.split(separator: "\0").contains(variable[...]) == true }
  }

  private static func all(where matches: (Int32) -> Bool) throws -> [RunningProcess] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.compactMap { identifier in
      // A process may end meanwhile.
      guard matches(identifier), let line = text("/proc/\(identifier)/cmdline") else { return nil }
      return RunningProcess(identifier: identifier, arguments: line.split(separator: "\0").map(String.init))
    }
  }

  /// Returns a new child, stopped with SIGSTOP before it does anything; nil if the parent ended without a child.
  /// A separate thread watches for it, because the test's thread may be delayed for longer than the child runs.
  static func stopped(_ command: String, of parent: Int32) async -> RunningProcess? {
    let (found, child) = AsyncStream.makeStream(of: RunningProcess.self)
    Thread.detachNewThread {
      defer { child.finish() }
      while kill(parent, 0) == 0 {
        guard let begun = try? children(of: parent).first(where: { $0.command == command }) else { continue }
        kill(begun.identifier, SIGSTOP)
        child.yield(begun)
        return
      }
    }
    return await found.first { _ in true }
  }

  /// Whether SIGHUP is among the signals that it ignores.
  static func ignoresClosedTerminal(_ identifier: Int32) -> Bool {
    let status = text("/proc/\(identifier)/status") ?? ""
    let ignored = status.firstMatch(of: /SigIgn:\t([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) } ?? 0
    return ignored & 1 << (SIGHUP - 1) != 0
  }

  /// Reads a file of procfs. It has no size, and disappears when its process ends.
  private static func text(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var (text, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while case let count = read(file, &piece, piece.count), count > 0 { text += piece[..<count] }
    return String(decoding: text, as: UTF8.self)
  }

  var command: String { arguments.dropFirst().first ?? "" }
  var isThere: Bool { FileManager.default.fileExists(atPath: "/proc/\(identifier)") }
  var description: String { "\(identifier): \(arguments.joined(separator: " "))" }

  /// The value of an option.
  func value(of option: String) -> String? {
    arguments.firstIndex(of: option).flatMap { arguments.dropFirst($0 + 1).first }
  }
}
