// The schemas of development and production, and the promotion of one to the other.

import { button, element } from "./element.js";
import { Dialog } from "./dialog.js";
import { difference } from "./difference.js";

export class Schema {
    #host;

    constructor(host) {
        this.#host = host;
    }

    get title() {
        return "Schema";
    }

    get trail() {
        return [];
    }

    async render() {
        const schema = await this.#host.service.desk("schema");
        return [
            this.#summary(schema),
            schema.added.length === 0 ? null : element("p", {},
                button("Promote to production", () => this.#promote(schema), { class: "primary" })),
            this.#lines(schema),
        ];
    }

    #summary({ added, refusal }) {
        if (refusal) {
            return element("p", { class: "error" }, `It cannot be promoted: ${refusal}`);
        }
        return added.length === 0 ? "Production has everything that development has."
            : `Production lacks ${this.#count(added)}.`;
    }

    #count(added) {
        return added.length === 1 ? "one statement" : `${added.length} statements`;
    }

    // Production on the left, and on the right development, to which promotion would bring it.
    #lines({ development, production }) {
        const pairs = difference(production, development);
        const cell = (line, other, mark, name) => element("td", {
            class: line === null ? "none" : other === null ? "differs" : "same",
            "data-column": name,
        }, line === null ? "" : element("code", {}, `${other === null ? mark : " "} ${line}`));
        return element("div", { class: "schema" }, element("table", { class: "lines" },
            element("caption", {}, "Both schemas, line by line"),
            element("thead", {}, element("tr", {},
                element("th", { scope: "col" }, "Production"),
                element("th", { scope: "col" }, "Development"))),
            element("tbody", {}, ...pairs.map(([left, right]) => element("tr", {},
                cell(left, right, "-", "Production"), cell(right, left, "+", "Development"))))));
    }

    #promote({ added, version }) {
        new Dialog({
            title: "Promote the schema?", action: "Promote",
            text: "Production gets these statements. Promotion only adds: none can be removed.",
            controls: [element("ul", { class: "additions" },
                ...added.map((statement) => element("li", {}, statement)))],
            perform: async () => {
                const done = await this.#host.service.desk("promote", { version });
                await this.#host.refresh();
                this.#host.notice.say(`Production got ${this.#count(done.added)}.`);
            },
        }).show();
    }
}
