import ArgumentParser

/// `openstorekit catalog`: checks `.storekit` configuration files.
struct CatalogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog",
    abstract: "Check product catalogs: .storekit configuration files.",
    subcommands: [Check.self])
}

extension CatalogCommand {
  /// `catalog check`: loads files, lists their products, and reports what the store leaves out or refuses.
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Load .storekit files, and list their products, warnings and problems.",
      discussion: """
        A problem is a reason for which the store refuses the files, such as a product id that occurs in several of \
        them. A warning names a part that the store leaves out, such as a product without a price.
        Exit status: 0 the store serves the files, 1 it refuses them, 2 wrong usage or an unreadable file.
        """)

    @Argument(
      help: ArgumentHelp("The files to check.", valueName: "file.storekit"), completion: .file(extensions: ["storekit"])
    )
    var files: [String]

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws { try await run(on: .standard) }

    /// Checks the files and writes the report.
    ///
    /// - Throws: `ExitCode`, after the report was written, if the files have a problem.
    func run(on console: CommandConsole) async throws {
      let report = CatalogReport(files: files.map(CatalogFile.init(path:)))
      try console.write(json ? report.json.document : report.text)
      if report.status != 0 { throw ExitCode(report.status) }
    }
  }
}
