import ArgumentParser
import ControlAPI

/// `openstorekit settings`: shows and changes the settings of a running store.
struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Show or change a store's settings: the locale of products, and how the APIs for servers answer.",
    discussion: "Settings are kept after a restart of the store. A reset returns them to their defaults.",
    subcommands: [Show.self, Change.self], defaultSubcommand: Show.self)

  private static func lines(_ settings: SettingsView) -> [String] {
    func text(_ flag: Bool) -> String { flag ? "on" : "off" }
    return [
      "locale            \((settings.locale ?? "of each storefront").visibleIdentifier)",
      "documented 21003  \(text(settings.documented21003))",
      "lenient base64    \(text(settings.lenientBase64))",
      "rate limits       \(text(settings.rateLimits))",
    ]
  }

  struct Show: ConsoleCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the store's settings.")

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        try options.show(try await store.call(ControlEndpoints.settings), on: console) { SettingsCommand.lines($0) }
      }
    }
  }

  struct Change: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Change the given settings. Others stay as they are.")

    @Option(
      help: ArgumentHelp(
        "The locale of titles and descriptions in all storefronts, such as de_DE; or storefront: the languages of each storefront.",
        valueName: "locale"),
      completion: .list(["storefront", "de_DE", "en_US", "fr_FR", "ja_JP"]), transform: NameArgument.notEmpty)
    var locale: String?

    @Option(
      name: .customLong("documented-21003"),
      help: "Whether verifyReceipt answers forged receipts with 21003, as documented; Apple's endpoint answers 21002.")
    var documented21003: SwitchArgument?

    @Option(
      name: .customLong("lenient-base64"),
      help: "Whether verifyReceipt ignores white space in base64; Apple's endpoint answers 21002.")
    var lenientBase64: SwitchArgument?

    @Option(
      name: .customLong("rate-limits"),
      help: "Whether the App Store Server API refuses more requests than Apple's documented limits allow.")
    var rateLimits: SwitchArgument?

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if locale == nil, documented21003 == nil, lenientBase64 == nil, rateLimits == nil {
        throw ValidationError(
          "Nothing to change: give --locale, --documented-21003, --lenient-base64 or --rate-limits.")
      }
    }

    func run(on console: CommandConsole) async throws {
      let change = SettingsChange(
        locale: locale.map { $0 == "storefront" ? nil : $0 }, documented21003: documented21003.map { $0 == .on },
        lenientBase64: lenientBase64.map { $0 == .on }, rateLimits: rateLimits.map { $0 == .on })
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.changeSettings, body: change)
        try options.show(answer, on: console) { SettingsCommand.lines($0) }
      }
    }
  }
}
