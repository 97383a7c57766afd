import AppStoreEmulator
import ControlAPI
import StoreModel
import WebSupport

/// The page of a product: its price in every storefront, and the forms to change it.
struct ProductPage {
  let app: StoreApp
  let entry: CatalogEntry
  let storefront: Territory
  /// The locale of texts in all storefronts; nil for the languages of each storefront.
  let locale: String?
  let calls: CallContext

  private var product: ProductDefinition { entry.product }
  private var id: ProductID { product.productID }

  private func call(_ name: String, _ fields: [FormField]) -> APICall {
    APICall(name, ControlEndpoints.changeProduct, app.bundleID.rawValue, id.rawValue, fields: fields)
  }

  var html: HTML {
    """
    <p class="crumb"><a href="/console/catalog">Catalog</a></p>
    <div class="headline" id="head" data-live>\(ProductIcon(product: id, type: product.type).html)<h1>\(HTML.name(product.shownName))</h1>\(CatalogPage.badge(entry.isOnSale))</div>
    <div class="two">
    <section class="card" id="details" data-live aria-labelledby="details-title"><h2 id="details-title">The product</h2>\(details)
    <p><a class="button" href="\(ConsoleAddress.purchase(of: id, app: app.bundleID))">Buy for a customer</a></p></section>
    <section class="card" id="sale" data-live aria-labelledby="sale-title"><h2 id="sale-title">\(entry.isOnSale ? "Take it off sale" : "Put it on sale")</h2>
    <p>\(entry.isOnSale ? "Customers cannot buy it then, and apps receive it as unknown." : "Apps find it again.")</p>
    \(saleChange.html)</section>
    </div>
    <div class="two">
    <section class="card" id="price-card" data-live aria-labelledby="price-title"><h2 id="price-title">Price everywhere</h2>
    <p>In \(app.catalogDefaults.storefront.currency), which the catalog’s prices are in. Other storefronts’ follow by a fixed table, \
    but where there is a price of its own. Purchases keep theirs; quotes at another price are asked again.</p>
    \(priceChange.html)</section>
    <section class="card" id="own-price" data-live aria-labelledby="own-title"><h2 id="own-title">Price in one storefront</h2>
    \(storefrontChoice)\(ownPrice)</section>
    </div>
    <section id="prices" data-live aria-labelledby="prices-title"><h2 id="prices-title">Prices as the store quotes them</h2>\(table)</section>
    """
  }

  private var saleChange: CallForm {
    CallForm(
      call: call("onsale", [.constant("isOnSale", .flag, entry.isOnSale ? "false" : "true")]),
      title: entry.isOnSale ? "Take off sale" : "Put on sale", calls: calls,
      style: entry.isOnSale ? "button-danger" : "button-primary")
  }

  private var priceChange: CallForm {
    let price = FormField(
      "price", .thousandths, "Price", text: Money.field(product.price), input: .number, isRequired: true)
    return CallForm(
      call: call("price", [price]), title: "Change the price", calls: calls, style: "button-primary",
      done: "Changed.")
  }

  private var details: HTML {
    var details = DetailList()
    details.add("Product id", "<span class=\"mono\">\(HTML.identifier(id.rawValue))</span>")
    details.add("App", chosen: app.bundleID.rawValue)
    details.add("Type", text: product.type.text)
    details.add("Developer’s name for it", chosen: product.referenceName)
    details.add("Shared in families", text: product.isFamilyShareable ? "yes" : "no")
    for text in product.localizations.prefix(20) {
      details.add(
        "In \(text.locale)",
        "\(HTML.name(text.displayName)) <span class=\"sub muted\">\(HTML.name(text.description))</span>")
    }
    return details.html
  }

  private var storefrontChoice: HTML {
    let choice = FilterForm.choices(
      "storefront", "Storefront", Choices.storefronts.map { ($0.value, $0.title) }, chosen: storefront.countryCode,
      any: nil)
    return """
      <form class="filters" action="/console/product" method="get"><input type="hidden" name="app" value="\(app.bundleID.rawValue)">\
      <input type="hidden" name="product" value="\(id.rawValue)">\(choice)
      <button type="submit">Choose</button></form>
      """
  }

  /// The form to change the price in this storefront. The control API replaces the prices of all storefronts at once,
  /// so the form sends the other prices too.
  private var ownPrice: HTML {
    let code = storefront.countryCode
    let others = product.prices.filter { $0.key != code }.sorted { $0.key < $1.key }.map {
      FormField.constant("prices.\($0.key)", .number, "\($0.value.rawValue)")
    }
    let own = product.prices[code]
    let change = CallForm(
      call: call(
        "own",
        [.object("prices")] + others + [
          FormField(
            "prices.\(code)", .thousandths, "Price in \(StorefrontText.title(storefront))",
            text: Money.field(product.price(in: storefront, of: app.catalogDefaults)), input: .number, isRequired: true)
        ]), title: own == nil ? "Give it a price of its own" : "Change it", calls: calls, style: "button-primary",
      done: "Changed.")
    let removal = CallForm(
      call: call("common", [.object("prices")] + others), title: "Back to the common price", calls: calls)
    return "\(change.html)\(removal.html, if: own != nil)"
  }

  private var table: HTML {
    let rows = StorefrontText.all.map { storefront -> [HTML] in
      let listing = product.listing(in: storefront, of: app.catalogDefaults, locale: locale)
      return [
        "<a href=\"\(ConsoleAddress.product(id, of: app.bundleID, storefront: storefront.countryCode))#own-price\">\(StorefrontText.title(storefront))</a>",
        "<bdi>\(listing.price.formatted(locale: listing.priceLocale))</bdi>",
        product.prices[storefront.countryCode] == nil ? "" : "of its own", .shortName(listing.displayName, limit: 60),
      ]
    }
    return DataTable(
      caption: "Prices by storefront",
      columns: [.init("Storefront"), .init("Price", isNumber: true), .init("Which"), .init("Called")], rows: rows
    ).html
  }
}
