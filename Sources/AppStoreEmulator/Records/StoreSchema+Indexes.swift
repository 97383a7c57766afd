import GRDB

extension StoreSchema {
  /// Adds indexes for the records of one customer, and for the order ids of subscription periods.
  ///
  /// The indexes of payments and transactions are partial: an ordinary purchase adds no entry to them.
  static func registerCustomerRecords(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("13 records of customers") { database in
      try database.create(index: "refundOfCustomer", on: "refund", columns: ["environment", "account"])
      try database.create(
        index: "transactionRecordRevoked", on: "transactionRecord",
        columns: ["account", "environment", "revocationDate"],
        condition: Column("revocationDate") != nil)
      try database.create(
        index: "transactionRecordOrder", on: "transactionRecord", columns: ["webOrderLineItemID"],
        condition: Column("webOrderLineItemID") != nil)
      try database.execute(
        sql: """
          CREATE INDEX paymentOfCustomer ON payment (account, decisionDate)
          WHERE transactionID IS NULL OR approvalDate IS NOT NULL
          """)
    }
  }
}

extension StoreSchema {
  /// Adds indexes for the columns that refer to other tables, and for the installations of a customer.
  ///
  /// If a row that others may refer to is changed, SQLite looks for rows that refer to it. Without an index it reads their
  /// whole table, for each changed row.
  static func registerReferences(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("16 indexes of references") { database in
      try database.create(indexOn: "orderedPurchase", columns: ["transactionID"])
      try database.create(indexOn: "subscription", columns: ["currentTransactionID"])
      try database.create(indexOn: "redelivery", columns: ["installationID"])
      try database.create(indexOn: "installation", columns: ["bundleID"])
      try database.create(
        index: "installationOfCustomer", on: "installation", columns: ["account", "environment"],
        condition: Column("account") != nil)
    }
  }

  /// Adds an index for a customer's payments that wait for approval, so that their refused payments are not read.
  static func registerWaitingPayments(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("24 waiting payments of a customer") { database in
      try database.execute(
        sql: """
          CREATE INDEX paymentWaitingOfCustomer ON payment (account, decisionDate)
          WHERE transactionID IS NULL AND refusal IS NULL
          """)
    }
  }
}
