import WebSupport

/// A product on a screen, with its button.
struct ShopItem: Hashable, Sendable {
  /// The action of the button.
  enum Act: Hashable, Sendable {
    /// - Parameter offersQuantity: whether the customer can choose a quantity.
    case buy(offersQuantity: Bool)
    case use
    case download
    case open
  }

  let product: String
  /// The product's name, never empty and never an identifier.
  let title: String
  let text: String
  /// The price; nil if the button shows it, or if it is not known.
  var price: String?
  /// What the customer must know about the product now, such as a refund or a paused download; nil for nothing.
  var note: String?
  /// The button's title.
  let button: String
  let isEnabled: Bool
  let act: Act
  /// The progress of the product's download, in percent; nil if no download runs.
  var percent: Int?

  /// - Parameters:
  ///   - place: the index of the product on the screen.
  func html(on screen: AppScreen, _ group: String, _ place: Int) -> HTML {
    let id = "\(group)-\(place)"
    return """
      <li class="line" data-product="\(product)">
      <div class="line-body">
      <p class="line-title" id="\(id)">\(.shortName(title))</p>
      \(description)
      </div>
      \(percent.map { progress($0, on: screen, id) } ?? form(on: screen, id))
      </li>
      """
  }

  private var description: HTML {
    let first: HTML = text.isEmpty ? .empty : "<p class=\"line-text\">\(.shortName(text, limit: 160))</p>"
    let priced: HTML = price.map { "<p class=\"line-text line-price\">\($0)</p>" } ?? .empty
    let noted: HTML = note.map { "<p class=\"line-text line-note\">\($0)</p>" } ?? .empty
    return "\(first)\(priced)\(noted)"
  }

  private func form(on screen: AppScreen, _ id: String) -> HTML {
    let quantity: HTML
    if case .buy(true) = act, isEnabled {
      let options = (1...10).map { "<option>\($0)</option>" as HTML }
      quantity = """
        <label class="sr-only" for="\(id)-quantity">Quantity</label>
        <select class="quantity" id="\(id)-quantity" name="quantity">\(options)</select>
        """
    } else {
      quantity = .empty
    }
    let kind: HTML = isEnabled ? "<button class=\"pill\"" : "<button class=\"pill\" disabled"
    return """
      <form method="post" action="\(address)" class="line-form" data-quiet>
      <input type="hidden" name="screen" value="\(screen.rawValue)">
      <input type="hidden" name="product" value="\(product)">
      \(quantity)
      \(kind) id="\(id)-button" aria-describedby="\(id)">\(button)</button>
      </form>
      """
  }

  private var address: String {
    switch act {
    case .buy: "/app/buy"
    case .use: "/app/filters/use"
    case .download: "/app/books/download"
    case .open: "/app/books/open"
    }
  }

  private func progress(_ percent: Int, on screen: AppScreen, _ id: String) -> HTML {
    """
    <form method="post" action="/app/books/pause" class="line-form" data-quiet>
    <input type="hidden" name="screen" value="\(screen.rawValue)">
    <input type="hidden" name="product" value="\(product)">
    <span class="line-progress"><progress max="100" value="\(percent)" aria-labelledby="\(id)"></progress>
    <span class="small">\(button)</span></span>
    <button class="pill" id="\(id)-button" aria-describedby="\(id)">Pause</button>
    </form>
    """
  }
}

extension Array<ShopItem> {
  /// Returns the HTML of all products, as a live region.
  func html(on screen: AppScreen, _ group: String) -> HTML {
    "<ul class=\"lines\" id=\"\(group)\" data-live>\(enumerated().map { $1.html(on: screen, group, $0) })</ul>"
  }
}
