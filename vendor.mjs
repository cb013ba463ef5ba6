/**
 * Bundles the third-party JavaScript of the page into static/vendor/, one file a library.
 *
 * `npm ci --ignore-scripts && npm run vendor` makes them; they are never committed. Beside each
 * bundle stands a declaration file, so that `tsc --checkJs` sees the library's own types.
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
const out = join(root, "static", "vendor");

/** Name of a bundle → what it exports, and the types of that. */
const bundles = {
  codemirror: `
export { Compartment, EditorState, RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
export { Decoration, EditorView, GutterMarker, WidgetType, drawSelection, gutter, gutterLineClass, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
export { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { pythonLanguage } from "@codemirror/lang-python";
export { tags } from "@lezer/highlight";
`,
  temml: `export { default } from "temml";\n`,
};

const types = {
  codemirror: ["state", "view", "commands", "language", "lang-python"]
    .map((name) => `export * from "@codemirror/${name}";\n`)
    .concat('export { tags } from "@lezer/highlight";\n')
    .join(""),
  temml: `
declare const temml: {
  render(latex: string, element: Element, options?: { displayMode?: boolean; throwOnError?: boolean; trust?: boolean }): void;
};
export default temml;
`,
};

const licences = [
  "@codemirror/view",
  "@lezer/common",
  "style-mod",
  "w3c-keyname",
  "crelt",
  "@marijn/find-cluster-break",
  "temml",
];

await mkdir(out, { recursive: true });
for (const [name, contents] of Object.entries(bundles)) {
  await build({
    stdin: { contents, resolveDir: root, sourcefile: `${name}.js` },
    bundle: true,
    format: "esm",
    minify: true,
    target: "es2022",
    legalComments: "none",
    outfile: join(out, `${name}.js`),
  });
  await writeFile(join(out, `${name}.d.ts`), types[name]);
}

const texts = [];
for (const name of licences) {
  const folder = join(root, "node_modules", name);
  const text = await readFile(join(folder, "LICENSE"), "utf8").catch(() => "");
  texts.push(`${name}\n\n${text}`);
}
await writeFile(join(out, "LICENSES.txt"), texts.join("\n\n----\n\n"));
