// A user's session. Its tokens are in private fields of this object, and nowhere else.

export class Session {
    #token;
    #pass;

    constructor(container, environment, accountName) {
        this.container = container;
        this.environment = environment;
        this.accountName = accountName;
        this.userRecordName = "";
        this.isDeveloper = false;
    }

    get place() {
        return `${encodeURIComponent(this.container)}/${this.environment}`;
    }

    get isOn() {
        return this.#token !== undefined;
    }

    begin(token) {
        this.#token = token;
    }

    admit({ ckAPIToken, userRecordName, isDeveloper }) {
        this.#pass = ckAPIToken;
        this.userRecordName = userRecordName;
        this.isDeveloper = isDeveloper;
    }

    // An answer may bring a newer token.
    renew(token) {
        if (token && this.isOn) {
            this.#token = token;
        }
    }

    // The query of a request to the web service.
    get query() {
        return new URLSearchParams({ ckAPIToken: this.#pass, ckWebAuthToken: this.#token });
    }

    // The body of a request to the console or the desk.
    fields(more = {}) {
        return { ckWebAuthToken: this.#token, ...more };
    }

    end() {
        this.#token = undefined;
        this.#pass = undefined;
    }
}
