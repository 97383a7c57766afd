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
        subscriptions: try await store.subscriptions(of: input.path.name, in: input.path.environment.environment)
          .map(SubscriptionView.init))
    }
    control.serve(ControlEndpoints.subscription) { input in
      let id = input.path.originalTransactionId
      return SubscriptionHistoryView(try await store.subscription(id), try await store.history(ofSubscription: id))
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
