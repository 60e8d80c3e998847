// Builds elements. Text becomes text nodes and never markup.

export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key === "on") {
            for (const [event, listener] of Object.entries(value)) {
                made.addEventListener(event, listener);
            }
        } else if (value === true) {
            made.setAttribute(key, "");
        } else if (value !== false && value !== undefined && value !== null) {
            made.setAttribute(key, value);
        }
    }
    made.append(...children.filter((child) => child !== undefined && child !== null));
    return made;
}

export function button(label, action, attributes = {}) {
    return element("button", { type: "button", ...attributes, on: { click: action } }, label);
}

// A list of terms with their descriptions, without those that are missing.
export function facts(pairs) {
    const known = pairs.filter(([, value]) => ![undefined, null, ""].includes(value));
    return element("dl", { class: "facts" }, ...known.map(([term, value]) =>
        element("div", {}, element("dt", {}, term), element("dd", {}, value))));
}

// A table; on a narrow screen, the cells of each row stand one below the other.
export function table(caption, columns, rows) {
    const cells = (row) => row.map((cell, index) =>
        element(index === 0 ? "th" : "td", {
            "data-column": columns[index], scope: index === 0 ? "row" : undefined,
        }, ...[cell].flat()));
    return element("table", {},
        element("caption", {}, caption),
        element("thead", {}, element("tr", {}, ...columns.map((column) =>
            element("th", { scope: "col" }, column)))),
        element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells(row)))));
}

let count = 0;

// A control below its label, with a hint that is read with it.
export function labelled(label, control, hint) {
    count += 1;
    control.id = `control-${count}`;
    const note = hint && element("span", { class: "hint", id: `${control.id}-hint` }, hint);
    if (note) {
        control.setAttribute("aria-describedby", note.id);
    }
    return element("p", { class: "labelled" },
        element("label", { for: control.id }, label), control, note);
}

// A control whose text the browser does not keep, not even to restore a tab.
export function input(name, attributes = {}) {
    return element(attributes.rows ? "textarea" : "input", {
        name, autocomplete: "off", autocapitalize: "none", spellcheck: "false", ...attributes,
    });
}

export function select(name, options, chosen) {
    return element("select", { name, autocomplete: "off" }, ...options.map(([value, label]) =>
        element("option", { value, selected: value === chosen }, label)));
}

// A time to the second, or to the millisecond.
export function time(milliseconds, isExact = false) {
    const moment = new Date(Number(milliseconds));
    if (Number.isNaN(moment.getTime())) {
        return String(milliseconds);
    }
    const text = moment.toISOString().replace("T", " ");
    return element("time", { datetime: moment.toISOString() },
        text.replace(isExact ? /(\.000)?Z$/ : /\.\d+Z$/, " UTC"));
}

export function size(byteCount) {
    const units = ["bytes", "KiB", "MiB", "GiB"];
    let [value, unit] = [Number(byteCount), 0];
    while (value >= 1024 && unit < units.length - 1) {
        value /= 1024;
        unit += 1;
    }
    return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
