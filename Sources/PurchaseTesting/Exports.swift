// A test file needs only `import PurchaseTesting` beside its `import StoreKit`: the types of the emulated store, of its
// records and of its faults come with it.

@_exported import AppStoreEmulator
@_exported import StoreModel
