import Foundation

/// Finds the numbers of a JSON document that are not integers in the range of `Int64`.
struct UnwholeNumbers {
  /// The maximum number of paths in an error message.
  private static let most = 4

  private var paths: [String] = []
  /// The path from the root to the current value.
  private var path: [String] = []

  /// Returns the paths of the first such numbers. Only their paths are built, so the search takes linear time.
  static func paths(in value: Any) -> [String] {
    var search = UnwholeNumbers()
    search.look(at: value)
    return search.paths
  }

  private mutating func look(at value: Any) {
    guard paths.count < Self.most else { return }
    switch value {
    case let object as [String: Any]:
      for (name, member) in object.sorted(by: { $0.key < $1.key }) {
        path.append((path.isEmpty ? "" : ".") + name.prefix(80))
        look(at: member)
        path.removeLast()
      }
    case let list as [Any]:
      for (position, element) in list.enumerated() {
        path.append("[\(position)]")
        look(at: element)
        path.removeLast()
      }
    case let number as NSNumber where Int64(exactly: number) == nil: paths.append(path.joined())
    default: break
    }
  }
}
