/// The triggers of migration 17: which changes of rows are events.
extension LedgerSchema {
  static func eventTriggers(_ dialect: SQLDialect) -> [EventTrigger] {
    purchaseEvents(dialect) + subscriptionEvents(dialect) + creditEvents + entitlementEvents(dialect) + customerEvents
  }

  /// The columns with the cause, app and environment.
  private static let context: [(name: String, value: String)] = [
    ("cause", "NEW.cause"), ("app", "NEW.app"), ("environment", "NEW.environment"),
  ]

  // MARK: Purchases

  private static func purchaseEvents(_ dialect: SQLDialect) -> [EventTrigger] {
    let claim = context + [("customer", "NEW.customer"), ("claim", "NEW.id"), ("product", "NEW.product")]
    let changed = [(name: "date", value: "COALESCE(NEW.changed, NEW.claimed)")] + claim
    // The claim's id of a transaction: that of its period, or its own.
    let owner = """
      COALESCE((
        SELECT p.claim FROM claim_period p WHERE p.app = NEW.app AND p.environment = NEW.environment AND p.id = NEW.id), NEW.id)
      """
    let status =
      [(name: "date", value: "NEW.learnt")] + context + [
        ("claim", owner), ("transaction_id", "NEW.id"),
        (
          "customer",
          "(SELECT c.customer FROM claim c WHERE c.app = NEW.app AND c.environment = NEW.environment AND c.id = \(owner))"
        ),
        (
          "product",
          """
          COALESCE(
            (SELECT p.product FROM claim_period p WHERE p.app = NEW.app AND p.environment = NEW.environment AND p.id = NEW.id),
            (SELECT c.product FROM claim c WHERE c.app = NEW.app AND c.environment = NEW.environment AND c.id = NEW.id))
          """
        ),
      ]
    func refund(previously percentage: String) -> [EventTrigger.Detail] {
      [
        .value("percentage", "NEW.percentage"), .value("previousPercentage", percentage),
        .value("refunded", "NEW.date"), .value("reason", "NEW.reason"), .value("stated", "NEW.stated"),
      ]
    }
    let refundDiffers = ["revoked", "percentage", "date", "reason"].map { dialect.differ("NEW.\($0)", "OLD.\($0)") }
    return [
      EventTrigger(
        name: "claim", table: "claim", kind: "'purchase.claimed'", columns: [("date", "NEW.claimed")] + claim),
      EventTrigger(
        name: "moved", table: "claim", updated: ["customer"], condition: "NEW.customer <> OLD.customer",
        kind: "'purchase.moved'", columns: changed, details: [.value("from", "OLD.customer")]),
      EventTrigger(
        name: "product", table: "claim", updated: ["product"], condition: "NEW.product <> OLD.product",
        kind: "'purchase.productChanged'", columns: changed, details: [.value("previousProduct", "OLD.product")]),
      EventTrigger(
        name: "ownership", table: "claim", updated: ["ownership"], condition: "NEW.ownership <> OLD.ownership",
        kind: "'purchase.ownershipChanged'", columns: changed,
        details: [.value("ownership", "NEW.ownership"), .value("previousOwnership", "OLD.ownership")]),
      EventTrigger(
        name: "refund", table: "statement", condition: "NEW.revoked = 1", kind: "'purchase.refunded'", columns: status,
        details: refund(previously: "0")),
      EventTrigger(
        name: "refund_changed", table: "statement", updated: ["revoked", "percentage", "date", "reason"],
        condition: "NEW.revoked = 1 AND (\(refundDiffers.joined(separator: " OR ")))", kind: "'purchase.refunded'",
        columns: status, details: refund(previously: "OLD.percentage")),
      EventTrigger(
        name: "refund_reversed", table: "statement", updated: ["revoked"],
        condition: "NEW.revoked = 0 AND OLD.revoked = 1", kind: "'purchase.refundReversed'", columns: status,
        details: [.value("previousPercentage", "OLD.percentage"), .value("stated", "NEW.stated")]),
    ]
  }

  // MARK: Subscriptions

  private static func subscriptionEvents(_ dialect: SQLDialect) -> [EventTrigger] {
    func columns(_ others: [(name: String, value: String)]) -> [(name: String, value: String)] {
      [("date", "COALESCE(NEW.changed, NEW.stated)")] + context + [
        (
          "customer",
          "(SELECT c.customer FROM claim c WHERE c.app = NEW.app AND c.environment = NEW.environment AND c.id = NEW.claim)"
        ), ("claim", "NEW.claim"),
      ] + others
    }
    let period = columns([("transaction_id", "NEW.id"), ("product", "NEW.product")])
    let bounds: [EventTrigger.Detail] = [
      .value("purchased", "NEW.purchased"), .value("expires", "NEW.access_until"), .value("stated", "NEW.stated"),
    ]
    func renewal(_ row: String) -> [EventTrigger.Detail] {
      [
        .value("product", "\(row).product"), .flag("autoRenew", "\(row).auto_renew"),
        .flag("billingRetry", "\(row).billing_retry"), .value("graceUntil", "\(row).grace_until"),
        .value("expirationIntent", "\(row).expiration_intent"),
      ]
    }
    let renewalColumns = ["period", "product", "auto_renew", "billing_retry", "grace_until", "expiration_intent"]
    let product = """
      (SELECT p.product FROM claim_period p WHERE p.app = NEW.app AND p.environment = NEW.environment AND p.id = NEW.period)
      """
    let renewed = columns([("transaction_id", "NEW.period"), ("product", product)])
    return [
      EventTrigger(
        name: "period", table: "claim_period", kind: "'period.recorded'", columns: period, details: bounds),
      EventTrigger(
        name: "period_changed", table: "claim_period", updated: ["product", "access_until"],
        condition: "NEW.product <> OLD.product OR NEW.access_until <> OLD.access_until", kind: "'period.changed'",
        columns: period,
        details: bounds + [.value("previousExpires", "OLD.access_until"), .value("previousProduct", "OLD.product")]),
      EventTrigger(
        name: "renewal", table: "subscription_renewal", kind: "'renewal.changed'", columns: renewed,
        details: renewal("NEW")),
      EventTrigger(
        name: "renewal_changed", table: "subscription_renewal", updated: renewalColumns,
        condition: renewalColumns.map { dialect.differ("NEW.\($0)", "OLD.\($0)") }.joined(separator: " OR "),
        kind: "'renewal.changed'", columns: renewed,
        details: renewal("NEW") + [.object("previous", renewal("OLD") + [.value("period", "OLD.period")])]),
    ]
  }

  // MARK: Credits

  private static let creditEvents: [EventTrigger] = {
    let account: [(name: String, value: String)] = [
      ("cause", "NEW.cause"), ("app", "NEW.app"), ("customer", "NEW.customer"), ("unit", "NEW.unit"),
    ]
    return [
      // The event of a purchase's movement is that of its claim.
      EventTrigger(
        name: "movement", table: "credit_movement", condition: "NEW.cause <> 'purchase'", kind: "'credits.moved'",
        columns: [("date", "NEW.date")] + account.dropFirst() + [("sequence", "NEW.sequence")]),
      EventTrigger(
        name: "blocked", table: "credit_account", updated: ["blocked"],
        condition: "NEW.blocked IS NOT NULL AND OLD.blocked IS NULL", kind: "'credits.blocked'",
        columns: [("date", "NEW.blocked")] + account),
      EventTrigger(
        name: "unblocked", table: "credit_account", updated: ["blocked"],
        condition: "NEW.blocked IS NULL AND OLD.blocked IS NOT NULL", kind: "'credits.unblocked'",
        columns: [("date", "COALESCE(NEW.changed, OLD.blocked)")] + account),
    ]
  }()

  // MARK: Entitlements and deliveries

  private static func entitlementEvents(_ dialect: SQLDialect) -> [EventTrigger] {
    let entitlement: [(name: String, value: String)] = [
      ("cause", "NEW.cause"), ("app", "NEW.app"), ("customer", "NEW.customer"), ("product", "NEW.product"),
      ("source", "NEW.source"),
    ]
    let state: [EventTrigger.Detail] = [
      .value("origin", "NEW.origin"), .value("begun", "NEW.begun"), .value("accessUntil", "NEW.access_until"),
      .value("ended", "NEW.ended"), .value("endReason", "NEW.end_reason"),
    ]
    let delivery: [(name: String, value: String)] = [
      ("app", "NEW.app"), ("customer", "NEW.customer"), ("product", "NEW.product"), ("source", "NEW.source"),
      ("delivery", "NEW.id"),
    ]
    let changes = ["origin", "access_until", "ended", "end_reason"]
    return [
      EventTrigger(
        name: "entitlement", table: "entitlement", kind: "'entitlement.begun'",
        columns: [("date", "COALESCE(NEW.changed, NEW.begun)")] + entitlement, details: state),
      EventTrigger(
        name: "entitlement_changed", table: "entitlement", updated: changes,
        condition: changes.map { dialect.differ("NEW.\($0)", "OLD.\($0)") }.joined(separator: " OR "),
        kind: """
          CASE WHEN OLD.ended IS NULL AND NEW.ended IS NOT NULL THEN 'entitlement.ended'
            WHEN OLD.ended IS NOT NULL AND NEW.ended IS NULL THEN 'entitlement.resumed' ELSE 'entitlement.changed' END
          """,
        columns: [
          (
            "date",
            "CASE WHEN OLD.ended IS NULL AND NEW.ended IS NOT NULL THEN NEW.ended ELSE COALESCE(NEW.changed, NEW.begun) END"
          )
        ] + entitlement, details: state + [.value("previousAccessUntil", "OLD.access_until")]),
      EventTrigger(
        name: "delivery", table: "delivery", kind: "'delivery.begun'", columns: [("date", "NEW.begun")] + delivery),
      EventTrigger(
        name: "delivery_ended", table: "delivery", updated: ["ended"],
        condition: "NEW.ended IS NOT NULL AND OLD.ended IS NULL", kind: "'delivery.ended'",
        columns: [("date", "NEW.ended")] + delivery),
    ]
  }

  // MARK: Customers

  private static let customerEvents: [EventTrigger] = {
    let customer: [(name: String, value: String)] = [("cause", "NEW.cause"), ("customer", "NEW.id")]
    return [
      EventTrigger(
        name: "joined", table: "customer", updated: ["joined_to"],
        condition: "NEW.joined_to IS NOT NULL AND (OLD.joined_to IS NULL OR NEW.joined_to <> OLD.joined_to)",
        kind: "'customer.joined'", columns: [("date", "COALESCE(NEW.changed, NEW.created)")] + customer,
        details: [.value("to", "NEW.joined_to")]),
      EventTrigger(
        name: "erased", table: "customer", updated: ["erased"],
        condition: "NEW.erased IS NOT NULL AND OLD.erased IS NULL",
        kind: "'customer.erased'", columns: [("date", "NEW.erased")] + customer),
    ]
  }()
}
