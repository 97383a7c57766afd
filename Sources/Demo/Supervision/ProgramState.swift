/// How a program that the demo runs is doing.
enum ProgramState: Hashable, Sendable {
  case starting
  case running
  /// It ended by itself, and is started again.
  case restarting
  /// It ended too often, and stays down.
  case down
}
