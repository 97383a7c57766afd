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
