import Foundation

extension ChildProcess {
  /// Where it serves, which it says in a line `ready URL` once it does.
  ///
  /// - Parameter name: what it is called in words.
  /// - Throws: ``CommandFailure`` where it says something else, or ends; it has said why on standard error, and is gone.
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
