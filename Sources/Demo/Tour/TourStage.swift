import SampleApp

/// A page in one of the demo's windows. A play shows it because it acts there.
struct TourStage: Hashable, Sendable {
  /// The name of the store's window. The other windows have the names of the devices.
  static let store = "store"

  let window: String
  /// The path and query of the page. The fragment is the id of an element that is scrolled into view.
  let address: String

  static func console(_ address: String) -> TourStage { TourStage(window: store, address: address) }

  /// - Parameter element: the id of the element that is scrolled into view; nil for none.
  static func screen(_ screen: AppScreen, of device: String, element: String? = nil) -> TourStage {
    TourStage(window: device, address: screen.address + (element.map { "#\($0)" } ?? ""))
  }
}

/// A page of the store's console that a play shows.
enum StorePage: Hashable, Sendable {
  /// The page of the tour's customer.
  case customer
  case faults
  case product(String)
  /// The oldest purchase of a product that is not refunded.
  case transaction(of: String)
  /// The newest purchase of a product that is not refunded.
  case lastTransaction(of: String)
  /// The requests that the store has received.
  case requests
  case notifications
}
