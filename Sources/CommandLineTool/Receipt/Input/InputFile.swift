import Foundation
import ProgramSupport

/// An input file of a command. The path `-` is standard input.
struct InputFile {
  let path: String

  /// The name of the file in messages.
  var name: String { path == "-" ? "standard input" : path.madeVisible(limit: 1000) }

  /// Reads the whole file.
  ///
  /// - Throws: ``CommandFailure/unusable(_:)`` if the file cannot be read or is larger than `limitBytes`.
  func read(limitBytes: Int, on console: CommandConsole) throws(CommandFailure) -> Data {
    let data: Data
    do {
      // Reads one byte more than allowed: enough to detect an input that is too large.
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
