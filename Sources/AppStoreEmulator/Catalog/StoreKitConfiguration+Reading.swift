import Foundation
import StoreModel

extension StoreKitConfiguration {
  /// The largest file that is read, in bytes: 16 MiB.
  public static let sizeLimit = 16 << 20

  /// Reads a `.storekit` file from disk.
  ///
  /// - Parameter file: A file URL. Errors name the file by its path, as it was given.
  /// - Throws: Everything in the file that could not be understood, or why there was nothing to understand.
  public init(contentsOf file: URL) throws(StoreKitConfigurationError) {
    let name = file.isFileURL ? file.relativePath : file.absoluteString
    guard file.isFileURL else {
      throw StoreKitConfigurationError(name: name, kind: .unreadable(reason: "it is not a file on this machine"))
    }
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      // One byte more than is allowed tells a file that is too large, without reading all of it.
      data = try handle.read(upToCount: Self.sizeLimit + 1) ?? Data()
    } catch {
      throw StoreKitConfigurationError(
        name: name, kind: .unreadable(reason: error.localizedDescription))
    }
    try self.init(data: data, name: name)
  }

  /// Reads the contents of a `.storekit` file.
  ///
  /// - Parameters:
  ///   - data: JSON in UTF-8, at most ``sizeLimit`` bytes.
  ///   - name: What errors call the file.
  /// - Throws: Everything in the file that could not be understood.
  public init(data: Data, name: String) throws(StoreKitConfigurationError) {
    guard data.count <= Self.sizeLimit else {
      throw StoreKitConfigurationError(name: name, kind: .tooLarge(limitBytes: Self.sizeLimit))
    }
    let root: Any
    do {
      // Fragments are allowed here so that a lone number is told it should be an object.
      root = try BoundedJSON.object(from: data, within: .file, options: .fragmentsAllowed)
    } catch let fault as BoundedJSON.Fault {
      throw StoreKitConfigurationError(
        name: name, kind: .malformedJSON(reason: fault.description, line: nil, column: nil))
    } catch {
      throw StoreKitConfigurationError(name: name, kind: .malformedJSON(error, in: data))
    }
    guard let values = root as? [String: Any] else {
      throw StoreKitConfigurationError(name: name, kind: .notAnObject)
    }
    var reader = ConfigurationReader()
    let configuration = reader.configuration(ConfigurationEntry(values: values))
    guard reader.problems.isEmpty else {
      throw StoreKitConfigurationError(name: name, problems: reader.problems)
    }
    self = configuration
  }
}

extension StoreKitConfigurationError {
  fileprivate init(name: String, kind: Kind) {
    self.init(name: name, problems: [Problem(entry: "", kind: kind)])
  }
}

extension StoreKitConfigurationError.Kind {
  /// Says where the text stops being JSON, which Foundation gives only as an offset inside a sentence.
  fileprivate static func malformedJSON(_ error: any Error, in data: Data) -> Self {
    let sentence = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "the text cannot be parsed"
    let pattern = /\ (?:around|starting from) character (?<offset>[0-9]{1,9})\.?/
    guard let match = sentence.firstMatch(of: pattern), let offset = Int(match.offset), offset <= data.count
    else { return .malformedJSON(reason: sentence, line: nil, column: nil) }
    let lines = data.prefix(offset).split(separator: 0x0A, omittingEmptySubsequences: false)
    let column = String(decoding: lines.last ?? Data(), as: UTF8.self).count + 1
    return .malformedJSON(
      reason: sentence.replacing(pattern, with: ""), line: max(lines.count, 1), column: column)
  }
}
