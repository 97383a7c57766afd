import Foundation

/// Looks for the numbers of a JSON document that no `Int64` can be.
struct UnwholeNumbers {
  /// More are not named: an error is read by people.
  private static let most = 4

  private var paths: [String] = []
  /// From the root to the value that is looked at.
  private var path: [String] = []

  /// Where the first of them are. A path is written for those only, so the time is that of walking the document.
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
