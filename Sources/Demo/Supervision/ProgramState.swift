/// The state of a program that the demo runs.
enum ProgramState: Hashable, Sendable {
  case starting
  case running
  /// The program ended by itself and is being started again.
  case restarting
  /// The program ended too often and is not started again.
  case down
}
