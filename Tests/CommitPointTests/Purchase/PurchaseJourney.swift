import Foundation

/// A customer buys five monkey credits, and the app gives them: emulator and sample app, as they are shipped.
struct PurchaseJourney: Journey {
  /// Whether the store has made its keys before; making them takes most of a play's time.
  var storeHasKeys = true

  var name: String { storeHasKeys ? "a purchase" : "the first purchase of a new store" }

  func prepare(in folder: URL) async throws {
    try SampleShop.writeCatalog(in: folder)
    guard storeHasKeys else { return }
    try await SampleShop.rehearse(in: folder, keeping: "keys") { stage in
      let play = play(on: stage)
      for party in play.parties { try await play.start(party) }
      try await play.play()
    }
  }

  func play(on stage: Stage) -> PurchasePlay { PurchasePlay(stage) }
}
