import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Prices in configuration files", .timeLimit(.minutes(30)))
struct ConfigurationPriceTests {
  @Test(
    "A4 a price is kept to the thousandth, written as text or as a number",
    arguments: [
      ("\"0.99\"", 990), ("\"29\"", 29_000), ("\"\"", 0), ("\" 1.50 \"", 1500), ("\"0.001\"", 1), ("\".5\"", 500),
      ("\"5.\"", 5000), ("\"007.0000000000000000000000000000000000000000\"", 7000), ("\"-0\"", 0),
      ("\"999999999999.999\"", 999_999_999_999_999), ("0.99", 990), ("4.35", 4350), ("1234567.891", 1_234_567_891),
      ("29", 29_000), ("999999999999.999", 999_999_999_999_999), ("9.99e2", 999_000), ("0", 0), ("1", 1000),
    ])
  func exact(written: String, thousandths: Int64) throws {
    let file = try readConfiguration(fileWithConsumable("\"displayPrice\":\(written)"))
    #expect(file.products.map(\.price) == [Milliunits(thousandths)])
  }

  @Test("A4 every price from 0.00 to 99.99 survives as text and as a number")
  func everyCent() throws {
    let cents = 0..<10_000
    for quote in ["\"", ""] {
      let products = cents.map { cent in
        let price = "\(cent / 100).\(cent % 100 < 10 ? "0" : "")\(cent % 100)"
        return "{\"productID\":\"p\(cent)\",\"type\":\"Consumable\",\"displayPrice\":\(quote)\(price)\(quote)}"
      }
      let file = try readConfiguration("{\"products\":[\(products.joined(separator: ","))]}")
      #expect(file.products.map(\.price.rawValue) == cents.map { Int64($0) * 10 })
    }
  }

  @Test(
    "What is not a price is refused",
    arguments: [
      "\"0,99\"", "\"$1\"", "\"free\"", "\"1.2.3\"", "\".\"", "\"-\"", "\"+1\"", "\"1e3\"", "\"١\"", "1e-300",
    ])
  func malformed(written: String) {
    let kinds = problems(of: fileWithConsumable("\"displayPrice\":\(written)")).map(\.kind)
    let value = written.filter { $0 != "\"" }
    #expect(kinds == [.malformedPrice(key: "displayPrice", value: value)])
  }

  @Test("A price that is negative, too fine or too large is refused for what it is")
  func outOfBounds() {
    func kinds(_ written: String) -> [StoreKitConfigurationError.Kind] {
      problems(of: fileWithConsumable("\"displayPrice\":\(written)")).map(\.kind)
    }
    let key = "displayPrice"
    #expect(kinds("\"-0.01\"") == [.negativePrice(key: key, value: "-0.01")])
    #expect(kinds("-1") == [.negativePrice(key: key, value: "-1")])
    #expect(kinds("\"0.9999\"") == [.tooManyDecimals(key: key, value: "0.9999")])
    #expect(kinds("0.0001") == [.tooManyDecimals(key: key, value: "0.0001")])
    #expect(kinds("\"1000000000000\"") == [.priceTooLarge(key: key, value: "1000000000000")])
    #expect(kinds("true") == [.wrongType(key: key, expected: "a string such as \"0.99\"")])
    #expect(kinds("null") == [.missing(key: key)])
  }

  @Test("A paid offer needs a price; the price beside a free one is not looked at")
  func offerPrices() throws {
    func file(_ mode: String, _ price: String) -> String {
      fileWithSubscription(
        #""introductoryOffer":{"paymentMode":"\#(mode)","subscriptionPeriod":"P1W"\#(price)}"#)
    }
    #expect(warnings(of: file("payUpFront", "")) == ["displayPrice is missing or empty; this offer is left out"])
    for price in ["", #","displayPrice":"""#, #","displayPrice":"8""#] {
      #expect(try readConfiguration(file("free", price)).products.first?.subscription?.offers.map(\.price) == [.zero])
    }
  }
}
