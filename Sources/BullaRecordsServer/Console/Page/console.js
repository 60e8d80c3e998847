// The console: signs a user in, and shows one view at a time.
//
// A view has a title, a trail of the views above it, `render`, which returns its content, and
// optionally `close`, which drops what the view holds. The address of the page contains no state.

import { button, element } from "./element.js";
import { Account } from "./account.js";
import { Dialog } from "./dialog.js";
import { Notice } from "./notice.js";
import { Schema } from "./schema.js";
import { Service } from "./service.js";
import { Session } from "./session.js";
import { Zones } from "./zones.js";

const part = (id) => document.getElementById(id);

class Console {
    #view;
    // Counts the renderings: the content of an earlier one that comes too late is dropped.
    #turn = 0;

    constructor() {
        this.notice = new Notice(part("status"), part("alert"));
        part("sign-in").addEventListener("submit", (event) => this.#signIn(event));
        part("sign-out").addEventListener("click", () => this.#signOut());
        document.addEventListener("keydown", (event) => this.#key(event));
        // The browser may keep a page that is left in a cache, where it must have no data.
        window.addEventListener("pagehide", () => this.#signOut());
    }

    get session() {
        return this.service?.session;
    }

    // Signing in and out.

    async #signIn(event) {
        event.preventDefault();
        const form = event.target;
        const values = new FormData(form);
        const name = values.get("accountName");
        const session = new Session(values.get("container"), values.get("environment"), name);
        const service = new Service(session, () => this.end("The session has ended."));
        form.querySelector("button").disabled = true;
        this.notice.say("Signing in...");
        try {
            await service.signIn(name, values.get("password"));
            this.service = service;
            form.elements.password.value = "";
            this.#begin();
        } catch (error) {
            session.end();
            this.notice.fail(error.message);
        }
        form.querySelector("button").disabled = false;
    }

    #begin() {
        const { accountName, container, environment, isDeveloper } = this.session;
        part("who").textContent = `${accountName}, ${container}, ${environment}`;
        const places = ["private", "shared", "public"].map((scope) => {
            const open = () => this.open(new Zones(this, scope));
            return [new Zones(this, scope).title.replace(" database", ""), open];
        });
        if (isDeveloper) {
            places.push(["Schema", () => this.open(new Schema(this))]);
        }
        places.push(["Account", () => this.open(new Account(this))]);
        part("places").replaceChildren(...places.map(([label, open]) =>
            element("li", {}, button(label, open))));
        this.#show(true);
        this.notice.clear();
        this.open(new Zones(this, "private"));
    }

    async #signOut() {
        if (this.service) {
            const sent = this.service.signOut();
            this.end("You are signed out.");
            await sent;
        }
    }

    // Drops the session and everything that it has shown.
    end(text) {
        this.session?.end();
        this.service = undefined;
        this.#turn += 1;
        this.#close();
        Dialog.closeAll();
        for (const id of ["places", "trail", "view", "who"]) {
            part(id).replaceChildren();
        }
        part("title").textContent = "";
        part("view").removeAttribute("aria-busy");
        this.#show(false);
        this.notice.say(text);
        part("sign-in").elements.accountName.focus();
    }

    #show(isSignedIn) {
        part("sign-in").hidden = isSignedIn;
        for (const id of ["session", "navigation", "content"]) {
            part(id).hidden = !isSignedIn;
        }
    }

    // Views.

    async open(view) {
        this.#close();
        this.#view = view;
        this.notice.clear();
        await this.#render(view);
        if (this.isShown(view)) {
            part("title").focus();
        }
    }

    // Reads the present view again.
    async refresh() {
        if (this.#view) {
            await this.#render(this.#view);
        }
    }

    isShown(view) {
        return this.#view === view;
    }

    async #render(view) {
        this.#turn += 1;
        const turn = this.#turn;
        part("view").setAttribute("aria-busy", "true");
        let content;
        try {
            content = await view.render();
        } catch (error) {
            content = [element("p", { class: "error" }, error.message), error.isAfterReset
                ? "Its owner has reset the encrypted data. Delete the zone, and create it again."
                : null];
        }
        if (turn !== this.#turn) {
            return;
        }
        part("title").textContent = view.title;
        part("trail").replaceChildren(...view.trail.map(([label, open]) =>
            element("li", {}, button(label, open, { class: "link" }))));
        this.#mark(view);
        this.draw(content);
        part("view").removeAttribute("aria-busy");
    }

    draw(content) {
        part("view").replaceChildren(...content.filter((item) => item).map((item) =>
            typeof item === "string" ? element("p", {}, item) : item));
    }

    #close() {
        this.#view?.close?.();
        this.#view = undefined;
    }

    // Marks the place of the view in the navigation.
    #mark(view) {
        const top = view.trail[0]?.[0] ?? view.title;
        for (const place of part("places").querySelectorAll("button")) {
            if (top.startsWith(place.textContent)) {
                place.setAttribute("aria-current", "page");
            } else {
                place.removeAttribute("aria-current");
            }
        }
    }

    // What views need.

    // Runs an action of a view, and says if it fails.
    async attempt(action) {
        try {
            await action();
        } catch (error) {
            this.notice.fail(error.message);
        }
    }

    focus(label) {
        [...part("view").querySelectorAll("button")]
            .find((found) => found.textContent === label)?.focus();
    }

    nameOf(userRecordName) {
        return userRecordName === this.session.userRecordName ? "you" : userRecordName;
    }

    // Keys.

    #key(event) {
        if (Dialog.isOpen || event.altKey || event.ctrlKey || event.metaKey) {
            return;
        }
        const { target, key } = event;
        if (key === "Escape" && this.#view && !target.matches("input, textarea, select")) {
            this.#view.trail.at(-1)?.[1]();
        }
        const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
        const list = target.matches("#places button") ? "#places button"
            : target.matches(".row-link") ? ".row-link" : undefined;
        if (!list || !(key in steps || key === "Home" || key === "End")) {
            return;
        }
        const all = [...document.querySelectorAll(list)];
        const at = all.indexOf(target) + (steps[key] ?? 0);
        const next = key === "Home" ? all[0] : key === "End" ? all.at(-1) : all[at];
        next?.focus();
        event.preventDefault();
    }
}

new Console();
