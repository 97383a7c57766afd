/// How notifications are sent, for tests of servers. It is kept in memory; a reset returns it to its defaults.
public struct NotificationPolicy: Hashable, Sendable {
  /// Whether no attempts are made. They are made later, with the dates at which they were due.
  public var hold = false
  /// Whether the server does not receive attempts. They fail with `NO_RESPONSE`.
  public var drop = false
  /// Whether each attempt is sent twice.
  public var duplicate = false
  /// A wait before each attempt, in milliseconds of the machine's time, 0 to 600,000.
  public var delayMilliseconds = 0
  /// Whether, of the attempts that are due, the newest is made first.
  public var reorder = false

  public init() {}

  static let delays = 0...600_000
}
