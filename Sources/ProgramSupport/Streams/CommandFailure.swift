/// Thrown by a command that could not do what it was asked for.
package struct CommandFailure: Error {
  package let status: Int32
  package let message: String

  /// The answer is no, or something failed: exit status 1.
  package static func refused(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }

  /// Wrong usage or unreadable input: exit status 2.
  package static func unusable(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }
}
