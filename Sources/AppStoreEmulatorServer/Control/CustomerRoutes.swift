import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

struct CustomerRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.customers) { input in
      CustomerList(try await store.customerPage(after: input.query.after?.key, limit: input.query.count))
    }
    control.serve(ControlEndpoints.addCustomer) { input in
      let customer = input.body.customer
      try await store.addCustomer(customer)
      return CustomerView(customer)
    }
    control.serve(ControlEndpoints.customer) { input in
      CustomerView(try await store.customer(input.path.name, input.path.environment.environment))
    }
    control.serve(ControlEndpoints.changeCustomer) { input in
      let change = input.body
      return CustomerView(
        try await store.changeCustomer(input.path.name, input.path.environment.environment) { customer in
          if let password = change.password { customer.password = password }
          customer.storefrontCountryCode = change.storefront ?? customer.storefrontCountryCode
          customer.paymentMethod = change.paymentMethod ?? customer.paymentMethod
          customer.needsApproval = change.needsApproval ?? customer.needsApproval
          if let family = change.family { customer.family = family }
        })
    }
    control.serve(ControlEndpoints.removeCustomer) { input in
      CustomerView(try await store.removeCustomer(input.path.name, input.path.environment.environment))
    }
  }
}
