import SampleApp

/// A button on a device's page, and what the user types into its form.
struct DeviceButton: Hashable, Sendable {
  /// The button's name in messages to the user.
  let title: String
  /// The address of the button's form.
  let action: String
  /// The screen that has the button; nil for a button that is shown over the current screen.
  var screen: AppScreen?
  /// The product beside the button; nil if there is none.
  var product: String?
  /// The value that the button sends; nil if the button has no value.
  var value: String?
  /// The typed fields of the form.
  var typed: [String: String] = [:]

  static let launch = DeviceButton(title: "Monkey Shop", action: "/phone/launch", screen: .home)
  static let forceQuit = DeviceButton(title: "Force-quit", action: "/phone/force-quit", screen: .settings)
  /// The button that the phone shows over the app while the app waits between charge and grant.
  static let forceQuitNow = DeviceButton(title: "Force-quit now", action: "/phone/force-quit")
  static let remove = DeviceButton(title: "Delete the app", action: "/phone/remove", screen: .settings)
  static let install = DeviceButton(title: "Install the app", action: "/phone/install", screen: .settings)
  static let signOut = DeviceButton(title: "Sign out", action: "/phone/sign-out", screen: .settings)
  static let backUp = DeviceButton(title: "Back up now", action: "/phone/back-up", screen: .settings)
  static let closeAlert = DeviceButton(title: "OK", action: "/app/alert")
  static let closeBook = DeviceButton(title: "Close the book", action: "/app/books/close", screen: .books)
  static let refreshCredits = DeviceButton(title: "Refresh", action: "/app/credits/refresh", screen: .credits)
  static let spend = DeviceButton(title: "Spend", action: "/app/spend", screen: .credits, typed: ["amount": "1"])
  static let refreshPages = DeviceButton(title: "Refresh", action: "/app/pages/refresh", screen: .credits)

  static func buy(_ product: String, quantity: Int = 1, on screen: AppScreen = .credits) -> DeviceButton {
    DeviceButton(
      title: "Buy", action: "/app/buy", screen: screen, product: product, typed: ["quantity": String(quantity)])
  }

  static func buyAnyway(_ product: String) -> DeviceButton {
    DeviceButton(title: "Add a payment anyway", action: "/app/buy-anyway", screen: .credits, product: product)
  }

  static func restore(on screen: AppScreen) -> DeviceButton {
    DeviceButton(title: "Restore purchases", action: "/app/restore", screen: screen)
  }

  static func use(_ filter: String) -> DeviceButton {
    DeviceButton(title: "Use", action: "/app/filters/use", screen: .filters, product: filter)
  }

  static func open(_ book: String) -> DeviceButton {
    DeviceButton(title: "Read", action: "/app/books/open", screen: .books, product: book)
  }

  static func download(_ book: String) -> DeviceButton {
    DeviceButton(title: "Download", action: "/app/books/download", screen: .books, product: book)
  }

  static func pause(_ book: String) -> DeviceButton {
    DeviceButton(title: "Pause", action: "/app/books/pause", screen: .books, product: book)
  }

  static func renewal(_ isOn: Bool) -> DeviceButton {
    DeviceButton(
      title: isOn ? "Renew again" : "Cancel subscription", action: "/app/subscription/renewal",
      screen: .subscriptions, value: "\(isOn)")
  }

  static func airplane(_ isOn: Bool) -> DeviceButton { turn("Airplane mode", "airplane", isOn) }

  static func restrict(_ isOn: Bool) -> DeviceButton { turn("Restrict purchases", "restrict", isOn) }

  static func hold(_ isOn: Bool) -> DeviceButton { turn("Stop between charge and grant", "hold", isOn) }

  /// A button of the sheet that StoreKit shows.
  static func sheet(_ answer: String, typed: [String: String] = [:]) -> DeviceButton {
    DeviceButton(title: answer, action: "/app/sheet", value: answer, typed: typed)
  }

  static func restoreBackup(_ file: String, key: String) -> DeviceButton {
    DeviceButton(
      title: "Restore", action: "/phone/restore-backup", screen: .settings, typed: ["file": file, "key": key])
  }

  private static func turn(_ title: String, _ verb: String, _ isOn: Bool) -> DeviceButton {
    DeviceButton(
      title: "\(title): \(isOn ? "on" : "off")", action: "/phone/\(verb)", screen: .settings, value: "\(isOn)")
  }
}
