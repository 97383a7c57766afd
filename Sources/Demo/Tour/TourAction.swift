import ControlAPI
import SampleApp
import SampleModel
import StoreModel

/// An action of the tour's player: what a user does on a device or in the store, or a step that the player waits for.
///
/// Each action names its device and screen, or its page of the console. The demo's page shows them before the player acts.
enum TourAction: Sendable {
  /// Presses a button of a device. Waits until the page offers it, because prices and lists are loaded from a server.
  case press(DeviceButton, on: String)
  /// Presses a button of a device, if the page offers it now.
  case pressIfThere(DeviceButton, on: String)
  /// Waits until a device no longer offers a button.
  case waitUntilGone(DeviceButton, on: String)
  /// Waits for a sheet of StoreKit, and answers it.
  case answer(PlayedAnswer, on: String)
  /// Waits for a step. If it may happen on any device, shows the device on which it has happened.
  ///
  /// - Parameters:
  ///   - products: the step concerns one of these products; nil for any. If the purchase of one of them ends in another
  ///     way, the play stops.
  ///   - device: the step happens on this device; nil for any.
  case wait(for: PurchaseStep, of: Set<String>? = nil, on: String?)
  /// Closes the alerts that the app shows, if there are some.
  ///
  /// - Parameter device: nil for the device that the play shows.
  case closeAlerts(on: String?)
  /// Restores the last backup of a device on another device.
  case restoreBackup(of: String, on: String)
  case store(StoreAction)
  /// Stops the play with a text, unless the customer owns one of these products.
  case require([String], orStop: String)
  /// Carries out actions, unless the customer owns the product.
  case unlessOwned(String, [TourAction])
  /// Shows a screen of a device, and gives the user time to look at it.
  ///
  /// - Parameter element: the id of the element to look at; nil for the top of the screen.
  case look(AppScreen, element: String? = nil, on: String)
  /// Shows a page of the store's console, and gives the user time to look at it.
  case lookInStore(StorePage)
}

/// The player's answer to a sheet of StoreKit.
enum PlayedAnswer: Hashable, Sendable {
  /// Signs in as ``TourPlay/account``. Without this action, the player signs in with an empty password, but only once.
  case signIn(password: String)
  case confirm(String)
  case cancel(String)
  /// Closes the notice that the product was bought before.
  case acknowledge(String)
}

/// What the player does in the store's console.
enum StoreAction: Sendable {
  case change(CustomerChange)
  /// Makes the next confirmed purchase fail with an error.
  case failNextPurchase(AppError)
  /// Removes that error, if no purchase has failed with it.
  case failNoPurchase
  /// Approves the oldest payment that waits for approval (Ask to Buy).
  case approve
  /// Buys a product outside the app.
  case buy(String)
  /// Refunds the oldest purchase of a product that is not refunded.
  case refundFirst(String)
  /// Refunds the newest purchase of a product that is not refunded.
  case refundLast(String)
  /// Waits until the store has sent all notifications to the developer's server.
  case settleNotifications

  /// The page of the console on which a user does it.
  var page: StorePage {
    switch self {
    case .change, .approve: .customer
    case .failNextPurchase, .failNoPurchase: .faults
    case .buy(let product): .product(product)
    case .refundFirst(let product): .transaction(of: product)
    case .refundLast(let product): .lastTransaction(of: product)
    case .settleNotifications: .notifications
    }
  }
}

/// What the player does at a station.
struct TourPlay: Sendable {
  /// The account that signs in and buys. The demo's store has this customer, without a password.
  static let account = "customer"

  let actions: [TourAction]
  /// Restore the settings that the actions change. Also carried out if the play stops. They are not shown, so that the
  /// page still shows what the actions have led to.
  var cleanup: [TourAction] = []
}
