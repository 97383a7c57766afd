import ArgumentParser
import ProgramSupport
import SignedData

/// `openstorekit receipt`: shows and verifies data that a store signed.
struct ReceiptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt",
    abstract: "Show or verify data that a store signed: app receipts, legacy receipts, JWS.",
    subcommands: [Inspect.self, Verify.self])

  /// The maximum size of an input, in bytes.
  static let maximumBytes = 64 << 20
}

extension ReceiptCommand {
  /// `receipt inspect`: shows the contents of an input without verifying it.
  struct Inspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "inspect",
      abstract: "Show the contents of a receipt or JWS, without verifying it.",
      discussion: """
        FILE holds an app receipt (DER, BER or base64), a legacy transaction receipt, or a JWS, and its kind is detected by \
        its contents.
        Exit status: 0 shown, 2 wrong usage or unreadable.
        """)

    @Argument(help: ArgumentHelp("The file to read; - is standard input.", valueName: "file|-"), completion: .file())
    var file: String

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws { try await run(on: .standard) }

    /// Writes the contents of the input.
    ///
    /// - Throws: ``CommandFailure`` or `ExitCode`, after the output was written.
    func run(on console: CommandConsole) async throws {
      try await console.answering(inJSON: json) {
        let source = InputFile(path: file)
        let input = try source.receiptInput(on: console)
        let contents: ReceiptContents
        do throws(VerificationFailure) {
          contents = try ReceiptContents(input)
        } catch {
          throw CommandFailure.unusable("\(source.name) cannot be read: \(error.detail.madeVisible(limit: 2000))")
        }
        let report = ReceiptReport(kind: contents.kind, verdict: .unchecked, contents: contents)
        try console.write(json ? report.json.document : report.text)
      }
    }
  }
}

extension InputFile {
  /// Reads the file and recognizes its kind.
  func receiptInput(on console: CommandConsole) throws(CommandFailure) -> ReceiptInput {
    let data = try read(limitBytes: ReceiptCommand.maximumBytes, on: console)
    do throws(ReceiptInput.Fault) {
      return try ReceiptInput(data)
    } catch {
      throw .unusable("\(name) cannot be read: \(error)")
    }
  }
}
