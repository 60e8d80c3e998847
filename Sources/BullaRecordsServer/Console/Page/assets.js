// Downloads and uploads the files of fields.

import { button, element, size } from "./element.js";

export class Assets {
    #host;
    #scope;
    #record;
    #update;

    // `update` saves fields of the record, and shows it again.
    constructor(host, scope, record, update) {
        [this.#host, this.#scope, this.#record] = [host, scope, record];
        this.#update = update;
    }

    // The elements that show the files of a field, each with a button to download the file.
    shown(name, { value, type }) {
        const files = type === "ASSETID_LIST" ? value : [value];
        return files.map((file, index) => element("p", { class: "file" }, size(file.size), " ",
            button("Download", () => this.#download(name, file), {
                "aria-label": `Download ${name}${files.length > 1 ? ` ${index + 1}` : ""}`,
            })));
    }

    // A control that sends a file as the new value of a field.
    upload(name) {
        const chooser = element("input", {
            type: "file", "aria-label": `Replace the file of ${name}`,
            on: { change: () => this.#upload(name, chooser.files[0]) },
        });
        return element("label", { class: "upload" }, "Replace the file", chooser);
    }

    async #download(name, file) {
        await this.#host.attempt(async () => {
            const bytes = await this.#host.service.download(file.downloadURL);
            const url = URL.createObjectURL(bytes);
            element("a", { href: url, download: `${this.#record.recordName}-${name}` }).click();
            // By then, the browser has begun to save the file.
            setTimeout(() => URL.revokeObjectURL(url), 10_000);
            this.#host.notice.say(`${size(bytes.size)} of ${name} were downloaded.`);
        });
    }

    async #upload(name, file) {
        if (!file) {
            return;
        }
        await this.#host.attempt(async () => {
            this.#host.notice.say(`Uploading ${file.name}...`);
            await this.save(name, file);
            this.#host.notice.say(`${file.name} was uploaded to ${name}.`);
        });
    }

    // Sends a file, and saves it as the value of a field.
    async save(name, file) {
        const { recordName, recordType, zoneID } = this.#record;
        const { service } = this.#host;
        const { tokens } = await service.call(this.#scope, "assets/upload", {
            zoneID, tokens: [{ recordName, recordType, fieldName: name }],
        });
        const value = await service.upload(tokens[0].url, file);
        await this.#update({ [name]: { value, type: "ASSETID" } });
    }
}
