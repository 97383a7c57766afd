/// One step of a purchase, with what is known of it.
package struct StepReport: Codable, Hashable, Sendable {
  package let step: PurchaseStep
  /// The product it is about; nil where it is not about one.
  package var product: String?
  /// The store's transaction, once there is one.
  package var transaction: String?
  /// More, in words for a person: a total, an account, why it failed.
  package var words: String?

  package init(_ step: PurchaseStep, product: String? = nil, transaction: String? = nil, words: String? = nil) {
    self.step = step
    self.product = product
    self.transaction = transaction
    self.words = words
  }
}
