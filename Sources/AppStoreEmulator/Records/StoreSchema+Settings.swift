import GRDB

extension StoreSchema {
  /// Adds the settings that the control API changes: see ``InstallationSettings`` and ``StoreSettings``.
  static func registerSettings(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("14 settings of installations") { database in
      // Null leaves a setting to the device.
      try database.alter(table: "installation") { table in
        table.add(column: "isRestricted", .boolean)
        table.add(column: "isOffline", .boolean)
      }
    }
    migrator.registerMigration("15 settings of the store") { database in
      try database.alter(table: "store") { table in
        table.add(column: "locale", .text)
        table.add(column: "documented21003", .boolean).notNull().defaults(to: false)
        table.add(column: "lenientBase64", .boolean).notNull().defaults(to: false)
      }
    }
  }
}
