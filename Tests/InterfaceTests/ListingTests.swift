import Foundation
import Testing

/// Compares Apple's interface with what tests use, and with what Documentation/missing-interface.md names as missing.
@Suite("Apple's interface of StoreKit 2", .timeLimit(.minutes(30)))
struct ListingTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  private static let repository = tests.deletingLastPathComponent()

  /// `Listing.txt` has Apple's declarations up to iOS 27, from the public interfaces of Apple's SDKs and from Apple's
  /// documentation.
  private static func listed() throws -> [ListedMember] {
    let text = try String(contentsOf: tests.appending(path: "InterfaceTests/Listing.txt"), encoding: .utf8)
    return ListedInterface(text).members
  }

  /// The names in the sections "Missing: …" of the part "StoreKit 2" of the page, which are in backquotes.
  private static func missing() throws -> Set<String> {
    let page = try String(
      contentsOf: repository.appending(path: "Documentation/missing-interface.md"), encoding: .utf8)
    let part = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("StoreKit 2\n") })
    let sections = part.split(separator: "\n### ").filter { $0.hasPrefix("Missing: ") }.joined()
    return Set(sections.matches(of: /`([A-Za-z0-9_.():]+)`/).map { String($0.output.1) })
  }

  private static func sources(in folders: String...) throws -> [String] {
    try folders.flatMap { folder in
      let files = FileManager.default.enumerator(
        at: repository.appending(path: folder), includingPropertiesForKeys: nil)
      return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        .map { try String(contentsOf: $0, encoding: .utf8) }
    }
  }

  @Test("the listing is read completely")
  func reading() throws {
    let listed = try Self.listed()
    #expect(listed.count > 500)
    let names = Set(listed.map(\.description))
    for name in [
      "Product", "Product.purchase", "PurchaseError.invalidOfferPrice", "Unit.year",
      "DateComponents.init(subscriptionPeriod:",
      "PricingTerms.subscript(offers:", "AppTransactions.AsyncIterator", "Platform.managed",
      "VerificationResult.signature",
      "SubscriptionStatus", "Transactions.Element", "StoreKitError.networkError", "Refund.RefundType",
      "RefundType.proRated",
    ] {
      #expect(names.contains(name), "\(name)")
    }
  }

  @Test("each member is declared with its type in DeclaredTypes.swift and used by a test, or named as missing")
  func completeness() throws {
    let missing = try Self.missing()
    let tests = try Self.sources(in: "Tests/OpenStoreKitTests/StoreKit2", "Tests/StoreKitTests")
      .map { Words($0) }
    let declared = DeclaredMembers(
      try String(contentsOf: Self.tests.appending(path: "InterfaceTests/DeclaredTypes.swift"), encoding: .utf8))
    // Overloads are listed as one member each.
    let listed = try Self.listed()
    for (member, overloads) in Dictionary(grouping: listed, by: { $0 }) {
      let types = member.outerTypes + [member.type].compactMap { $0 }
      guard !missing.contains(member.description), missing.isDisjoint(with: types) else { continue }
      #expect(tests.contains { $0.use(member) }, "\(member) is not used by a test")
      #expect(declared.count(of: member) >= overloads.count, "\(member) is not in DeclaredTypes.swift")
    }
  }

  @Test("what is named as missing is in the listing, and is not declared")
  func honesty() throws {
    let listed = try Self.listed()
    let missing = try Self.missing().filter { $0.contains(".") || $0.first?.isUppercase == true }
    let missingMembers = listed.filter { missing.contains($0.description) }
    #expect(missingMembers.count > 20)
    let sources = try Self.sources(in: "Sources/OpenStoreKit/StoreKit2").joined()
    for member in missingMembers where listed.allSatisfy({ $0.name != member.name || missingMembers.contains($0) }) {
      let declaration = try Regex("\\b(var|let|func|case|struct|enum) \(member.name)\\b")
      #expect(!sources.contains(declaration), "\(member) is declared")
    }
  }
}

/// The words of a test file.
private struct Words {
  private let names: Set<Substring>
  /// The names after a period: `all` in `.all` and in `Transaction.all`.
  private let members: Set<Substring>
  private let text: String

  init(_ text: String) {
    self.text = text
    names = Set(text.matches(of: /[A-Za-z_][A-Za-z0-9_]*/).map { $0.output })
    members = Set(text.matches(of: /\.([A-Za-z_][A-Za-z0-9_]*)/).map { $0.output.1 })
  }

  /// Whether the file names the type of a member, and uses a member of that name.
  func use(_ member: ListedMember) -> Bool {
    guard let type = member.type else { return names.contains(member.name[...]) }
    guard Self.spellings(of: type).contains(where: { names.contains($0[...]) }) else { return false }
    if member.name.hasPrefix("init(") {
      return text.contains("\(type)\(member.name.dropFirst(4))") || text.contains(".\(member.name)")
    }
    if member.name.hasPrefix("subscript(") { return text.contains("[\(member.name.dropFirst(10))") }
    // Types are also named without a period.
    return members.contains(member.name[...])
      || (member.name.first?.isUppercase == true && names.contains(member.name[...]))
  }

  /// The names of a type in client code.
  private static func spellings(of type: String) -> [String] {
    switch type {
    case "RenewalInfo": ["RenewalInfo", "SubscriptionRenewalInfo"]
    case "RenewalState": ["RenewalState", "SubscriptionRenewalState"]
    case "Status": ["Status", "SubscriptionStatus"]
    default: [type]
    }
  }
}

/// The members that DeclaredTypes.swift declares.
private struct DeclaredMembers {
  /// The functions that declare the members of a type, such as `Product.PurchaseOption`.
  private var functions: [String: String] = [:]
  /// The types that are named, such as `Product.PurchaseOption`.
  private var types: Set<String> = []

  /// - Parameter source: functions whose first parameter is `its`, a `Declaration` of the type.
  init(_ source: String) {
    // The file's own name, and the results of several types.
    let text = source.replacing("SK2Transaction", with: "Transaction")
      .replacing(/VerificationResult<[^<>]*>/, with: "VerificationResult")
    for function in text.split(separator: "\n}\n") {
      guard let declaration = function.firstMatch(of: /_ its: Declaration<(.+?)>[,)\n]/) else { continue }
      functions[String(declaration.output.1), default: ""].append(contentsOf: function)
    }
    for name in text.matches(of: /[A-Z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]*)*/) {
      let parts = name.output.0.split(separator: ".")
      for count in 1...parts.count { types.insert(parts.prefix(count).joined(separator: ".")) }
    }
  }

  /// How often a member is declared. A type is declared if it is named.
  func count(of member: ListedMember) -> Int {
    let type = (member.outerTypes + [member.type].compactMap { $0 }).joined(separator: ".")
    if member.name.first?.isUppercase == true {
      return types.contains(type.isEmpty ? member.name : "\(type).\(member.name)") ? 1 : 0
    }
    let text = functions[type] ?? ""
    if member.name.hasPrefix("init(") { return text.ranges(of: ".\(member.name)").count }
    if member.name.hasPrefix("subscript(") { return text.ranges(of: "[\(member.name.dropFirst(10))").count }
    return text.matches(of: /\.([A-Za-z_][A-Za-z0-9_]*)/).filter { $0.output.1 == member.name }.count
  }
}
