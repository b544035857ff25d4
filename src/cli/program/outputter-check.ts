/**
 * `--out` of a name that nobody knows: said before anything runs, since it would be shown in another form than the one
 * asked for.
 */
import { UsageError } from '../../errors/errors.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { OUTPUTTER_NAMES } from '../../plugins/outputters/registry.ts';
import type { Dict } from '../../python/values/value.ts';
import { extensionFiles, pythonFiles } from '../../runtime/extensions/folder.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';

/**
 * Salt compat: Salt logs an error and prints with nested. An outputter of the configuration is no option: there ours
 * does the same.
 * @throws UsageError
 */
export function refuseUnknownOutputter(parsed: ParsedOptions, merged: Dict): void {
  const name = parsed.text('output');
  if (name === '' || !parsed.isExplicit('output') || OUTPUTTER_NAMES.includes(name)) return;
  const own = [
    ...extensionFiles(merged, 'output').map((file) => file.name),
    ...pythonFiles(merged, 'output').flatMap((file) => [file.file, file.name]),
  ];
  if (own.includes(name)) return;
  throw new UsageError(
    `option --out: there is no outputter '${name}'.${didYouMean(name, [...OUTPUTTER_NAMES, ...own])}`,
  );
}
