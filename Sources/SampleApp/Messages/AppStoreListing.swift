/// What the App Store on the phone shows of the app.
struct AppStoreListing: Hashable, Sendable {
  /// A product on sale.
  struct Item: Hashable, Sendable {
    let productID: String
    let name: String
    let text: String
    /// The price in the format of the storefront.
    let price: String
  }

  /// The products that are bought once, or repeatedly.
  let products: [Item]
  /// The plans of the subscription group, the highest level of service first.
  let plans: [Item]
}
