// One record: its history, its fields, and what can be done with it.

import { button, element, facts, input, labelled, select, table, time } from "./element.js";
import { Assets } from "./assets.js";
import { Dialog } from "./dialog.js";
import { KINDS, hint, isEditable, isSealed, parsed, seal, shown, typed } from "./field.js";
import { Records } from "./records.js";

export class Record {
    #host;
    // The record as the service sent it, without what is sealed.
    #record;
    // The fields with opened values, while they are shown.
    #opened;

    constructor(host, scope, zoneID, recordName) {
        this.#host = host;
        this.scope = scope;
        this.zoneID = zoneID;
        this.recordName = recordName;
    }

    get title() {
        return `Record ${this.recordName}`;
    }

    get trail() {
        const records = new Records(this.#host, this.scope, this.zoneID);
        return [...records.trail, [records.title, () => this.#host.open(records)]];
    }

    // Nothing opened outlives the view.
    close() {
        this.#opened = undefined;
    }

    async render() {
        this.close();
        this.#record = await this.#lookUp({});
        return this.#content();
    }

    #lookUp(more) {
        return this.#host.service.record(this.scope, "records/lookup", {
            zoneID: this.zoneID, records: [{ recordName: this.recordName }], ...more,
        });
    }

    #content() {
        return [
            this.#history(), this.#sealing(), ...this.#fields(),
            element("p", { class: "actions" },
                button("Add a field", () => this.#add(), { class: "primary" }),
                button("Add a file", () => this.#addFile()),
                button("Delete record", () => this.#delete(), { class: "danger" })),
        ];
    }

    #history() {
        const { recordType, recordChangeTag, created, modified, parent, share } = this.#record;
        const stamp = ({ timestamp, userRecordName }) => element("span", {},
            time(timestamp), userRecordName ? ` by ${this.#host.nameOf(userRecordName)}` : "");
        return facts([
            ["Type", recordType], ["Zone", this.zoneID.zoneName],
            ["Created", stamp(created)], ["Modified", stamp(modified)],
            ["Change tag", recordChangeTag],
            ["Parent", parent && button(parent.recordName, () => this.#follow(parent), {
                class: "link",
            })],
            ["Share", share && "The zone is shared."],
        ]);
    }

    #sealing() {
        const names = Object.entries(this.#record.fields).filter(([, field]) => isSealed(field));
        if (names.length === 0) {
            return null;
        }
        return element("p", { class: "sealing" }, this.#opened
            ? button("Seal again", () => this.#seal())
            : button("Open sealed fields", () => this.#open(), { class: "primary" }),
        this.#opened
            ? "Opened for you. The values go when you leave this record."
            : `${names.length} sealed. This page has not asked for the values.`);
    }

    #fields() {
        const fields = Object.entries(this.#opened ?? this.#record.fields);
        if (fields.length === 0) {
            return ["The record has no fields."];
        }
        return [table("Fields", ["Field", "Type", "Value", "Action"],
            fields.map(([name, field]) => this.#row(name, field)))];
    }

    #row(name, field) {
        const wasSealed = isSealed(this.#record.fields[name] ?? {});
        const isAsset = field.type.startsWith("ASSETID");
        const assets = this.#assets;
        const value = isSealed(field) ? [seal(false)] : [
            ...wasSealed ? [seal(true), " "] : [],
            ...isAsset ? assets.shown(name, field)
                : [shown(field.value, field.type, (value) => this.#follow(value))],
        ];
        const actions = [];
        if (field.type === "ASSETID") {
            actions.push(assets.upload(name));
        } else if (!isSealed(field) && isEditable(field)) {
            actions.push(button("Edit", () => this.#edit(name, field), {
                "aria-label": `Edit ${name}`,
            }));
        }
        const kind = `${field.type}${field.isEncrypted ? ", encrypted" : ""}`;
        return [element("span", { class: "field-name" }, name), kind, value, actions];
    }

    async #open() {
        await this.#host.attempt(async () => {
            const { fields } = await this.#lookUp({ keepSealed: false });
            if (this.#host.isShown(this)) {
                this.#opened = fields;
                this.#host.draw(this.#content());
                this.#host.focus("Seal again");
                this.#host.notice.say("The sealed fields are open.");
            }
        });
    }

    #seal() {
        this.close();
        this.#host.draw(this.#content());
        this.#host.focus("Open sealed fields");
        this.#host.notice.say("The fields are sealed again.");
    }

    #follow({ recordName, zoneID }) {
        return this.#host.open(
            new Record(this.#host, this.scope, zoneID ?? this.zoneID, recordName));
    }

    async #update(fields) {
        const { recordName, recordType, recordChangeTag, zoneID } = this.#record;
        await this.#host.service.record(this.scope, "records/modify", { zoneID, operations: [{
            operationType: "update", record: { recordName, recordType, recordChangeTag, fields },
        }] });
        await this.#host.refresh();
    }

    get #assets() {
        return new Assets(
            this.#host, this.scope, this.#record, (fields) => this.#update(fields));
    }

    #edit(name, { value, type, isEncrypted }) {
        const isLong = type === "STRING" || type.endsWith("_LIST");
        const text = input("value", isLong ? { rows: 4 } : {});
        text.value = typed(value, type);
        new Dialog({
            title: `Edit ${name}`, action: "Save",
            controls: [
                labelled("Value", text, hint(type)),
                element("label", { class: "check" },
                    element("input", { type: "checkbox", name: "remove", autocomplete: "off" }),
                    "Remove the field"),
            ],
            perform: async (values) => {
                const isRemoved = values.has("remove");
                await this.#update({ [name]: {
                    value: isRemoved ? null : parsed(values.get("value"), type), type, isEncrypted,
                } });
                this.#host.notice.say(`${name} was ${isRemoved ? "removed" : "saved"}.`);
            },
        }).show();
    }

    #add() {
        const encrypted = this.scope === "public" ? null : element("label", { class: "check" },
            element("input", { type: "checkbox", name: "isEncrypted", autocomplete: "off" }),
            "Encrypted");
        new Dialog({
            title: "Add a field", action: "Save",
            controls: [
                labelled("Name", input("name", { required: true })),
                labelled("Type", select("type", KINDS, "STRING")),
                labelled("Value", input("value", { rows: 4 }),
                    "A list has one element on each line."),
                encrypted,
            ].filter((control) => control),
            perform: async (values) => {
                const [name, type] = [values.get("name"), values.get("type")];
                const field = { value: parsed(values.get("value"), type), type };
                if (values.has("isEncrypted")) {
                    field.isEncrypted = true;
                }
                await this.#update({ [name]: field });
                this.#host.notice.say(`${name} was saved.`);
            },
        }).show();
    }

    #addFile() {
        new Dialog({
            title: "Add a file", action: "Upload",
            controls: [
                labelled("Field", input("name", { required: true })),
                labelled("File", element("input", { type: "file", name: "file", required: true })),
            ],
            perform: async (values) => {
                const [name, file] = [values.get("name"), values.get("file")];
                await this.#assets.save(name, file);
                this.#host.notice.say(`${file.name} was uploaded to ${name}.`);
            },
        }).show();
    }

    #delete() {
        const { recordName, recordChangeTag, zoneID } = this.#record;
        new Dialog({
            title: `Delete record ${recordName}?`, action: "Delete record", isDangerous: true,
            text: "Its fields and files are deleted with it. Nobody can bring them back.",
            perform: async () => {
                await this.#host.service.record(this.scope, "records/modify", { zoneID,
                    operations: [
                        { operationType: "delete", record: { recordName, recordChangeTag } },
                    ] });
                await this.#host.open(new Records(this.#host, this.scope, this.zoneID));
                this.#host.notice.say(`Record ${recordName} was deleted.`);
            },
        }).show();
    }
}
