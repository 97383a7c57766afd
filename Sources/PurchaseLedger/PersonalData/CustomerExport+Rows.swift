import StoreModel

extension CustomerExport.Installation {
  init(_ row: SQLRow) throws {
    self.init(
      app: try row.identifier("app"), device: try row.optionalText("device"), issued: try row.date("issued"),
      storeDate: try row.optionalDate("store_date"), revoked: try row.optionalDate("revoked"))
  }
}

extension CustomerExport.Purchase {
  init(_ row: SQLRow) throws {
    self.init(
      app: try row.identifier("app"), environment: try row.value("environment"), claim: try row.value("id"),
      product: try row.identifier("product"), type: try row.value("type"), quantity: try row.integer("quantity"),
      ownership: try row.value("ownership"), purchased: try row.date("purchased"), claimed: try row.date("claimed"),
      accessUntil: try row.optionalDate("access_until"), accessDays: try row.optionalInteger("access_days"),
      credits: try CustomerExport.Credits(row), price: try row.price(), byDevice: try row.flag("by_device"),
      receipt: try row.optionalText("proof"), refund: try CustomerExport.Refund(row),
      renewal: try CustomerExport.Renewal(row))
  }
}

extension CustomerExport.Credits {
  fileprivate init?(_ row: SQLRow) throws {
    guard try row.optionalText("unit") != nil else { return nil }
    self.init(
      unit: try row.value("unit"), given: try row.integer("given"), taken: try row.integer("taken"),
      shortfall: try row.integer("shortfall"), blocks: try row.flag("blocks"))
  }
}

extension CustomerExport.Refund {
  /// Nil if the store has not stated anything.
  fileprivate init?(_ row: SQLRow) throws {
    guard let revoked = try row.optionalInteger("revoked") else { return nil }
    self.init(
      isRevoked: revoked != 0, date: try row.optionalDate("refunded"), reason: try row.optionalInteger("reason"),
      percentage: try row.integer("percentage"), stated: try row.date("refund_stated"),
      learnt: try row.date("learnt"))
  }
}

extension CustomerExport.Renewal {
  /// Nil if the purchase is not a subscription, or the store has not stated how it continues.
  fileprivate init?(_ row: SQLRow) throws {
    guard try row.optionalText("period") != nil else { return nil }
    self.init(
      period: try row.value("period"), product: try row.identifier("next_product"),
      isAutoRenewOn: try row.flag("auto_renew"), isInBillingRetry: try row.flag("billing_retry"),
      gracePeriodEnd: try row.optionalDate("grace_until"),
      expirationIntent: try row.optionalInteger("expiration_intent"),
      priceIncrease: try row.optionalInteger("price_increase"), stated: try row.date("renewal_stated"))
  }
}

extension CustomerExport.Period {
  init(_ row: SQLRow) throws {
    self.init(
      app: try row.identifier("app"), environment: try row.value("environment"), claim: try row.value("claim"),
      transaction: try row.value("id"), product: try row.identifier("product"), purchased: try row.date("purchased"),
      accessUntil: try row.date("access_until"), stated: try row.date("stated"), price: try row.price(),
      periodType: try row.optionalValue("period_type"), refund: try CustomerExport.Refund(row))
  }
}

extension CustomerExport.Transfer {
  init(_ row: SQLRow) throws {
    self.init(
      app: try row.identifier("app"), environment: try row.value("environment"), claim: try row.value("id"),
      date: try row.date("date"), direction: try row.value("direction"), id: try row.customer("own"),
      byDevice: try row.flag("by_device"))
  }
}

extension CustomerExport.Delivery {
  init(_ row: SQLRow) throws {
    self.init(
      id: try row.text("id"), app: try row.identifier("app"), product: try row.identifier("product"),
      source: try row.text("source"), begun: try row.date("begun"), ended: try row.optionalDate("ended"))
  }
}

extension CustomerExport.Account {
  init(_ row: SQLRow) throws {
    self.init(
      app: try row.identifier("app"), unit: try row.value("unit"), balance: try row.integer("balance"),
      movements: try row.integer("movements"), blocked: try row.optionalDate("blocked"))
  }
}

extension CustomerExport.Consent {
  init(_ row: SQLRow) throws {
    self.init(
      app: try row.identifier("app"),
      consent: CustomerConsent(
        consumptionInformation: try row.flag("consumption"), changed: try row.date("changed")))
  }
}

extension CustomerExport.RequestedConsumption {
  init(_ row: SQLRow) throws {
    self.init(
      app: try row.identifier("app"), environment: try row.value("environment"), claim: try row.value("claim"),
      transaction: try row.value("id"), type: try row.value("type"), uuid: try row.text("uuid"),
      reason: try row.optionalText("reason"), requested: try row.date("requested"), received: try row.date("received"),
      deadline: try row.date("deadline"),
      state: try row.value("state"), settled: try row.optionalDate("settled"), problem: try row.optionalText("problem"),
      values: try ConsumptionValues(row), consented: try row.optionalDate("consented"))
  }
}

extension CustomerExport.OperatorAction {
  init(_ row: SQLRow) throws {
    self.init(
      id: try row.text("id"), date: try row.date("date"), action: try row.text("action"),
      customer: try row.customer("subject"), detail: try row.text("detail"))
  }
}
