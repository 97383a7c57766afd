import ArgumentParser
import Foundation
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("catalog check", .timeLimit(.minutes(30)))
struct CatalogCheckTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  static func catalog(product: String = "credits.5", type: String = "Consumable", settings: String = "") -> String {
    """
    {
      "products": [{"productID": "\(product)", "type": "\(type)", "displayPrice": "0.99", "referenceName": "Credits",
        "localizations": [{"locale": "en_US", "displayName": "Five credits", "description": ""}]}],
      "settings": {\(settings)},
      "subscriptionGroups": [{"id": "G1", "name": "Books", "subscriptions": [
        {"productID": "\(product).yearly", "type": "RecurringSubscription", "displayPrice": "49.9",
         "recurringSubscriptionPeriod": "P1Y", "adHocOffers": [
          {"offerID": "spring", "paymentMode": "free", "subscriptionPeriod": "P1W"}]}]}],
      "version": {"major": 3, "minor": 0}
    }
    """
  }

  @Test("a good file is listed, with status 0")
  func good() async throws {
    let file = try folder.write("a.storekit", Self.catalog())
    let run = try await CommandRun.check([file])
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines[0] == "\(file): 2 products, version 3.0, prices for USA")
    #expect(lines[1] == "product type name price period offers")
    #expect(lines[2] == "credits.5 Consumable Five credits 0.99 USD")
    #expect(lines[3] == "credits.5.yearly Auto-Renewable Subscription 49.90 USD P1Y 1")
  }

  @Test("--json prints one document with stable names")
  func document() async throws {
    let file = try folder.write("a.storekit", Self.catalog())
    let run = try await CommandRun.check([file, "--json"])
    #expect(run.status == 0)
    let json = try #require(run.json)
    #expect(json.keys.sorted() == ["duplicates", "files", "ok"])
    #expect(json["ok"] as? Bool == true)
    let entry = try #require((json["files"] as? [[String: Any]])?.first)
    #expect(entry["file"] as? String == file)
    #expect(entry["version"] as? String == "3.0")
    #expect(entry["currency"] as? String == "USD")
    let products = try #require(entry["products"] as? [[String: Any]])
    #expect(products.map { $0["productId"] as? String } == ["credits.5", "credits.5.yearly"])
    #expect(products[0]["price"] as? String == "0.99")
    #expect(products[0]["displayName"] as? String == "Five credits")
    #expect(products[1]["period"] as? String == "P1Y")
    #expect(products[1]["offers"] as? Int == 1)
    #expect(products[1]["groupId"] as? String == "G1")
  }

  @Test("prices are those of the file's storefront")
  func storefront() async throws {
    let file = try folder.write("a.storekit", Self.catalog(settings: "\"_storefront\": \"DEU\""))
    let run = try await CommandRun.check([file])
    #expect(run.status == 0)
    #expect(run.output.contains("prices for DEU"))
    #expect(run.output.contains("0.99 EUR"))
  }

  @Test("A1 a product that is left out is a warning, with status 0; the others are listed")
  func warning() async throws {
    let file = try folder.write("a.storekit", Self.catalog(type: "Consumabel"))
    let run = try await CommandRun.check([file])
    #expect(run.status == 0)
    #expect(run.output.contains("\nwarning: products[0] (\"credits.5\"): unknown type \"Consumabel\""))
    #expect(run.output.contains("49.90 USD"))
    let json = try #require(try await CommandRun.check([file, "--json"]).json)
    #expect(json["ok"] as? Bool == true)
    let entry = (json["files"] as? [[String: Any]])?.first
    #expect((entry?["warnings"] as? [String])?.count == 1)
    #expect((entry?["products"] as? [Any])?.count == 1)
  }

  @Test("A4 an unknown storefront is refused in the store's words, with status 1; known ones have their currency")
  func unknownStorefront() async throws {
    let file = try folder.write("a.storekit", Self.catalog(settings: "\"_storefront\": \"XYZ\""))
    let run = try await CommandRun.check([file])
    #expect(run.status == 1)
    #expect(run.output.contains("\(file): 1 problem"))
    #expect(run.output.contains("problem: settings: XYZ is not a storefront known here."))
    #expect(!run.output.contains("USD"))
    for (code, price) in [("UKR", "0.99 USD"), ("KWT", "0.99 USD"), ("RUS", "0.99 RUB"), ("COL", "0.99 COP")] {
      let file = try folder.write("\(code).storekit", Self.catalog(settings: "\"_storefront\": \"\(code)\""))
      let run = try await CommandRun.check([file])
      #expect(run.status == 0)
      #expect(run.output.contains(price))
    }
  }

  @Test("every problem is listed with its entry: status 1")
  func problems() async throws {
    let text = """
      {"products": [{"productID": "a", "type": "Consumabel", "displayPrice": "0.99"},
        {"productID": "b", "type": "Consumable", "displayPrice": "-1"}]}
      """
    let file = try folder.write("a.storekit", text)
    let run = try await CommandRun.check([file])
    #expect(run.status == 1)
    #expect(run.output.contains("\(file): 2 problems"))
    #expect(run.output.contains("problem: products[0] (\"a\"): unknown type"))
    #expect(run.output.contains("problem: products[1] (\"b\"): displayPrice \"-1\" is negative"))
    let json = try #require(try await CommandRun.check([file, "--json"]).json)
    #expect(json["ok"] as? Bool == false)
    let entry = try #require((json["files"] as? [[String: Any]])?.first)
    let problems = try #require(entry["problems"] as? [[String: String]])
    #expect(problems.map { $0["entry"] } == ["products[0] (\"a\")", "products[1] (\"b\")"])
    #expect(entry["readable"] as? Bool == true)
  }

  @Test("text that is not JSON is an error: status 1")
  func malformed() async throws {
    let run = try await CommandRun.check([try folder.write("a.storekit", "{ \"products\": [")])
    #expect(run.status == 1)
    #expect(run.output.contains("problem: not JSON"))
  }

  @Test("a missing file is unreadable: status 2, and the others are still checked")
  func missing() async throws {
    let good = try folder.write("a.storekit", Self.catalog())
    let run = try await CommandRun.check([folder.path("none.storekit"), good])
    #expect(run.status == 2)
    #expect(run.output.contains("none.storekit: unreadable"))
    #expect(run.output.contains("2 products"))
    let document = try await CommandRun.check([folder.path("none.storekit"), good, "--json"])
    #expect(document.status == 2)
    let files = try #require(document.json?["files"] as? [[String: Any]])
    #expect(files.map { $0["readable"] as? Bool } == [false, true])
    #expect(document.json?["ok"] as? Bool == false)
  }

  @Test("a product id in two files is a problem that names both")
  func duplicates() async throws {
    let one = try folder.write("one.storekit", Self.catalog())
    let two = try folder.write("two.storekit", Self.catalog(product: "credits.9"))
    #expect(try await CommandRun.check([one, two]).status == 0)
    let three = try folder.write("three.storekit", Self.catalog())
    let run = try await CommandRun.check([one, two, three])
    #expect(run.status == 1)
    let text = run.output.replacing("\n", with: " ")
    #expect(text.contains("problem: credits.5 is defined twice for the same app. Keep one of them."))
    #expect(text.contains("It is in \(one) and \(three)."))
    let json = try #require(try await CommandRun.check([one, two, three, "--json"]).json)
    #expect(json["ok"] as? Bool == false)
    let duplicates = try #require(json["duplicates"] as? [[String: Any]])
    #expect(duplicates.map { $0["productId"] as? String } == ["credits.5", "credits.5.yearly"])
    #expect(duplicates.first?["files"] as? [String] == [one, three])
  }

  @Test("control characters in a catalog's names are escaped")
  func hostile() async throws {
    let good = try folder.write("a.storekit", Self.catalog(product: #"a\u001b[2J\u202e"#))
    let run = try await CommandRun.check([good])
    #expect(run.status == 0)
    #expect(HostileTextTests.isSafe(run.output))
    let bad = try folder.write(
      "b.storekit", #"{"products": [{"productID": "a\u009b\u202e", "type": "\u202e\u001b", "displayPrice": "1"}]}"#)
    let refused = try await CommandRun.check([bad])
    #expect(refused.status == 1)
    #expect(HostileTextTests.isSafe(refused.output))
    #expect(HostileTextTests.isSafe(try await CommandRun.check([bad, "--json"]).output))
    let warned = try folder.write("c.storekit", Self.catalog(product: #"a\u009b\u202e"#, type: #"\u202e\u001b"#))
    let run2 = try await CommandRun.check([warned])
    #expect(run2.status == 0)
    #expect(HostileTextTests.isSafe(run2.output))
    let storefront = try folder.write("d.storekit", Self.catalog(settings: #""_storefront": "\u001b[2J\u202e""#))
    #expect(HostileTextTests.isSafe(try await CommandRun.check([storefront]).output))
  }

  @Test("no file at all is wrong usage")
  func usage() throws {
    let error = #expect(throws: (any Error).self) { try CatalogCommand.parseAsRoot(["check"]) }
    #expect(error.map(CatalogCommand.exitCode(for:)) == .validationFailure)
  }
}
