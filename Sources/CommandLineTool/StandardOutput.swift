import Foundation

/// Writes one line to standard output at once, also where that is a pipe. Where nobody reads any more it does nothing: whoever wanted the
/// line has gone.
func writeLine(_ line: String) {
  try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}
