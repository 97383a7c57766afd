import PurchaseLedger

extension ServerConfiguration {
  /// Warnings about settings that are valid but risky, one or two sentences each.
  public var warnings: [String] { fileWarnings + proxyWarnings + webhookWarnings + appWarnings }

  private var proxyWarnings: [String] {
    guard service.trustedProxies.contains(where: \.isEverybody) else { return [] }
    return [
      "listen.trustedProxies trusts every address: any caller can say in X-Forwarded-For that it is another one, or this "
        + "machine. List the addresses of your proxies."
    ]
  }

  private var webhookWarnings: [String] {
    guard case .apple = trust, service.allowsLoopbackWebhooks else { return [] }
    return [
      "webhooks.allowLoopback lets every holder of an operator's key with the role admin send requests to the ports of this "
        + "machine. Leave it out unless the receiver of a webhook runs here."
    ]
  }

  private var appWarnings: [String] {
    guard case .apple = trust else { return [] }
    return apps.flatMap { app in
      var warnings: [String] = []
      if app.environments.contains(.sandbox), app.ledger.sandboxCustomers == nil {
        warnings.append(
          "\(app.bundleID) takes purchases of the sandbox, which cost nothing: TestFlight and App Review are given for them "
            + "what customers pay for. To give them to testers only, list those in sandboxCustomers; to refuse all, set environments to [\"production\"]."
        )
      }
      if app.verification == .both, app.proofKinds?.contains(.signedTransaction) == true {
        warnings.append(
          "\(app.bundleID) takes signed transactions, which the store is never asked about: a refund after they were signed "
            + "is not found. To have it asked about every purchase, leave signedTransaction out of its proofKinds.")
      }
      return warnings
    }
  }
}
