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
