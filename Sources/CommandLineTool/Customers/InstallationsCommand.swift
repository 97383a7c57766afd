import ArgumentParser
import ControlAPI
import StoreModel

/// `openstorekit installations`: works with the devices of a running store.
struct InstallationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "installations",
    abstract: "List the installations of apps on devices, and set what a person can set on a device.",
    subcommands: [List.self, Change.self], defaultSubcommand: List.self)

  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List all installations, in the order in which they registered.")

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.callAllPages(ControlEndpoints.installations)
        try options.show(answer, on: console) { console.lines(of: TextTable($0.installations)) }
        if !options.json, answer.value.installations.isEmpty { console.note("No installations.") }
      }
    }
  }

  struct Change: ConsoleCommand {
    /// The value of an option that turns something on or off, or leaves it to the device.
    enum Setting: String, ExpressibleByArgument, CaseIterable {
      case on, off, device

      var value: Bool? { self == .device ? nil : self == .on }
    }

    static let configuration = CommandConfiguration(
      commandName: "change",
      abstract: "Restrict purchases on a device, or disconnect it from the network.",
      discussion: "The device of a running app receives this at once, also while it is offline.")

    @Argument(
      help: "The installation.", completion: StoreCompletion.installations, transform: NameArgument.notEmpty)
    var installation: String

    @Option(help: "Whether purchases are restricted; device: as the device's own settings say.")
    var restricted: Setting?

    @Option(help: "Whether the device has no network; device: as the device's own settings say.")
    var offline: Setting?

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if restricted == nil, offline == nil {
        throw ValidationError("Nothing to change: give --restricted or --offline.")
      }
    }

    func run(on console: CommandConsole) async throws {
      let change = InstallationChange(restricted: restricted.map(\.value), offline: offline.map(\.value))
      try await options.asking(on: console) { store in
        let answer = try await store.call(
          ControlEndpoints.changeInstallation, path: InstallationPath(InstallationID(installation)), body: change)
        try options.show(answer, on: console) { console.lines(of: TextTable([$0])) }
      }
    }
  }
}

extension TextTable {
  fileprivate init(_ installations: [InstallationView]) {
    self.init(
      columns: [
        .init(heading: "installation"), .init(heading: "app"), .init(heading: "environment"),
        .init(heading: "version"), .init(heading: "customer"), .init(heading: "restricted"), .init(heading: "offline"),
      ],
      rows: installations.map {
        [
          $0.installationId.rawValue.visibleIdentifier, $0.bundleId.rawValue.visibleIdentifier, $0.environment.rawValue,
          $0.applicationVersion.visibleIdentifier, ($0.customer?.rawValue ?? "").visibleIdentifier,
          Self.text($0.restricted), Self.text($0.offline),
        ]
      })
  }

  private static func text(_ setting: Bool?) -> String { setting.map { $0 ? "on" : "off" } ?? "" }
}
