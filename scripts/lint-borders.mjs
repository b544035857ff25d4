// A lint rule: folders and subjects of plug-ins import what ARCHITECTURE.md lets them.
import { dirname, join, normalize, relative } from 'node:path';
import { root } from './bundle.mjs';
import { entriesOfTheMap, wrongImport } from './import-map.mjs';

const SRC = join(root, 'src');

/** For `plugins` of eslint's configuration: `brine/borders`. */
export const brineRules = {
  rules: {
    borders: {
      meta: { type: 'problem', docs: { description: 'imports between folders' }, schema: [] },
      create(context) {
        const entries = entriesOfTheMap();
        const file = relative(SRC, context.filename);
        const check = (node) => {
          const { source } = node;
          if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
          const target = normalize(join(dirname(file), source.value));
          const message = target.startsWith('..') ? undefined : wrongImport(entries, file, target);
          if (message !== undefined) context.report({ node: source, message });
        };
        return {
          ImportDeclaration: check,
          ImportExpression: check,
          ExportNamedDeclaration: check,
          ExportAllDeclaration: check,
        };
      },
    },
  },
};
