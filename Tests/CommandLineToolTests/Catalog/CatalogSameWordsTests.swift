import ControlAPI
import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("catalog check and the store", .timeLimit(.minutes(30)))
struct CatalogSameWordsTests {
  @Test("A4 what the store refuses or leaves out, catalog check does, with the same words", arguments: 1...4)
  func sameWords(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try ScratchFolder()
    var outcomes = (served: 0, warned: 0, refused: 0)
    try await RunningStore.open { running in
      let client = ControlAPIClient(address: try #require(URL(string: running.address)))
      for round in 0..<60 {
        let files = try (0..<Int.random(in: 1...2, using: &generator)).map { position in
          try Self.file(position, using: &generator)
        }
        let paths = try files.enumerated().map { try folder.write("\(round)-\($0.offset).storekit", $0.element) }
        let report = try #require(try await CommandRun.check(paths + ["--json"]).json)
        let check = try Check(report)
        let body = #"{"configurations":[\#(files.joined(separator: ","))]}"#
        do {
          let answer = try await client.document("PUT", "control/v1/apps/org.example.books", Data(body.utf8))
          let served = try JSONDecoder().decode(ServedApp.self, from: answer)
          #expect(check.isOK, "the store serves what the check refuses: \(body)")
          #expect(served.warnings == check.warnings)
          #expect(served.app.products.map(\.productId.rawValue) == check.products)
          if check.warnings.isEmpty { outcomes.served += 1 } else { outcomes.warned += 1 }
        } catch let ControlAPIError.refused(_, message) {
          #expect(!check.isOK, "the store refuses what the check accepts: \(body)")
          #expect(check.refusals.contains(message), "\(message) is not in \(check.refusals)")
          outcomes.refused += 1
        }
      }
    }
    #expect(outcomes.served > 0 && outcomes.warned > 0 && outcomes.refused > 0, "\(outcomes)")
  }

  /// The report of `catalog check --json`, in the words of the store's answers.
  private struct Check {
    let isOK: Bool
    let warnings: [String]
    let products: [String]
    /// The store answers with one of them.
    let refusals: [String]

    init(_ report: [String: Any]) throws {
      isOK = try #require(report["ok"] as? Bool)
      let files = try #require(report["files"] as? [[String: Any]])
      warnings = files.enumerated().flatMap { position, file in
        (file["warnings"] as? [String] ?? []).map { "configurations[\(position)]: \($0)" }
      }
      products = files.flatMap { file in
        (file["products"] as? [[String: Any]] ?? []).compactMap { $0["productId"] as? String }
      }
      var refusals: [String] = []
      for (position, file) in files.enumerated() {
        let problems = file["problems"] as? [[String: String]] ?? []
        let texts = problems.map { problem in
          let (entry, text) = (problem["entry"] ?? "", problem["problem"] ?? "")
          return entry.isEmpty ? text : "\(entry): \(text)"
        }
        let name = "configurations[\(position)]"
        if texts.count == 1 { refusals.append("\(name): \(texts[0])") }
        if texts.count > 1 {
          refusals.append("\(name): \(texts.count) problems" + texts.map { "\n  \($0)" }.joined())
        }
        // The storefront is refused for the app, not for the file.
        refusals += problems.filter { $0["entry"] == "settings" }.compactMap { $0["problem"] }
      }
      refusals += (report["duplicates"] as? [[String: Any]] ?? []).compactMap { $0["problem"] as? String }
      self.refusals = refusals
    }
  }

  /// Returns a file in which some values are replaced.
  private static func file(_ position: Int, using generator: inout SeededGenerator) throws -> String {
    let id = Int.random(in: 0..<4, using: &generator) == 0 ? "book" : "book\(position)"
    let offer = #""paymentMode":"free","subscriptionPeriod":"P1W""#
    var root: Any = try JSONSerialization.jsonObject(
      with: Data(
        """
        {"products":[{"productID":"\(id)","type":"Consumable","displayPrice":"1","localizations":[{"locale":"en"}]}],
         "nonRenewingSubscriptions":[{"productID":"\(id).season","type":"NonRenewingSubscription","displayPrice":2.5}],
         "subscriptionGroups":[{"id":"G","name":"Books","subscriptions":[
           {"productID":"\(id).month","type":"RecurringSubscription","displayPrice":"3","groupNumber":1,
            "recurringSubscriptionPeriod":"P1M","introductoryOffer":{\(offer)},
            "adHocOffers":[{"offerID":"a",\(offer)},{"offerID":"b",\(offer)}],
            "codeOffers":[{"referenceName":"c","eligibility":["new"],\(offer)}]}]}],
         "settings":{"_storefront":"DEU","_locale":"de_DE","_timeRate":6},
         "version":{"major":4,"minor":0}}
        """.utf8))
    for _ in 0..<([0, 1, 1, 2, 4, 8].randomElement(using: &generator) ?? 1) { root = replaced(root, using: &generator) }
    return String(
      decoding: try JSONSerialization.data(withJSONObject: root, options: [.sortedKeys, .fragmentsAllowed]),
      as: UTF8.self)
  }

  /// Returns a copy in which one random value is replaced.
  private static func replaced(_ value: Any, using generator: inout SeededGenerator) -> Any {
    if Int.random(in: 0..<12, using: &generator) > 0 {
      if var object = value as? [String: Any], let key = object.keys.sorted().randomElement(using: &generator) {
        object[key] = object[key].map { replaced($0, using: &generator) }
        return object
      }
      if var array = value as? [Any], let index = array.indices.randomElement(using: &generator) {
        array[index] = replaced(array[index], using: &generator)
        return array
      }
    }
    let replacements: [Any] = [
      NSNull(), true, 0, -1, 1.5, 0.001, 1e300, "", " ", "\u{0}\n\u{202e}", "P1M", "ATL", "book", "9.99", [Any](), [1],
      [String: Any](), ["id": "x"],
    ]
    return replacements[Int.random(in: replacements.indices, using: &generator)]
  }
}
