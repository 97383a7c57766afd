import Foundation
import StoreModel

/// Generates the text of the demo's books: random sentences from a fixed seed, the same in every run.
enum BookText {
  private static let subjects = [
    "A receipt", "The store", "A patient queue", "The reader of a book", "The ledger", "An old photograph",
    "The second device", "A monkey", "The finished transaction", "An old aunt", "The clock of the store",
  ]
  private static let verbs = [
    "remembers", "waits for", "is never given twice by", "signs", "comes back to", "asks politely for",
    "cannot lose", "looks twice at", "is worth as much as", "keeps", "never speaks about",
  ]
  private static let objects = [
    "what was paid", "a network that returns", "the small print", "five more credits", "the original",
    "a quiet afternoon", "the price in another country", "everything that was promised", "its own digest",
    "the last page", "a power cut",
  ]

  /// Returns a text of about `bytes` bytes, in numbered chapters.
  static func prose(title: String, bytes: Int) -> Data {
    var generator = SeededGenerator(seed: UInt64(bytes))
    func pick(_ words: [String]) -> String { words[Int(generator.next() % UInt64(words.count))] }
    var text = "\(title)\n"
    text.reserveCapacity(bytes + 1_000)
    var chapter = 0
    while text.utf8.count < bytes {
      chapter += 1
      text += "\nChapter \(chapter)\n"
      for _ in 0..<6 {
        let sentences = (0..<5).map { _ in "\(pick(subjects)) \(pick(verbs)) \(pick(objects))." }
        text += "\n" + sentences.joined(separator: " ") + "\n"
      }
    }
    return Data(text.utf8)
  }
}
