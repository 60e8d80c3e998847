// Says what happened, for eyes and for screen readers.

export class Notice {
    #status;
    #alert;

    constructor(status, alert) {
        [this.#status, this.#alert] = [status, alert];
    }

    say(text) {
        this.#alert.textContent = "";
        this.#status.textContent = text;
    }

    fail(text) {
        this.#status.textContent = "";
        this.#alert.textContent = text;
    }

    clear() {
        this.say("");
    }
}
