import Foundation

extension ChildProcess {
  /// Waits until the process accepts connections, and returns its address. The process reports it as a line `ready URL`.
  ///
  /// - Parameter name: the name of the program in the error message.
  /// - Throws: ``CommandFailure`` if the process writes another line or ends. The process is then killed; its own error
  ///   message is on standard error.
  package func address(of name: String) async throws -> URL {
    let start = "ready "
    if let line = await nextLine(), line.hasPrefix(start),
      let address = URL(string: String(line.dropFirst(start.count)))
    {
      return address
    }
    await kill()
    throw CommandFailure.refused("The \(name) did not start.")
  }
}
