import AppStoreEmulator
import Foundation
import PrivatePostgreSQL
import SharedFixtures
import StoreModel
import Testing

/// Redemptions, spends, notifications of the store, refunds, their reversals and operators' actions, all at once, while servers
/// are killed. At the end the ledger has what was acknowledged, once, and the store's state of every purchase.
///
/// `LOAD_PURCHASES` is the number of purchases that all clients redeem (`make prove`: 400).
@Suite(.serialized, .timeLimit(.minutes(LoadSettings.isLong ? 120 : 30))) struct RedemptionLoadTests {
  @Test(
    """
    64 clients, the store and operators, while the server is killed repeatedly: each purchase is given once, each refund \
    takes it back, and no notification is lost (SQLite)
    """)
  func sqlite() async throws {
    let folder = try ScratchFolder()
    try await run(in: folder, .sqlite(folder: folder.url), servers: 1)
  }

  @Test(
    """
    64 clients, the store and operators, with two servers on one PostgreSQL that are killed in turn: each purchase is given \
    once, each refund takes it back, and no notification is lost
    """)
  func postgreSQL() async throws {
    let folder = try ScratchFolder()
    try await PrivatePostgreSQL.shared.get().withDatabase { connection in
      try await run(in: folder, .postgreSQL(connection: connection), servers: 2)
    }
  }

  private func run(in folder: ScratchFolder, _ database: LoadedDatabase, servers: Int) async throws {
    let store = try await LoadedStore()
    let notifications = StoreToServers()
    // In place of the transport that the listener would use.
    store.coinStore.store.deliverNotifications(over: notifications)
    try await store.coinStore.listening { emulator in
      let document: [String: Any] = [
        "database": database.configuration, "trust": ["emulator": emulator], "log": ["level": "error"],
        "content": ["folder": "content", "linkKeys": [Data(repeating: 7, count: 32).base64EncodedString()]],
        "apps": [["bundleId": CoinStore.app.rawValue, "refunds": "block"]],
        "limits": ["requestsPerSecond": 100_000, "burst": 100_000],
      ]
      let configuration = folder.url.appending(path: "server.json")
      try JSONSerialization.data(withJSONObject: document).write(to: configuration)
      let key = try await Program.output(of: "server", "operator-key", "--config", configuration.path, "olga")()
      let processes = ServerProcesses(configuration: configuration)
      try await processes.start(servers)
      let client = LoadClient(ports: await processes.ports)
      let storm = Storm(
        store: store, notifications: notifications, processes: processes, load: RedemptionLoad(client),
        operators: LoadedOperators(client, key: key))
      try await storm.begin()
      let result = try await storm.run()
      try await storm.readHistory { try await database.endLeases() }
      try await storm.end()
      try await storm.check(result, LoadedLedger.read(database))
    }
  }
}

enum LoadSettings {
  private static let purchases = ProcessInfo.processInfo.environment["LOAD_PURCHASES"].flatMap { Int($0) }
  static let isLong = purchases != nil
  /// The number of purchases that all clients redeem.
  static let contested = purchases ?? 24
  /// The number of further ones whose refund is reversed before they are redeemed.
  static var reversed: Int { contested / 3 }
  static let customers = 8
  /// The number of purchases of a customer who has spent everything before the refunds.
  static let debts = 4
  static let answersBetweenKills = 150
}

/// The store of a load test, and its purchases.
struct LoadedStore: Sendable {
  let coinStore: CoinStore
  /// Purchases that all clients redeem, some of which are refunded meanwhile.
  let contested: [String]
  /// Signed transactions of purchases before and after a refund was reversed.
  let reversed: [String]
  let debts: [String]
  /// A medal of each customer.
  let medals: [String]

  init() async throws {
    coinStore = try await CoinStore()
    var (contested, reversed, debts, medals): ([String], [String], [String], [String]) = ([], [], [], [])
    for number in 0..<LoadSettings.contested { contested.append(try await coinStore.sell(number)) }
    for number in 0..<LoadSettings.reversed {
      reversed += try await coinStore.sellRefundAndReverse(LoadSettings.contested + number)
    }
    for _ in 0..<LoadSettings.debts { debts.append(try await coinStore.sell(CoinStore.coins, to: "debtor")) }
    for number in 0..<LoadSettings.customers {
      medals.append(try await coinStore.sell(CoinStore.medal, to: AccountName("player \(number)")))
    }
    (self.contested, self.reversed, self.debts, self.medals) = (contested, reversed, debts, medals)
  }

  /// The number of purchases.
  var purchases: Int { contested.count + reversed.count / 2 + debts.count + medals.count }

  /// Refunds of some purchases, of a part of others, and reversals, in the order in which they are made.
  var changes: [@Sendable () async throws -> Void] {
    let store = coinStore.store
    var changes: [@Sendable () async throws -> Void] = []
    for (number, proof) in contested.enumerated() {
      switch number % 4 {
      case 0: changes.append { try await store.refund(Self.id(of: proof)) }
      case 1: changes.append { try await store.refund(Self.id(of: proof), percentage: 40_000) }
      default: break
      }
    }
    for (number, proof) in debts.enumerated() {
      let place = changes.count * (number + 1) / (debts.count + 1)
      changes.insert({ try await store.refund(Self.id(of: proof)) }, at: place)
    }
    for (number, proof) in contested.enumerated() where number.isMultiple(of: 8) {
      changes.append { try await store.reverseRefund(of: Self.id(of: proof)) }
    }
    return changes
  }

  static func id(of proof: String) throws -> TransactionID {
    try #require(TransactionID(rawValue: try RedemptionLoad.transactionID(of: proof)))
  }
}

/// Everything that happens at once, and the comparison at the end.
private struct Storm: Sendable {
  let store: LoadedStore
  let notifications: StoreToServers
  let processes: ServerProcesses
  let load: RedemptionLoad
  let operators: LoadedOperators
  private let registered = LockedValue<[RedemptionLoad.Customer]>([])

  init(
    store: LoadedStore, notifications: StoreToServers, processes: ServerProcesses, load: RedemptionLoad,
    operators: LoadedOperators
  ) {
    (self.store, self.notifications, self.processes) = (store, notifications, processes)
    (self.load, self.operators) = (load, operators)
  }

  private var customers: [RedemptionLoad.Customer] { Array(registered.value.prefix(LoadSettings.customers)) }
  /// The customer who has spent everything before the refunds.
  private var debtor: RedemptionLoad.Customer { registered.value[LoadSettings.customers] }
  /// The last customer, whom an operator erases in the middle.
  private var erased: RedemptionLoad.Customer { registered.value[LoadSettings.customers - 1] }

  /// Registers the customers. Each redeems a medal; the debtor redeems coins and spends all of them.
  func begin() async throws {
    try await operators.publish()
    for _ in 0...LoadSettings.customers {
      let customer = try await load.register()
      registered.withLock { $0.append(customer) }
    }
    for (customer, medal) in zip(customers, store.medals) {
      #expect(try await load.redeem(medal, customer).status == 200)
    }
    for debt in store.debts { #expect(try await load.redeem(debt, debtor).status == 200) }
    let spent = try await load.spend(store.debts.count * CoinStore.coinsEach, "all", debtor)
    #expect(spent.status == 200, "\(spent.text)")
    notifications.lead(to: load.client.ports)
    try await store.coinStore.store.setNotificationURL(notifications.address)
  }

  func run() async throws -> RedemptionLoad.Result {
    let proofs = store.contested + store.reversed
    let answers = RedemptionLoad.answers(proofs)
    func paced(_ actions: [@Sendable () async throws -> Void]) -> RedemptionLoad.PacedActions {
      .init(answersBetween: max(1, answers / (actions.count + 1)), actions: actions)
    }
    let kills: [@Sendable () async throws -> Void] = (1...answers / LoadSettings.answersBetweenKills).map { number in
      let index = number % load.client.ports.count
      return { try await processes.kill(index) { if number == 2 { try await loseNotification(of: index) } } }
    }
    var result = try await load.run(
      proofs, for: customers, erased: erased,
      beside: [
        paced(kills), paced(store.changes), paced(operatorActions),
      ])
    result.spends.insert(.init(customer: debtor.customer, key: "all"))
    return result
  }

  /// The store makes a notification while the server to which it is posted is not running. In the sandbox, it tries once.
  private func loseNotification(of server: Int) async throws {
    notifications.lead(to: [load.client.ports[server]])
    let medal = try LoadedStore.id(of: store.medals[2])
    try await store.coinStore.store.refund(medal)
    try await store.coinStore.store.settleNotifications(timeoutMilliseconds: 600_000)
    #expect(notifications.lost > 0)
    notifications.lead(to: load.client.ports)
  }

  private var operatorActions: [@Sendable () async throws -> Void] {
    let (customers, erased, debtor, operators) = (customers, erased, debtor, operators)
    let moved = Result { try RedemptionLoad.transactionID(of: store.medals[0]) }
    var actions: [@Sendable () async throws -> Void] = []
    for (number, customer) in customers.enumerated() where customer != erased {
      actions.append { try await operators.grantCoins(3, "gift \(number)", to: customer) }
      actions.append { try await operators.grantMedal("prize \(number)", to: customer) }
      actions.append { try await operators.liftBlock(of: debtor) }
    }
    actions.append { try await operators.grantCoins(2, "before the end", to: erased) }
    actions.append { try await operators.erase(erased) }
    actions.append { try await operators.grantCoins(2, "after the end", to: erased) }
    actions.append { try await operators.move(try moved.get(), to: customers[1]) }
    actions.append { try await operators.revokeMedal(granted: "prize 3", from: customers[3]) }
    return actions
  }

  /// Starts all servers again, and waits until they have read from the store's history what was lost.
  func readHistory(_ meanwhile: @escaping @Sendable () async throws -> Void) async throws {
    let emulated = store.coinStore.store
    try await emulated.settleNotifications(timeoutMilliseconds: 600_000)
    try await processes.restart(meanwhile)
    let sent = try await sent().count
    while try await operators.notifications().values.reduce(0, +) < sent { await Task.yield() }
    #expect(try await operators.notifications()["history", default: 0] > 0)
    #expect(try await operators.notifications()["sent", default: 0] > 0)
    try await operators.liftBlock(of: debtor)
  }

  func end() async throws {
    #expect(await processes.kills >= 5)
    for customer in customers where customer != erased {
      let movements = try await load.movements(of: customer)
      #expect(movements.reduce(0) { $0 + $1.amount } == movements.first?.balance ?? 0)
    }
    try await processes.stop()
  }

  func check(_ result: RedemptionLoad.Result, _ ledger: LoadedLedger) async throws {
    let (id, transactions) = (RedemptionLoad.transactionID(of:), try await store.coinStore.store.transactions())
    #expect(transactions.count == store.purchases)
    let problems =
      result.contradictions + operators.contradictions + ledger.problems(comparedWith: transactions)
      + ledger.problems(of: "spend", acknowledged: result.spends, except: erased.customer)
      + ledger.problems(of: "grant", acknowledged: operators.grants.filter { !$0.key.hasPrefix("prize") }, except: nil)
    #expect(problems == [])
    for (purchase, customer) in result.owners { #expect(ledger.claims[purchase]?.customer == customer) }
    #expect(result.owners.count >= store.contested.count / 2)

    for grant in operators.grants { #expect(ledger.entries("grant", about: grant.customer, "key \(grant.key)") == 1) }
    #expect(operators.grants.count >= 2 * (LoadSettings.customers - 1))
    #expect(ledger.movements.filter { $0.key == "after the end" }.isEmpty)
    for (number, customer) in customers.enumerated() where customer != erased {
      let prizes = ledger.medals.filter { $0.customer == customer.customer && $0.source == "grant:prize \(number)" }
      #expect(prizes.map(\.endReason) == [number == 3 ? "revoked" : nil])
    }
    #expect(ledger.entries("revoke", about: customers[3].customer) == 1)

    let moved = try id(store.medals[0])
    #expect(ledger.claims[moved]?.customer == customers[1].customer && ledger.moves == [moved])
    #expect(ledger.entries("move", about: customers[1].customer, moved) == 1)
    #expect(ledger.erased == [erased.customer] && ledger.entries("erase", about: erased.customer) == 1)

    let debts = try store.debts.map(id)
    #expect(debts.allSatisfy { ledger.claims[$0]?.shortfall == Int64(CoinStore.coinsEach) })
    #expect(ledger.balances[debtor.customer] == 0 && !ledger.blocked.contains(debtor.customer))
    #expect((1...debts.count).contains(ledger.entries("liftBlock", about: debtor.customer)))

    let sent = try await sent()
    #expect(Set(ledger.notifications.keys) == sent)
    #expect(ledger.notifications.values.allSatisfy { $0 == "recorded" })
  }

  /// The notifications that the store has made.
  private func sent() async throws -> Set<String> {
    var filter = NotificationFilter()
    (filter.after, filter.limit) = (0, 100_000)
    return Set(try await store.coinStore.store.notifications(filter).notifications.map(\.uuid))
  }
}

extension Program {
  /// Returns the output of a command after it has ended.
  static func output(of arguments: String...) -> () async throws -> String {
    {
      let program = try Program(arguments: arguments)
      let (output, status) = try await program.finish()
      #expect(status == 0, "\(program.standardError)")
      return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
}
