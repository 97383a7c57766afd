#include "BundleReceiptHook.h"

// Makes Bundle.appStoreReceiptURL return OpenStoreKit's receipt on Linux.
//
// On Linux, Foundation's property is always nil, and an extension with the same name would make every use ambiguous. So
// this file replaces the getter in Bundle's class metadata before any Swift code runs. The symbols are those of the
// Swift toolchain in Documentation/architecture.md. They are weak, so that a program built with another toolchain still
// links. In such a program, openstorekit_bundle_slots_redirected() returns 0, and the app must use
// StoreKitDevice.receiptURL.

#if defined(__linux__)

#define WEAK __attribute__((weak))

extern void *bundle_metadata[] __asm__("$s10Foundation6BundleCN") WEAK;
extern void bundle_receipt_url(void) __asm__("$s10Foundation6BundleC18appStoreReceiptURL0A10Essentials0F0VSgvg") WEAK;
extern void openstorekit_bundle_receipt_url(void) WEAK;

// Bundle's metadata has about 100 machine words. If the getter is not in the first 300, the hook does nothing.
enum { slots_to_search = 300 };

static int slots_redirected = 0;

__attribute__((constructor)) static void redirect(void) {
  if (!bundle_metadata || !bundle_receipt_url || !openstorekit_bundle_receipt_url) return;
  for (int slot = 0; slot < slots_to_search; slot++) {
    if (bundle_metadata[slot] == (void *)bundle_receipt_url) {
      bundle_metadata[slot] = (void *)openstorekit_bundle_receipt_url;
      slots_redirected++;
    }
  }
}

int openstorekit_bundle_slots_redirected(void) { return slots_redirected; }

#else

int openstorekit_bundle_slots_redirected(void) { return 0; }

#endif
