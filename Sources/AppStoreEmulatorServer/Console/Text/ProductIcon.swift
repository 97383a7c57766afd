import StoreModel
import WebSupport

/// A drawing of a product: its shape shows the type, its colour and initials follow from the product id.
struct ProductIcon {
  let product: ProductID
  /// Nil for a product that is no longer in the catalog.
  let type: ProductType?

  /// The number of colours in the stylesheet.
  static let tints: UInt32 = 8

  var html: HTML {
    """
    <svg class="product-icon tint-\(tint)" viewBox="0 0 32 32" aria-hidden="true"><path d="\(shape)"></path>\
    <text x="16" y="20.5">\(initials)</text></svg>
    """
  }

  /// A circle, a rounded square, a hexagon or an octagon.
  private var shape: HTML {
    switch type {
    case .consumable: "M16 1a15 15 0 1 1 0 30a15 15 0 1 1 0-30z"
    case .nonConsumable: "M8 2h16a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6H8a6 6 0 0 1-6-6V8a6 6 0 0 1 6-6z"
    case .autoRenewableSubscription: "M16 1l13 7.5v15L16 31 3 23.5v-15z"
    case .nonRenewingSubscription: "M10 2h12l8 8v12l-8 8H10l-8-8V10z"
    case nil: "M3 3h26v26H3z"
    }
  }

  /// The colour, from the FNV-1a hash of the id. Swift's own hashes differ in each run of a program.
  var tint: UInt32 {
    product.rawValue.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } % Self.tints
  }

  /// The first letters of the first two words in the last part of the id, or the first two letters of its only word. A
  /// number is a word: `com.example.consume5credits` has the initials C5.
  var initials: String {
    let last = product.rawValue.unicodeScalars.split(separator: ".").last ?? []
    var words: [[Unicode.Scalar]] = []
    var kind: Unicode.GeneralCategory?
    for scalar in last {
      let category = scalar.properties.generalCategory
      guard Self.letters.contains(category) else {
        kind = nil
        continue
      }
      let begins = kind.map { ($0 == .decimalNumber) != (category == .decimalNumber) || category == .uppercaseLetter }
      if begins ?? true { words.append([scalar]) } else { words[words.count - 1].append(scalar) }
      kind = category
    }
    let chosen = words.count > 1 ? words.prefix(2).map { $0[0] } : Array((words.first ?? []).prefix(2))
    return chosen.map(\.properties.uppercaseMapping).joined()
  }

  private static let letters: Set<Unicode.GeneralCategory> = [
    .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber,
  ]
}
