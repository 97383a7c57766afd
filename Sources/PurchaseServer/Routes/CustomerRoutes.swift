import APIDescription
import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import SignedData
import StoreModel
import WebSupport

/// The endpoints to register, sign out, read, export and erase a customer, and for what the customer consents to.
struct CustomerRoutes: Sendable {
  let ledger: Ledger
  let authentication: CustomerAuthentication
  /// Limits how many new installations each address may register.
  let installations: RateLimiter
  let exports: CustomerExports

  func add(to router: Router<ServiceContext>) {
    let (ledger, authentication, installations) = (ledger, authentication, installations)
    let exports = exports
    router.serve(ServiceEndpoints.registerInstallation, bodyLimit: 4096) { request in
      let device = try request.body.device.map { text in
        guard let device = DeviceIdentifier(text) else {
          throw ErrorResponse(
            .unprocessableContent, "malformedRequest",
            "device is what the store issues receipts for: identifierForVendor (a UUID), or a Mac's MAC address.")
        }
        return device
      }
      if let seconds = installations.admit(request.context.caller.key) {
        throw ErrorResponse(
          .tooManyRequests, "tooManyRequests",
          "Too many new installations come from this address. Wait \(seconds) s.",
          headers: [.retryAfter: String(seconds)])
      }
      let new = try await ledger.registerInstallation(app: request.path.bundleId, device: device)
      return InstallationView(customer: new.customer, token: new.token.text)
    }
    router.serve(ServiceEndpoints.signOut, for: authentication.claimant) { request, claimant in
      guard claimant.app != nil, let token = request.request.bearerToken else {
        throw ErrorResponse(.conflict, "notHere", "This token is of the identity system; sign out there.")
      }
      try await ledger.revoke(BearerToken(text: token))
      return NoContent()
    }
    router.serve(ServiceEndpoints.customer, for: authentication.claimant) { _, claimant in
      CustomerView(customer: claimant.customer, isIdentified: claimant.isIdentified)
    }
    router.serve(raw: ServiceEndpoints.exportCustomer, for: authentication.claimant) { request, claimant in
      try await authentication.acting(as: claimant, request) {
        try await exports.response(for: $0.customer, to: request.request, request.context)
      }
    }
    router.serve(ServiceEndpoints.consent, for: authentication.claimant) { request, claimant in
      try await authentication.acting(as: claimant, request) {
        try await ledger.consent(of: $0.customer, app: request.path.bundleId)
      }
    }
    router.serve(ServiceEndpoints.setConsent, bodyLimit: 4096, for: authentication.claimant) { request, claimant in
      try await authentication.acting(as: claimant, request) {
        try await ledger.setConsent(
          toConsumptionInformation: request.body.consumptionInformation, of: $0.customer, app: request.path.bundleId)
      }
    }
    router.serve(ServiceEndpoints.eraseCustomer, for: authentication.claimant) { request, claimant in
      try await authentication.acting(as: claimant, request) { try await ledger.erase($0.customer) }
      return NoContent()
    }
  }
}
