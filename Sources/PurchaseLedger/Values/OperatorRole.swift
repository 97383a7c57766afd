/// What an operator's key may do. Each role may do everything that the roles before it may.
public enum OperatorRole: String, CaseIterable, Codable, Comparable, Sendable {
  /// Reads customers, notifications and the audit log.
  case read
  /// Changes what customers have, with a reason: grants, revocations, moves.
  case support
  /// Publishes products, erases customers, backs up, and manages keys.
  case admin

  public static func < (one: OperatorRole, other: OperatorRole) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .read: 0
    case .support: 1
    case .admin: 2
    }
  }
}
