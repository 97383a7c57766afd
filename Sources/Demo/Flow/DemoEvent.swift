import SampleApp

/// Something that happened in the demo.
enum DemoEvent: Hashable, Sendable {
  /// On the device of this name.
  case step(device: String, StepReport)
  /// The store made a transaction of this quantity.
  case sold(quantity: Int)
  /// The store has a refund in its books.
  case refunded
}
