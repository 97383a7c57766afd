import Foundation

/// A call that makes a change durable, or visible as a whole: a sync, or a name that is made, moved or removed.
struct CommitPoint: Hashable, Sendable, CustomStringConvertible {
  let number: Int
  /// `fsync`, `fdatasync`, `rename`, `link`, `symlink` or `unlink`.
  let kind: String
  /// The path relative to the process's disk.
  let path: String
  /// The number of the launch of its process, from 1.
  var launch = 1
  /// The phase of the run; nil before the first phase.
  var phase: String?

  var description: String { "\(number) (\(kind) \(path))" }
}

/// The events that the preloaded library recorded in one process.
struct PowerTrace: Sendable {
  var commitPoints: [CommitPoint] = []
  /// The number of watched calls before the last commit point.
  private(set) var watchedCalls = 0
  private(set) var wasCut = false
  private(set) var lostResponse = false
  /// The files that were changed in an unwatched way. If there are any, the trace is incomplete.
  private(set) var unseen: [String] = []

  /// - Parameter file: the trace file. It is missing if the process ended before it wrote one.
  init(_ file: URL) {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 4).map(String.init)
      switch fields.first {
      case "point" where fields.count == 5:
        commitPoints.append(CommitPoint(number: Int(fields[1]) ?? 0, kind: fields[3], path: fields[4]))
        watchedCalls = Int(fields[2]) ?? 0
      case "cut": wasCut = true
      case "dropped": lostResponse = true
      case "unseen": unseen.append(fields.dropFirst().joined(separator: " "))
      default: break
      }
    }
  }
}
