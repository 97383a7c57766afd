/// A step of a purchase, and its details.
package struct StepReport: Codable, Hashable, Sendable {
  package let step: PurchaseStep
  /// The product; nil if the step is not about one.
  package var product: String?
  /// The store's transaction identifier; nil before there is one.
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
