import CSpawn
import Foundation

/// A pipe to or from a child process. No process inherits it unless one of its ends is a standard stream of that process.
package struct ProcessPipe: Sendable {
  package let reading: FileHandle
  package let writing: FileHandle

  package init() throws {
    var (reading, writing) = (Int32(-1), Int32(-1))
    let error = openstorekit_pipe(&reading, &writing)
    guard error == 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(error)) }
    self.reading = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
    self.writing = FileHandle(fileDescriptor: writing, closeOnDealloc: true)
  }
}
