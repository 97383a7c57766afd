"""Owned products: photo filters, books, restore, backups, refunds."""
import pathlib

from browser_test_case import ENCYCLOPEDIA, LARGE_TEXT, BrowserTestCase


class FiltersTests(BrowserTestCase):
    def test_filter(self):
        """D1 D2 D3 E1 E4: bought once, applied, restored on the second device, and not charged again"""
        self.device()
        self.tab("Filters")
        self.browser.sees("Buy $")
        self.browser.picture("device-filters")
        self.buy("sepia", signs_in=True)
        self.browser.press("Use sepia")
        self.browser.find("#photograph feColorMatrix")
        self.browser.picture("device-sepia")
        self.browser.press("Clear filter")
        self.browser.gone("#photograph feColorMatrix")

        self.device("tablet")
        self.tab("Filters")
        self.browser.sees("Buy $", within=self.product_row("sepia"))
        self.browser.press("Restore purchases")
        self.sign_in()
        self.browser.sees("1 purchase was restored.", within="dialog")
        self.browser.picture("device-restored")
        self.close_alert()
        self.browser.press("Use sepia")
        self.browser.find("#photograph feColorMatrix")

        self.device()
        self.browser.press("Delete the app")
        self.browser.press("Install the app")
        self.browser.press("Monkey Shop")
        self.tab("Filters")
        self.buy("sepia", signs_in=True)
        self.browser.sees("You have bought this before", within="dialog")
        self.browser.picture("device-bought-before")
        self.browser.press("OK", within="dialog")
        self.browser.sees("Use sepia")
        self.assertEqual([charge["amount"] for charge in self.store.charges() if charge["customer"] == self.account],
                         [transaction["price"] for transaction in self.transactions()])
        self.assertEqual(len(self.transactions()), 1)

    def test_nothing_to_restore(self):
        """E3 E4: with nothing to restore a message is shown"""
        self.device()
        self.tab("Filters")
        self.browser.press("Restore purchases")
        self.sign_in()
        self.browser.sees("There is nothing to restore.", within="dialog")

    def test_backup(self):
        """F2: a backup restores the owned products on another device at once"""
        self.device()
        self.tab("Filters")
        self.buy("greyscale", signs_in=True)
        self.browser.sees("Use greyscale")
        self.browser.press("Back up now")
        key = self.browser.text("#backup-key")
        self.browser.picture("device-backup", whole=True)
        self.device("tablet")
        self.browser.press("Restore a backup")
        self.browser.write("Key", key)
        self.browser.press("Restore", exact=True, within="#backup-form")
        self.tab("Filters")
        self.browser.sees("Use greyscale")

    def test_fewer_credits(self):
        """F1: credits are deleted, or given up for a backup with fewer, only after a question with their number"""
        self.device()
        self.buy("consume5credits", signs_in=True)
        self.browser.sees("5 monkey credits", within="#credits-balance")
        self.browser.press("Back up now")
        key = self.browser.text("#backup-key")
        for balance in (15, 25, 35, 45, 55, 65):
            self.buy("consume10credits")
            self.browser.sees(f"{balance} monkey credits", within="#credits-balance")
        self.browser.press("Delete the app")
        self.browser.sees("Only this device stores your 65 monkey credits bought on", within="#deletion-question")
        self.browser.sees("had 5 monkey credits", within="#deletion-question")
        self.browser.picture("device-delete-question")
        self.browser.press("Keep the app")
        self.browser.gone("#deletion-question")
        self.browser.press("Delete the app")
        self.browser.press("Delete the app and 65 monkey credits")
        self.browser.sees("App deleted", within="#steps")
        self.browser.press("Install the app", within=".owner")
        self.browser.press("Open the app")
        self.browser.sees("credits are frozen", within="#credits-balance")

        def restore():
            self.browser.write("Key", key)
            self.browser.press("Restore", exact=True, within="#backup-form")
            self.browser.sees("Restore this backup?", within="dialog")

        self.browser.press("Restore a backup")
        restore()
        self.browser.sees("The backup brings back 5 monkey credits. 60 monkey credits bought on", within="dialog")
        self.browser.picture("device-fewer-credits")
        self.browser.press("Keep everything as it is", within="dialog")
        self.browser.gone("dialog")
        self.browser.sees("credits are frozen", within="#credits-balance")
        self.browser.sees("you lose 65", within="#credits-frozen")
        restore()
        self.browser.press("Restore, and give up 60 monkey credits", within="dialog")
        self.browser.sees("5 monkey credits", within="#credits-balance")

    def test_refunded(self):
        """D2: a filter that is lost by a refund says so where it was"""
        self.device()
        self.tab("Filters")
        self.buy("sepia", signs_in=True)
        self.browser.press("Use sepia")
        self.browser.find("#photograph feColorMatrix")
        [transaction] = self.transactions()
        self.store.ask("POST", f"transactions/{transaction['transactionId']}/refund")
        self.browser.sees("Refunded, or no longer shared with you", within=self.product_row("sepia"))
        self.browser.gone("#photograph feColorMatrix")
        self.browser.picture("device-refunded-filter")

    def test_photograph(self):
        """D2: the photograph can be replaced by the user's own; another file is refused with a message"""
        self.device()
        self.tab("Filters")
        before = self.browser.until("return document.querySelector('#photograph image').getAttribute('href')")
        self.browser.press("Another photograph")
        forgery = self.folder / "forgery.png"
        pathlib.Path(forgery).write_text("<svg onload='alert(1)'/>")
        self.browser.field("JPEG").send_keys(forgery)
        self.browser.press("Use this photograph")
        self.browser.sees("JPEG", within="#notice")
        self.expect_refusal()
        picture = self.folder / "picture.png"
        self.browser.driver.save_screenshot(picture)
        self.browser.field("JPEG").send_keys(picture)
        self.browser.press("Use this photograph")
        self.browser.until("return document.querySelector('#photograph image').getAttribute('href') !== values.before",
                           before=before)
        self.browser.until(
            "const image = new Image(); image.src = document.querySelector('#photograph image').getAttribute('href');"
            "image.onload = () => document.body.setAttribute('data-loaded', image.naturalWidth);"
            "return document.body.dataset.loaded")


class BooksTests(BrowserTestCase):
    has_server = True

    def test_interrupted_download(self):
        """G3 G4 G5: bought, interrupted in the middle, resumed, and read; charged once"""
        self.device()
        self.tab("Books")
        self.browser.sees("Buy $", within=self.product_row("book.encyclopedia"))
        self.browser.picture("device-books")
        self.buy("book.encyclopedia", signs_in=True)
        self.proxy.hold_after(len(LARGE_TEXT) // 2)
        self.browser.press("Download", within=self.product_row("book.encyclopedia"))
        self.browser.until("const bar = document.querySelector('progress'); return bar && bar.value >= 40")
        self.browser.picture("device-downloading")
        self.browser.switch("Airplane mode", True)
        connections = len(self.proxy.carried)
        self.proxy.release()
        self.browser.sees("Airplane mode on", within=".owner")
        self.browser.picture("device-download-interrupted")
        self.browser.switch("Airplane mode", False)
        self.browser.press("Open", within=self.product_row("book.encyclopedia"))
        # Only the rest was downloaded.
        self.assertLess(max(self.proxy.carried[connections:]), 0.8 * len(LARGE_TEXT))
        self.browser.sees("Volume 0: everything that is known of it.", within="#book")
        self.browser.picture("device-reader")
        self.browser.press("Next page")
        self.browser.sees("2 of", within="#turning")
        self.browser.press("Close the book")
        self.assertEqual([line["productId"] for line in self.transactions()], [ENCYCLOPEDIA])

    def test_paused_download(self):
        """G4: a paused download shows its percentage and Continue, without an alert, also after a launch"""
        self.device()
        self.tab("Books")
        row = self.product_row("book.encyclopedia")
        self.buy("book.encyclopedia", signs_in=True)
        self.proxy.hold_after(len(LARGE_TEXT) // 2)
        self.browser.press("Download", within=row)
        self.browser.until("const bar = document.querySelector('progress'); return bar && bar.value >= 40")
        self.browser.press("Pause", within=row)
        self.browser.sees("Paused at", within=row)
        self.proxy.release()
        self.assertEqual(self.browser.driver.find_elements("css selector", "dialog"), [])
        self.browser.picture("device-paused")
        self.browser.press("Force-quit")
        self.browser.press("Open the app")
        self.tab("Books")
        self.browser.sees("Paused at", within=row)
        self.browser.press("Continue", within=row)
        self.browser.press("Open", within=row)
        self.browser.sees("Volume 0: everything that is known of it.", within="#book")

    def test_small_book(self):
        """G3: a book is granted with its content, and can be read at once"""
        self.device()
        self.tab("Books")
        self.buy("book.smallprint", signs_in=True)
        self.browser.press("Open", within=self.product_row("book.smallprint"))
        self.browser.sees("It was a quiet receipt", within="#book")
