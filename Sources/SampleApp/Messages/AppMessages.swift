import Foundation
import StoreModel

/// Encodes the messages between the demo and the sample app's process, ``AppCommand`` and ``AppEvent``: one JSON
/// document per line.
package enum AppMessages {
  package static func write(_ value: some Encodable) throws -> String {
    String(decoding: try DeviceAPI.encoder().encode(value), as: UTF8.self)
  }

  package static func read<Value: Decodable>(_ type: Value.Type, from line: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(line.utf8))
  }
}

/// Sends the app's events to its parent process.
package struct EventSender: Sendable {
  private let write: @Sendable (AppEvent) -> Void

  package init(_ write: @escaping @Sendable (AppEvent) -> Void) { self.write = write }

  /// Sends one event, at once.
  package func callAsFunction(_ event: AppEvent) { write(event) }

  /// Writes one JSON document per line to standard output.
  package static let standardOutput = EventSender { event in
    do {
      try FileHandle.standardOutput.write(contentsOf: Data("\(try AppMessages.write(event))\n".utf8))
    } catch {
      // If this fails too, the parent process has ended.
      try? FileHandle.standardError.write(contentsOf: Data("sample-app: \(error)\n".utf8))
    }
  }
}
