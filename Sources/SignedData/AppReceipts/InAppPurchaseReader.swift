import Foundation
import StoreModel

/// Decodes the purchases of a receipt.
///
/// Decoding 10,000 purchases takes longer than all other checks of a receipt. If a receipt has many purchases, they are
/// decoded on several processors.
struct InAppPurchaseReader: @unchecked Sendable {
  /// Several threads read its bytes at the same time. This is safe, because no code changes the bytes.
  private let reader: TLVReader
  private let places: [Range<Int>]

  /// One more thread is used for each group of this many purchases. For fewer purchases, another thread costs more time
  /// than it saves.
  private static let sharedFrom = 500

  /// - Parameter places: the position of each purchase's SET in the bytes of `reader`.
  init(reader: TLVReader, places: [Range<Int>]) {
    self.reader = reader
    self.places = places
  }

  /// Decodes all purchases, in the order of their places.
  func read() throws(TLVFault) -> [AppReceipt.InAppPurchase] {
    let count = min(1 + places.count / Self.sharedFrom, ProcessInfo.processInfo.activeProcessorCount)
    guard count > 1 else { return try read(places.indices) }
    let parts = LockedValue([Int: Result<[AppReceipt.InAppPurchase], TLVFault>]())
    let size = (places.count + count - 1) / count
    DispatchQueue.concurrentPerform(iterations: count) { number in
      let part = places.indices.clamped(to: number * size..<(number + 1) * size)
      let decoded = Result { () throws(TLVFault) in try read(part) }
      parts.withLock { $0[number] = decoded }
    }
    let decoded = parts.value
    var purchases: [AppReceipt.InAppPurchase] = []
    purchases.reserveCapacity(places.count)
    for number in 0..<count { purchases += try decoded[number]?.get() ?? [] }
    return purchases
  }

  private func read(_ part: Range<Int>) throws(TLVFault) -> [AppReceipt.InAppPurchase] {
    var purchases: [AppReceipt.InAppPurchase] = []
    purchases.reserveCapacity(part.count)
    for place in places[part] { purchases.append(try AppReceipt.InAppPurchase(reader.set(place))) }
    return purchases
  }
}
