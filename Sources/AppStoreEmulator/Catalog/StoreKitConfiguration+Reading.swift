import Foundation
import StoreModel

extension StoreKitConfiguration {
  /// The maximum size of a file, in bytes: 16 MiB.
  public static let sizeLimit = 16 << 20

  /// The bounds of a file. A file has about twenty values for each product.
  package static let bounds = BoundedJSON.Bounds(values: 2_000_000)

  /// Reads a `.storekit` file from disk.
  ///
  /// - Parameter file: a file URL. Errors contain its path as given.
  /// - Throws: the reason why the file cannot be read, or why no product can be sold.
  public init(contentsOf file: URL) throws(StoreKitConfigurationError) {
    let name = file.isFileURL ? file.relativePath : file.absoluteString
    guard file.isFileURL else {
      throw StoreKitConfigurationError(name: name, kind: .unreadable(reason: "it is not a file on this machine"))
    }
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      // Reading one byte more than allowed detects a file that is too large.
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
  ///   - name: the file's name for error messages.
  /// - Throws: the reason why the contents cannot be read, or why no product can be sold.
  public init(data: Data, name: String) throws(StoreKitConfigurationError) {
    guard data.count <= Self.sizeLimit else {
      throw StoreKitConfigurationError(name: name, kind: .tooLarge(limitBytes: Self.sizeLimit))
    }
    let root: Any
    do {
      // Fragments are allowed, so that the error for a single value is `notAnObject`.
      root = try BoundedJSON.object(from: data, within: Self.bounds, options: .fragmentsAllowed)
    } catch let fault as BoundedJSON.Fault {
      throw StoreKitConfigurationError(
        name: name, kind: .malformedJSON(reason: fault.description, line: nil, column: nil))
    } catch {
      throw StoreKitConfigurationError(name: name, kind: .malformedJSON(error, in: data))
    }
    try self.init(json: root, name: name)
  }

  /// Reads the contents of a `.storekit` file that `JSONSerialization` parsed.
  package init(json root: Any, name: String) throws(StoreKitConfigurationError) {
    guard let values = root as? [String: Any] else {
      throw StoreKitConfigurationError(name: name, kind: .notAnObject)
    }
    var reader = ConfigurationReader()
    let configuration = reader.configuration(ConfigurationEntry(values: values))
    // A store that sells nothing would hide the mistakes of a file that defines products.
    guard !configuration.products.isEmpty || reader.productProblems.isEmpty else {
      throw StoreKitConfigurationError(name: name, problems: reader.productProblems)
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
  /// Adds the line and column of the error. Foundation reports only an offset, as part of a sentence.
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
