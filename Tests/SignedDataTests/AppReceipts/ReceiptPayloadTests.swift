import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("A receipt's payload", .timeLimit(.minutes(30)))
struct ReceiptPayloadTests {
  private static let attributes: [[UInt8]] = [
    ReceiptForge.attribute(0, DERWriter.utf8String("Xcode")),
    ReceiptForge.attribute(2, DERWriter.utf8String("com.example.monkeys")),
    ReceiptForge.attribute(3, DERWriter.utf8String("1")),
    ReceiptForge.attribute(4, [1, 2, 3, 4, 5, 6, 7, 8]),
    ReceiptForge.attribute(5, Array(repeating: 9, count: 20)),
    ReceiptForge.attribute(12, DERWriter.ia5String("2020-10-01T12:00:00+0100")),
  ]

  @Test("as Xcode writes it: few attributes, no originals, dates with offsets")
  func xcode() throws {
    let purchase = DERWriter.setOf([
      ReceiptForge.attribute(1701, DERWriter.integer(1)), ReceiptForge.attribute(1702, DERWriter.utf8String("book")),
      ReceiptForge.attribute(1703, DERWriter.utf8String("0")),
      ReceiptForge.attribute(1704, DERWriter.ia5String("2020-10-01T11:59:59.250Z")),
      ReceiptForge.attribute(1708, DERWriter.ia5String("")), ReceiptForge.attribute(1719, DERWriter.integer(0)),
    ])
    let extra = [
      ReceiptForge.attribute(8, DERWriter.ia5String("")), ReceiptForge.attribute(17, purchase),
      ReceiptForge.attribute(21, DERWriter.ia5String("4001-01-01T00:00:00Z")),
    ]
    let receipt = try AppReceipt(payload: DERWriter.setOf(Self.attributes + extra))
    #expect(receipt.environment == .xcode && receipt.requestDate == nil)
    #expect(receipt.creationDate.description == "2020-10-01T11:00:00.000Z")
    #expect(receipt.expirationDate?.description == "4001-01-01T00:00:00.000Z")
    let listed = try #require(receipt.inAppPurchases.first)
    #expect(listed.transactionID.rawValue == "0" && listed.originalTransactionID.rawValue == "0")
    #expect(listed.purchaseDate.description == "2020-10-01T11:59:59.250Z")
    #expect(listed.originalPurchaseDate == listed.purchaseDate)
    #expect(listed.productType == nil && listed.expiresDate == nil && listed.isInIntroductoryOfferPeriod == false)
  }

  @Test("2,000 purchases, which several processors decode, keep their order; a damaged one is refused wherever it is")
  func manyPurchases() async throws {
    func payload(damaged: Int? = nil) -> [UInt8] {
      let purchases = (0..<2_000).map { number in
        ReceiptForge.attribute(
          17,
          DERWriter.setOf([
            ReceiptForge.attribute(1702, DERWriter.utf8String("book")),
            ReceiptForge.attribute(1703, DERWriter.utf8String("\(100_000 + number)")),
            ReceiptForge.attribute(1704, DERWriter.ia5String(number == damaged ? "now" : "2020-10-01T11:59:59Z")),
          ]))
      }
      return DERWriter.setOf(Self.attributes + purchases)
    }
    let listed = try AppReceipt(payload: payload()).inAppPurchases.map(\.transactionID.rawValue)
    #expect(listed == (0..<2_000).map { "\(100_000 + $0)" })
    for damaged in [0, 999, 1_000, 1_999] {
      let bytes = payload(damaged: damaged)
      #expect(await refusal { try AppReceipt(payload: bytes) } == .structure, "\(damaged)")
    }
  }

  @Test("every attribute that must be there must be there", arguments: attributes.indices)
  func required(index: Int) async {
    var attributes = Self.attributes
    attributes.remove(at: index)
    let payload = DERWriter.setOf(attributes)
    #expect(await refusal { try AppReceipt(payload: payload) } == .structure)
  }

  @Test("an attribute that occurs once must not occur twice, at either level")
  func duplicates() async throws {
    _ = try AppReceipt(payload: DERWriter.setOf(Self.attributes))
    for repeated in Self.attributes {
      let payload = DERWriter.setOf(Self.attributes + [repeated])
      #expect(await refusal { try AppReceipt(payload: payload) } == .structure)
    }
    let quantity = ReceiptForge.attribute(1701, DERWriter.integer(1))
    let twice = DERWriter.setOf([
      quantity, quantity, ReceiptForge.attribute(1702, DERWriter.utf8String("book")),
      ReceiptForge.attribute(1703, DERWriter.utf8String("1")),
      ReceiptForge.attribute(1704, DERWriter.ia5String("2020-10-01T11:59:59Z")),
    ])
    let payload = DERWriter.setOf(Self.attributes + [ReceiptForge.attribute(17, twice)])
    #expect(await refusal { try AppReceipt(payload: payload) } == .structure)
  }

  @Test("the fast way to read an attribute reads what the general one reads, for all lengths and all damaged bytes")
  func shortForm() {
    func same(_ bytes: [UInt8]) -> Bool {
      bytes.withUnsafeBufferPointer { bytes in
        var (fast, general) = (TLVReader(bytes), TLVReader(bytes))
        let expected = try? ReceiptAttribute(ofAnyForm: &general)
        guard let attribute = try? ReceiptAttribute(&fast) else { return expected == nil }
        return attribute.type == expected?.type && attribute.version == expected?.version
          && attribute.value == expected?.value && fast.position == general.position
      }
    }
    for length in 0...300 {
      let value = [UInt8](repeating: 7, count: length)
      for type in [-200, 0, 17, 200, 1702, 40_000] as [Int64] {
        #expect(same(ReceiptForge.attribute(type, value) + [1]), "\(type), \(length) bytes")
      }
      #expect(same(ReceiptForge.attribute(1702, value, version: -3)))
    }
    let sound = ReceiptForge.attribute(1702, [12, 2, 65, 66])
    for place in sound.indices {
      #expect(same(Array(sound[..<place])), "cut at \(place)")
      for byte in UInt8.min...UInt8.max {
        var damaged = sound
        damaged[place] = byte
        #expect(same(damaged) && same(damaged + [0, 0]), "\(byte) at \(place)")
      }
    }
  }

  @Test("unknown attributes are kept, up to a limit")
  func unknown() throws {
    let unknown = (0..<300).map { ReceiptForge.attribute(5000 + Int64($0), [UInt8($0 % 256)]) }
    let receipt = try AppReceipt(payload: DERWriter.setOf(Self.attributes + unknown))
    #expect(receipt.unknownAttributes.count == 256)
    #expect(receipt.unknownAttributes[0] == AppReceipt.Attribute(type: 5000, version: 1, value: [0]))
  }

  @Test("product types are those of the format", arguments: ProductType.allCases)
  func productTypes(type: ProductType) {
    let base = SampleRecords.credits()
    let record = TransactionRecord(
      environment: base.environment, bundleID: base.bundleID, transactionID: base.transactionID,
      originalTransactionID: base.originalTransactionID, productID: base.productID, type: type,
      purchaseDate: base.purchaseDate, originalPurchaseDate: base.originalPurchaseDate, quantity: 1, price: base.price,
      currency: base.currency, storefrontCountryCode: "USA", storefrontID: "143441", reason: .purchase,
      appTransactionID: "1")
    #expect(AppReceipt.InAppPurchase(record: record).productType == type)
  }
}
