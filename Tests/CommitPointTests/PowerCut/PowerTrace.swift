import Foundation

/// What makes a change durable, or visible as a whole: a sync, or a name made, moved or removed.
struct CommitPoint: Hashable, Sendable, CustomStringConvertible {
  let number: Int
  /// `fsync`, `fdatasync`, `rename`, `link`, `symlink` or `unlink`.
  let kind: String
  /// Inside the party's folder.
  let path: String
  /// In which of the party's launches it was seen, from 1.
  var launch = 1
  /// The scene of the play in which it was seen; nil before the first.
  var scene: String?

  var description: String { "\(number) (\(kind) \(path))" }
}

/// What the preloaded library saw in one process.
struct PowerTrace: Sendable {
  var commitPoints: [CommitPoint] = []
  /// How many calls were watched before the last commit point.
  private(set) var beats = 0
  private(set) var wasCut = false
  private(set) var lostAnAnswer = false
  /// Files that were changed by a way that is not watched. Then nothing here can be relied on.
  private(set) var unseen: [String] = []

  /// - Parameter file: of which there is none if the process did not come far enough to write it.
  init(_ file: URL) {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 4).map(String.init)
      switch words.first {
      case "point" where words.count == 5:
        commitPoints.append(CommitPoint(number: Int(words[1]) ?? 0, kind: words[3], path: words[4]))
        beats = Int(words[2]) ?? 0
      case "cut": wasCut = true
      case "dropped": lostAnAnswer = true
      case "unseen": unseen.append(words.dropFirst().joined(separator: " "))
      default: break
      }
    }
  }
}
