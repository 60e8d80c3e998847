// The signed-in user's account, and the reset of its keys.

import { button, element, facts, input, labelled } from "./element.js";
import { Dialog } from "./dialog.js";

export class Account {
    #host;

    constructor(host) {
        this.#host = host;
    }

    get title() {
        return "Account";
    }

    get trail() {
        return [];
    }

    async render() {
        const { accountName, userRecordName, container, environment, isDeveloper }
            = this.#host.session;
        return [
            facts([
                ["Account", accountName], ["User record", userRecordName],
                ["Container", container], ["Environment", environment],
                ["May promote the schema", isDeveloper ? "yes" : "no"],
            ]),
            element("h2", {}, "Reset encrypted data"),
            element("p", {}, "A reset gives the account new keys. What was sealed under the former "
                + "ones can never be opened again: your private zones and their files, and what "
                + "others share with you until they invite you again. All of your sessions end, "
                + "on every device. Your programs then upload again what they have."),
            element("p", {}, button("Reset encrypted data", () => this.#reset(), {
                class: "danger",
            })),
        ];
    }

    #reset() {
        const { accountName } = this.#host.session;
        new Dialog({
            title: "Reset encrypted data?", action: "Reset encrypted data", isDangerous: true,
            text: "Your private zones can never be opened again. The password stays the same.",
            controls: [
                labelled("Type the name of your account", input("accountName", { required: true })),
                labelled("Password", input("password", {
                    type: "password", autocomplete: "current-password", required: true,
                })),
            ],
            perform: async (values) => {
                if (values.get("accountName") !== accountName) {
                    throw new Error("This is not the name of your account.");
                }
                await this.#host.service.desk("reset-keys", Object.fromEntries(values));
                this.#host.end(`The encrypted data of ${accountName} was reset, and all sessions `
                    + "have ended. Sign in again. The former zones say that they were reset: "
                    + "delete them, create them again, and upload again.");
            },
        }).show();
    }
}
