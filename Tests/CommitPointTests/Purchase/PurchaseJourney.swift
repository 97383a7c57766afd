import Foundation
import SampleModel

@testable import CommandLineTool

/// A customer buys five monkey credits, and the app gives them: emulator and sample app, as they are shipped.
struct PurchaseJourney: Journey {
  /// Whether the store has made its keys before; making them takes most of a play's time.
  var storeHasKeys = true

  var name: String { storeHasKeys ? "a purchase" : "the first purchase of a new store" }

  func prepare(in folder: URL) async throws {
    try Data(PackageResources.SampleApp_storekit).write(to: folder.appending(path: "SampleApp.storekit"))
    guard storeHasKeys else { return }
    // Played once in a folder inside, only for the keys that are made on the way.
    let rehearsal = folder.appending(path: "rehearsal")
    let stage = try Stage(folder: rehearsal, orders: [:])
    let catalog = folder.appending(path: "SampleApp.storekit")
    try FileManager.default.copyItem(at: catalog, to: rehearsal.appending(path: catalog.lastPathComponent))
    let play = play(on: stage)
    for party in play.parties { try await play.start(party) }
    try await play.play()
    let data = folder.appending(path: "store/data")
    try FileManager.default.createDirectory(
      at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try FileManager.default.moveItem(
      at: rehearsal.appending(path: "store/data/keys"), to: data.appending(path: "keys"))
    try FileManager.default.removeItem(at: rehearsal)
  }

  func play(on stage: Stage) -> PurchasePlay { PurchasePlay(stage) }
}
