import ArgumentParser
import ControlAPI

/// `openstorekit reset`: empties a running store.
struct ResetCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Empty a running store: all purchases, charges, refunds, subscriptions, faults and requests.",
    discussion: """
      Apps, catalogs and keys stay. The customers are those of a new store. The clock of a store in memory returns to \
      the present; the clock of a store in a folder goes on. There is no undo: openstorekit snapshot save keeps a copy.
      """)

  @OptionGroup var options: ControlAPIOptions

  func run(on console: CommandConsole) async throws {
    try await options.asking(on: console) { store in
      try options.show(try await store.call(ControlEndpoints.reset), on: console) { ["The store is empty. \($0.text)"] }
    }
  }
}

extension EpochView {
  /// A sentence for the user that describes how the transaction ids of this epoch begin.
  var text: String { "New transaction ids begin with \(epoch)." }
}
