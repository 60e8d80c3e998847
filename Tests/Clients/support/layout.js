// Says what is wrong with the layout of the page as it stands: what overlaps, what goes beyond the
// sides, and what has too little contrast.
(() => {
    const faults = [];
    const root = document.querySelector("dialog[open]") ?? document.body;
    // What is clipped away is for screen readers only.
    const isClipped = (element) => element !== null
        && (getComputedStyle(element).clipPath !== "none" || isClipped(element.parentElement));
    const isShown = (element) => element.checkVisibility({ checkVisibilityCSS: true })
        && !element.closest(".skip, noscript") && !isClipped(element);
    const ownText = (element) => [...element.childNodes].some((node) =>
        node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
    const isControl = (element) => element.matches("button, input, select, textarea");
    const leaves = [...root.querySelectorAll("*")].filter((element) => isShown(element)
        && (ownText(element) || isControl(element)) && !element.matches("option, datalist *"));
    const name = (element) => `${element.localName} "${element.textContent.slice(0, 40).trim()}"`;

    if (document.documentElement.scrollWidth > window.innerWidth) {
        faults.push(`the page scrolls sideways: ${document.documentElement.scrollWidth}`);
    }
    // The lines of text, or the box of a control.
    const boxes = (element) => {
        if (isControl(element)) return [element.getBoundingClientRect()];
        const range = document.createRange();
        return [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
            .flatMap((node) => {
                range.selectNodeContents(node);
                return [...range.getClientRects()];
            });
    };
    const all = leaves.map((element) => [element, boxes(element)]);
    for (const [element, rects] of all) {
        for (const rect of rects) {
            if (rect.left < -0.5 || rect.right > window.innerWidth + 0.5) {
                faults.push(`${name(element)} goes beyond a side: ${rect.left} to ${rect.right}`);
            }
        }
    }
    const overlaps = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
    for (let i = 0; i < all.length; i += 1) {
        for (let j = i + 1; j < all.length; j += 1) {
            const [[one, a], [other, b]] = [all[i], all[j]];
            if (one.contains(other) || other.contains(one)) continue;
            if (a.some((left) => b.some((right) => overlaps(left, right)))) {
                faults.push(`${name(one)} overlaps ${name(other)}`);
            }
        }
    }

    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const channels = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (colour) => {
        const [r, g, b] = channels(colour).slice(0, 3).map((value) => {
            const part = value / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (channels(colour)[3] === 255) return colour;
        }
        return "white";
    };
    const contrast = (one, other) => {
        const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    for (const element of leaves) {
        const style = getComputedStyle(element);
        const found = contrast(style.color, ground(element));
        if (found < 4.5) faults.push(`${name(element)} has contrast ${found.toFixed(2)}`);
        if (isControl(element) && parseFloat(style.borderTopWidth) > 0) {
            const border = contrast(style.borderTopColor, ground(element.parentElement));
            if (border < 3) {
                faults.push(`the border of ${name(element)} has contrast ${border.toFixed(2)}`);
            }
        }
    }
    return faults;
})()
