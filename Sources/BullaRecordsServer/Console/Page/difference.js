// The lines of two texts, side by side: each pair has equal lines, or only one of them.

// The most pairs of lines to compare with each other: beyond that, only equal lines at the
// beginnings and the ends of the texts are found.
const CELL_LIMIT = 4_000_000;

export function difference(former, next) {
    const [left, right] = [lines(former), lines(next)];
    let begin = 0;
    while (begin < left.length && begin < right.length && left[begin] === right[begin]) {
        begin += 1;
    }
    let end = 0;
    while (end < left.length - begin && end < right.length - begin
        && left[left.length - 1 - end] === right[right.length - 1 - end]) {
        end += 1;
    }
    const equal = (line) => [line, line];
    return [
        ...left.slice(0, begin).map(equal),
        ...middle(left.slice(begin, left.length - end), right.slice(begin, right.length - end)),
        ...left.slice(left.length - end).map(equal),
    ];
}

function lines(text) {
    const found = text.split("\n");
    return found[found.length - 1] === "" ? found.slice(0, -1) : found;
}

// Follows a longest common subsequence.
function middle(left, right) {
    if (left.length * right.length > CELL_LIMIT) {
        return [...left.map((line) => [line, null]), ...right.map((line) => [null, line])];
    }
    const lengths = commonLengths(left, right);
    const pairs = [];
    let [i, j] = [0, 0];
    while (i < left.length || j < right.length) {
        if (i < left.length && j < right.length && left[i] === right[j]) {
            pairs.push([left[i], right[j]]);
            i += 1;
            j += 1;
        } else if (j === right.length
            || (i < left.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
            pairs.push([left[i], null]);
            i += 1;
        } else {
            pairs.push([null, right[j]]);
            j += 1;
        }
    }
    return pairs;
}

// For each position in `left` and each in `right`, how many lines the longest common subsequence
// from there on has.
function commonLengths(left, right) {
    const lengths = Array.from(
        { length: left.length + 1 }, () => new Uint32Array(right.length + 1));
    for (let i = left.length - 1; i >= 0; i -= 1) {
        for (let j = right.length - 1; j >= 0; j -= 1) {
            lengths[i][j] = left[i] === right[j]
                ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
        }
    }
    return lengths;
}
