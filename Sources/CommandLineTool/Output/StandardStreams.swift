import Foundation

/// Writes one line to standard output at once, also where that is a pipe. Where nobody reads any more it does nothing: whoever wanted the
/// line has gone.
func writeLine(_ line: String) {
  try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}

/// Writes to standard error at once. Where that is closed, or full, it does nothing: there is nowhere to say so.
func writeError(_ text: String) { writeError(Data(text.utf8)) }

/// The same with bytes, in one call.
func writeError(_ text: Data) { try? FileHandle.standardError.write(contentsOf: text) }
