import ArgumentParser

/// `openstorekit receipt`: shows and verifies data that a store signed.
struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt",
    abstract: "Show or verify data that a store signed: app receipts, legacy receipts, JWS.",
    subcommands: [Inspect.self, Verify.self])

  /// The maximum size of an input, in bytes.
  static let maximumBytes = 64 << 20
}
