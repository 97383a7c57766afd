import APIDescription
import ArgumentParser
import ControlAPI
import Foundation
import ProgramSupport
import StoreModel

extension TransactionsCommand {
  /// `transactions buy`: buys a product on a customer's behalf.
  struct Buy: ConsoleCommand {
    static let configuration = CommandConfiguration(
      abstract: "Buy on a customer's behalf, as if outside the app: charged at once, without a sheet.",
      discussion: """
        It is delivered to --installation, or else to the first installation of the app that asks where the customer is \
        signed in.

        Each run is a purchase of its own, unless --payment-id names one that was asked for before: then nothing is charged again. \
        Where the store's answer is lost, the message has the id to ask again with.
        """)

    @Argument(help: "The product.", completion: StoreCompletion.products)
    var product: String

    @Option(help: ArgumentHelp("Who pays.", valueName: "name"), completion: StoreCompletion.customers)
    var customer: String = "customer"

    @Option(help: "Where.")
    var environment: EnvironmentArgument = .sandbox

    @Option(help: ArgumentHelp("The app; may be left out where the store serves one.", valueName: "id"))
    var bundleID: String?

    @Option(help: ArgumentHelp("How many, 1 to 10.", valueName: "number"))
    var quantity = 1

    @Option(help: ArgumentHelp("The applicationUsername; a UUID is the appAccountToken, too.", valueName: "text"))
    var username: String?

    @Option(help: ArgumentHelp("Where to deliver it.", valueName: "id"), completion: StoreCompletion.installations)
    var installation: String?

    @Option(help: ArgumentHelp("Names the purchase; the same one again is the same purchase.", valueName: "id"))
    var paymentID: String?

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if quantity < 1 { throw ValidationError("--quantity is at least 1.") }
      if paymentID?.isEmpty == true { throw ValidationError("--payment-id must not be empty.") }
    }

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let paymentID = paymentID ?? UUID().uuidString.lowercased()
        let order = PurchaseOrder(
          bundleId: try await app(of: store), environment: environment.environment, customer: AccountName(customer),
          productId: ProductID(product), quantity: quantity, applicationUsername: username,
          installationId: installation.map(InstallationID.init), paymentId: PaymentID(paymentID))
        let answer: ControlAPIClient.Answer<TransactionView>
        do {
          answer = try await store.call(ControlEndpoints.purchase, body: order)
        } catch ControlAPIError.noAnswer(let address, let reason) {
          throw CommandFailure.refused(
            "The store at \(address.absoluteString) did not answer: \(reason.madeVisible(limit: 1000)). It may have charged. "
              + "Ask again with --payment-id \(paymentID.madeVisible(limit: 200)): it is charged once, and you get its transaction."
          )
        }
        try options.show(answer, on: console) {
          let customer = $0.customer.rawValue.madeVisible(limit: 60)
          return ["\($0.transactionId): \(customer) was charged \($0.price.text(in: $0.currency))"]
        }
      }
    }

    /// Returns the app that `--bundle-id` names, or else the only app that the store serves.
    private func app(of store: ControlAPIClient) async throws -> BundleID {
      if let bundleID { return BundleID(bundleID) }
      return try await store.call(ControlEndpoints.connection, query: ConnectionQuery()).value.bundleId
    }
  }
}
