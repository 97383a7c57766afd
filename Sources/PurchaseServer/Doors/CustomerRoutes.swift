import Foundation
import WebSupport
import HTTPTypes
import Hummingbird
import PurchaseLedger
import SignedData
import StoreModel

/// The endpoints to register an installation, to sign out, and to export or erase a customer's data.
struct CustomerRoutes: Sendable {
  let ledger: Ledger
  let door: CustomerAuthentication
  /// Limits the new installations of each address.
  let installations: RateLimiter

  private struct InstallationOrder: Decodable, Sendable {
    let device: String?
  }

  private struct InstallationView: Encodable, Sendable {
    let customer: CustomerID
    let token: String
  }

  private struct CustomerView: Encodable, Sendable {
    let customer: CustomerID
    let isIdentified: Bool
  }

  func add(to app: RouterGroup<ServiceContext>) {
    let (ledger, door, installations) = (ledger, door, installations)
    app.post("installations") { request, context in
      let order = try await request.decoded(InstallationOrder.self, keys: ["device"], upTo: 4096)
      let device = try order.device.map { text in
        guard let device = DeviceIdentifier(text) else {
          throw ErrorResponse(
            .unprocessableContent, "malformedRequest",
            "device is what the store issues receipts for: a UUID (identifierForVendor), or a Mac's address.")
        }
        return device
      }
      if let seconds = installations.admit(context.caller.key) {
        throw ErrorResponse(
          .tooManyRequests, "tooManyRequests",
          "Too many new installations come from this address. Wait \(seconds) s.",
          headers: [.retryAfter: String(seconds)])
      }
      let new = try await ledger.registerInstallation(app: context.app, device: device)
      return try Response.json(InstallationView(customer: new.customer, token: new.token.text), status: .created)
    }
    app.delete("installations/current") { request, context in
      let claimant = try await door.claimant(request, context)
      guard claimant.app != nil, let token = request.bearerToken else {
        throw ErrorResponse(.conflict, "notHere", "This token is of the identity system; sign out there.")
      }
      try await ledger.revoke(BearerToken(text: token))
      return Response(status: .noContent)
    }
    app.get("customer") { request, context in
      let claimant = try await door.claimant(request, context)
      return try Response.json(CustomerView(customer: claimant.customer, isIdentified: claimant.isIdentified))
    }
    app.get("customer/export") { request, context in
      try Response.json(try await door.acting(for: request, context) { try await ledger.export($0.customer) })
    }
    app.delete("customer") { request, context in
      try await door.acting(for: request, context) { try await ledger.erase($0.customer) }
      return Response(status: .noContent)
    }
  }
}
