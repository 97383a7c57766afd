import APIDescription
import Hummingbird
import PurchaseLedger
import WebSupport

extension OperatorCatalogRoutes {
  /// Adds the endpoints to list, publish and remove offerings.
  func addOfferings(to router: Router<ServiceContext>) {
    let ledger = ledger
    router.serve(ServiceEndpoints.offeringsForOperator, for: authentication) { request, _ in
      let offerings = try await ledger.offerings(of: request.path.bundleId)
      return PublishedOfferingList(offerings: offerings.map(PublishedOfferingView.init))
    }
    router.serve(
      ServiceEndpoints.publishOffering, bodyLimit: BodyLimit.form, for: authentication
    ) { request, identity in
      let (path, body) = (request.path, request.body)
      try OperatorReason.check(body.reason)
      let offering = Offering(
        id: path.offeringId, products: body.products, metadata: body.metadata?.text ?? "{}",
        isCurrent: body.isCurrent ?? false)
      do {
        return PublishedOfferingView(
          try await ledger.publish(offering, app: path.bundleId, by: identity.name, reason: body.reason))
      } catch let error as LedgerError {
        guard case .unknownProduct = error else { throw error }
        throw ErrorResponse(.notFound, "unknownProduct", error.description, member: "products")
      }
    }
    router.serve(ServiceEndpoints.removeOffering, for: authentication) { request, identity in
      try OperatorReason.check(request.query.reason)
      try await ledger.removeOffering(
        request.path.offeringId, of: request.path.bundleId, by: identity.name, reason: request.query.reason)
      return NoContent()
    }
  }
}
