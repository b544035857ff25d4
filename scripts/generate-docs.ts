/**
 * Writes the man pages, the completion scripts and the references, and names those that changed: `node
 * scripts/run-ts.mjs scripts/generate-docs.ts`. With `--check` it writes nothing and exits 1 when one would change.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedDocuments, REFERENCE_PATH } from '../src/cli/documents/generated-docs.ts';

const root = process.env['BRINE_ROOT'] ?? process.cwd();
const reference = join(root, REFERENCE_PATH);
const checks = process.argv.includes('--check');
const documents = await generatedDocuments(existsSync(reference) ? readFileSync(reference, 'utf8') : '');
for (const [path, content] of documents) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
  process.stdout.write(`${path}\n`);
  if (checks) {
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
