import Foundation
import StoreModel

/// A notification that a server received, with all members of its payload and of the signed data in it.
struct SentNotification {
  let name: String
  let uuid: String
  let signedDate: StoreDate
  /// The members of the transaction in it; nil if it has none.
  let transaction: [String: String]?
  let renewalInfo: [String: String]?
  /// The members that an ``ExpectedNotification`` has, by their paths.
  let members: [String: String]

  /// What only the store knows. ``NotificationMatching`` checks it.
  private static let invented: Set = [
    "transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId", "signedDate",
  ]

  init(_ body: Data) throws {
    let payload = try JSONMembers(
      jws: try JSONDecoder().decode(JSONMembers.self, from: body).values["signedPayload"] ?? "")
    let data = payload.objects["data"]
    name = ["notificationType", "subtype"].compactMap { payload.values[$0] }.joined(separator: "/")
    uuid = payload.values["notificationUUID"] ?? ""
    signedDate = StoreDate(millisecondsSince1970: payload.values["signedDate"].flatMap { Int64($0) } ?? 0)
    transaction = try data?.values["signedTransactionInfo"].map { try JSONMembers(jws: $0).values }
    renewalInfo = try data?.values["signedRenewalInfo"].map { try JSONMembers(jws: $0).values }
    var members: [String: String] = [:]
    func add(_ path: String, _ values: [String: String], besides names: Set<String>) {
      for (name, value) in values where !names.contains(name) { members["\(path)\(name)"] = value }
    }
    add("", payload.values, besides: ["notificationType", "subtype", "notificationUUID", "signedDate"])
    add("data.", data?.values ?? [:], besides: ["signedTransactionInfo", "signedRenewalInfo"])
    for (path, values) in payload.objects where path != "data" { add("\(path).", values.values, besides: []) }
    add("transaction.", transaction ?? [:], besides: Self.invented)
    add("renewal.", renewalInfo ?? [:], besides: Self.invented)
    self.members = members
  }
}

/// Matches the notifications that were sent with those that the model expects, one for one, and learns the ids that the store gives
/// to transactions.
struct NotificationMatching {
  let appAppleID: Int64
  /// The ids of the model's transactions, by their numbers.
  private(set) var ids: [Int: String] = [:]
  private var numbers: [String: Int] = [:]
  /// The last notification about each transaction.
  private(set) var last: [Int: (transaction: [String: String], model: ClubTransaction)] = [:]
  private(set) var count = 0
  private(set) var seen: Set<String> = []
  private var lineItems: [String: Int] = [:]
  private var appTransactions: [String: Person] = [:]
  private var uuids: Set<String> = []
  private var lastSignedDate = 0 as Int64

  init(appAppleID: Int64) { self.appAppleID = appAppleID }

  func number(_ id: String) -> Int? { numbers[id] }

  /// - Returns: what was sent and not expected, what was expected and not sent, and the members that differ.
  mutating func match(_ sent: [SentNotification], _ expected: [ExpectedNotification]) -> [String] {
    var (open, problems) = (expected, [String]())
    for notification in sent {
      problems += order(of: notification)
      let candidates = open.indices.map { (index: $0, differences: differences(notification, open[$0])) }
      guard let best = candidates.min(by: { $0.differences.count < $1.differences.count }), best.differences.isEmpty
      else {
        let nearest = candidates.filter { open[$0.index].name == notification.name }
          .min { $0.differences.count < $1.differences.count }
        problems.append(
          "sent, but not expected: \(notification.name) of \(notification.transaction?["transactionId"] ?? "none")"
            + (nearest.map { "; \($0.differences.sorted().joined(separator: "; "))" } ?? ""))
        // Counts as the expected one, so that it is not reported twice.
        if let nearest { open.remove(at: nearest.index) }
        continue
      }
      learn(notification, open.remove(at: best.index))
    }
    count += sent.count
    seen.formUnion(sent.map(\.name))
    return problems
      + open.map {
        "expected, but not sent: \($0.name) of \($0.transaction.map { "\($0.person)'s \($0.product)" } ?? "")"
      }
  }

  /// Each signed object has a later date than the one before it, and the notification's own is the last.
  private mutating func order(of notification: SentNotification) -> [String] {
    let dates =
      [notification.transaction?["signedDate"], notification.renewalInfo?["signedDate"]].compactMap(\.self)
      .compactMap { Int64($0) } + [notification.signedDate.millisecondsSince1970]
    defer { lastSignedDate = dates.last ?? lastSignedDate }
    var problems: [String] = []
    if zip([lastSignedDate] + dates, dates).contains(where: { $0 >= $1 }) {
      problems.append("\(notification.name): its signed dates \(dates) do not increase after \(lastSignedDate)")
    }
    if !uuids.insert(notification.uuid).inserted { problems.append("\(notification.name): its UUID was used before") }
    return problems
  }

  private func differences(_ sent: SentNotification, _ expected: ExpectedNotification) -> [String] {
    var found: [String] = []
    func compare(_ name: String, _ value: String?, _ model: String?) {
      if value != model { found.append("\(name): sent \(value ?? "nothing"), model \(model ?? "nothing")") }
    }
    compare("name", sent.name, expected.name)
    let model = expected.members(appAppleID: appAppleID)
    for name in Set(sent.members.keys).union(model.keys) { compare(name, sent.members[name], model[name]) }
    let earliest = sent.transaction?["signedDate"].flatMap { Int64($0) } ?? sent.signedDate.millisecondsSince1970
    let date = expected.date.millisecondsSince1970
    // Dates of signatures are ahead of the clock while it stands still.
    if !(date...date + 3_600_000).contains(earliest) {
      found.append("signedDate: sent \(earliest), the cause was at \(date)")
    }
    guard let transaction = expected.transaction, let values = sent.transaction else { return found }
    let id = values["transactionId"] ?? ""
    if let known = ids[transaction.number] {
      compare("transactionId", id, known)
    } else if let other = numbers[id] {
      found.append("transactionId: sent \(id) of transaction \(other), model a new one")
    }
    let original = transaction.original == transaction.number ? id : ids[transaction.original]
    compare("originalTransactionId", values["originalTransactionId"], original)
    compare("webOrderLineItemId", values["webOrderLineItemId"].map { _ in "one" }, transaction.plan.map { _ in "one" })
    if let item = values["webOrderLineItemId"], let other = lineItems[item], other != transaction.number {
      found.append("webOrderLineItemId: sent that of transaction \(other)")
    }
    let account = values["appTransactionId"] ?? ""
    let owner = appTransactions[account]
    if let owner, owner != transaction.person { found.append("appTransactionId: sent that of \(owner)") }
    if owner == nil, appTransactions.values.contains(transaction.person) {
      found.append("appTransactionId: sent another one than before, \(account)")
    }
    if let info = sent.renewalInfo {
      for name in ["originalTransactionId", "appTransactionId"] {
        compare("renewal.\(name)", info[name], values[name])
      }
    }
    return found
  }

  private mutating func learn(_ sent: SentNotification, _ expected: ExpectedNotification) {
    guard let transaction = expected.transaction, let values = sent.transaction, let id = values["transactionId"] else {
      return
    }
    (ids[transaction.number], numbers[id]) = (id, transaction.number)
    last[transaction.number] = (values, transaction)
    if let item = values["webOrderLineItemId"] { lineItems[item] = transaction.number }
    if let account = values["appTransactionId"] { appTransactions[account] = transaction.person }
  }
}
