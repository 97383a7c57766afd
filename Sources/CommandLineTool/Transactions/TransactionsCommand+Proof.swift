import ArgumentParser
import Foundation

extension TransactionsCommand {
  /// `transactions proof`: what the app's own server is sent.
  struct Proof: ConsoleCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a transaction's proofs, as the store signs them now.",
      discussion: """
        The app receipt and the receipt of iOS 6 are in base64, as verifyReceipt takes them; the signed transaction is a JWS. With \
        one of --receipt, --legacy and --jws only that one is printed: transactions proof ID --jws | openstorekit receipt \
        inspect -
        """)

    /// Which of the three to print.
    enum Kind: String, EnumerableFlag {
      case receipt, legacy, jws

      static func help(for value: Kind) -> ArgumentHelp? {
        switch value {
        case .receipt: "Only the app receipt."
        case .legacy: "Only the receipt of iOS 6."
        case .jws: "Only the signed transaction."
        }
      }
    }

    private struct Proofs: Decodable {
      let signedTransaction: String
      let appReceipt: String
      let legacyReceipt: String

      func text(_ kind: Kind) -> String {
        switch kind {
        case .receipt: appReceipt
        case .legacy: legacyReceipt
        case .jws: signedTransaction
        }
      }
    }

    @Argument(help: ArgumentHelp("The transaction.", valueName: "id"), completion: StoreCompletion.transactions)
    var transaction: String

    @Flag(exclusivity: .exclusive)
    var kind: Kind?

    @OptionGroup var options: ControlDoorOptions

    func validate() throws { try TransactionsCommand.check(transaction) }

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { door in
        let answer = try await door.expect("GET", ControlPath.to("transactions", transaction, "proofs"), nil)
        let proofs: Proofs = try door.read(answer)
        try options.show(answer, on: console) {
          if let kind { return [proofs.text(kind).madeVisible] }
          return [("app receipt", Kind.receipt), ("receipt of iOS 6", .legacy), ("signed transaction", .jws)]
            .map { "\($0): \(proofs.text($1).madeVisible)" }
        }
      }
    }
  }
}
