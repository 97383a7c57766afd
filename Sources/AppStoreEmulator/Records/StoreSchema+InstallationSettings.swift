import GRDB

extension StoreSchema {
  /// Adds the settings of installations that the control API has set. Null leaves a setting to the device.
  static func registerInstallationSettings(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("14 settings of installations") { database in
      try database.alter(table: "installation") { table in
        table.add(column: "isRestricted", .boolean)
        table.add(column: "isOffline", .boolean)
      }
    }
  }
}
