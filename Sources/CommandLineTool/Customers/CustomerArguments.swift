import AppStoreEmulator
import ArgumentParser
import ControlAPI
import StoreModel

/// The arguments that identify a customer.
struct CustomerArguments: ParsableArguments {
  @Argument(
    help: "The customer.", completion: StoreCompletion.customers, transform: NameArgument.notEmpty)
  var name: String

  @Option(help: "The environment.")
  var environment: EnvironmentArgument = .sandbox

  var path: CustomerPath { CustomerPath(AccountName(name), environment.environment) }
}

/// The properties of a customer that options set.
struct CustomerProperties: ParsableArguments {
  enum Method: String, ExpressibleByArgument, CaseIterable {
    case valid, declined
    case needsAttention = "needs-attention"

    var method: Customer.PaymentMethod {
      switch self {
      case .valid: .valid
      case .declined: .declined
      case .needsAttention: .needsAttention
      }
    }
  }

  @Option(help: ArgumentHelp("The password. Without one, any password signs in.", valueName: "text"))
  var password: String?

  @Option(help: ArgumentHelp("The storefront, as three letters such as USA or DEU.", valueName: "code"))
  var storefront: String?

  @Option(help: "Whether charges succeed.")
  var paymentMethod: Method?

  @Option(help: "Whether payments wait for approval (Ask to Buy).")
  var askToBuy: SwitchArgument?

  @Option(
    help: ArgumentHelp("The family. Its members share what is family-shareable.", valueName: "name"))
  var family: String?

  var isEmpty: Bool {
    password == nil && storefront == nil && paymentMethod == nil && askToBuy == nil && family == nil
  }

  /// The change that the options describe. An empty password or family removes the customer's value.
  var change: CustomerChange {
    CustomerChange(
      password: password.map { $0.isEmpty ? nil : $0 }, storefront: storefront, paymentMethod: paymentMethod?.method,
      needsApproval: askToBuy.map { $0 == .on }, family: family.map { $0.isEmpty ? nil : $0 })
  }

  func customer(_ arguments: CustomerArguments) -> Customer {
    Customer(
      environment: arguments.environment.environment, name: AccountName(arguments.name),
      password: password.flatMap { $0.isEmpty ? nil : $0 }, storefrontCountryCode: storefront ?? "USA",
      paymentMethod: paymentMethod?.method ?? .valid, needsApproval: askToBuy == .on,
      family: family.flatMap { $0.isEmpty ? nil : $0 })
  }
}
