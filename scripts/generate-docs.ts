/** Writes the man pages, the completion scripts and the reference of commands: `node scripts/run-ts.mjs scripts/generate-docs.ts`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedDocuments, REFERENCE_PATH } from '../src/cli/generated-docs.ts';

const root = process.env['BRINE_ROOT'] ?? process.cwd();
const reference = join(root, REFERENCE_PATH);
const documents = await generatedDocuments(existsSync(reference) ? readFileSync(reference, 'utf8') : '');
for (const [path, content] of documents) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  process.stdout.write(`${path}\n`);
}
