extension VaultKeyStore {
  /// Copies a value before it is replaced, under its name with the suffix `.aside-1`, or with the next free number.
  func keepCopy(_ name: String) throws {
    guard let old = try load(name) else { return }
    var number = 1
    while try load("\(name).aside-\(number)") != nil { number += 1 }
    try save(old, as: "\(name).aside-\(number)")
  }
}
