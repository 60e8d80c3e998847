"""Uses the console in Chromium by keys only, and searches what the browser has kept for secrets.

With BULLA_PICTURES, the pictures of the documents are written into that folder.
"""

import os
import pathlib
import secrets
import unittest

from support.browser import CHROMIUM, Browser, Page
from support.client import ZONE, plain, sealed
from support.premises import CONTAINER, PASSWORDS
from support.profile import check_profile
from support.service import serving

LAYOUT = (pathlib.Path(__file__).parent / "support" / "layout.js").read_text()
WIDTHS = (320, 420, 768, 1400)
PICTURES = os.environ.get("BULLA_PICTURES")
SCHEMA = """DEFINE SCHEMA ( RECORD TYPE Recipe ( "___recordID" REFERENCE QUERYABLE,
    title STRING QUERYABLE SORTABLE, portions INT64 QUERYABLE, tried TIMESTAMP, goesWith REFERENCE,
    secret ENCRYPTED STRING, picture ASSET,
    GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world" ); );"""


@unittest.skipUnless(CHROMIUM, "there is no Chromium")
class ConsoleTrial(unittest.TestCase):
    """A session of work, by keys only."""

    def setUp(self):
        self.service = self.enterContext(serving({"console": True}))
        self.origin = f"https://localhost:{self.service.port}"
        self.canaries = ["canary-" + secrets.token_hex(12) for _ in range(3)]
        self.fill()
        self.browser = Browser(self.service.folder / "browser", self.service.certificate)
        self.addCleanup(self.browser.close)
        self.page = Page(self.browser)

    def command(self, *words):
        return self.service.premises.command(*words, folder=self.service.folder)

    def fill(self):
        """Makes records with everything that the console shows."""
        path = self.service.folder / "schema.ckdb"
        path.write_text(SCHEMA)
        self.command("import-schema", CONTAINER, path)
        self.command("account", "allow-developing", CONTAINER, "alice")
        self.client = self.service.client("alice")
        self.client.make_zone()
        self.save("butter", {"title": plain("Cultured butter"), "portions": plain(12)})
        self.save("bread", {
            "title": plain("Rye bread with caraway"), "portions": plain(4),
            "tried": plain(1_795_435_200_000, "TIMESTAMP"),
            "goesWith": plain({"recordName": "butter", "action": "NONE"}, "REFERENCE"),
            "secret": sealed(self.canaries[0], "STRING")})
        self.save("a-name-that-is-long-enough-to-need-more-than-one-line-on-a-narrow-screen", {
            "title": plain("x" * 90)})
        for number in range(60):
            self.save(f"soup-{number:02}", {"title": plain(f"Soup {number}")})

    def save(self, name, fields):
        answer = self.client.create(name, fields, "Recipe", ZONE)
        self.assertIsNone(answer.code, answer)

    # Checks.

    def check_layout(self, place):
        """Nothing overlaps or leaves the page, and all is legible, at every width."""
        for width in WIDTHS:
            for is_dark in (False, True):
                self.page.look(width, is_dark)
                faults = self.page.run(LAYOUT)
                self.assertEqual(faults, [], f"{place}, {width} px, {is_dark=}")
        self.page.look(1400, False)

    def picture(self, name):
        if not PICTURES:
            return
        for suffix, is_dark in (("", False), ("~dark", True)):
            self.page.look(1000, is_dark, 720)
            self.page.run("scrollTo(0, 0)")
            pathlib.Path(PICTURES, f"{name}{suffix}.png").write_bytes(self.page.picture())
        self.page.look(1400, False)

    def assertNotSent(self, *texts):
        """No answer that the page got so far has these texts."""
        self.page.gather()
        for body in self.page.bodies.values():
            for text in texts:
                self.assertNotIn(text, body)

    # The session of work.

    def sign_in(self, name, password=None):
        self.page.sees("Sign in", "Container")
        self.page.fill("Container", CONTAINER)
        self.page.fill("Account", name)
        self.page.fill("Password", password or PASSWORDS[name])
        self.page.press("Enter")

    def test_session(self):
        self.page.look(1400, False)
        self.page.open(self.origin + "/console/")
        self.check_layout("sign-in")
        self.sign_in("alice", "not the password")
        self.page.sees("no account has this name and password")
        self.page.reload()
        self.sign_in("alice")
        self.page.sees("New zone")
        self.browse()
        self.open_and_seal()
        self.change()
        self.send_a_file()
        self.make_and_delete()
        self.promote()
        self.sign_out()
        self.leave()
        self.reset()
        self.page.gather()
        self.check_requests()
        self.check_profile()

    def browse(self):
        page = self.page
        self.check_layout("zones")
        self.picture("console-zones")
        page.enter("notes")
        page.sees("soup-00", "Next page")
        page.sees("Cultured butter", "sealed")
        self.assertNotSent(*self.canaries)
        self.check_layout("records")
        self.picture("console-records")
        page.enter("Next page")
        page.sees("Page 2", "soup-59")
        page.enter("Previous page")
        page.sees("Page 1", "bread")
        page.fill("Record type", "Recipe")
        page.fill("Field", "title")
        page.fill("Value", "Cultured butter")
        page.press("Enter")
        page.eventually(lambda: "soup-00" not in page.text(), "a query")
        page.enter("butter")
        page.sees("Change tag", "portions")
        page.press("Escape")
        page.sees("Zone notes")
        # The arrow keys move in the list.
        page.tab(self.first_record())
        page.press("End", "Home", "ArrowDown", "ArrowUp")
        self.assertEqual(page.focus(), self.first_record())

    def first_record(self):
        return self.page.run("document.querySelector('.row-link').textContent")

    def open_and_seal(self):
        page = self.page
        page.enter("bread")
        page.sees("Open sealed fields", "Rye bread")
        self.assertNotSent(*self.canaries)
        page.enter("Open sealed fields")
        page.sees(self.canaries[0], "Seal again")
        self.check_layout("record")
        page.press("Enter")
        page.sees("The fields are sealed again.")
        self.assertNotIn(self.canaries[0], page.run("document.documentElement.outerHTML"))
        self.picture("console-sealed")
        page.press("Enter")
        page.sees(self.canaries[0])
        page.enter("butter")
        page.sees("Record butter", "Cultured butter")
        self.assertNotIn(self.canaries[0], page.run("document.documentElement.outerHTML"))
        page.press("Escape")
        page.sees("Zone notes", "bread")

    def change(self):
        page = self.page
        page.enter("bread")
        page.sees("Open sealed fields")
        page.enter("Edit portions")
        page.sees("Remove the field")
        self.check_layout("edit")
        page.press("Escape")
        page.eventually(lambda: page.focus() == "Edit portions", "the focus comes back")
        page.press("Enter")
        page.sees("Remove the field")
        page.press("Backspace")
        page.type("6")
        page.press("Enter")
        page.sees("portions was saved.", "6")
        page.enter("Open sealed fields")
        page.sees(self.canaries[0])
        page.enter("Edit secret")
        page.tab("Value")
        page.run("document.activeElement.select()")
        page.type(self.canaries[1])
        page.enter("Save")
        page.sees("secret was saved.")
        page.enter("Add a field")
        page.sees("Encrypted")
        page.fill("Name", "note")
        page.fill("Value", self.canaries[2])
        page.tab("Encrypted")
        page.press("Space")
        page.enter("Save")
        page.sees("note was saved.")
        record = self.client.look_up(["bread"], ZONE).json["records"][0]["fields"]
        self.assertEqual(record["portions"]["value"], 6)
        self.assertEqual(record["secret"]["value"], self.canaries[1])
        self.assertEqual(record["note"], {
            "value": self.canaries[2], "type": "STRING", "isEncrypted": True})

    def send_a_file(self):
        page, path = self.page, self.service.folder / "picture.bin"
        contents = os.urandom(200_000)
        path.write_bytes(contents)
        page.enter("Add a file")
        page.fill("Field", "picture")
        page.tab("File")
        page.choose(path)
        page.enter("Upload")
        page.sees("picture.bin was uploaded to picture.")
        page.enter("Open sealed fields")
        page.sees("195.3 KiB")
        self.check_layout("record with a file")
        page.enter("Download picture")
        page.sees("195.3 KiB of picture were downloaded.")
        target = self.browser.downloads / "bread-picture"
        page.eventually(
            lambda: target.exists() and target.read_bytes() == contents, "the download")
        path.write_bytes(contents[:1000])
        page.tab("Replace the file of picture")
        page.choose(path)
        page.sees("picture.bin was uploaded to picture.")
        page.enter("Open sealed fields")
        page.sees("1000 bytes")

    def make_and_delete(self):
        page = self.page
        page.press("Escape")
        page.sees("Zone notes")
        page.press("Escape")
        page.sees("New zone")
        page.enter("New zone")
        page.fill("Name", "herbs")
        page.press("Enter")
        page.sees("Zone herbs was created.")
        page.enter("herbs")
        page.sees("There are no records.")
        page.enter("New record")
        page.fill("Type", "Recipe")
        page.fill("Name", "dill")
        page.press("Enter")
        page.sees("Record dill", "The record has no fields.")
        page.enter("Delete record")
        page.sees("Delete record dill?")
        page.enter("Delete record")
        page.sees("Record dill was deleted.", "There are no records.")
        page.press("Escape")
        page.sees("New zone")
        page.enter("Delete zone herbs")
        page.fill("Type the name of the zone", "herb")
        page.press("Enter")
        page.sees("This is not the name of the zone.")
        self.check_layout("confirmation")
        page.type("s")
        page.press("Enter")
        # The first letters are still there.
        page.sees("Zone herbs was deleted.")
        page.enter("Shared")
        page.sees("There are no zones.")
        page.enter("Public")
        page.sees("Nothing in it is sealed.")

    def promote(self):
        page = self.page
        page.enter("Schema")
        page.sees("Production lacks", "ENCRYPTED STRING")
        self.check_layout("schema")
        self.picture("console-schema")
        page.enter("Promote to production")
        page.sees("Promotion only adds")
        self.check_layout("promotion")
        page.enter("Promote")
        page.sees("Production has everything that development has.")
        text = self.command("export-schema", CONTAINER, "--environment", "production")
        self.assertIn("ENCRYPTED STRING", text)
        self.assertIn('"the schema was promoted"', self.service.log())

    def sign_out(self):
        page = self.page
        page.enter("Sign out")
        page.sees("You are signed out.")
        self.sign_in("bob")
        page.sees("New zone")
        self.assertNotIn("Schema", page.text())
        self.command("account", "end-sessions", CONTAINER, "bob")
        page.enter("Shared")
        page.sees("The session has ended.", "Container")

    def leave(self):
        """A page that goes away takes nothing along, and its session is over."""
        page = self.page
        self.sign_in("alice")
        page.sees("New zone")
        page.enter("notes")
        page.sees("Next page")
        # What was changed last is on the last page.
        page.enter("Next page")
        page.sees("Page 2", "bread")
        page.enter("bread")
        page.sees("Open sealed fields")
        page.enter("Open sealed fields")
        page.sees(self.canaries[1])
        page.gather()
        client = self.service.client()
        client.token = page.addresses[-1].rpartition("=")[2]
        self.assertEqual(client.call("users/current").status, 200)
        page.ask("Page.navigate", url="about:blank")
        page.eventually(lambda: client.call("users/current").status == 401, "the sign-out")
        page.run("history.back()")
        page.sees("Sign in")
        self.assertNotIn(self.canaries[1], page.run("document.documentElement.outerHTML"))

    def reset(self):
        page = self.page
        self.sign_in("alice")
        page.sees("New zone")
        page.enter("Account")
        page.sees("May promote the schema")
        self.check_layout("account")
        page.enter("Reset encrypted data")
        page.sees("The password stays the same.")
        page.fill("Type the name of your account", "alic")
        page.fill("Password", PASSWORDS["alice"])
        page.press("Enter")
        page.sees("This is not the name of your account.")
        page.press("Shift+Tab")
        page.type("alice")
        page.press("Enter")
        page.sees("was reset, and all sessions have ended.")
        self.check_layout("after the reset")
        self.assertEqual(self.client.call("zones/list").status, 401)
        self.sign_in("alice")
        page.sees("New zone")
        page.enter("notes")
        page.sees("Its owner has reset the encrypted data.")
        page.press("Escape")
        page.sees("New zone")
        page.enter("Delete zone notes")
        page.fill("Type the name of the zone", "notes")
        page.press("Enter")
        page.sees("Zone notes was deleted.")
        self.assertIn('"the keys of an account were reset"', self.service.log())

    # What remains.

    def check_requests(self):
        """Every request went to the page's own origin, and the page was content with its policy."""
        self.assertGreater(len(self.page.addresses), 50)
        for address in self.page.addresses:
            self.assertTrue(
                address.startswith((self.origin + "/", f"blob:{self.origin}/", "about:")), address)
        # Refused sign-ins and requests are in the browser's log, too.
        wrong = [fault for fault in self.page.faults if "Failed to load resource" not in fault]
        self.assertEqual(wrong, [])

    def check_profile(self):
        """The browser has written no secret to the disk."""
        tokens = set()
        for address in self.page.addresses:
            tokens |= set(address.partition("?")[2].replace("&", "=").split("=")[1::2])
        self.assertGreater(len(tokens), 3)
        check_profile(
            self.page, self.canaries + list(PASSWORDS.values()) + sorted(tokens))
