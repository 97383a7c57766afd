import GRDB

extension StoreSchema {
  /// Adds the settings of the store that the control API changes: see ``StoreSettings``.
  static func registerStoreSettings(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("15 settings of the store") { database in
      try database.alter(table: "store") { table in
        table.add(column: "locale", .text)
        table.add(column: "documented21003", .boolean).notNull().defaults(to: false)
        table.add(column: "lenientBase64", .boolean).notNull().defaults(to: false)
      }
    }
  }
}
