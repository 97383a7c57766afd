import AppStoreEmulator
import ArgumentParser
import ControlAPI
import Foundation
import StoreModel

/// `openstorekit subscriptions`: works with the subscriptions of a running store.
struct SubscriptionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscriptions",
    abstract: "List, show and change the subscriptions of a running store.",
    discussion: """
      A subscription has the id of its first transaction. Renewals come with the store's clock: see openstorekit clock.
      """,
    subcommands: [List.self, Show.self, Change.self], defaultSubcommand: List.self)

  /// Returns the path of a subscription in the control API.
  ///
  /// - Throws: `ValidationError` if `text` is not a transaction id.
  fileprivate static func path(_ text: String) throws -> SubscriptionPath {
    SubscriptionPath(try TransactionsCommand.path(text).transactionId)
  }

  /// `subscriptions list`: lists a customer's subscriptions.
  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List a customer's subscriptions in all apps, newest first.")

    @Option(
      help: ArgumentHelp("The customer.", valueName: "name"), completion: StoreCompletion.customers,
      transform: NameArgument.notEmpty)
    var customer: String = "customer"

    @Option(help: "The environment.")
    var environment: EnvironmentArgument = .sandbox

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      let path = CustomerPath(AccountName(customer), environment.environment)
      try await options.asking(on: console) { store in
        let answer = try await store.callAllPages(ControlEndpoints.subscriptions, path: path)
        try options.show(answer, on: console) { console.lines(of: TextTable($0.subscriptions.reversed())) }
        if !options.json, answer.value.subscriptions.isEmpty { console.note("No subscriptions.") }
      }
    }
  }

  /// `subscriptions show`: shows a subscription and its history.
  struct Show: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one subscription and its history.")

    @Argument(help: ArgumentHelp("The subscription.", valueName: "id"))
    var subscription: String

    @OptionGroup var options: ControlAPIOptions

    func validate() throws { _ = try SubscriptionsCommand.path(subscription) }

    func run(on console: CommandConsole) async throws {
      let path = try SubscriptionsCommand.path(subscription)
      try await options.asking(on: console) { store in
        let answer = try await store.callAllPages(ControlEndpoints.subscription, path: path)
        try options.show(answer, on: console) { answer in
          let history = TextTable(
            columns: [.init(heading: "date"), .init(heading: "what happened")],
            rows: answer.history.map { [$0.date.readable, $0.step.text] })
          return answer.subscription.lines + [""] + console.lines(of: history)
        }
      }
    }
  }

  /// `subscriptions change`: changes a subscription, as its customer or the developer can.
  struct Change: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "change",
      abstract: "Turn renewal on or off, extend the period, or announce and answer a price increase.",
      discussion:
        "All changes of one run are made together, or none. Raise the catalog's price before --price-increase.")

    enum Consent: String, ExpressibleByArgument, CaseIterable {
      case withConsent = "with-consent"
      case withoutConsent = "without-consent"
    }
    enum Answer: String, ExpressibleByArgument, CaseIterable { case agree, decline }

    @Argument(help: ArgumentHelp("The subscription.", valueName: "id"))
    var subscription: String

    @Option(help: "Turn automatic renewal on or off.")
    var autoRenew: SwitchArgument?

    @Option(help: ArgumentHelp("Extend the current period to a later date, such as 2026-12-24.", valueName: "date"))
    var extendTo: String?

    @Option(help: "Announce that renewals will have the catalog's higher price.")
    var priceIncrease: Consent?

    @Option(help: "Answer a price increase that needs consent.")
    var priceAnswer: Answer?

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      _ = try SubscriptionsCommand.path(subscription)
      if autoRenew == nil, extendTo == nil, priceIncrease == nil, priceAnswer == nil {
        throw ValidationError(
          "Nothing to change: give --auto-renew, --extend-to, --price-increase or --price-answer.")
      }
      if let extendTo, StoreDate(typed: extendTo) == nil {
        throw ValidationError(
          "\(extendTo.madeVisible(limit: 100)) is no date. Write one such as 2026-12-24 or 2026-12-24T18:00:00Z.")
      }
    }

    func run(on console: CommandConsole) async throws {
      var change = SubscriptionChange()
      change.isAutoRenewOn = autoRenew.map { $0 == .on }
      change.renewalDate = extendTo.flatMap { StoreDate(typed: $0) }
      change.priceIncrease = priceIncrease.map { $0 == .withConsent ? .withConsent : .withoutConsent }
      change.agreesToPrice = priceAnswer.map { $0 == .agree }
      let path = try SubscriptionsCommand.path(subscription)
      let body = change
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.changeSubscription, path: path, body: body)
        try options.show(answer, on: console) { $0.lines }
      }
    }
  }
}

extension TextTable {
  fileprivate init(_ subscriptions: [SubscriptionView]) {
    self.init(
      columns: [
        .init(heading: "subscription"), .init(heading: "product"),
        .init(heading: "state", style: { TextStyle.ofSubscriptionState($0) }), .init(heading: "renews"),
        .init(heading: "period ends"), .init(heading: "access until"), .init(heading: "price", isNumber: true),
      ],
      rows: subscriptions.map {
        [
          $0.originalTransactionId.rawValue, $0.productId.rawValue.visibleIdentifier, $0.state.rawValue,
          $0.isAutoRenewOn ? "yes" : "no", $0.renewalDate.readable, $0.accessEndDate.readable,
          $0.renewalPrice.text(in: $0.currency),
        ]
      })
  }
}

extension TextStyle {
  fileprivate static func ofSubscriptionState(_ state: String) -> TextStyle? {
    switch RenewalRecord.State(rawValue: state) {
    case .active: .good
    case .gracePeriod, .billingRetry: .waiting
    case .revoked: .bad
    case .expired, nil: nil
    }
  }
}

extension SubscriptionView {
  fileprivate var lines: [String] {
    var rows = LabeledRows()
    rows.add("subscription", originalTransactionId.rawValue)
    rows.add("last transaction", lastTransactionId.rawValue)
    rows.add("app", "\(bundleId.rawValue.madeVisible(limit: 300)), \(environment.rawValue)")
    rows.add("customer", customer.rawValue.madeVisible(limit: 300))
    rows.add("group", subscriptionGroupIdentifier.rawValue.madeVisible(limit: 300))
    rows.add("state", state.rawValue)
    rows.add("expired because", RenewalRecord.text(ofExpirationIntent: expirationIntent))
    rows.add("product", productId.rawValue.madeVisible(limit: 300))
    rows.add(
      "next product", autoRenewProductId == productId ? nil : autoRenewProductId.rawValue.madeVisible(limit: 300))
    rows.add("renews", isAutoRenewOn ? "yes" : "no")
    rows.add("renewal price", renewalPrice.text(in: currency))
    rows.add(
      "announced price", announcedPrice.map { $0.text(in: currency) + (needsPriceConsent ? ", needs consent" : "") })
    rows.add("offer", renewalOfferType.map { "\($0.rawValue) \((renewalOfferId ?? "").madeVisible(limit: 100))" })
    rows.add("period began", periodStartDate.readable)
    rows.add("period ends", renewalDate.readable)
    rows.add("access until", accessEndDate.readable)
    rows.add("retried until", retryEndDate?.readable)
    rows.add("next event", nextEventDate?.readable)
    return rows.lines
  }
}
