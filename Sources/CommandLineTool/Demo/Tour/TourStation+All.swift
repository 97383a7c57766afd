import SampleModel

extension TourStation {
  /// The tour, in the order in which a newcomer walks it.
  ///
  /// - Parameters:
  ///   - first: the name of the device that most of it happens on.
  ///   - second: the name of the other.
  static func all(first: String, second: String) -> [TourStation] {
    let credits = Set(SampleCatalog.creditsForProduct.keys)
    return [
      TourStation(
        title: "Buy something", requirements: ["A4", "A7", "B1", "B2", "B3", "B4", "B5"],
        instructions: [
          "On the \(first), open Credits. The prices come from the store.",
          "Buy 5 monkey credits, sign in as customer, without a password, and confirm.",
        ],
        lesson:
          "The payment goes through the queue to the store and back. The credits are given in the same commit as the transaction's id, and only then is the transaction finished.",
        goals: [.step(.granted, of: credits), .step(.finished, of: credits)]),
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
        title: "Owned for ever", requirements: ["D1", "D2"],
        instructions: ["Open Filters, buy sepia, and use it on the photograph."],
        lesson: "The Buy button becomes the button that applies the filter, now and at every later launch.",
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
        title: "Delivered by your server", requirements: ["A3", "G3"],
        instructions: ["Open Books, buy The Small Print, and read it."],
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
        title: "A refund", requirements: ["G6", "H1"],
        instructions: ["In the store's console, open a purchase of sepia and refund it; then look at the phone."],
        lesson:
          "The device hears of it, the signed data says so at every door, and what was bought with it is locked again.",
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
