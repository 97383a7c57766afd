/// A step of a purchase, and its details.
package struct StepReport: Codable, Hashable, Sendable {
  package let step: PurchaseStep
  /// The product; nil if the step does not concern a product.
  package var product: String?
  /// The store's transaction identifier; nil if there is none yet.
  package var transaction: String?
  /// Further text for a person: a total, an account, or the reason of a failure.
  package var detail: String?

  package init(_ step: PurchaseStep, product: String? = nil, transaction: String? = nil, detail: String? = nil) {
    self.step = step
    self.product = product
    self.transaction = transaction
    self.detail = detail
  }
}
