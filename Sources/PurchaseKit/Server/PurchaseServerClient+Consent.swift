import Foundation
import HTTPTransport

extension PurchaseServerClient {
  /// Whether the customer consents that the App Store is told how much of a purchase was used, if they ask for its refund. Without
  /// consent, the server tells nothing.
  ///
  /// - Throws: ``PurchaseServerError``.
  public func consentsToConsumptionInformation() async throws -> Bool {
    try await read(Consent.self, HTTPCall("GET", consentAddress)).consumptionInformation
  }

  /// Records the customer's answer, which the app has asked for. `false` withdraws an earlier consent. Ask again after
  /// ``customer`` has changed: a consent is not carried over to another customer.
  ///
  /// - Throws: ``PurchaseServerError``.
  public func setConsent(toConsumptionInformation isGiven: Bool) async throws {
    let body = try JSONEncoder().encode(Consent(consumptionInformation: isGiven))
    _ = try await read(
      Consent.self, HTTPCall("PUT", consentAddress, fields: ["Content-Type": "application/json"], body: body))
  }

  private struct Consent: Codable { let consumptionInformation: Bool }
  private var consentAddress: URL { endpoints.app.appending(path: "customer/consent") }
}
