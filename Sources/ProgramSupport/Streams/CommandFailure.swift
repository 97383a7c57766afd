/// Thrown by a command that cannot do its work. Determines the exit status and the error message of the program.
package struct CommandFailure: Error {
  package let status: Int32
  package let message: String

  /// The request was refused, or something failed: exit status 1.
  package static func refused(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }

  /// Wrong usage or unreadable input: exit status 2.
  package static func unusable(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }
}
