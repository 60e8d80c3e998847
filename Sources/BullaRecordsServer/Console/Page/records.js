// The records of one zone, page by page.

import { button, element, input, labelled, select, table, time } from "./element.js";
import { Dialog } from "./dialog.js";
import { brief } from "./field.js";
import { Record } from "./record.js";
import { Zones, DEFAULT_ZONE } from "./zones.js";

const PAGE_COUNT = 50;
const COMPARATORS = [
    ["EQUALS", "equals"], ["NOT_EQUALS", "does not equal"], ["LESS_THAN", "is less than"],
    ["LESS_THAN_OR_EQUALS", "is at most"], ["GREATER_THAN", "is greater than"],
    ["GREATER_THAN_OR_EQUALS", "is at least"], ["BEGINS_WITH", "begins with"],
    ["LIST_CONTAINS", "contains"],
];

export class Records {
    #host;
    // What the form says: no type means all records, which only a custom zone can list.
    #asked = { recordType: "", fieldName: "", comparator: "EQUALS", value: "" };
    // The marks at which the shown pages begin, and the mark of the page after the last of them.
    #marks = [undefined];
    #next;
    #types = new Set();

    constructor(host, scope, zoneID) {
        this.#host = host;
        this.scope = scope;
        this.zoneID = zoneID;
    }

    get title() {
        return `Zone ${this.zoneID.zoneName}`;
    }

    get trail() {
        const zones = new Zones(this.#host, this.scope);
        return [[zones.title, () => this.#host.open(zones)]];
    }

    async render() {
        const content = [
            this.#form(), button("New record", () => this.#create(), { class: "primary first" }),
        ];
        if (this.#asked.recordType === "" && this.#isDefault) {
            content.push("A default zone lists no changes: name a record type to list it.");
        } else {
            const records = await this.#page();
            records.forEach((record) => this.#types.add(record.recordType ?? ""));
            content.push(...this.#list(records), this.#pages());
        }
        return content;
    }

    get #isDefault() {
        return this.scope === "public" || this.zoneID.zoneName === DEFAULT_ZONE;
    }

    // The records of the page, without those that are deleted.
    async #page() {
        const mark = this.#marks[this.#marks.length - 1];
        const { service } = this.#host;
        const body = { zoneID: this.zoneID, resultsLimit: PAGE_COUNT };
        const { recordType } = this.#asked;
        if (recordType === "") {
            const found = await service.call(
                this.scope, "records/changes", { ...body, syncToken: mark });
            this.#next = found.moreComing ? found.syncToken : undefined;
            return found.records.filter((record) => !record.deleted);
        }
        const found = await service.call(this.scope, "records/query", {
            ...body, continuationMarker: mark, query: { recordType, filterBy: this.#filters },
        });
        this.#next = found.continuationMarker;
        return found.records;
    }

    get #filters() {
        const { fieldName, comparator, value } = this.#asked;
        return fieldName === "" ? [] : [{ fieldName, comparator, fieldValue: { value } }];
    }

    #list(records) {
        if (records.length === 0) {
            return ["There are no records."];
        }
        return [table("Records", ["Record", "Type", "Changed", "Fields"], records.map((record) =>
            record.serverErrorCode
                ? [record.recordName, "", "", record.reason] : this.#row(record)))];
    }

    #row(record) {
        const fields = Object.entries(record.fields);
        return [
            button(record.recordName, () => this.#open(record.recordName), {
                class: "link row-link",
            }),
            record.recordType, time(record.modified.timestamp),
            fields.length === 0 ? "none" : element("ul", { class: "brief" },
                ...fields.map(([name, field]) => brief(name, field))),
        ];
    }

    #open(recordName) {
        return this.#host.open(new Record(this.#host, this.scope, this.zoneID, recordName));
    }

    #pages() {
        const step = async (marks) => {
            this.#marks = marks;
            await this.#host.refresh();
            this.#host.notice.say(`Page ${marks.length}.`);
        };
        return element("p", { class: "actions" },
            this.#marks.length > 1
                ? button("Previous page", () => step(this.#marks.slice(0, -1))) : null,
            this.#next === undefined
                ? null : button("Next page", () => step([...this.#marks, this.#next])));
    }

    #form() {
        const asked = this.#asked;
        const types = element("datalist", { id: "types" },
            ...[...this.#types].map((type) => element("option", { value: type })));
        const type = input("recordType", { value: asked.recordType, list: "types" });
        return element("form", {
            class: "query", role: "search", "aria-label": "Records to list", autocomplete: "off",
            on: { submit: (event) => this.#ask(event) },
        },
        labelled("Record type", type, this.#isDefault ? undefined : "Empty lists all records."),
        labelled("Field", input("fieldName", { value: asked.fieldName }),
            "Only a field with an index."),
        labelled("Comparison", select("comparator", COMPARATORS, asked.comparator)),
        labelled("Value", input("value", { value: asked.value })), types,
        element("p", { class: "actions" }, element("button", {}, "List")));
    }

    async #ask(event) {
        event.preventDefault();
        this.#asked = Object.fromEntries(new FormData(event.target));
        [this.#marks, this.#next] = [[undefined], undefined];
        await this.#host.refresh();
    }

    #create() {
        const type = input("recordType", { required: true, value: this.#asked.recordType });
        new Dialog({
            title: "New record", action: "Create record",
            controls: [
                labelled("Type", type),
                labelled("Name", input("recordName"), "Empty takes a random name."),
            ],
            perform: async (values) => {
                const record = { recordType: values.get("recordType"), fields: {} };
                if (values.get("recordName") !== "") {
                    record.recordName = values.get("recordName");
                }
                const made = await this.#host.service.record(this.scope, "records/modify", {
                    zoneID: this.zoneID, operations: [{ operationType: "create", record }],
                });
                await this.#open(made.recordName);
                this.#host.notice.say(`Record ${made.recordName} was created.`);
            },
        }).show();
    }
}
