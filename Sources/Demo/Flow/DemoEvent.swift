import SampleApp

/// An event on a device or in the store of the demo.
enum DemoEvent: Hashable, Sendable {
  /// A step of a purchase on the device with this name.
  case step(device: String, StepReport)
  /// The store made a transaction of this quantity.
  case sold(quantity: Int)
  /// The store has recorded a refund.
  case refunded
  /// The developer's server has received a notification of this type. The product is nil if it is not known.
  case notified(String, product: String?)
}
