import GRDB

extension StoreSchema {
  /// Adds the dates at which rows are due: see ``DueRows``. Rows of earlier versions have no such date.
  static func registerDueDates(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("9 due dates") { database in
      try database.alter(table: "payment") { table in
        table.add(column: "approvalDeadline", .integer)
      }
      try database.create(
        index: "paymentDeadline", on: "payment", columns: ["approvalDeadline"],
        condition: Column("approvalDeadline") != nil)
      try database.alter(table: "interruptedPurchase") { table in
        table.add(column: "dueDate", .integer)
      }
      try database.create(
        index: "interruptedPurchaseDue", on: "interruptedPurchase", columns: ["dueDate"],
        condition: Column("dueDate") != nil)
    }
  }
}
