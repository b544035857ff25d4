/**
 * Writes the reference that git keeps, and names what changed: `node scripts/run-ts.mjs scripts/generate-docs.ts`. With
 * `--check` it writes nothing and exits 1 when something would change. With `--built` it writes the man pages and the
 * completion scripts, as every build does.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  builtDocuments,
  GENERATED_FOLDERS,
  generatedDocuments,
  REFERENCE_PATH,
} from '../src/cli/documents/generated-docs.ts';
import { subjectDifferences } from '../src/cli/documents/subject-differences.ts';

const root = process.env['BRINE_ROOT'] ?? process.cwd();
const checks = process.argv.includes('--check');
if (process.argv.includes('--built')) write(await builtDocuments());
else {
  const reference = join(root, REFERENCE_PATH);
  const documents = await generatedDocuments(
    existsSync(reference) ? readFileSync(reference, 'utf8') : '',
    subjectDifferences(root),
  );
  for (const path of write(documents)) process.stdout.write(`${path}\n`);
  for (const path of strangers(documents)) {
    process.stdout.write(`${path} is gone\n`);
    if (checks) process.exitCode = 1;
    else rmSync(join(root, path));
  }
}

/** Writes what is not there as it should be. @returns the paths of those files */
function write(documents: ReadonlyMap<string, string>): string[] {
  const stale = [...documents].filter(([path, content]) => {
    const file = join(root, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== content;
  });
  if (checks && stale.length > 0) process.exitCode = 1;
  for (const [path, content] of checks ? [] : stale) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    // whoever reads it meanwhile finds all of it
    writeFileSync(`${file}.${process.pid}`, content);
    renameSync(`${file}.${process.pid}`, file);
  }
  return stale.map(([path]) => path);
}

/** Files of generated folders that are none of the documents. */
function strangers(documents: ReadonlyMap<string, string>): string[] {
  return GENERATED_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  ).filter((path) => !documents.has(path));
}
