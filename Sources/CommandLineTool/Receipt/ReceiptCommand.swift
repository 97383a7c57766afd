import ArgumentParser

/// `openstorekit receipt`: looks into what a store signed, and judges it.
struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt",
    abstract: "Show or verify what a store signed: app receipts, legacy receipts, JWS.",
    subcommands: [Inspect.self, Verify.self])

  /// The most that is read of an input, in bytes.
  static let maximumBytes = 64 << 20
}
