import SampleApp
import SampleModel

extension TourStation {
  /// The localized description that an app gets for the error that the tour sets in the store.
  static let unknownErrorText = "An unknown error has occurred"

  /// The text of the alert for a declined payment method.
  static let declinedCardText = "The payment method was declined. Nothing was charged."

  /// Returns the stations of the tour, in order.
  ///
  /// - Parameters:
  ///   - first: the name of the device on which most of the tour happens.
  ///   - second: the name of the other device.
  static func all(first: String, second: String) -> [TourStation] {
    let credits = Set(SampleCatalog.creditsForProduct.keys)
    return [
      TourStation(
        title: "Buy something", requirements: ["A4", "A7", "B1", "B2", "B3", "B4", "B5", "H2"],
        instructions: [
          "On the \(first), press Buy beside 5 monkey credits.",
          "Sign in with the account name “customer”, leave the password empty, and confirm.",
        ],
        lesson:
          "The credits and the transaction's id are saved together, so a crash cannot grant them twice. Only then is the transaction finished.",
        goals: [.step(.granted, of: credits), .step(.finished)],
        play: .purchase(on: first)),
      TourStation(
        title: "Quantity", requirements: ["B6"],
        instructions: ["Choose the quantity 3, and buy again."],
        lesson:
          "The sheet shows the unit price and the total. There is one charge and one transaction, and the credits are granted three times.",
        goals: [.severalSold],
        play: .quantity(on: first)),
      TourStation(
        title: "Cancel a purchase", requirements: ["C1", "C3"],
        instructions: ["Press Buy, and cancel the sheet."],
        lesson: "Nothing is charged or recorded, and no alert is shown.",
        goals: [.step(.cancelled)],
        play: .cancel(on: first)),
      TourStation(
        title: "An error of the store", requirements: ["C2"],
        instructions: [
          "In the store's console, under Faults, set appError: the domain SSServerErrorDomain, the code 5002, 1 time.",
          "Buy a product whose price the \(first) shows.",
        ],
        lesson:
          "The app receives the domain, code and description of the error. The failed payment is finished, and nothing is charged.",
        goals: [.step(.failed, withDetail: unknownErrorText)],
        play: .storeError(on: first)),
      TourStation(
        title: "A declined card", requirements: ["C2"],
        instructions: [
          "In the store's console, open the customer called customer, and set the payment method to “is declined”.",
          "Buy credits on the \(first): the app is told why it failed. Set the payment method to “pays” again.",
        ],
        lesson: "A payment that fails is finished like every other one. Nothing is charged, and nothing is granted.",
        goals: [.step(.failed, withDetail: declinedCardText), .step(.granted, of: credits)],
        play: .declinedCard(on: first)),
      TourStation(
        title: "A refused password", requirements: ["B2", "C2"],
        instructions: [
          "In the store's console, open the customer called customer, and set a password.",
          "In the \(first)'s settings, sign out. Buy credits, and sign in with a wrong password: it is refused.",
          "Sign in with the right password, and confirm. Then remove the customer's password.",
        ],
        lesson:
          "Until the store accepts the password, there is no price and no charge. The sheet is shown at most three times; if you cancel it, the payment fails and is finished.",
        goals: [.step(.signInRefused), .purchaseEnded],
        play: .refusedPassword(on: first)),
      TourStation(
        title: "Ask to Buy", requirements: ["B3", "C4"],
        instructions: [
          "In the store's console, open the customer called customer, and turn on approval for every payment.",
          "Buy credits on the \(first): the payment waits. You may force-quit the app.",
          "Press Approve on the customer's page, open the app, and turn approval off again.",
        ],
        lesson:
          "A deferred payment is neither charged nor granted. When the parent approves, it is charged and delivered, also to an app that was closed meanwhile.",
        goals: [.step(.deferred), .step(.granted, of: credits)],
        play: .askToBuy(on: first)),
      TourStation(
        title: "Killed between charge and grant", requirements: ["B9"],
        instructions: [
          "Beside the phone, turn on \"Stop between charge and grant\".",
          "Buy credits. The store charges, and the app waits.",
          "Force-quit the app, and open it again.",
        ],
        lesson:
          "The process is killed with SIGKILL. The transaction is unfinished, so it is delivered again: one charge, one grant.",
        goals: [.step(.holding), .step(.forceQuit), .step(.launched), .step(.granted)],
        play: .killed(on: first)),
      TourStation(
        title: "A non-consumable product", requirements: ["A2", "D1", "D2"],
        instructions: ["Open Filters, buy sepia, and use it on the photograph."],
        lesson:
          "The filter is built into the app, and the purchase unlocks it. The Buy button becomes the Use button, now and after each later launch.",
        goals: [.step(.granted, of: SampleCatalog.filters)],
        play: .filter(on: first)),
      TourStation(
        title: "A subscription", requirements: ["A1"],
        instructions: [
          "On the \(first), open Club, and join a plan.",
          "Open Subscriptions in the phone's settings, or the subscription in the store's console, and change it.",
        ],
        lesson:
          "The store renews it on its own clock, which you can move in the console. The app sees renewals, grace period, lapse and refunds.",
        goals: [.step(.granted, of: Set(SampleCatalog.clubPlans))],
        play: .subscription(on: first)),
      TourStation(
        title: "Restore on the second device", requirements: ["D4", "E1", "E2", "E4", "E5"],
        instructions: ["On the \(second), open Filters and press Restore purchases; sign in as customer."],
        lesson:
          "Non-consumables are restored without a charge, as new transactions with the original one attached. Consumables are not restored.",
        goals: [.step(.restored, on: second)],
        play: .restore(on: second)),
      TourStation(
        title: "Bought before", requirements: ["D3"],
        instructions: [
          "On the \(first), delete the app and install it again. Its data are deleted with it.",
          "Buy sepia once more with the same account.",
          "To keep the credits, make a backup before, and restore it afterwards.",
        ],
        lesson:
          "Sign-in and confirmation are shown as usual. Then StoreKit shows that you bought it before, and nothing is charged.",
        goals: [.step(.boughtBefore)],
        play: .boughtBefore(on: first)),
      TourStation(
        title: "No network", requirements: ["A5", "A6", "C4"],
        instructions: [
          "Turn on airplane mode, and open the app again: the buttons read \"Network down?\".",
          "Turn it off again: the prices are loaded automatically.",
        ],
        lesson:
          "The manager requests the products again when the network returns. A payment that was added stays in the device's journal.",
        goals: [.step(.networkLost), .step(.networkBack)],
        play: .noNetwork(on: first)),
      TourStation(
        title: "Purchases restricted", requirements: ["C5", "C6"],
        instructions: ["Restrict purchases in the phone's settings, look at Credits, and allow them again."],
        lesson: "The prices are still shown, but the buttons read \"AppStore disabled\".",
        goals: [.step(.restricted), .step(.allowed)],
        play: .restricted(on: first)),
      TourStation(
        title: "Bought outside the app", requirements: ["B7"],
        instructions: [
          "In the store's console, open 20 monkey credits in the Catalog, and buy them for the customer called customer.",
          "Look at the transaction after a while: it stays unfinished.",
        ],
        lesson:
          "This version of the app does not know the product. The transaction stays unfinished until a later version grants it.",
        goals: [.step(.journalled, of: [RunningApp.creditsOfVersionTwo.product])],
        play: .boughtOutside()),
      TourStation(
        title: "Delivered by your server", requirements: ["A3", "G1", "G2", "G3"],
        instructions: [
          "Open Books, buy The Small Print, and read it.",
          "In the store's console, under Requests, look at verifyReceipt: production returns 21007, the sandbox 0.",
        ],
        lesson:
          "The purchase server verifies the receipt with the store, records the purchase and sends the content. The app verifies the digest before it grants the book.",
        goals: [.step(.verified), .step(.saved), .step(.granted)],
        play: .book(on: first)),
      TourStation(
        title: "An interrupted download", requirements: ["G4", "G5"],
        instructions: [
          "Buy the encyclopedia: the purchase is finished before its download. Start the download.",
          "During the download, press Pause, and then continue it. Then turn airplane mode on and off.",
        ],
        lesson: "The downloaded part is kept, and the download continues after it. An incomplete book is never opened.",
        goals: [.step(.content), .step(.networkLost), .step(.networkBack), .step(.saved)],
        play: .interruptedDownload(on: first)),
      TourStation(
        title: "Credits on the server", requirements: ["F3"],
        instructions: [
          "On the \(first), buy 50 pages to print (Credits) and, unless you have it, The Small Print (Books).",
          "Delete the app, and install it again. Open Books, press Restore purchases, and sign in as customer.",
          "In Credits, press Refresh: the pages are shown again. Monkey credits need a backup.",
        ],
        lesson:
          "The app's data were deleted, and no receipt lists the pages any more. The server has their balance, and the restored book identifies the customer.",
        goals: [
          .step(.granted, of: [SampleCatalog.fiftyPages]), .step(.appRemoved), .step(.appInstalled), .step(.verified),
        ],
        play: .serverCredits(on: first)),
      TourStation(
        title: "Refund", requirements: ["G6", "H1", "H2"],
        instructions: [
          "In the store's console, open the first purchase of sepia, press Refund, and look at both devices."
        ],
        lesson:
          "The devices are notified, the signed data have a revocation date, and the filter is locked again. This includes restored copies, because they have the same original transaction.",
        goals: [.refunded],
        play: .refund()),
      TourStation(
        title: "Backup", requirements: ["F1", "F2"],
        instructions: [
          "Make a backup on the \(first).",
          "On the \(second), restore that backup, with its key.",
        ],
        lesson:
          "The vault is encrypted and signed. Its backup restores entitlements at once, and credits only if they cannot be restored twice.",
        goals: [.step(.backedUp), .step(.backupRestored, on: second)],
        play: .backup(of: first, on: second)),
    ]
  }
}
