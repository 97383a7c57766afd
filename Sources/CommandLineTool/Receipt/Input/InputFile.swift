import Foundation
import ProgramSupport

/// A file named on the command line, or standard input, named `-`.
struct InputFile {
  let path: String

  /// Names the file in messages.
  var name: String { path == "-" ? "standard input" : path.madeVisible(limit: 1000) }

  /// Reads all of it.
  ///
  /// - Throws: ``CommandFailure``, unusable, if it cannot be read or is larger than `limitBytes`.
  func read(limitBytes: Int, on console: CommandConsole) throws(CommandFailure) -> Data {
    let data: Data
    do {
      // One byte more than is allowed tells an input that is too large, without reading all of it.
      data = try path == "-" ? console.readInput(limitBytes + 1) : Self.read(path, limitBytes: limitBytes + 1)
    } catch {
      throw .unusable("\(name) cannot be read: \(Self.reason(error))")
    }
    guard data.count <= limitBytes else {
      throw .unusable("\(name) is larger than \(limitBytes >> 20) MiB, the most that is read")
    }
    return data
  }

  private static func read(_ path: String, limitBytes: Int) throws -> Data {
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? handle.close() }
    return try handle.readAll(limitBytes: limitBytes)
  }

  private static func reason(_ error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: "there is no such file"
    case .fileReadNoPermission?: "you may not read it"
    default: error.localizedDescription.madeVisible(limit: 500)
    }
  }
}
