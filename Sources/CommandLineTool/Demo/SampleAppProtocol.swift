import Foundation
import StoreModel

// What the demo and the sample app's process say to each other: one JSON document a line.

/// What the app is told to do.
enum SampleAppOrder: Codable, Sendable {
  /// Show the screen's buttons, once the prices are there.
  case showPrices
  case buy(product: String, quantity: Int, confirms: Bool)
  /// Add a payment, whatever the screen's button says.
  case addAnyway(product: String)
  /// The screen appears once more.
  case appear
  case goOffline(Bool)
  /// Restrict purchases on this phone, or allow them again.
  case restrict(Bool)
  case showQueue
  case spend(Int)
  case showBalance
  /// What the buttons of the photo filters read, and which filter is on.
  case showFilters
  case apply(product: String)
  case clearFilter
  case restore
  /// What the buttons of the books read.
  case showBooks
  /// Fetch a book that is owned.
  case download(product: String)
  /// Open a book, and read all of it.
  case openBook(product: String)
  case exportBackup(path: String)
  case importBackup(path: String, key: String)
  case startCreditsAnew
  /// Where the app finds its receipt, and which device it is on.
  case showReceipt
  /// Ask the store once more what is unfinished. Orders are numbered by whoever gives them, each higher than before.
  case askForUnfinished(Int)
}

/// What happened in the app.
enum SampleAppEvent: Codable, Hashable, Sendable {
  case buttons([String: String])
  /// There is no button to show: the store did not answer.
  case pricesFailed(reason: String)
  /// The customer is asked to sign in, and does, with this account.
  case signInSheet(account: String)
  /// The sheet the customer is asked to confirm.
  case sheet(title: String, quantity: Int, unitPrice: String, total: String)
  /// The customer is told that it was bought before.
  case boughtBefore(title: String)
  /// The balance is nil while the credits are frozen.
  case succeeded(product: String, transaction: String, balance: Int?)
  case failed(product: String, domain: String, code: Int, isCancellation: Bool, alert: String?)
  case deferred(product: String)
  /// What each product's button reads, told when it changes.
  case screen([String: String])
  /// How many transactions are in the queue.
  case queue(Int)
  case kept(product: String, reason: String)
  case balance(Int)
  case creditsFrozen(reason: String)
  /// What the filters' buttons read, the filter the photograph is seen through, and the screen's message.
  case filters([String: String], colorMatrix: [Double]?, alert: String?)
  /// What the books' buttons read, and the screen's message.
  case books([String: String], alert: String?)
  /// A book is open: its version, and the SHA-256 of all its files, one after the other.
  case opened(product: String, version: Int64, digest: String)
  case notOpened(reason: String)
  case restoreEnded(message: String)
  case revoked(products: [String])
  /// The vault was not as the app left it, or cannot be repaired yet.
  case finding(String)
  case exported(key: String)
  /// What was brought back of products, or why none were, and what became of the credits.
  case imported(products: [String], credits: String, refused: String?)
  case importRefused(reason: String)
  case spendRefused(reason: String, balance: Int)
  case receipt(path: String?, deviceID: String)
  /// The store knows that the transaction is finished.
  case finishAcknowledged(transaction: String)
  /// The store has said what is unfinished, asked after the order of this number was carried out.
  case unfinished(order: Int, delivered: Int, inQueue: Int)
  /// The process has come to the point where it was told to wait, and waits for ever.
  case holding(HoldPoint)
}

/// Where a process can be told to wait, so that it can be killed just there.
enum HoldPoint: String, Codable, Hashable, Sendable, CaseIterable {
  /// The store has charged and answered; the app does not know yet.
  case charged
  /// The app has given the credits; it has not finished the transaction.
  case granted
}

enum SampleAppLine {
  static func write(_ value: some Encodable) throws -> String {
    String(decoding: try DeviceDoor.encoder().encode(value), as: UTF8.self)
  }

  static func read<Value: Decodable>(_ type: Value.Type, from line: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(line.utf8))
  }
}
