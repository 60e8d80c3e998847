// Asks the user for values, or for a confirmation.

import { button, element } from "./element.js";

export class Dialog {
    #dialog;
    #form;
    #error;

    // `perform` gets the form's values; if it fails, the dialog stays open and says why.
    constructor({ title, text = [], controls = [], action, isDangerous = false, perform }) {
        this.#error = element("p", { class: "error", role: "alert" });
        const heading = element("h2", { id: "dialog-title" }, title);
        const submit = element("button", { class: isDangerous ? "danger" : "primary" }, action);
        this.#form = element("form", { autocomplete: "off", on: { submit: (event) => {
            event.preventDefault();
            this.#run(submit, perform);
        } } },
        heading, ...[text].flat().map((line) => element("p", {}, line)), ...controls, this.#error,
        element("p", { class: "actions" },
            submit, button("Cancel", () => this.#dialog.close())));
        this.#dialog = element("dialog", {
            "aria-labelledby": "dialog-title", on: { close: () => this.#remove() },
        }, this.#form);
    }

    show() {
        document.body.append(this.#dialog);
        this.#dialog.showModal();
    }

    // Whether a dialog is open, which then gets the Escape key.
    static get isOpen() {
        return document.querySelector("dialog[open]") !== null;
    }

    static closeAll() {
        document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
    }

    async #run(submit, perform) {
        submit.disabled = true;
        this.#error.textContent = "";
        try {
            await perform(new FormData(this.#form));
            this.#dialog.close();
        } catch (error) {
            this.#error.textContent = error.message;
        }
        submit.disabled = false;
    }

    // Removes the dialog, and with it what was typed. If the button that opened the dialog is gone,
    // the keyboard continues at the title of the view.
    #remove() {
        this.#form.reset();
        this.#dialog.remove();
        if (document.activeElement === document.body) {
            document.getElementById("title").focus();
        }
    }
}
