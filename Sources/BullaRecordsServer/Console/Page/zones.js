// The zones of one database.

import { button, input, labelled, table } from "./element.js";
import { Dialog } from "./dialog.js";
import { Records } from "./records.js";

export const DEFAULT_ZONE = "_defaultZone";

const EXPLANATIONS = {
    private: "Your own zones. Only you can open what is sealed in them.",
    shared: "Zones that others share with you.",
    public: "One zone, for everybody. Nothing in it is sealed.",
};

export class Zones {
    #host;

    constructor(host, scope) {
        this.#host = host;
        this.scope = scope;
    }

    get title() {
        return `${this.scope[0].toUpperCase()}${this.scope.slice(1)} database`;
    }

    get trail() {
        return [];
    }

    async render() {
        const { zones } = await this.#host.service.call(this.scope, "zones/list");
        const rows = zones.map(({ zoneID }) => [
            button(zoneID.zoneName, () => this.#host.open(
                new Records(this.#host, this.scope, zoneID)), { class: "link row-link" }),
            this.#host.nameOf(zoneID.ownerRecordName),
            this.#isDeletable(zoneID)
                ? button("Delete zone", () => this.#delete(zoneID), {
                    class: "quiet", "aria-label": `Delete zone ${zoneID.zoneName}`,
                }) : "",
        ]);
        const content = [EXPLANATIONS[this.scope]];
        content.push(rows.length === 0
            ? "There are no zones." : table("Zones", ["Zone", "Owner", "Action"], rows));
        if (this.scope === "private") {
            content.push(button("New zone", () => this.#create(), { class: "primary" }));
        }
        return content;
    }

    #isDeletable(zoneID) {
        return this.scope === "private" && zoneID.zoneName !== DEFAULT_ZONE;
    }

    #create() {
        new Dialog({
            title: "New zone", action: "Create zone",
            controls: [labelled("Name", input("zoneName", { required: true }))],
            perform: async (values) => {
                const zoneName = values.get("zoneName");
                await this.#modify("create", { zoneName });
                await this.#host.refresh();
                this.#host.notice.say(`Zone ${zoneName} was created.`);
            },
        }).show();
    }

    #delete(zoneID) {
        deletion(zoneID.zoneName, async () => {
            await this.#modify("delete", zoneID);
            await this.#host.refresh();
            this.#host.notice.say(`Zone ${zoneID.zoneName} was deleted.`);
        }).show();
    }

    async #modify(operationType, zoneID) {
        const { zones } = await this.#host.service.call(this.scope, "zones/modify", {
            operations: [{ operationType, zone: { zoneID } }],
        });
        if (zones[0].serverErrorCode) {
            throw new Error(zones[0].reason);
        }
    }
}

function deletion(zoneName, perform) {
    return new Dialog({
        title: `Delete zone ${zoneName}?`, action: "Delete zone", isDangerous: true,
        text: "All of its records and files are deleted with it. Nobody can bring them back.",
        controls: [labelled("Type the name of the zone", input("name", { required: true }))],
        perform: async (values) => {
            if (values.get("name") !== zoneName) {
                throw new Error("This is not the name of the zone.");
            }
            await perform();
        },
    });
}
