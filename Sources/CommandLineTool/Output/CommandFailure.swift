/// Ends this program with the exit status of the command that it ran.
struct PassedOnStatus: Error {
  let status: Int32
}

/// Thrown by a command that could not do what it was asked for.
struct CommandFailure: Error {
  let status: Int32
  let message: String

  /// The answer is no, or something failed: exit status 1.
  static func refused(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }

  /// Wrong usage or unreadable input: exit status 2.
  static func unusable(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }
}
