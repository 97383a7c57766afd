import ArgumentParser
import ControlAPI

/// `openstorekit reset`: empties a running store.
struct ResetCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Empty a running store: all purchases, charges, refunds, subscriptions, faults and requests.",
    discussion: """
      Apps, catalogs, keys and the clock stay. The customers are those of a new store. There is no undo: openstorekit \
      snapshot save keeps a copy.
      """)

  @OptionGroup var options: ControlAPIOptions

  func run(on console: CommandConsole) async throws {
    try await options.asking(on: console) { store in
      try options.show(try await store.call(ControlEndpoints.reset), on: console) { ["The store is empty. \($0.text)"] }
    }
  }
}

extension EpochView {
  /// How the transaction ids of this epoch are recognised.
  var text: String { "New transaction ids begin with \(epoch)." }
}
