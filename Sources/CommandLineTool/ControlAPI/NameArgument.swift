import ArgumentParser

/// A name or id as it is typed.
enum NameArgument {
  /// An empty one is a variable of the shell's that was not set: as a filter it would mean everybody's, and in a path all of them.
  ///
  /// - Throws: `ValidationError`, if it is empty.
  static func notEmpty(_ text: String) throws -> String {
    if text.isEmpty { throw ValidationError("It is empty.") }
    return text
  }
}
