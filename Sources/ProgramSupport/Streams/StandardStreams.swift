import Foundation
import StoreModel

/// Writes one line to standard output without buffering.
///
/// If standard output is a pipe without a reader, this does nothing. After another error, such as a full disk,
/// ``LostOutput/check()`` throws.
package func writeLine(_ line: String) {
  do {
    try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
  } catch {
    LostOutput.note(error)
  }
}

/// Records that output to standard output was lost.
package enum LostOutput {
  private static let reason = LockedValue<String?>(nil)

  /// Returns the error to throw if a command could not write its answer.
  package static func failure(_ reason: String) -> CommandFailure {
    .refused("The answer cannot be written to standard output: \(reason). What was to be changed has been changed.")
  }

  fileprivate static func note(_ error: any Error) {
    guard code(error) != EPIPE else { return }
    let text = description(error)
    reason.withLock { $0 = $0 ?? text }
  }

  /// Checks at the end of a command that no line was lost. Lines to a pipe without a reader do not count.
  ///
  /// - Throws: ``CommandFailure/refused(_:)`` if a line was lost.
  package static func check() throws {
    if let reason = reason.value { throw failure(reason) }
  }

  /// Returns the system's description of a write error.
  package static func description(_ error: any Error) -> String {
    code(error).map { String(cString: strerror($0)) } ?? "\(error)"
  }

  private static func code(_ error: any Error) -> Int32? {
    ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError).map { Int32($0.code) }
  }
}

/// Writes to standard error without buffering. Errors are ignored, because there is no other place to report them.
package func writeError(_ text: String) { writeError(Data(text.utf8)) }

/// Writes bytes to standard error, in one call. Errors are ignored.
package func writeError(_ text: Data) { try? FileHandle.standardError.write(contentsOf: text) }

/// Standard input, output and error of this process.
package enum StandardDescriptors {
  /// Opens `/dev/null` for each of these descriptors that is closed, so that no other file gets its number. Reading
  /// from a closed standard input, or writing to a closed standard output or standard error, still fails.
  package static func occupy() {
    // Each is opened in the wrong direction: standard input for writing, the others for reading. So their use fails.
    for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(number, F_GETFD) == -1 {
      let descriptor = open("/dev/null", mode | O_CLOEXEC)
      if descriptor >= 0, descriptor != number {
        dup2(descriptor, number)
        close(descriptor)
      }
    }
  }
}
