/// Something that is done after the commit of a unit of work, and not if the commit fails.
enum AfterCommit: Sendable {
  /// Runs an action on the database's queue, before any other unit of work begins.
  case perform(@Sendable () -> Void)
  /// Wakes devices that wait for changes. Done once for each commit.
  case wakeDevices
  /// Wakes devices that follow customers' records. Done once for each commit; ``wakeDevices`` wakes them, too.
  case wakeFollowers
  /// Wakes the worker that sends notifications. Done once for each commit.
  case wakeNotifications
  /// Reports a problem on the caller's task, after the other actions, because reporting may block.
  case report(StoreProblem)
}
