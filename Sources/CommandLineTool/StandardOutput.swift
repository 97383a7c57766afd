import Foundation

/// Writes one line to standard output at once, also where that is a pipe.
func writeLine(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
