import StoreModel
import Testing

@Suite("Amounts in digits", .timeLimit(.minutes(30)))
struct DigitsTests {
  @Test(
    "prices have the decimals they need",
    arguments: [
      (Milliunits(990), "USD", "0.99"), (Milliunits(5000), "USD", "5.00"), (Milliunits(4900), "EUR", "4.90"),
      (Milliunits(1), "USD", "0.001"), (Milliunits(120_000), "JPY", "120"), (Milliunits(120_500), "JPY", "120.50"),
      (Milliunits(0), "USD", "0.00"), (Milliunits(-3490), "USD", "-3.49"), (Milliunits(-10), "USD", "-0.01"),
      (Milliunits(999_999_999_999_999), "USD", "999999999999.999"),
      (Milliunits(.min), "USD", "-9223372036854775.808"),
    ])
  func prices(price: Milliunits, currency: String, digits: String) {
    #expect(price.digits(in: currency) == digits)
  }

  @Test(
    "shares have no decimals but those that are there",
    arguments: [(0, "0 %"), (50_000, "50 %"), (33_333, "33.333 %"), (12_500, "12.5 %"), (100_000, "100 %")])
  func shares(thousandths: Int, text: String) {
    #expect(Percentage.text(thousandths) == text)
  }
}
