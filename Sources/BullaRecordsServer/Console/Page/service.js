// Asks the service, which has the page's own origin. Nothing is cached.

export class ServiceError extends Error {
    constructor({ reason, serverErrorCode, userDidResetEncryptedData }, status = 0) {
        super(reason || `the service answered with status ${status}`);
        this.code = serverErrorCode;
        this.isAfterReset = userDidResetEncryptedData === true;
    }
}

const COMMON = {
    cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
};

export class Service {
    #base;
    #onEnd;

    // `onEnd` is called when the service no longer knows the session.
    constructor(session, onEnd) {
        this.session = session;
        this.#base = new URL("..", document.baseURI);
        this.#onEnd = onEnd;
    }

    async signIn(accountName, password) {
        const { session } = this;
        const found = await this.#send(`sign-in/${session.place}`, { accountName, password });
        session.begin(found.ckWebAuthToken);
        session.admit(await this.desk("pass"));
    }

    // The browser sends the request even if the page is being left.
    signOut() {
        const { session } = this;
        if (!session.isOn) {
            return Promise.resolve();
        }
        const sent = this.#send(`sign-out/${session.place}`, session.fields(), true);
        session.end();
        return sent.catch(() => undefined);
    }

    // An operation of the web service. Numbers come as texts, so that none is rounded. The answer
    // has no sealed values, unless `body` asks for them.
    async call(scope, operation, body = {}) {
        const { session } = this;
        const path = `database/1/${session.place}/${scope}/${operation}?${session.query}`;
        return this.#send(path, { numbersAsStrings: true, keepSealed: true, ...body });
    }

    // A request that only the console makes.
    desk(verb, fields) {
        const { session } = this;
        return this.#send(`console/${verb}/${session.place}`, session.fields(fields));
    }

    // The first record of an answer, or its error.
    async record(scope, operation, body) {
        const [found] = (await this.call(scope, operation, body)).records;
        if (found.serverErrorCode) {
            throw new ServiceError(found);
        }
        return found;
    }

    async upload(url, file) {
        const answer = await this.#fetch(this.#own(url), { method: "POST", body: file });
        return (await answer.json()).singleFile;
    }

    async download(url) {
        return (await this.#fetch(this.#own(url), {})).blob();
    }

    // Takes only the path of an address that the service gave: the origin is the page's own.
    #own(url) {
        return new URL(new URL(url).pathname, this.#base);
    }

    async #send(path, body, keepalive = false) {
        const answer = await this.#fetch(new URL(path, this.#base), {
            method: "POST", headers: { "Content-Type": "text/plain" },
            body: JSON.stringify(body), keepalive,
        });
        return answer.json();
    }

    async #fetch(url, options) {
        let answer;
        try {
            answer = await fetch(url, { ...COMMON, ...options });
        } catch {
            throw new ServiceError({ reason: "The service cannot be reached." });
        }
        if (!answer.ok) {
            const error = new ServiceError(await answer.json().catch(() => ({})), answer.status);
            if (error.code === "AUTHENTICATION_FAILED" && this.session.isOn
                && !url.pathname.includes("/console/reset-keys/")) {
                this.#onEnd();
            }
            throw error;
        }
        this.session.renew(answer.headers.get("X-Apple-CloudKit-Web-Auth-Token"));
        return answer;
    }
}
