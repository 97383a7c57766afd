import ArgumentParser

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
