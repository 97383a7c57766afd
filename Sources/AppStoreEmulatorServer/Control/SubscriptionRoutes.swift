import AppStoreEmulator
import ControlAPI
import Hummingbird
import StoreModel
import WebSupport

struct SubscriptionRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.subscriptions) { input in
      SubscriptionList(
        try await store.subscriptionPage(
          of: input.path.name, in: input.path.environment.environment, after: input.query.after?.key,
          limit: input.query.count))
    }
    control.serve(ControlEndpoints.subscription) { input in
      let found = try await store.subscription(
        input.path.originalTransactionId, historyAfter: input.query.after?.key, limit: input.query.count)
      return SubscriptionHistoryView(found.details, found.history)
    }
    control.serve(ControlEndpoints.changeSubscription) { input in
      let adjustments = input.body.adjustments
      guard !adjustments.isEmpty else {
        throw ErrorResponse(
          .badRequest, "malformedRequest", "A change needs isAutoRenewOn, renewalDate, priceIncrease or agreesToPrice.")
      }
      return SubscriptionView(
        try await store.changeSubscription(input.path.originalTransactionId, by: adjustments))
    }
    control.serve(ControlEndpoints.renewalRules) { input in
      RenewalRulesView(try await store.renewalRules(of: input.path.bundleId))
    }
    control.serve(ControlEndpoints.setRenewalRules) { input in
      guard let rules = input.body.rules else {
        let rates = RenewalRate.allCases.map { String($0.rawValue) }.joined(separator: ", ")
        throw ErrorResponse(.unprocessableContent, "unknownTimeRate", "timeRate is one of \(rates).")
      }
      guard input.body.gracePeriod == nil || input.body.gracePeriodSeconds == nil else {
        throw ErrorResponse(.badRequest, "malformedRequest", "Give gracePeriod or gracePeriodSeconds, not both.")
      }
      try await store.setRenewalRules(rules, of: input.path.bundleId)
      return RenewalRulesView(rules)
    }
  }
}
