// The values of fields: how they are shown, and how they are typed.

import { button, element, size, time } from "./element.js";

export const KINDS = [
    ["STRING", "Text"], ["INT64", "Whole number"], ["DOUBLE", "Number"], ["TIMESTAMP", "Time"],
    ["BYTES", "Bytes, in base64"], ["LOCATION", "Location"], ["REFERENCE", "Reference"],
    ["STRING_LIST", "List of texts"], ["INT64_LIST", "List of whole numbers"],
    ["DOUBLE_LIST", "List of numbers"], ["TIMESTAMP_LIST", "List of times"],
    ["REFERENCE_LIST", "List of references"],
];

const HINTS = {
    TIMESTAMP: "As 2026-11-29T12:00:00Z.", LOCATION: "Latitude and longitude, with a comma.",
    REFERENCE: "The name of a record in the same zone.", BYTES: "In base64.",
};

export function hint(type) {
    const one = HINTS[type.replace(/_LIST$/, "")];
    return type.endsWith("_LIST") ? ["One element on each line.", one].join(" ").trim() : one;
}

// A field that a record has, and whose value the answer left out.
export function isSealed(field) {
    return field.value === undefined;
}

// The elements that show a value; `follow` opens the record to which a reference leads.
export function shown(value, type, follow) {
    if (type.endsWith("_LIST")) {
        const one = type.replace(/_LIST$/, "");
        return element("ol", { class: "values" }, ...value.map((item) =>
            element("li", {}, shown(item, one, follow))));
    }
    switch (type) {
    case "TIMESTAMP": return time(value, true);
    case "LOCATION": return `${value.latitude}, ${value.longitude}`;
    case "REFERENCE":
        return button(value.recordName, () => follow(value), { class: "link" });
    case "ASSETID": return size(value.size);
    default: return element("span", { class: "value" }, String(value));
    }
}

// Whether a text can express the whole value: editing another value as text would lose parts.
export function isEditable({ value, type }) {
    const one = type.replace(/_LIST$/, "");
    if (!["STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES"].includes(one)) {
        return false;
    }
    return one === type || value.every((item) => String(item) !== "" && !/[\r\n]/.test(item));
}

// The text in which a value is typed.
export function typed(value, type) {
    if (type.endsWith("_LIST")) {
        return value.map((item) => typed(item, type.replace(/_LIST$/, ""))).join("\n");
    }
    switch (type) {
    case "TIMESTAMP": return new Date(Number(value)).toISOString();
    case "LOCATION": return `${value.latitude}, ${value.longitude}`;
    case "REFERENCE": return value.recordName;
    default: return String(value);
    }
}

// The value in a text, as the service takes it.
export function parsed(text, type) {
    if (type.endsWith("_LIST")) {
        const one = type.replace(/_LIST$/, "");
        return text.split("\n").filter((line) => line !== "").map((line) => parsed(line, one));
    }
    switch (type) {
    case "TIMESTAMP": return parsedTime(text);
    case "LOCATION": return parsedLocation(text);
    case "REFERENCE": return { recordName: text.trim(), action: "NONE" };
    case "STRING": return text;
    default: return text.trim();
    }
}

function parsedTime(text) {
    const milliseconds = Date.parse(text.trim());
    if (Number.isNaN(milliseconds)) {
        throw new Error("Expected a time, as 2026-11-29T12:00:00Z.");
    }
    return String(milliseconds);
}

function parsedLocation(text) {
    const parts = text.split(",").map((part) => Number(part.trim() || NaN));
    if (parts.length !== 2 || parts.some(Number.isNaN)) {
        throw new Error("Expected a latitude and a longitude, with a comma.");
    }
    return { latitude: parts[0], longitude: parts[1] };
}

// The mark of a sealed field.
export function seal(isOpen) {
    const label = isOpen ? "opened" : "sealed";
    return element("span", { class: `seal ${label}` }, label);
}

// A field in a list of records, in a few words.
export function brief(name, field) {
    const item = element("li", {}, element("span", { class: "field-name" }, name), " ");
    if (isSealed(field)) {
        item.append(seal(false));
    } else if (field.type.startsWith("ASSETID")) {
        item.append("file");
    } else {
        const text = typed(field.value, field.type);
        item.append(text.length > 60 ? `${text.slice(0, 60)}...` : text);
    }
    return item;
}
