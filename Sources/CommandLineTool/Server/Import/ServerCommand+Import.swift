import ArgumentParser
import Foundation
import ProgramSupport
import StoreModel

extension ServerCommand {
  /// `openstorekit server import FILE`: imports purchases of another system over the API of a running server.
  struct Import: ConsoleCommand {
    enum Mode: EnumerableFlag {
      case dryRun, apply

      static func help(for value: Mode) -> ArgumentHelp? {
        switch value {
        case .dryRun: "Only report what the import would do."
        case .apply: "Import the file."
        }
      }
    }

    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Imports purchases of a file: receipts, signed transactions or transaction ids, with their customers.",
      discussion: """
        FILE is CSV with the names of its columns in the first row, or JSON lines. Each row has customer or subject, and one of \
        appReceipt, legacyReceipt, signedTransaction and transactionId. Without --apply, nothing is written. An import that was \
        interrupted goes on where it ended. The key needs the role admin; it is in OPENSTOREKIT_OPERATOR_KEY. \
        Documentation/running-the-server.md says more.
        """)

    static let usualAddress = "http://127.0.0.1:8090"
    static let keyVariable = "OPENSTOREKIT_OPERATOR_KEY"

    @Argument(help: "The file.", completion: .file(), transform: NameArgument.notEmpty)
    var file: String

    @Option(help: ArgumentHelp("The app's bundle id.", valueName: "bundle-id"), transform: NameArgument.notEmpty)
    var app: String

    @Option(
      name: .customLong("server"),
      help: ArgumentHelp("The address of the running server. Default: \(Self.usualAddress).", valueName: "url"))
    var address: String?

    @Flag(exclusivity: .exclusive)
    var mode = Mode.dryRun

    @Option(
      help: ArgumentHelp("The number of rows per second, 0.1 to 1000; 10 by default.", valueName: "number"))
    var perSecond: Double?

    @Flag(help: "Begin with the first row again. Nothing is given twice.")
    var restart = false

    @Option(help: ArgumentHelp("The reason, for the audit log.", valueName: "text"))
    var reason: String?

    @Flag(help: "Print a JSON object per purchase, and one with the sums.")
    var json = false

    func validate() throws {
      if let perSecond, !(0.1...1000).contains(perSecond) {
        throw ValidationError("--per-second is from 0.1 to 1000.")
      }
      if let address, ControlAPIOptions.storeAddress(address) == nil {
        throw ValidationError(
          "--server wants an address such as \(Self.usualAddress); it is \(address.madeVisible(limit: 200)).")
      }
    }

    func run(on console: CommandConsole) async throws {
      guard let key = ProcessInfo.processInfo.environment[Self.keyVariable], !key.isEmpty else {
        throw CommandFailure.unusable("Set \(Self.keyVariable) to an operator's key with the role admin.")
      }
      guard let url = ControlAPIOptions.storeAddress(address ?? Self.usualAddress) else {
        throw CommandFailure.unusable("\(address ?? "") is no address.")
      }
      try await console.answering(inJSON: json) {
        let run = ImportRun(
          client: OperatorAPIClient(address: url, key: key), app: BundleID(app), applies: mode == .apply,
          reason: reason,
          perSecond: perSecond ?? 10, isJSON: json, console: console)
        try await run.run(try ImportFile(file), restarts: restart)
      }
    }
  }
}
