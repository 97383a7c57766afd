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
          "The developer's server verifies the proof of the purchase, and records the credits with the transaction's id, so a crash cannot grant them twice. Only then is the transaction finished.",
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
          "In the store's console, open the customer “customer”, and set the payment method to “is declined”.",
          "Buy credits on the \(first): the app is told why it failed. Set the payment method to “pays” again.",
        ],
        lesson: "A payment that fails is finished like every other one. Nothing is charged, and nothing is granted.",
        goals: [.step(.failed, withDetail: declinedCardText), .step(.granted, of: credits)],
        play: .declinedCard(on: first)),
      TourStation(
        title: "A refused password", requirements: ["B2", "C2"],
        instructions: [
          "In the store's console, open the customer “customer”, and set a password.",
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
          "In the store's console, open the customer “customer”, and turn on approval for every payment.",
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
          "In the \(first)'s settings (press Home, then Settings), turn on “Stop between charge and grant”.",
          "Buy credits. The store charges, and the app waits.",
          "Force-quit the app, and open it again: the credits arrive.",
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
          "Open Subscriptions in the \(first)'s settings: cancel the subscription, and renew it again.",
        ],
        lesson:
          "The store renews it on its own clock, which you can move in the console. The app sees renewals, grace period, lapse and refunds.",
        goals: [.step(.granted, of: Set(SampleCatalog.clubPlans))],
        play: .subscription(on: first)),
      TourStation(
        title: "Restore on the second device", requirements: ["D4", "E1", "E2", "E4", "E5"],
        instructions: [
          "On the \(second), open Filters and press Restore purchases; sign in as customer.",
          "The filter that was bought on the \(first) can be used here.",
        ],
        lesson:
          "Non-consumables and subscriptions are restored without a charge, as new transactions with the original one attached. Consumables are not restored.",
        goals: [.step(.restored, on: second)],
        play: .restore(on: second)),
      TourStation(
        title: "Bought before", requirements: ["D3"],
        instructions: [
          "On the \(first), delete the app and install it again. Its data are deleted with it.",
          "Buy sepia once more with the same account.",
        ],
        lesson:
          "Sign-in and confirmation are shown as usual. Then StoreKit shows that you bought it before, and nothing is charged.",
        goals: [.step(.boughtBefore)],
        play: .boughtBefore(on: first)),
      TourStation(
        title: "No network", requirements: ["A5", "A6", "C4"],
        instructions: [
          "In the \(first)'s settings, turn on airplane mode, and force-quit the app.",
          "Open the app again: the buttons read “Network down?”.",
          "Turn airplane mode off: the prices are loaded automatically.",
        ],
        lesson:
          "The manager requests the products again when the network returns. A payment that was added before waits for the App Store for a limited time, and can be cancelled. Once it is confirmed, it waits until the store answers.",
        goals: [.step(.networkLost), .step(.networkBack)],
        play: .noNetwork(on: first)),
      TourStation(
        title: "Purchases restricted", requirements: ["C5", "C6"],
        instructions: [
          "In the \(first)'s settings, restrict purchases, and look at Credits: the buttons read “AppStore disabled”.",
          "Press “Add a payment anyway”, as an app does that does not check the restriction.",
          "Allow purchases again.",
        ],
        lesson:
          "The prices are still shown. The added payment fails at once, and nothing reaches the store. StoreKit itself tells the customer why.",
        goals: [.step(.restricted), .step(.failed, of: credits), .step(.allowed)],
        play: .restricted(on: first)),
      TourStation(
        title: "Bought outside the app", requirements: ["B7"],
        instructions: [
          "In the store's console, open 20 monkey credits in the Catalog, and buy them for the customer “customer”.",
          "One of the devices says that it cannot deliver the product yet. In the console, the transaction stays unfinished.",
        ],
        lesson:
          "This version of the app does not know the product. The transaction stays unfinished until a later version grants it.",
        goals: [.step(.kept, of: [RunningApp.creditsOfVersionTwo.product])],
        play: .boughtOutside()),
      TourStation(
        title: "Delivered by your server", requirements: ["A3", "G1", "G2", "G3"],
        instructions: [
          "On the \(first), open Books, and buy The Small Print.",
          "In the store's console, under Requests, look at your server's call of the App Store Server API: getRefundHistory for a receipt, getTransactionInfo for a signed transaction.",
          "Read the book.",
        ],
        lesson:
          "The purchase server verifies the signature, asks the store what has changed since, records the purchase and sends the content. The app verifies the digest before it grants the book.",
        goals: [.step(.verified), .step(.saved), .step(.granted)],
        play: .book(on: first)),
      TourStation(
        title: "Credits on both devices", requirements: ["F2"],
        instructions: [
          "On the \(first), buy 5 monkey credits and, unless you have it, sepia (Filters).",
          "On the \(second), open Filters, press Restore purchases, and sign in as customer.",
          "Press Refresh in Credits: the credits are here, too. Spend one of them.",
          "On the \(first), press Refresh in Credits: it has one less.",
        ],
        lesson:
          "Consumables are not restored, so the developer's server stores the monkey credits. The proof of the restored filter shows the server that both devices belong to one customer.",
        goals: [.step(.granted, of: credits, on: first), .step(.restored, on: second), .step(.spent, on: second)],
        play: .sharedCredits(from: first, on: second)),
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
        title: "What the server keeps", requirements: ["F3"],
        instructions: [
          "On the \(first), buy 50 pages to print (Credits) and, unless you have it, The Small Print (Books).",
          "Delete the app, and install it again. Open Books, press Restore purchases, and sign in as customer.",
          "In Credits, press Refresh: monkey credits and pages are shown again.",
        ],
        lesson:
          "The app's data were deleted, and no receipt lists the credits any more. The server has the purchases and the balances, whatever happens to the device.",
        goals: [
          .step(.granted, of: [SampleCatalog.fiftyPages]), .step(.appRemoved), .step(.appInstalled), .step(.verified),
        ],
        play: .serverCredits(on: first)),
      TourStation(
        title: "Refund", requirements: ["G6", "H1", "H2"],
        instructions: [
          "In the store's console, open the first purchase of sepia, and press Refund.",
          "Look at Filters on both devices: sepia has to be bought again.",
        ],
        lesson:
          "The devices are notified, the signed data have a revocation date, and the filter is locked again. This includes restored copies, because they have the same original transaction.",
        goals: [.refunded],
        play: .refund(on: first, second)),
      TourStation(
        title: "A refund of credits", requirements: ["G6", "H1"],
        instructions: [
          "On the \(first), buy 5 monkey credits.",
          "In the store's console, open that purchase and press Refund. Under Notifications, see what the developer's server has answered.",
          "On the \(first), press Refresh in Credits: it has 5 less. The developer's server shows why: follow the link below the App Store.",
        ],
        lesson:
          "The store does not notify devices of refunded credits, but it notifies the developer's server, also while no app runs. What is lost while the server is down is read from the store's history.",
        goals: [.step(.granted, of: credits), .notified("REFUND", of: credits)],
        play: .refundedCredits(on: first)),
      TourStation(
        title: "Backup", requirements: ["F1"],
        instructions: [
          "On the \(first), buy greyscale (Filters), and make a backup in the settings.",
          "In the \(second)'s settings, restore that backup, with its key.",
        ],
        lesson:
          "The vault is encrypted and signed, so an edited file is detected. Its backup restores what was bought at once, without the network. Credits that are only on a device are restored from it, too, but only once.",
        goals: [.step(.backedUp), .step(.backupRestored, on: second)],
        play: .backup(of: first, on: second)),
    ]
  }
}
