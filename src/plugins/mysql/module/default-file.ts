/** The option files of MySQL's clients (`/etc/mysql/debian.cnf`): what one section says. */
import { readTextIfExists } from '../../../host/files.ts';

/** Options of one section: names in small letters with dashes, values without the quotes around them. */
export type SectionOptions = ReadonlyMap<string, string>;

/** @param path the file; one that is not there has no options @param section without its brackets */
export function sectionOptions(path: string, section: string): SectionOptions {
  const options = new Map<string, string>();
  let isInside = false;
  for (const raw of (readTextIfExists(path) ?? '').split(/\r?\n/)) {
    const line = raw.trim();
    const [, heading] = /^\[(.+)\]$/.exec(line) ?? [];
    if (heading !== undefined) isInside = heading.trim() === section;
    else if (isInside && line !== '' && !/^[#;!]/.test(line)) {
      const [, name = '', value = ''] = /^([^=]+?)\s*(?:=\s*(.*))?$/s.exec(line) ?? [];
      options.set(name.toLowerCase().replaceAll('_', '-'), unquoted(value));
    }
  }
  return options;
}

function unquoted(value: string): string {
  return /^(['"])(.*)\1$/s.exec(value)?.[2] ?? value;
}
