import Foundation
import StoreModel

/// Writes one line to standard output at once, also where that is a pipe. Where nobody reads any more it does nothing: whoever wanted the
/// line has gone. Where it cannot be written for another reason, such as a full disk, the command fails at its end.
package func writeLine(_ line: String) {
  do {
    try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
  } catch {
    LostOutput.note(error)
  }
}

/// Whether something that was to be written to standard output was lost.
package enum LostOutput {
  private static let reason = LockedValue<String?>(nil)

  /// What a command fails with that could not write an answer.
  package static func failure(_ reason: String) -> CommandFailure {
    .refused("The answer cannot be written to standard output: \(reason). What was to be changed has been changed.")
  }

  fileprivate static func note(_ error: any Error) {
    guard code(error) != EPIPE else { return }
    let words = words(error)
    reason.withLock { $0 = $0 ?? words }
  }

  /// - Throws: ``CommandFailure``, refused, where a line was lost.
  package static func check() throws {
    if let reason = reason.value { throw failure(reason) }
  }

  /// Why it could not be written, as the system says it.
  package static func words(_ error: any Error) -> String {
    code(error).map { String(cString: strerror($0)) } ?? "\(error)"
  }

  private static func code(_ error: any Error) -> Int32? {
    ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError).map { Int32($0.code) }
  }
}

/// Writes to standard error at once. Where that is closed, or full, it does nothing: there is nowhere to say so.
package func writeError(_ text: String) { writeError(Data(text.utf8)) }

/// The same with bytes, in one call.
package func writeError(_ text: Data) { try? FileHandle.standardError.write(contentsOf: text) }

/// Standard input, output and error of this process.
package enum StandardDescriptors {
  /// Occupies those that the caller has closed, so that no other file gets their numbers. Using them fails as if they were closed.
  package static func occupy() {
    // Each is opened for what it is not used for.
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
