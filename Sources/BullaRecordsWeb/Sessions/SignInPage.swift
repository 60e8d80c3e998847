/// The page on which a user signs in by hand.
enum SignInPage {
    static let text = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Sign in</title>
        <form method="post">
        <h1>Sign in</h1>
        <p><label>Account <input name="accountName" autocomplete="username" required></label></p>
        <p><label>Password <input name="password" type="password"
        autocomplete="current-password" required></label></p>
        <p><button>Sign in</button></p>
        </form>
        </html>

        """
}
