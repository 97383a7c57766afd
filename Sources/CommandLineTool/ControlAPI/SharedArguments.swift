import ArgumentParser

/// Checks names and ids on the command line.
enum NameArgument {
  /// Returns `text` unless it is empty.
  ///
  /// An empty argument usually comes from an unset shell variable. As a filter it would match all objects, and in a
  /// path it would address the whole collection.
  ///
  /// - Throws: `ValidationError` if `text` is empty.
  static func notEmpty(_ text: String) throws -> String {
    if text.isEmpty { throw ValidationError("It is empty.") }
    return text
  }
}

/// The value of an option that turns something on or off.
enum SwitchArgument: String, ExpressibleByArgument, CaseIterable {
  case on, off
}

/// The option `--limit` of all lists that can be long.
struct ListLimit: ParsableArguments {
  private static let range = 1...10_000

  @Option(help: ArgumentHelp("The maximum number of newest entries, 1 to 10000; 50 by default.", valueName: "number"))
  var limit: Int?

  /// The maximum number of entries.
  var count: Int { limit ?? 50 }

  func validate() throws {
    if let limit, !Self.range.contains(limit) { throw ValidationError("--limit is from 1 to 10000.") }
  }
}

/// An option whose values are listed.
enum ListedValue {
  /// Throws `ValidationError` unless the option is missing, or has one of the values.
  static func check(_ option: String, _ value: String?, _ allowed: [String]) throws {
    guard let value, !allowed.contains(value) else { return }
    throw ValidationError(
      "\(option) is one of \(allowed.joined(separator: ", ")); it is \(value.madeVisible(limit: 100)).")
  }
}
