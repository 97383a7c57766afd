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
      commandName: "buy",
      abstract: "Buy for a customer outside the app: charged at once, without a sheet.",
      discussion: """
        It is delivered to --installation, or else to the first installation of the app that asks where the customer is \
        signed in.

        Each run is a new purchase, unless --payment-id names an earlier one: then nothing is charged again. \
        If the store's response is lost, the message has the id for a retry.
        """)

    @Argument(help: "The product.", completion: StoreCompletion.products)
    var product: String

    @Option(help: ArgumentHelp("The customer who pays.", valueName: "name"), completion: StoreCompletion.customers)
    var customer: String = "customer"

    @Option(help: "The environment.")
    var environment: EnvironmentArgument = .sandbox

    @Option(help: ArgumentHelp("The app; optional if the store serves only one.", valueName: "id"))
    var bundleID: String?

    @Option(help: ArgumentHelp("The quantity, 1 to 10.", valueName: "number"))
    var quantity = 1

    @Option(help: ArgumentHelp("The applicationUsername; a UUID is the appAccountToken, too.", valueName: "text"))
    var username: String?

    @Option(
      help: ArgumentHelp("The installation that it is delivered to.", valueName: "id"),
      completion: StoreCompletion.installations)
    var installation: String?

    @Option(
      help: ArgumentHelp("The id of the purchase. Another run with the same id does not buy again.", valueName: "id"))
    var paymentID: String?

    @Option(help: "The kind of the offer with which a subscription is bought: \(OfferKind.names). Requires --offer-id.")
    var offerType: OfferKind?

    @Option(help: ArgumentHelp("The developer's identifier of the offer, or the offer code's name.", valueName: "id"))
    var offerID: String?

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if quantity < 1 { throw ValidationError("--quantity is at least 1.") }
      if (offerType == nil) != (offerID == nil) { throw ValidationError("An offer needs --offer-type and --offer-id.") }
      if paymentID?.isEmpty == true { throw ValidationError("--payment-id must not be empty.") }
    }

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let paymentID = paymentID ?? UUID().uuidString.lowercased()
        let body = PurchaseRequest(
          bundleId: try await app(of: store), environment: environment.environment, customer: AccountName(customer),
          productId: ProductID(product), quantity: quantity, applicationUsername: username,
          installationId: installation.map(InstallationID.init), paymentId: PaymentID(paymentID),
          offerType: offerType?.kind, offerId: offerID)
        let answer: ControlAPIClient.Answer<TransactionView>
        do {
          answer = try await store.call(ControlEndpoints.purchase, body: body)
        } catch ControlAPIError.noAnswer(let address, let reason) {
          throw CommandFailure.refused(
            "The store at \(address.absoluteString) did not answer: \(reason.madeVisible(limit: 1000)). It may have charged the customer. "
              + "Retry with --payment-id \(paymentID.madeVisible(limit: 200)): it is charged once, and its transaction is printed."
          )
        }
        try options.show(answer, on: console) {
          let customer = $0.customer.rawValue.madeVisible(limit: 60)
          return ["\($0.transactionId): \(customer) was charged \($0.price.text(in: $0.currency))"]
        }
      }
    }

    /// Returns the app given by `--bundle-id`. Without this option, returns the only app of the store.
    private func app(of store: ControlAPIClient) async throws -> BundleID {
      if let bundleID { return BundleID(bundleID) }
      return try await store.call(ControlEndpoints.connection, query: ConnectionQuery()).value.bundleId
    }
  }
}

/// A kind of offer that a customer requests.
enum OfferKind: String, ExpressibleByArgument, CaseIterable {
  case promotional, offerCode, winBack

  static let names = allCases.map(\.rawValue).joined(separator: ", ")

  var kind: SubscriptionOffer.Kind {
    switch self {
    case .promotional: .promotional
    case .offerCode: .offerCode
    case .winBack: .winBack
    }
  }
}
