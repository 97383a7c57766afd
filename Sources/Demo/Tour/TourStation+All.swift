import SampleApp
import SampleModel

extension TourStation {
  /// The localized description that an app gets for the error that the tour sets in the store.
  static let wordsOfUnknownError = "An unknown error has occurred"

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
          "On the \(first), open Credits. The prices come from the store.",
          "Buy 5 monkey credits, sign in as customer, without a password, and confirm.",
        ],
        lesson:
          "The payment goes through the queue to the store and back. The credits are given in the same commit as the transaction's id, and only then is the transaction finished.",
        goals: [.step(.granted, of: credits), .step(.finished)]),
      TourStation(
        title: "More than one", requirements: ["B6"],
        instructions: ["Choose a quantity of 3, and buy again."],
        lesson: "The sheet shows unit price and total: one charge, one transaction, three times the credits.",
        goals: [.severalSold]),
      TourStation(
        title: "Change your mind", requirements: ["C1", "C3"],
        instructions: ["Buy, and cancel the sheet."],
        lesson: "Nothing is charged, nothing reaches the books, and no further message bothers you.",
        goals: [.step(.cancelled)]),
      TourStation(
        title: "The store fails", requirements: ["C2"],
        instructions: [
          "In the store's console, under Faults, set appError: the domain SSServerErrorDomain, the code 5002, 1 time.",
          "Buy something that the \(first) shows a price for.",
        ],
        lesson:
          "Each error comes in its own domain, with its own code and words. The payment is finished all the same, and nothing is charged.",
        goals: [.step(.failed, saying: wordsOfUnknownError)]),
      TourStation(
        title: "Killed between charge and grant", requirements: ["B9"],
        instructions: [
          "Beside the phone, turn on \"Stop between charge and grant\".",
          "Buy credits. The store has charged; the app waits.",
          "Force-quit the app, and open it again.",
        ],
        lesson:
          "The process is really killed. The transaction was not finished, so it comes again: one charge, one grant.",
        goals: [.step(.holding), .step(.forceQuit), .step(.launched), .step(.granted)]),
      TourStation(
        title: "Owned for ever", requirements: ["A2", "D1", "D2"],
        instructions: ["Open Filters, buy sepia, and use it on the photograph."],
        lesson:
          "The filter is built into the app, which knows its id; what is sold is its use. The Buy button becomes the button that applies it, now and at every later launch.",
        goals: [.step(.granted, of: SampleCatalog.filters)]),
      TourStation(
        title: "Restore on the second device", requirements: ["D4", "E1", "E2", "E4", "E5"],
        instructions: ["On the \(second), open Filters and press Restore purchases; sign in as customer."],
        lesson:
          "What lasts comes back, free, as transactions of their own with the original attached. Consumables do not.",
        goals: [.step(.restored, on: second)]),
      TourStation(
        title: "Bought before", requirements: ["D3"],
        instructions: [
          "On the \(first), delete the app and install it again: it knows nothing any more.",
          "Buy sepia once more with the same account.",
        ],
        lesson: "Sign-in and confirmation as always; then you are told that it is yours, and nothing is charged.",
        goals: [.step(.boughtBefore)]),
      TourStation(
        title: "No network", requirements: ["A5", "A6", "C4"],
        instructions: [
          "Turn on airplane mode, and open the app anew: the buttons read \"Network down?\".",
          "Turn it off again: the prices come by themselves.",
        ],
        lesson: "The manager asks again when the network returns. A payment that was added waits in the journal.",
        goals: [.step(.networkLost), .step(.networkBack)]),
      TourStation(
        title: "Purchases restricted", requirements: ["C5", "C6"],
        instructions: ["Restrict purchases in the phone's settings, look at Credits, and allow them again."],
        lesson: "The prices are shown still; the buttons read \"AppStore disabled\".",
        goals: [.step(.restricted), .step(.allowed)]),
      TourStation(
        title: "Bought outside the app", requirements: ["B7"],
        instructions: [
          "In the store's console, open 20 monkey credits in the Catalog, and buy them for the customer called customer.",
          "Look at the transaction a while later: it stays unfinished.",
        ],
        lesson:
          "This version of the app does not know the product. The transaction is kept aside, neither lost nor finished, for a later version that gives it.",
        goals: [.step(.journalled, of: [RunningApp.creditsOfVersionTwo.product])]),
      TourStation(
        title: "Delivered by your server", requirements: ["A3", "G1", "G2", "G3"],
        instructions: [
          "Open Books, buy The Small Print, and read it.",
          "In the store's console, under Requests, look at verifyReceipt: production answers 21007, the sandbox 0.",
        ],
        lesson:
          "The receipt goes to the purchase server, which verifies it with the store, writes its books and sends the content. The app checks the digest before it gives the book.",
        goals: [.step(.verified), .step(.saved), .step(.granted)]),
      TourStation(
        title: "A download that breaks off", requirements: ["G4", "G5"],
        instructions: [
          "Buy the encyclopedia: it is finished first and fetched later. Start its download.",
          "In the middle of it, turn on airplane mode; then turn it off.",
        ],
        lesson: "What has come stays. The rest is fetched from there, and nothing half-written is ever opened.",
        goals: [.step(.content), .step(.networkLost), .step(.networkBack), .step(.saved)]),
      TourStation(
        title: "The server remembers", requirements: ["F3"],
        instructions: [
          "On the \(first), buy 50 pages to print (Credits) and, unless you have it, The Small Print (Books).",
          "Delete the app, and install it again. Open Books, press Restore purchases, and sign in as customer.",
          "In Credits, ask the server again: the pages are there.",
        ],
        lesson:
          "The phone has forgotten the pages, and no receipt lists them any more. The server's own books vouch for them, once the restored book has shown whose phone it is.",
        goals: [
          .step(.granted, of: [SampleCatalog.fiftyPages]), .step(.appRemoved), .step(.appInstalled), .step(.verified),
        ]),
      TourStation(
        title: "A refund", requirements: ["G6", "H1", "H2"],
        instructions: [
          "In the store's console, open the first purchase of sepia and refund it; then look at both devices."
        ],
        lesson:
          "The devices hear of it, the signed data says so in every API, and what was bought with it is locked again: also where it was restored in a transaction of its own, because what is owned is known by the original transaction.",
        goals: [.refunded]),
      TourStation(
        title: "Lost and replaced", requirements: ["F1", "F2"],
        instructions: [
          "Make a backup on the \(first).",
          "On the \(second), restore that backup, with its key.",
        ],
        lesson:
          "The vault is encrypted and signed. Its backup brings entitlements back at once; credits only where they cannot be doubled.",
        goals: [.step(.backedUp), .step(.backupRestored)]),
    ]
  }
}
