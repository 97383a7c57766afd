import Foundation

/// A declaration of Apple's interface.
struct ListedMember: Hashable, CustomStringConvertible {
  /// The type that declares it, such as `SubscriptionInfo`; nil for a declaration outside of types.
  let type: String?
  /// The types around that type, outermost first, such as `Product`.
  let outerTypes: [String]
  /// The name; of an initializer `init` with its first label, such as `init(rawValue:`.
  let name: String

  /// The name with its type, as `missing-interface.md` has it.
  var description: String { type.map { "\($0).\(name)" } ?? name }
}

/// The declarations of a listing of Swift interfaces, such as `Listing.txt`.
struct ListedInterface {
  private(set) var members: [ListedMember] = []
  private var types: [String?] = []

  /// - Parameter text: declarations without bodies. Several can be on a line.
  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
      read(code.matches(of: /[A-Za-z_][A-Za-z0-9_.]*|[^\s]/).map { String($0.output) })
    }
  }

  /// Reads the tokens of a line. Declarations are never split over lines, and bodies begin on the declaration's line.
  private mutating func read(_ tokens: [String]) {
    var opened: String?
    var isCaseList = false
    var depth = 0
    for (index, token) in tokens.enumerated() {
      let next = index + 1 < tokens.count ? tokens[index + 1] : ""
      switch token {
      case "(": depth += 1
      case ")": depth -= 1
      case "{":
        types.append(opened)
        (opened, isCaseList) = (nil, false)
      case "}":
        types.removeLast()
        isCaseList = false
      case ";": isCaseList = false
      case "struct", "enum":
        add(next)
        opened = next
      case "extension": opened = next
      case "let", "var", "func", "typealias":
        if depth == 0 { add(next) }
      case "case":
        isCaseList = true
        add(next)
      case "," where isCaseList && depth == 0: add(next)
      case "init", "subscript":
        // Not the word in a requirement or a parameter.
        if depth == 0, next == "(" { add("\(token)(\(tokens[index + 2]):") }
      default: break
      }
    }
  }

  private mutating func add(_ name: String) {
    let around = types.compactMap { $0 }.flatMap { $0.split(separator: ".").map(String.init) }
    members.append(ListedMember(type: around.last, outerTypes: around.dropLast(), name: name))
  }
}
