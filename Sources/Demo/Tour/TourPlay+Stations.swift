import ControlAPI
import SampleApp
import SampleModel
import StoreModel

// What the player does at each station, in the order of the tour.
extension TourPlay {
  private static let five = SampleCatalog.fiveCredits
  private static let sepia = SampleCatalog.sepia

  static func purchase(on device: String) -> TourPlay { TourPlay(actions: .buy(five, on: device)) }

  static func quantity(on device: String) -> TourPlay { TourPlay(actions: .buy(five, quantity: 3, on: device)) }

  static func cancel(on device: String) -> TourPlay {
    TourPlay(actions: [
      .press(.buy(five), on: device), .answer(.cancel(five), on: device),
      .wait(for: .cancelled, of: [five], on: device),
    ])
  }

  static func storeError(on device: String) -> TourPlay {
    TourPlay(
      actions: [.store(.failNextPurchase(AppError(domain: "SSServerErrorDomain", code: 5002)))]
        + .failToBuy(five, on: device),
      cleanup: [.store(.failNoPurchase)])
  }

  static func declinedCard(on device: String) -> TourPlay {
    let pays = TourAction.store(.change(CustomerChange(paymentMethod: .valid)))
    return TourPlay(
      actions: [.store(.change(CustomerChange(paymentMethod: .declined)))] + .failToBuy(five, on: device) + [pays]
        + .buy(five, on: device),
      cleanup: [pays])
  }

  static func refusedPassword(on device: String) -> TourPlay {
    TourPlay(
      actions: [
        .store(.change(CustomerChange(password: "coffee"))),
        .pressIfThere(.signOut, on: device), .waitUntilGone(.signOut, on: device),
        .press(.buy(five), on: device), .answer(.signIn(password: "tea"), on: device),
        .wait(for: .signInRefused, on: device), .answer(.signIn(password: "coffee"), on: device),
      ] + .confirm(five, on: device),
      cleanup: [.store(.change(CustomerChange(password: .some(nil))))])
  }

  static func askToBuy(on device: String) -> TourPlay {
    TourPlay(
      actions: [
        .store(.change(CustomerChange(needsApproval: true))), .press(.buy(five), on: device),
        .answer(.confirm(five), on: device), .wait(for: .deferred, of: [five], on: device),
        .press(.forceQuit, on: device), .wait(for: .forceQuit, on: device), .store(.approve),
        .press(.launch, on: device),
      ] + .takeDelivery(of: five, on: device),
      cleanup: [.store(.change(CustomerChange(needsApproval: false)))])
  }

  static func killed(on device: String) -> TourPlay {
    TourPlay(
      actions: [
        .press(.hold(true), on: device), .press(.buy(five), on: device), .answer(.confirm(five), on: device),
        .wait(for: .holding, on: device), .press(.forceQuitNow, on: device), .wait(for: .forceQuit, on: device),
        .press(.launch, on: device),
      ] + .takeDelivery(of: five, on: device),
      cleanup: [.pressIfThere(.hold(false), on: device)])
  }

  static func filter(on device: String) -> TourPlay {
    TourPlay(
      actions: .buy(sepia, screen: .filters, on: device) + [
        .press(.use(sepia), on: device), .look(.filters, element: "photograph", on: device),
      ])
  }

  static func subscription(on device: String) -> TourPlay {
    TourPlay(
      actions: .buy(SampleCatalog.goldMonthly, screen: .club, on: device) + [
        .press(.renewal(false), on: device), .press(.renewal(true), on: device),
      ])
  }

  static func restore(on device: String) -> TourPlay {
    TourPlay(actions: [
      .require(
        SampleCatalog.filters.sorted(), orStop: "There is nothing to restore: buy a filter on the other device first."),
      .press(.restore(on: .filters), on: device), .wait(for: .restored, of: SampleCatalog.filters, on: device),
      .wait(for: .granted, of: SampleCatalog.filters, on: device), .closeAlerts(on: device),
    ])
  }

  static func boughtBefore(on device: String) -> TourPlay {
    TourPlay(
      actions: [
        .require([sepia], orStop: "Sepia is not bought yet: do the step “A non-consumable product” first.")
      ] + .reinstall(on: device) + [
        .press(.buy(sepia, on: .filters), on: device), .answer(.confirm(sepia), on: device),
        .answer(.acknowledge(sepia), on: device),
      ] + .takeDelivery(of: sepia, on: device))
  }

  static func noNetwork(on device: String) -> TourPlay {
    TourPlay(
      actions: .loseNetwork(on: device) + [
        .press(.forceQuit, on: device), .wait(for: .forceQuit, on: device), .press(.launch, on: device),
        .wait(for: .launched, on: device), .look(.credits, on: device),
      ] + .regainNetwork(on: device) + [.look(.credits, on: device)],
      cleanup: [.pressIfThere(.airplane(false), on: device)])
  }

  /// StoreKit itself shows why the payment failed.
  static func restricted(on device: String) -> TourPlay {
    TourPlay(
      actions: [
        .press(.restrict(true), on: device), .wait(for: .restricted, on: device), .look(.credits, on: device),
        .press(.buyAnyway(five), on: device), .wait(for: .failed, of: [five], on: device),
        .press(.sheet("acknowledge"), on: device),
        .press(.restrict(false), on: device), .wait(for: .allowed, on: device), .look(.credits, on: device),
      ],
      cleanup: [.pressIfThere(.restrict(false), on: device)])
  }

  /// The store chooses the device to which it delivers the transaction.
  static func boughtOutside() -> TourPlay {
    let product = RunningApp.creditsOfVersionTwo.product
    return TourPlay(actions: [
      .store(.buy(product)), .wait(for: .kept, of: [product], on: nil), .closeAlerts(on: nil),
      .lookInStore(.transaction(of: product)),
    ])
  }

  static func book(on device: String) -> TourPlay {
    let book = SampleCatalog.smallPrint
    return TourPlay(
      actions: .buy(book, screen: .books, on: device) + [
        .lookInStore(.requests), .press(.open(book), on: device),
      ])
  }

  /// The credits that were bought on one device are seen and spent on the other one.
  static func sharedCredits(from first: String, on second: String) -> TourPlay {
    TourPlay(
      actions: .buy(five, on: first) + [.unlessOwned(sepia, .buy(sepia, screen: .filters, on: first))]
        + restore(on: second).actions + [
          .press(.refreshCredits, on: second), .press(.spend, on: second), .wait(for: .spent, on: second),
          .look(.credits, element: "credits-balance", on: second), .press(.refreshCredits, on: first),
          .look(.credits, element: "credits-balance", on: first),
        ])
  }

  static func interruptedDownload(on device: String) -> TourPlay {
    let book = SampleCatalog.encyclopedia
    return TourPlay(
      actions: .buy(book, screen: .books, on: device) + [
        .press(.download(book), on: device), .wait(for: .content, on: device),
        .press(.pause(book), on: device), .press(.download(book), on: device),
      ] + .loseNetwork(on: device) + .regainNetwork(on: device) + [
        .look(.books, on: device), .wait(for: .saved, of: [book], on: device),
      ],
      cleanup: [.pressIfThere(.airplane(false), on: device)])
  }

  static func serverCredits(on device: String) -> TourPlay {
    TourPlay(
      actions: .buy(SampleCatalog.fiftyPages, on: device) + .ownBook(on: device) + .reinstall(on: device)
        + .restoreBook(on: device) + [
          .press(.refreshPages, on: device), .closeAlerts(on: device),
          .look(.credits, element: "pages-balance", on: device),
        ])
  }

  /// Both devices lock the product.
  static func refund(on first: String, _ second: String) -> TourPlay {
    TourPlay(actions: [
      .require([sepia], orStop: "There is nothing to refund: buy sepia first."),
      .store(.refundFirst(sepia)), .wait(for: .locked, of: [sepia], on: nil), .look(.filters, on: second),
      .look(.filters, on: first),
    ])
  }

  /// The server takes the credits back, and the app learns of it from the server.
  static func refundedCredits(on device: String) -> TourPlay {
    TourPlay(
      actions: .buy(five, on: device) + [
        .look(.credits, element: "credits-balance", on: device), .store(.refundLast(five)),
        .store(.settleNotifications),
        .press(.refreshCredits, on: device), .look(.credits, element: "credits-balance", on: device),
      ])
  }

  static func backup(of first: String, on second: String) -> TourPlay {
    let greyscale = SampleCatalog.greyscale
    let buys = TourAction.unlessOwned(greyscale, .buy(greyscale, screen: .filters, on: first))
    return TourPlay(actions: [
      buys, .press(.backUp, on: first), .wait(for: .backedUp, on: first), .restoreBackup(of: first, on: second),
      .wait(for: .backupRestored, on: second), .look(.settings, element: "owner-message", on: second),
    ])
  }

  /// Prepares the devices for another tour: opens the app, turns switches off, and closes what is open.
  static func restart(on devices: [String]) -> TourPlay {
    TourPlay(
      actions: devices.prefix(1).map { .look(.credits, on: $0) },
      cleanup: devices.flatMap { device -> [TourAction] in
        [
          .pressIfThere(.airplane(false), on: device), .pressIfThere(.restrict(false), on: device),
          .pressIfThere(.hold(false), on: device), .pressIfThere(.launch, on: device),
          .pressIfThere(.closeBook, on: device), .closeAlerts(on: device),
        ]
      })
  }
}

// The parts of plays.
extension [TourAction] {
  fileprivate static func buy(
    _ product: String, quantity: Int = 1, screen: AppScreen = .credits, on device: String
  ) -> [TourAction] {
    // A station before may have left a book open.
    let leave: [TourAction] = screen == .books ? [.pressIfThere(.closeBook, on: device)] : []
    return leave + [.press(.buy(product, quantity: quantity, on: screen), on: device)] + confirm(product, on: device)
  }

  fileprivate static func confirm(_ product: String, on device: String) -> [TourAction] {
    [.answer(.confirm(product), on: device)] + takeDelivery(of: product, on: device)
  }

  fileprivate static func takeDelivery(of product: String, on device: String) -> [TourAction] {
    [.wait(for: .granted, of: [product], on: device), .wait(for: .finished, on: device)]
  }

  fileprivate static func failToBuy(_ product: String, on device: String) -> [TourAction] {
    [
      .press(.buy(product), on: device), .answer(.confirm(product), on: device),
      .wait(for: .failed, of: [product], on: device), .closeAlerts(on: device),
    ]
  }

  /// Deletes and installs the app. The server keeps the credits.
  fileprivate static func reinstall(on device: String) -> [TourAction] {
    [
      .press(.remove, on: device), .wait(for: .appRemoved, on: device), .press(.install, on: device),
      .wait(for: .appInstalled, on: device), .press(.launch, on: device),
    ]
  }

  /// Buys the small book, unless the customer owns it.
  fileprivate static func ownBook(on device: String) -> [TourAction] {
    let book = SampleCatalog.smallPrint
    return [.unlessOwned(book, buy(book, screen: .books, on: device))]
  }

  /// Restores the small book. The server recognises the customer by it.
  fileprivate static func restoreBook(on device: String) -> [TourAction] {
    let book = SampleCatalog.smallPrint
    return [
      .pressIfThere(.closeBook, on: device), .press(.restore(on: .books), on: device),
      .wait(for: .verified, of: [book], on: device), .wait(for: .granted, of: [book], on: device),
      .closeAlerts(on: device),
    ]
  }

  fileprivate static func loseNetwork(on device: String) -> [TourAction] {
    [.press(.airplane(true), on: device), .wait(for: .networkLost, on: device)]
  }

  fileprivate static func regainNetwork(on device: String) -> [TourAction] {
    [.press(.airplane(false), on: device), .wait(for: .networkBack, on: device)]
  }
}
