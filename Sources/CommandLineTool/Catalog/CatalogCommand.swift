import ArgumentParser

/// `openstorekit catalog`: checks `.storekit` configuration files.
struct CatalogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog",
    abstract: "Check product catalogs: .storekit configuration files.",
    subcommands: [Check.self])
}
