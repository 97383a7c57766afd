import APIDescription
import ArgumentParser
import ControlAPI
import Foundation
import StoreModel

extension TransactionsCommand {
  /// `transactions proof`: prints the proofs that an app sends to its own server.
  struct Proof: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "proof",
      abstract: "Print a transaction's proofs, as the store signs them now.",
      discussion: """
        The app receipt and the receipt of iOS 6 are in base64, as verifyReceipt takes them; the signed transaction is a JWS. With \
        one of --receipt, --legacy and --jws only that one is printed: transactions proof ID --jws | openstorekit receipt \
        inspect -
        """)

    /// The proof to print.
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

    @Argument(help: ArgumentHelp("The transaction.", valueName: "id"), completion: StoreCompletion.transactions)
    var transaction: String

    @Flag(exclusivity: .exclusive)
    var kind: Kind?

    @OptionGroup var options: ControlAPIOptions

    func validate() throws { try TransactionsCommand.check(transaction) }

    func run(on console: CommandConsole) async throws {
      let path = try TransactionsCommand.path(transaction)
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.proofs, path: path, query: ProofsQuery())
        try options.show(answer, on: console) { proofs in
          if let kind { return [proofs.text(kind).madeVisible] }
          return [("app receipt", Kind.receipt), ("receipt of iOS 6", .legacy), ("signed transaction", .jws)]
            .map { "\($0): \(proofs.text($1).madeVisible)" }
        }
      }
    }
  }
}

extension TransactionProofsView {
  fileprivate func text(_ kind: TransactionsCommand.Proof.Kind) -> String {
    switch kind {
    case .receipt: appReceipt.base64EncodedString()
    case .legacy: legacyReceipt.base64EncodedString()
    case .jws: signedTransaction
    }
  }
}
