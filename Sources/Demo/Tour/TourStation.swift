import SampleApp

/// A station of the guided tour: something to try, and how it is known that it was tried.
struct TourStation: Sendable {
  let title: String
  /// The ids of the requirements it shows.
  let requirements: [String]
  /// What to do, one thing a line.
  let instructions: [String]
  /// What to look at.
  let lesson: String
  /// What has to happen, in this order, whatever happens between.
  let goals: [TourGoal]
}

/// What is waited for at a station of the tour.
struct TourGoal: Sendable {
  /// Whether this is what is waited for.
  let fits: @Sendable (DemoEvent) -> Bool

  /// A step on a device.
  ///
  /// - Parameters:
  ///   - products: of one of these; nil for any.
  ///   - device: on this one; nil for any.
  ///   - words: told with just these; nil for any.
  static func step(
    _ step: PurchaseStep, of products: Set<String>? = nil, on device: String? = nil, saying words: String? = nil
  ) -> TourGoal {
    TourGoal { event in
      guard case .step(let place, let report) = event, report.step == step else { return false }
      guard words == nil || words == report.words else { return false }
      return (device ?? place) == place && products.map { $0.contains(report.product ?? "") } ?? true
    }
  }

  /// A purchase of more than one.
  static let severalSold = TourGoal { event in
    guard case .sold(let quantity) = event else { return false }
    return quantity > 1
  }

  /// A refund, of whatever.
  static let refunded = TourGoal { $0 == .refunded }
}
