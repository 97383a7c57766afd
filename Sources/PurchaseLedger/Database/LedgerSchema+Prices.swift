/// What signed data states about prices (migrations 21 and 22).
extension LedgerSchema {
  /// The columns of prices, of the kinds of periods, and of price increases that a customer has to agree to. They are NULL as long as
  /// no signed data has stated them. Servers of an earlier version write no values.
  ///
  /// In PostgreSQL, each table has a migration of its own, as with ``changeColumns(_:)``.
  static func prices(_ dialect: SQLDialect) -> [Migration] {
    let price = ["price BIGINT", "currency TEXT"]
    let tables: [(migration: String, name: String, columns: [String])] = [
      ("21 prices of purchases", "claim", price),
      ("22 prices of periods", "claim_period", price + ["period_type TEXT"]),
      ("22 price increases", "subscription_renewal", ["price_increase BIGINT"]),
    ]
    switch dialect {
    case .sqlite:
      return [
        Migration(
          name: "21 prices",
          statements: tables.flatMap { table in
            table.columns.map { "ALTER TABLE \(table.name) ADD COLUMN \($0)" }
          })
      ]
    case .postgreSQL:
      return tables.map { table in
        let columns = table.columns.map { "ADD COLUMN \($0)" }.joined(separator: ", ")
        return Migration(name: table.migration, statements: ["ALTER TABLE \(table.name) \(columns)"])
      }
    }
  }

  /// Events of price increases, and more about the events of purchases and periods.
  ///
  /// In PostgreSQL, only the functions of existing triggers are replaced, which locks no table.
  static func priceEvents(_ dialect: SQLDialect) -> [String] {
    let replaced = eventTriggers(dialect).compactMap { trigger -> EventTrigger? in
      var trigger = trigger
      switch trigger.name {
      case "claim": trigger.columns.append((name: "transaction_id", value: claimedTransaction))
      case "period":
        trigger.version = 2
        trigger.details.append(.flag("newest", isNewest))
      default: return nil
      }
      return trigger
    }
    return replaced.flatMap { $0.replacement(dialect) } + priceIncreases(dialect).flatMap { $0.creation(dialect) }
  }

  /// The transaction of a claim; of a subscription, its newest period at that time.
  private static let claimedTransaction = """
    CASE NEW.type WHEN 'Auto-Renewable Subscription' THEN (
        SELECT p.id FROM claim_period p
        WHERE p.app = NEW.app AND p.environment = NEW.environment AND p.claim = NEW.id
        ORDER BY p.purchased DESC, length(p.id) DESC, p.id DESC LIMIT 1)
      ELSE NEW.id END
    """

  /// 1 if no period of the subscription that was bought later is recorded. An older period can be learnt of at any time.
  private static let isNewest = """
    (CASE WHEN EXISTS (
        SELECT 1 FROM claim_period n
        WHERE n.app = NEW.app AND n.environment = NEW.environment AND n.claim = NEW.claim AND n.purchased > NEW.purchased)
      THEN 0 ELSE 1 END)
    """

  private static func priceIncreases(_ dialect: SQLDialect) -> [EventTrigger] {
    let claim = "c.app = NEW.app AND c.environment = NEW.environment AND c.id = NEW.claim"
    let period = "p.app = NEW.app AND p.environment = NEW.environment AND p.id = NEW.period"
    let columns: [(name: String, value: String)] = [
      ("date", "COALESCE(NEW.changed, NEW.stated)"), ("cause", "NEW.cause"), ("app", "NEW.app"),
      ("environment", "NEW.environment"), ("customer", "(SELECT c.customer FROM claim c WHERE \(claim))"),
      ("claim", "NEW.claim"), ("transaction_id", "NEW.period"),
      ("product", "(SELECT p.product FROM claim_period p WHERE \(period))"),
    ]
    return [
      EventTrigger(
        name: "price_increase", table: "subscription_renewal", condition: "NEW.price_increase IS NOT NULL",
        kind: "'renewal.priceIncrease'", columns: columns, details: [.value("status", "NEW.price_increase")]),
      EventTrigger(
        name: "price_increase_changed", table: "subscription_renewal", updated: ["price_increase"],
        condition: dialect.differ("NEW.price_increase", "OLD.price_increase"), kind: "'renewal.priceIncrease'",
        columns: columns,
        details: [
          .value("status", "NEW.price_increase"), .value("previousStatus", "OLD.price_increase"),
        ]),
    ]
  }
}
